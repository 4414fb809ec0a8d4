"""Array programs drawn equation by equation, with several locations: their runs leave the results and the heap of the kernels.

The commands of the language seldom come to programs in which one product is written at one location and subtracted from
another, or in which one loop gives several new contents; these do.
"""

import random
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.backend import Runner
from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.loop_cache import LoopCache
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.numpy_backend.interpreter import Interpreter
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.arrays.program import Equation, Extent, Operator, Program, extent_of
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.layouts import Layout
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.formulas import OF_ONE_SHAPE
from rh_kernel.primitives.linear import SCALE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.smoothness import row_count
from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Location
from tests.arrays.validation import validate
from tests.primitives.instances import INSTANCES, shapes
from tests.tiers import law

WILD = frozenset({"log", "sqrt", "recip", "div", "exp", "round", "sign", "step", "square", "same_argmax"})
"""What grows without bound, or jumps: the last digits of an argument would decide."""

LARGEST = 1e6

MEMBERS = {name: [f for f in INSTANCES if f.name == name] for name in SYMBOLS if name not in WILD}
NAMES = [*MEMBERS, *["outer", "matmul", "matmul", "outer", "scale", "dot", "conv1d"] * 2]
SHAPES: list[Extent] = [(2,), (3,), (4,), (2, 3), (2, 2), (3, 3), (1, 3), (2, 1, 3), (1, 1), (1,)]
UPDATES = ("add", "sub", "sub", "mul")


def of_one_shape(name: str, shape: Extent) -> Primitive:
    return instantiate(name, OF_ONE_SHAPE, (tuple(dim(n) for n in shape),))


def drawn(dice: random.Random) -> Program:
    """A program of one or two inputs, some constants, two to six locations, and up to 30 equations."""
    palette = dice.sample(SHAPES, 2)
    sizes: list[Extent] = [dice.choice(palette) for _ in range(dice.randint(1, 2))]
    inputs = tuple(range(len(sizes)))
    constants: list[tuple[int, Array]] = []
    for _ in range(dice.randint(0, 2)):
        shape = dice.choice([*palette, (1,)])
        whole = np.broadcast_to(np.array(dice.choice([0.5, -1.0, 2.0, -0.25])), shape)
        constants.append(
            (len(sizes), whole if dice.random() < 0.5 else np.random.default_rng(dice.randint(0, 99)).normal(size=shape))
        )
        sizes.append(shape)
    reads: list[tuple[int, Location]] = []
    for i in range(dice.randint(2, 6)):
        shape = dice.choice(palette)
        reads.append((len(sizes), Location(f"w{i}", tuple(dim(n) for n in shape))))
        sizes.append(shape)
    equations: list[Equation] = []

    def add(f: Operator, arguments: tuple[int, ...]) -> int:
        equations.append(Equation(len(sizes), f, arguments))
        sizes.append(extent_of(f))
        return len(sizes) - 1

    def some(shape: Extent) -> int:
        there = [r for r, size in enumerate(sizes) if size == shape]
        return dice.choice(there[-3:] if dice.random() < 0.6 else there)

    def row_numbers(n: int, shape: Extent) -> int:
        whole = np.random.default_rng(dice.randint(0, 99)).integers(0, n, shape).astype(np.float64)
        constants.append((len(sizes), whole))
        sizes.append(shape)
        return len(sizes) - 1

    for _ in range(dice.randint(6, 30)):
        known = set(sizes)
        f = dice.choice([f for f in MEMBERS[dice.choice(NAMES)] if known.issuperset(shapes(f.domain))] or MEMBERS["add"][:1])
        if dice.random() < 0.35 or not known.issuperset(shapes(f.domain)):
            shape = dice.choice(sizes)
            f = of_one_shape(dice.choice(UPDATES), shape)
            if dice.random() < 0.2 and (1,) in known:
                f = instantiate("scale", SCALE, (tuple(dim(n) for n in shape),))
        numbers = SYMBOLS[f.name].row_numbers
        drawn_from = None if numbers is None else row_count(f)
        add(
            f,
            tuple(
                [
                    row_numbers(drawn_from, shape) if numbers and drawn_from and i == numbers.argument else some(shape)
                    for i, shape in enumerate(shapes(f.domain))
                ]
            ),
        )
    writes: list[tuple[Location, int]] = []
    for w, location in reads:
        if dice.random() < 0.85:
            r = some(sizes[w])
            if dice.random() < 0.6:
                r = add(of_one_shape(dice.choice(UPDATES), sizes[w]), (w, r) if dice.random() < 0.8 else (r, w))
            if r != w:
                writes.append((location, r))
    result = tuple([dice.randrange(len(sizes)) for _ in range(dice.randint(0, 3))])
    names = tuple([f"x{i}" for i in inputs])
    shared = tuple([False] * len(sizes))
    return validate(
        Program(names, inputs, tuple(constants), tuple(reads), tuple(equations), result, tuple(writes), tuple(sizes), shared)
    )


