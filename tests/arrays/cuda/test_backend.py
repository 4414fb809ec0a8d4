"""The back end for a GPU does what a plan says, in each of its ways; without a GPU, on a simulated one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Backend, Unsupported
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command
from rh_kernel.arrays.cuda import backend as cupy_backend
from rh_kernel.arrays.cuda.backend import CupyBackend
from rh_kernel.arrays.cuda.module import LaunchMode, module
from rh_kernel.arrays.devices import GPU, MissingGPU, gpu
from rh_kernel.arrays.execution import Machine, machine
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Program
from rh_kernel.loops.ir import Call, Contract, Instruction, Kept, Map, Plan, Precision, Store, View
from rh_kernel.loops.scalars import SCALAR_OPS
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import real
from tests.arrays.cuda.simulated_gpu import COMPILER, SimulatedGPU
from tests.arrays.plans import ONE, SPECIAL, STEPS, ByDefinition, plans
from tests.arrays.written import Written, command, drawn
from tests.benchmarks import texts
from tests.benchmarks.problems import Cnn, Net, Problem, Unet, mlp, residual
from tests.tiers import law

Make: TypeAlias = Callable[..., CupyBackend]

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="kernels are compiled by g++ here")
WAYS = tuple(LaunchMode)
laws = law(8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture
def make(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes the back end on a simulated GPU."""
    monkeypatch.setattr(cupy_backend, "gpu", lambda: GPU("simulated", 1 << 30))
    monkeypatch.setattr("rh_kernel.arrays.cuda.module.PRODUCT", 1)

    def make(way: LaunchMode | None = None, *, descending: bool = False) -> CupyBackend:
        monkeypatch.setattr(cupy_backend, "import_module", SimulatedGPU(folder, descending=descending).module)
        return CupyBackend(way)

    return make


def close(x: object, y: object, precision: Precision = "float64") -> None:
    """Equal but for rounding in another order."""
    tolerance = 1e-12 if precision == "float64" else 1e-3
    expected = np.asarray(y, dtype=np.float64)
    size = 1 if precision == "float64" else 1 + np.abs(expected[np.isfinite(expected)]).max(initial=0)
    np.testing.assert_allclose(np.asarray(x), expected, rtol=tolerance, atol=tolerance * size)


# -------------------------------------------------------------------------------------------- steps


def left_by(backend: CupyBackend, plan: Plan) -> tuple[Array, ...]:
    """What is in the buffers after two runs."""
    runner = backend.runner(plan, {})
    runner.step()
    runner.step()
    return leaves(runner.result())


@pytest.mark.slow
@needs_compiler
@laws
@pytest.mark.parametrize("kind", STEPS)
@given(data=st.data())
def test_each_way_does_what_the_steps_say(make: Make, kind: str, data: st.DataObject) -> None:
    plan = data.draw(plans(kind))
    reference = ByDefinition(plan, {})
    reference.step()
    reference.step()
    for way in WAYS:
        forward, backward = left_by(make(way), plan), left_by(make(way, descending=True), plan)
        for x, y, expected in zip(forward, backward, reference.result(), strict=True):
            assert x.dtype == plan.precision
            np.testing.assert_array_equal(x, y)
            close(x, expected, plan.precision)


@needs_compiler
@pytest.mark.parametrize("sizes", [(4, 8, 5), (8, 16, 3), (12, 24, 2), (3, 4, 8, 5), (4, 9, 5)])
def test_products_with_rows_of_the_second_factor_are_made_in_tiles(make: Make, sizes: tuple[int, ...]) -> None:
    *samples, m, n, k = sizes
    b = samples[0] if samples else 1
    extents = (b, m, n, k)
    buffers = (Kept(np.zeros(b * m * n)), Kept(drawn(1, b * m * k)), Kept(drawn(2, b * n * k)))
    output, left = View(0, 0, extents, (m * n, n, 1, 0)), View(1, 0, extents, (m * k, k, 0, 1))
    step = Contract(extents, output, left, View(2, 0, extents, (n * k, 0, k, 1)))
    plan = Plan("float64", None, (), buffers, 0, (step,), (View(0, 0, (b * m * n,), (1,)),), ())
    x, y = buffers[1].array.reshape(b, m, k), buffers[2].array.reshape(b, n, k)
    for way in WAYS:
        close(left_by(make(way), plan)[0].reshape(b, m, n), x @ y.swapaxes(1, 2))
    assert ("across" in module(plan, LaunchMode.WHOLE).text) is (n % 8 == 0)


