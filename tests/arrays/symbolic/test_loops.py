"""Rounds as loops: the same results as the rounds one by one, by every back end, alone and in batches, at a constant size."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays import prebuilt
from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command, translate
from rh_kernel.arrays.execution import machine
from rh_kernel.arrays.native.compiled import Native, available
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.options import FEWEST, Checkpointing, CompileOptions
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.prebuilt import Prebuilt
from rh_kernel.arrays.program import Loop, Program
from rh_kernel.arrays.stacks import Stack, places
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.signature import Location, members
from rh_kernel.syntax.types import real
from rh_kernel.typing.definitions import LocDefinition, LocFamilyDefinition
from tests.arrays.validation import validate
from tests.arrays.written import close, command
from tests.benchmarks import sequences
from tests.declarations import declared
from tests.tiers import law

UNROLLED = CompileOptions(fewest=None)
INPUTS = {"x": real(2), "z": real(12, 2)}
ROUNDS = 12

DECLARED = f"""
loc w : Real(2, 2) = zeros
loc u : Real(2, 2) = zeros
loc ws[{ROUNDS}] : Real(2, 2) = zeros
loc vs[20] : Real(2, 2) = zeros
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler kept(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return 0.1 * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let v <= Get[l]() in let _ <= Put[l](v - outer(y, x)) in return w^T @ y
}}
op Stop : Real(2) -> Real(2)
op Again : Real(2) -> Real(2)
handler stop = {{
  return x -> return x
  Stop(x), k -> return x
}}
handler again(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return 0.1 * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, x)
    | y, x -> let v <= Get[l]() in let _ <= Put[l](v - 0.5 * outer(y, x)) in return v^T @ y
}}
handler lost(t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return 0.1 * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}}
"""

COMMANDS = {
    "repeat": "repeat i < 12 from s = x do return 0.9 * tanh(s + s)",
    "swap": "repeat i < 13 from (a, b) = (x, 2 * x) do return (b, a + b)",
    "constant": "repeat i < 12 from s = x do return [1, 2]",
    "scan": "scan (a in z) from s = x do return (sum(a) * s, s + a)",
    "units": "scan (a in z) from s = x do return ((), s + a)",
    "map": "return (map (a in z, c in z) do sum(a) * tanh(c + x))",
    "maps": "return (map (a in z) do map (c in z) do dot(a, c) * x)",
    "derivative": "return (z.rd(q. map (a in q) do sum(a) * tanh(a + x))(z))",
    "second derivative": "return (z.rd(v. v.rd(q. map (a in q) do sum(a) * tanh(a))(z))(z))",
    "shared": "rev handle (x) <x>. repeat i < 12 from s = x do let y <= FC[w](s) in return tanh(y + x) with H([0, 1])",
    "family": "rev handle (x) <x>. repeat i < 12 from s = x do let y <= FC[ws[i]](s) in return s + tanh(y) with H([0, 1])",
    "recurrent": """rev handle (x, z) <x, z>. let (bs, s) <= scan (a in z) from s = x do
  let p <= FC[w](a) in let q <= FC[u](s) in let h <- tanh(p + q) in return (h, h) in return s + sum_rows(bs) with H([0, 1])""",
    "even and odd": """rev handle (x) <x>. repeat i < 9 from s = x do
  let y <= FC[vs[2 * i]](s) in let z <= FC[vs[2 * i + 1]](tanh(y)) in return s + z with H([0, 1])""",
    "first and others": """rev handle (x) <x>. let s <= FC[vs[0]](x) in
  repeat i < 10 from s = s do let y <= FC[vs[i + 1]](s) in return s + tanh(y) with H([0, 1])""",
    "a part": """rev handle (x) <x>. repeat i < 9 from s = x do let y <= FC[vs[i]](s) in return s + tanh(y) with H([0, 1])""",
    "odd ones in a loop": """rev handle (x) <x>. repeat i < 9 from s = x do
  repeat j < 9 from s = s do let y <= FC[vs[2 * j + 1]](s) in return tanh(y + x) with H([0, 1])""",
    "nested": """rev handle (x) <x>. repeat j < 9 from s = x do
  repeat i < 12 from s = s do let y <= FC[ws[i]](s) in return tanh(y + x) with H([0, 1])""",
    "inner": """rev handle (x) <x>. repeat j < 12 from s = x do
  repeat i < 9 from s = s do let y <= FC[ws[j]](s) in return tanh(y + x) with H([0, 1])""",
    "attention": """rev handle (x, z) <x, z>. let (ys, s) <= scan (a in z) from s = 0 do
  let q <- map (c in z) do dot(a, c) * c in let y <= FC[w](sum_rows(q)) in return (y, s + sum(y)) in
  return s * sum_rows(ys) with H([0, 1])""",
    "branches": """rev handle (x) <x>. repeat i < 12 from s = x do
  if sum(s) < 1 then FC[w](s + x) else return 0.5 * s with H([0, 1])""",
    "two handlers": """rev handle (x) <x>. rev handle (x) <x>. repeat i < 12 from s = x do
  let y <= FC[w](s) in return tanh(y) with H([0, 1]) with H([1, 1])""",
    "inference": """handle repeat i < 12 from s = x do let y <= FC[ws[i]](s) in return s + tanh(y) with
  { return x -> return x ; FC[l](x), k -> let w <= Get[l]() in if sum(x) < 1 then k(w @ x) else k(tanh(w @ x)) }""",
    "inference inside": """rev handle (x) <x>. handle repeat i < 12 from s = x do let y <= FC[ws[i]](s) in FC[w](y) with
  { return x -> return 2 * x ; FC[l](x), k -> let y <= FC[l](tanh(x)) in k(y + y) } with H([0, 1])""",
    "a value leaves a reverse handler": """scan (a in z) from s = x do
  let b <= handle rev handle (s) <s>. Stop(2 * s) with kept([0, 1]) with stop in return (tanh(a + b), b)""",
    "heap": "repeat i < 12 from s = x do let v <= Get[w]() in let _ <= Put[w](v + outer(s, x)) in return 0.5 * s",
}

Outcome: TypeAlias = tuple[list[Array], dict[Location, Array]]


def heap(seed: int) -> dict[Location, Array]:
    rng, found = np.random.default_rng(seed), dict[Location, Array]()
    definitions = declared(DECLARED)
    for name in ("w", "u"):
        definition = definitions.get(name)
        assert isinstance(definition, LocDefinition)
        found[definition.location] = rng.normal(0.0, 0.5, (2, 2))
    for name in ("ws", "vs"):
        family = definitions.get(name)
        assert isinstance(family, LocFamilyDefinition)
        found.update({location: rng.normal(0.0, 0.5, (2, 2)) for location in members(family.family)})
    return found


def written(text: str) -> Command:
    return command(declared(DECLARED), text, INPUTS)


def texts() -> list[tuple[str, str]]:
    """Each command with each handler."""
    found: list[tuple[str, str]] = []
    for name, text in COMMANDS.items():
        handlers = ("kept", "again", "lost") if " H(" in text else ("",)
        found += [(f"{name} {handler}".strip(), text.replace(" H(", f" {handler}(")) for handler in handlers]
    return found


each_command = pytest.mark.parametrize("text", [text for _, text in texts()], ids=[name for name, _ in texts()])


def programs(text: str) -> tuple[Program, Program]:
    """The command with loops, and without."""
    P = written(text)
    types, names = tuple(INPUTS.values()), tuple(INPUTS)
    return validate(compile_command(P, types, names)), validate(compile_command(P, types, names, UNROLLED))


def outcome(
    program: Program, inputs: list[Array], samples: int | None, backend: Backend, runs: int | None, seed: int = 0
) -> Outcome:
    made = machine(program, heap(seed), backend=backend, runs=runs)
    runner = made.runner(samples)
    runner.step(*inputs)
    return [*leaves(runner.result())], made.written()


def assert_alike(found: Outcome, expected: Outcome) -> None:
    for x, y in zip(found[0], expected[0], strict=True):
        close(x, y, 1e-9)
    assert found[1].keys() == expected[1].keys()
    for location, content in expected[1].items():
        close(found[1][location], content, 1e-9)


def compiled() -> list[Callable[[], Backend]]:
    """The back ends with machine code that are there."""
    return [*([Native] if available() else []), *([Prebuilt] if prebuilt.available() else [])]


def backends() -> list[tuple[Backend, int | None]]:
    return [(NumPy(), 1), (NumPy(), None), *[(make(), None) for make in compiled()]]


@each_command
def test_a_loop_gives_what_its_rounds_give_one_by_one(text: str) -> None:
    rolled, unrolled = programs(text)
    assert not any(isinstance(e.operator, Loop) for e in unrolled.equations)
    rng = np.random.default_rng(1)
    inputs = [rng.normal(size=2), rng.normal(size=(12, 2))]
    expected = outcome(unrolled, inputs, None, NumPy(), 1)
    for backend, runs in backends():
        assert_alike(outcome(rolled, inputs, None, backend, runs), expected)


@each_command
def test_each_sample_of_a_batch_goes_through_the_rounds(text: str) -> None:
    rolled, unrolled = [validate(batched(program, [True, True])) for program in programs(text)]
    rng = np.random.default_rng(2)
    inputs = [rng.normal(size=(5, 2)), rng.normal(size=(5, 12, 2))]
    expected = outcome(unrolled, inputs, 5, NumPy(), 1)
    for backend, runs in backends():
        assert_alike(outcome(rolled, inputs, 5, backend, runs), expected)


@each_command
def test_only_some_inputs_differ_from_sample_to_sample(text: str) -> None:
    rng = np.random.default_rng(3)
    for marks in ([True, False], [False, True]):
        rolled, unrolled = [validate(batched(program, marks)) for program in programs(text)]
        inputs = [rng.normal(size=(5, 2)) if marks[0] else rng.normal(size=2)]
        inputs += [rng.normal(size=(5, 12, 2)) if marks[1] else rng.normal(size=(12, 2))]
        expected = outcome(unrolled, inputs, 5, NumPy(), 1)
        for backend, runs in backends():
            assert_alike(outcome(rolled, inputs, 5, backend, runs), expected)


@each_command
def test_many_rounds_are_a_loop(text: str) -> None:
    program = translate(written(text), tuple(INPUTS.values()), tuple(INPUTS))
    assert any(isinstance(e.operator, Loop) for e in program.equations)


def test_a_program_has_one_size_for_all_numbers_of_rounds() -> None:
    sizes: set[int] = set()
    for n in (FEWEST, 100, 10_000):
        definitions = declared(DECLARED.replace(f"ws[{ROUNDS}]", f"ws[{n}]"))
        text = f"rev handle (x) <x>. repeat i < {n} from s = x do let y <= FC[ws[i]](s) in return s + tanh(y) with kept([0, 1])"
        P = command(definitions, text, INPUTS)
        sizes.add(compile_command(P, tuple(INPUTS.values()), tuple(INPUTS)).count)
    assert len(sizes) == 1


def test_few_rounds_are_unrolled() -> None:
    for n, is_loop in ((FEWEST - 1, False), (FEWEST, True)):
        program = compile_command(written(f"repeat i < {n} from s = x do return s * s"), tuple(INPUTS.values()), tuple(INPUTS))
        assert any(isinstance(e.operator, Loop) for e in program.equations) == is_loop


@pytest.mark.parametrize(
    "text",
    [
        "repeat i < 12 from s = 0 do return s + sum(fill[i + 1](s))",
        "repeat i < 11 from s = x do let v <= Get[ws[i]]() in let u <= Get[ws[i + 1]]() in return v @ (u @ s)",
        "repeat i < 11 from s = x do let v <= Get[ws[11 - i]]() in return v @ s",
        """handle handle repeat i < 12 from s = x do let _ <= Again(s) in return s * s with
  { return x -> return x ; Again(x), k -> let y <= Stop(x) in k(y) } with stop""",
        "let v <= Get[ws[3]]() in repeat i < 12 from s = v @ x do let v <= Get[ws[i]]() in return v @ s",
        """repeat j < 12 from s = x do
  repeat i < 12 from s = s do let v <= Get[ws[i]]() in let u <= Get[ws[j]]() in return v @ s""",
    ],
    ids=[
        "number of the round",
        "a location and the next one",
        "from the last to the first",
        "a clause that leaves the round",
        "location by itself",
        "one family twice",
    ],
)
def test_rounds_that_are_not_alike_are_unrolled(text: str) -> None:
    P = written(text)
    program = translate(P, tuple(INPUTS.values()), tuple(INPUTS))
    assert not any(isinstance(e.operator, Loop) for e in program.equations)


def test_a_family_is_one_array() -> None:
    program, _ = programs("repeat i < 12 from s = x do let v <= Get[ws[i]]() in let _ <= Put[ws[i]](2 * v) in return v @ s")
    (read,), (write,) = [location for _, location in program.reads], [location for location, _ in program.writes]
    assert read == write
    assert isinstance(read, Stack)
    assert len(places(read)) == ROUNDS


def test_what_rounds_share_or_only_add_up_leaves_the_loop() -> None:
    """The products with the rows of the input, and the sums of the products for the new weights, are matrix products."""
    program, _ = programs(dict(texts())["recurrent kept"])
    bodies = [e.operator.body for e in program.equations if isinstance(e.operator, Loop)]
    names = [sorted(getattr(e.operator, "name", "") for e in body.equations) for body in bodies]
    assert ["outer" in body for body in names] == [False, False]
    assert [body.count("matmul") for body in names] == [1, 1]


@law(20)
@given(st.integers(0, 2**31), st.sampled_from([text for _, text in texts()]))
def test_loops_agree_from_any_heap(seed: int, text: str) -> None:
    rolled, unrolled = programs(text)
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=2), rng.normal(size=(12, 2))]
    assert_alike(outcome(rolled, inputs, None, NumPy(), None, seed), outcome(unrolled, inputs, None, NumPy(), 1, seed))


@each_command
@pytest.mark.parametrize("k", [2, 5, 7, "auto"])
def test_checkpointing_changes_no_result(text: str, k: Checkpointing) -> None:
    P = written(text)
    types, names = tuple(INPUTS.values()), tuple(INPUTS)
    unrolled = compile_command(P, types, names, UNROLLED)
    found = validate(compile_command(P, types, names, CompileOptions(checkpointing=k)))
    rng = np.random.default_rng(4)
    inputs = [rng.normal(size=2), rng.normal(size=(12, 2))]
    expected = outcome(unrolled, inputs, None, NumPy(), 1)
    for backend, runs in backends() if k == 5 else [(NumPy(), None)]:
        assert_alike(outcome(found, inputs, None, backend, runs), expected)
    inputs = [rng.normal(size=(3, 2)), rng.normal(size=(3, 12, 2))]
    expected = outcome(batched(unrolled, [True, True]), inputs, 3, NumPy(), 1)
    assert_alike(outcome(validate(batched(found, [True, True])), inputs, 3, NumPy(), None), expected)


def scratch(program: Program) -> int:
    """The number of reals of scratch memory in a run."""
    return planned(program, None).scratch


def test_with_checkpointing_memory_grows_with_the_square_root_of_the_rounds() -> None:
    text = "rev handle (x) <x>. repeat i < {n} from s = x do let y <= FC[w](s) in return s + tanh(y) with kept([0, 1])"
    choices: tuple[Checkpointing, ...] = ("off", "auto", 10)
    found: dict[tuple[int, Checkpointing], int] = {}
    for n in (400, 10_000):
        for k in choices:
            P = written(text.replace("{n}", str(n)))
            found[n, k] = scratch(compile_command(P, tuple(INPUTS.values()), tuple(INPUTS), CompileOptions(checkpointing=k)))
    assert found[10_000, "off"] > 20 * found[400, "off"]
    assert found[10_000, "auto"] < 6 * found[400, "auto"]
    assert found[10_000, "auto"] < found[10_000, 10] < found[10_000, "off"] / 4


def test_a_loop_and_its_backward_pass_need_little_more_memory_than_what_is_kept() -> None:
    program = sequences.program(100)
    assert scratch(program) <= 1.2 * sequences.kept(program)