def by_kernels(
    program: Program, inputs: Sequence[Array], heap: Mapping[Location, Array]
) -> tuple[list[Array], dict[Location, Array]]:
    """The results and the new contents, each equation by its own kernel. What has grown without bound is no number."""
    values = dict(zip([r for tree in program.inputs for r in leaves(tree)], inputs, strict=True))
    values.update(program.constants)
    values.update({r: heap[location] for r, location in program.reads})
    with np.errstate(all="ignore"):
        for equation in program.equations:
            assert isinstance(equation.operator, Primitive)
            found = kernel(equation.operator, np)(*[values[r] for r in equation.arguments])
            # Of a large angle the last digits decide what its cosine is.
            values[equation.result] = np.where(np.abs(found) > LARGEST, np.nan, found)
    return [values[r] for r in leaves(program.result)], {location: values[r] for location, r in program.writes}


@law(400)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from(["matrices", "loops", "read"]))
def test_a_run_of_any_program_leaves_what_its_kernels_do(seed: int, b: int, how: str) -> None:
    program = drawn(random.Random(seed))
    together = batched(program, [True] * len(program.inputs))
    rng = np.random.default_rng(seed)
    heap = {location: 0.7 * rng.normal(size=program.shapes[r]) for r, location in program.reads}
    memory = NumPy().memory(heap, "float64")
    runner: Runner = Interpreter(together, memory, "float64", b)
    if how != "read":
        runner = NumPy().runner(planned(together, b, matrices=how == "matrices"), memory)
    for _ in range(2):
        inputs = [rng.normal(size=(b, *program.shapes[r])) for tree in program.inputs for r in leaves(tree)]
        runs = [by_kernels(program, sample, heap) for sample in zip(*inputs, strict=True)]
        heap.update({at: np.mean([changes[at] for _, changes in runs], axis=0) for at in runs[0][1]})
        runner.step(*inputs)
        results = [np.stack(parts) for parts in zip(*(values for values, _ in runs), strict=True)]
        for found, expected in zip(
            [*leaves(runner.result()), *(memory[at] for at in heap)], [*results, *heap.values()], strict=True
        ):
            if not np.isfinite(expected).all():
                return
            np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-7)


@law(200)
@given(st.integers(0, 2**32), st.booleans())
def test_loops_that_are_written_again_are_those_that_would_be_found(seed: int, matrices: bool) -> None:
    program = drawn(random.Random(seed))
    together = batched(program, [True] * len(program.inputs))
    again = planned(together, 2, matrices=matrices)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LoopCache, "emit", _found)
        assert planned(together, 2, matrices=matrices).steps == again.steps


def _found(_: LoopCache, loops: Loops, what: Hashable, arguments: Sequence[Layout], lower: Callable[[], Layout]) -> Layout:
    return lower()