@needs_compiler
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_every_function_at_every_special_number(make: Make, precision: Precision) -> None:
    n = len(SPECIAL)
    numbers = np.array(SPECIAL)
    pairs = (n, n)
    buffers = [Kept(numbers), *[Kept(np.zeros(n * n)) for _ in SCALAR_OPS]]
    arguments = (View(0, 0, pairs, (1, 0)), View(0, 0, pairs, (0, 1)))
    body = tuple([Instruction(f, (0,) if f in ONE else (0, 1)) for f in SCALAR_OPS])
    stores = tuple([Store(View(1 + i, 0, pairs, (n, 1)), 2 + i) for i in range(len(body))])
    whole = tuple([View(1 + i, 0, (n * n,), (1,)) for i in range(len(body))])
    plan = Plan(precision, None, (), tuple(buffers), 0, (Map(pairs, arguments, body, stores),), whole, ())
    reference = ByDefinition(plan, {})
    reference.step()
    for f, x, y in zip(SCALAR_OPS, left_by(make(), plan), reference.result(), strict=True):
        tolerance = 1e-14 if precision == "float64" else 1e-6
        np.testing.assert_allclose(x, y, rtol=tolerance, err_msg=f.name)


@needs_compiler
@pytest.mark.parametrize("accumulate", [False, True])
def test_sums_whose_entries_lie_anyhow_are_made_all_the_same(make: Make, accumulate: bool) -> None:
    output, left, right = View(0, 0, (3, 3), (2, 3)), View(1, 0, (3, 3), (3, 1)), View(1, 8, (3, 3), (-1, -3))
    buffers = (Kept(np.arange(11.0)), Kept(np.arange(9.0)))
    step = Contract((3, 3), output, left, right, 0.5, accumulate)
    plan = Plan("float64", None, (), buffers, 0, (step,), (View(0, 0, (11,), (1,)),), ())
    reference = ByDefinition(plan, {})
    reference.step()
    reference.step()
    for way in WAYS:
        close(left_by(make(way), plan)[0], reference.result()[0])


# ----------------------------------------------------------------------------------------- programs

NETS: dict[str, Net] = {
    "mlp": mlp(4, 6, 3),
    "residual": residual(3, 5),
    "cnn": Cnn("cnn", 2, 12, 3, 4),
    "unet": Unet("unet", 22, 2, 3),
}


@dataclass(frozen=True)
class Task:
    """A training step for batches, where it begins, and more samples than a batch has."""

    program: Program
    heap: dict[Location, Array]
    data: tuple[Array, ...]

    def machine(self, backend: Backend | None, precision: Precision = "float64") -> Machine:
        return machine(self.program, self.heap, precision, backend)

    def inputs(self, precision: Precision = "float64") -> list[Array]:
        return [x.astype(precision) for x in self.data]


@functools.cache
def task(name: str) -> Task:
    """The training of a net of the benchmarks; the cotangent of x is its result."""
    problem = Problem("", NETS[name], 8)
    arrays = problem.arrays()
    world = Written(texts.declarations(problem.net, texts.drawn))
    x, t = [real(*shape) for shape in problem.net.ends]
    program = batched(world.program("rev handle (x) <u>. model(u) with sgd(0.05, t)", x=x, t=t), (True, True))
    heap = {world.location(l): w for l, w in zip(texts.names(problem.net), arrays.weights, strict=True)}
    return Task(program, heap, (arrays.x, arrays.t))


ROWS = np.random.default_rng(1).permutation(8)[:6].reshape(2, 3)


@needs_compiler
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NETS)
def test_a_training_run_is_that_on_numpy(make: Make, name: str, way: LaunchMode, precision: Precision) -> None:
    given = task(name)
    reference = given.machine(None, precision)
    inputs = given.inputs(precision)
    reference.runner(3).steps(inputs, ROWS)
    for descending in (False, True):
        trained = given.machine(make(way, descending=descending), precision)
        trained.runner(3).steps(inputs, ROWS)
        for x, y in zip(leaves(trained.runner(3).result()), leaves(reference.runner(3).result()), strict=True):
            assert x.dtype == precision
            close(x, y, precision)
        for location, content in trained.written().items():
            close(content, reference.written()[location], precision)


@needs_compiler
@pytest.mark.parametrize("way", WAYS)
def test_single_steps_and_runs_of_steps_follow_each_other(make: Make, way: LaunchMode) -> None:
    given = task("mlp")
    reference, trained = given.machine(None), given.machine(make(way))
    other = [x + 1 for x in given.data]
    for m in (reference, trained):
        m.runner(3).step(*[x[:3] for x in given.data])
        m.runner(3).steps(given.data, ROWS)
        m.runner(3).steps(given.data, ROWS[:1])
        m.runner(3).steps(other, np.repeat(ROWS, 2, axis=0))
        m.runner(2).steps(given.data, ROWS[:, :2])
        m.runner(3).step(*[x[:3] for x in other])
    for location, content in trained.written().items():
        close(content, reference.written()[location])


@needs_compiler
@pytest.mark.parametrize("way", WAYS)
def test_within_a_training_run_nothing_comes_from_the_gpu(make: Make, way: LaunchMode) -> None:
    given, backend = task("mlp"), make(way)
    trained = given.machine(backend)
    runner = trained.runner(3)
    runner.steps(given.data, ROWS)
    before = backend.traffic.up
    runner.steps(given.data, ROWS)
    assert (backend.traffic.up - before, backend.traffic.down) == (1, 0)
    trained.written()
    assert backend.traffic.down == 1


@needs_compiler
def test_whole_runs_are_one_launch(make: Make) -> None:
    given = task("mlp")
    backend = make(LaunchMode.WHOLE)
    given.machine(backend).runner(3).steps(given.data, np.repeat(ROWS, 50, axis=0))
    assert backend.xp.launches == 1


@needs_compiler
def test_products_of_matrices_go_to_the_library(make: Make) -> None:
    given, backend = task("mlp"), make(LaunchMode.LAUNCHED)
    given.machine(backend).runner(3).steps(given.data, ROWS)
    # Two layers: two products forward, one back to x and one to h, two for the weights; and twice that.
    assert backend.xp.products == 2 * 6


@needs_compiler
def test_what_does_not_fit_is_refused(make: Make) -> None:
    given = task("mlp")
    runner = given.machine(make()).runner(3)
    x, t = given.data
    for wrong in ((x, t), (x[:3], t[:3].astype(np.float32)), (x[:3], t[:3, :2])):
        with pytest.raises(ValueError, match="an array of"):
            runner.step(*wrong)
    with pytest.raises(ValueError, match="an array of"):
        runner.steps((x, t[:, :2]), ROWS)
    for rows in (ROWS + 8, ROWS - 9, ROWS[:, :2], ROWS[0]):
        with pytest.raises(ValueError, match="rows"):
            runner.steps((x, t), rows)


@needs_compiler
@pytest.mark.parametrize("way", WAYS)
def test_a_program_without_samples_runs(make: Make, way: LaunchMode) -> None:
    world = Written("loc w : Real(2) = zeros\n")
    program = world.program("let v <= Get[w]() in let _ <= Put[w](v + x) in return (sum(v * x), x)", x=real(2))
    run = machine(program, world.heap(w=np.array([1.0, 2.0])), "float64", make(way))
    run.runner().step(np.array([3.0, 4.0]))
    y, x = leaves(run.runner().result())
    close(y, [11.0])
    close(x, [3.0, 4.0])
    close(run.written()[world.location("w")], [4.0, 6.0])
    run.runner().steps([np.array([[1.0, 1.0], [2.0, 2.0]])], np.array([[1], [1]]))
    close(run.written()[world.location("w")], [8.0, 10.0])


@needs_compiler
def test_the_memory_is_the_runners_and_can_be_overwritten(make: Make) -> None:
    given, backend = task("mlp"), make()
    memory = backend.memory(given.heap, "float32")
    before = memory.fetch()
    run = Machine(given.program, memory, "float32", backend)
    run.runner(3).steps(given.inputs("float32"), ROWS)
    assert all(not np.array_equal(content, before[location]) for location, content in memory.fetch().items())
    memory.store(given.heap)
    assert all(np.array_equal(content, before[location]) for location, content in memory.fetch().items())
    for location, content in before.items():
        close(content, given.heap[location], "float32")


@needs_compiler
def test_a_strict_program_is_stuck_where_it_is_undefined(make: Make) -> None:
    world = Written("")
    program = compile_command(
        command(world.known, "return relu(x)", {"x": real(2)}), (real(2),), options=CompileOptions(strict=True)
    )
    run = machine(batched(program, (True,)), {}, "float64", make())
    data = np.array([[1.0, 2.0], [-1.0, 3.0], [4.0, 0.0]])
    run.runner(2).steps([data], np.array([[0, 1]]))
    close(leaves(run.runner(2).result())[0], [[1.0, 2.0], [0.0, 3.0]])
    with pytest.raises(Stuck):
        run.runner(2).steps([data], np.array([[0, 1], [1, 2]]))


@needs_compiler
def test_rows_are_taken_and_put_by_numbers_that_are_checked(make: Make) -> None:
    text = "[[1, 2], [10, 20]].rd(w. take(w, i) * take(w, i))(x)"
    program = batched(Written("").program(f"return {text}", x=real(3, 2), i=real(2)), (True, True))
    rng = np.random.default_rng(3)
    x, i = rng.normal(size=(4, 3, 2)), rng.integers(0, 3, (4, 2)).astype(np.float64)
    plan = planned(program, 4)
    runner, expected = make().runner(plan, {}), NumPy().runner(plan, {})
    for one in (runner, expected):
        one.step(x, i)
    close(leaves(runner.result())[0], leaves(expected.result())[0])
    i[2, 1] = 3
    with pytest.raises(Stuck, match="RH212: there is no row 3"):
        runner.step(x, i)


@needs_compiler
def test_what_has_no_loop_is_called_as_it_is(make: Make) -> None:
    entry = View(0, 0, (3, 2), (2, 1))
    f = instantiate("relu", SYMBOLS["relu"].schemes[0], ((dim(3), dim(2)),))
    step = Call(f, View(1, 0, (3, 2), (1, 3)), (entry,))
    plan = Plan("float64", None, (), (Kept(np.arange(6.0) - 3), Kept(np.zeros(6))), 0, (step,), View(1, 0, (6,), (1,)), ())
    runner = make().runner(plan, {})
    runner.step()
    close(runner.result(), [0, 0, 1, 0, 0, 2])
    with pytest.raises(Unsupported):
        make(LaunchMode.WHOLE).runner(plan, {})


@needs_compiler
def test_what_cuda_says_when_it_gives_up_is_told(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = make()
    trained = task("mlp").machine(backend)

    def gives_up(*_: object) -> None:
        raise RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered")

    monkeypatch.setattr(backend.xp, "asnumpy", gives_up)
    with pytest.raises(Stuck) as failure:
        trained.written()
    (told,) = failure.value.diagnostics
    assert (told.code, told.message) == (
        "RH402",
        "CUDA says: cudaErrorIllegalAddress: an illegal memory access was encountered",
    )


# ---------------------------------------------------------------------------------------- the GPU


def test_without_a_gpu_there_is_no_back_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cupy_backend, "gpu", lambda: MissingGPU("there is no driver", "install it"))
    with pytest.raises(Unsupported, match="there is no driver"):
        CupyBackend()


@pytest.mark.gpu
@pytest.mark.skipif(isinstance(gpu(), MissingGPU), reason="there is no usable GPU")
@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NETS)
def test_a_gpu_does_the_same(name: str, way: LaunchMode, precision: Precision) -> None:
    given = task(name)
    reference, trained = given.machine(None, precision), given.machine(CupyBackend(way), precision)
    for m in (reference, trained):
        m.runner(3).steps(given.inputs(precision), np.repeat(ROWS, 20, axis=0))
    for location, content in trained.written().items():
        close(content, reference.written()[location], precision)


@pytest.mark.parametrize("precision", ["float64", "float32"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", NETS)
def test_cuda_compiles_the_kernels(name: str, way: LaunchMode, precision: Precision) -> None:
    nvrtc = pytest.importorskip("cupy_backends.cuda.libs.nvrtc")
    text = module(planned(task(name).program, 3, precision), way).text
    program = nvrtc.createProgram(text, "kernels.cu", [], [])
    nvrtc.compileProgram(program, ["--gpu-architecture=compute_90", "--std=c++17"])
    assert b".entry run" in nvrtc.getPTX(program) or way is not LaunchMode.WHOLE
