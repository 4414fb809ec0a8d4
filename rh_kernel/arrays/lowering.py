"""A program to loops: each equation to the steps that compute it, or to a layout if it only moves entries around.

The steps write on buffers that have no place yet; ``arrays.planning`` makes a plan of them.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.layouts import Layout, dense, permuted
from rh_kernel.arrays.loops import Loops
from rh_kernel.arrays.lowering_blocks import BLOCKS, overlapping
from rh_kernel.arrays.lowering_symbols import SYMBOLS
from rh_kernel.arrays.plan import Call, Check, Content, Fold, Input, View
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Extent,
    MeanOverBatch,
    OuterMean,
    ProductMean,
    Program,
    Register,
    Smooth,
    leaves,
)
from rh_kernel.arrays.symbols import Lowering, Site
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.signature import Location

LOOPS: Mapping[str, Lowering] = {**SYMBOLS, **BLOCKS}
"""How symbols become loops. One that is not here, or whose lowering gives ``None``, is called as it is."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """The loops of a program, where its results are, and where the new contents of locations are at the end.

    ``contents`` are the numbers of the buffers that hold the locations.
    """

    loops: Loops
    inputs: tuple[Extent, ...]
    contents: Mapping[Location, int]
    results: Mapping[Register, View]
    writes: tuple[tuple[Location, View], ...]


def lowered(program: Program, samples: int | None, *, matrices: bool = False) -> Lowered:
    """The loops of a program for so many samples in each batched input, with ``matrices`` as ``Loops`` has it.

    Raises ``KernelBug`` unless there are samples just if the program is batched.
    """
    if program.is_batched != (samples is not None):
        raise KernelBug("samples are for a batched program, and for no other")
    return _Lowering(program, samples or 1, matrices=matrices).run()


class _Lowering:
    """A program on its way: the layout of each register so far."""

    def __init__(self, program: Program, samples: int, *, matrices: bool) -> None:
        self.program = program
        self.samples = samples
        self.loops = Loops(matrices)
        self.of: dict[Register, Layout] = {}
        self.numbers: dict[Register, float] = {}
        self.definitions: dict[Register, Equation] = {e.result: e for e in program.equations}
        self.uses = Counter(r for e in program.equations for r in e.arguments)
        self.uses.update(leaves(program.result))
        self.uses.update(r for _, r in program.writes)

    def run(self) -> Lowered:
        program = self.program
        inputs: list[Extent] = []
        for tree in program.inputs:
            for r in leaves(tree):
                shape = self._shape(r)
                self.of[r] = dense(self.loops.buffer(Input(len(inputs), prod(shape))), shape)
                inputs.append(shape)
        for r, array in program.constants:
            if array.size and (array.size == 1 or not any(array.strides)):
                self.numbers[r] = float(array.flat[0])
            self.of[r] = self.loops.kept(array, program.shapes[r])
        contents: dict[Location, int] = {}
        for r, location in (*program.reads, *((r, location) for location, r in program.writes)):
            if location not in contents:
                contents[location] = self.loops.buffer(Content(location, prod(program.shapes[r])))
        for r, location in program.reads:
            self.of[r] = dense(contents[location], program.shapes[r])
        overlapped = {r for e in program.equations for r in self._overlapped(e)}
        for equation in program.equations:
            if equation.result not in overlapped:
                self.of[equation.result] = self._lower(equation)
        results = {r: self._plain(r) for r in dict.fromkeys(leaves(program.result))}
        writes = tuple([(location, self._plain(r)) for location, r in program.writes])
        return Lowered(self.loops, tuple(inputs), contents, results, writes)

    def _shape(self, r: Register) -> Extent:
        """The shape of a register, with the samples in front."""
        shape = self.program.shapes[r]
        return (self.samples, *shape) if self.program.batched[r] else shape

    def _plain(self, r: Register) -> View:
        x = self.of[r]
        found = x.plain() or self.loops.copied(x).plain()
        if found is None:
            raise KernelBug("a copy has an axis of several parts")
        return found

    def _lower(self, equation: Equation) -> Layout:
        f = equation.operator
        match f:
            case Alias():
                return self.of[equation.arguments[0]]
            case MeanOverBatch():
                x = self.of[equation.arguments[0]]
                return self.loops.reduce(Fold.SUM, permuted(x, [*range(1, len(x.axes)), 0]), 1, 1 / self.samples)
            case OuterMean():
                y, x = [self.of[r] for r in equation.arguments]
                return self.loops.contract((y, "zi"), (x, "zj"), "ij", 1 / self.samples)
            case ProductMean():
                y, x = [self.of[r] for r in equation.arguments]
                return self.loops.contract((y, "zij"), (x, "zjk"), "ik", 1 / self.samples)
            case Smooth(g, span):
                self.loops.steps.append(Check(g, tuple([self._plain(r) for r in equation.arguments]), span))
                return dense(0, (0,))
            case Primitive():
                return self._primitive(f, equation)

    def _primitive(self, f: Primitive, equation: Equation) -> Layout:
        product = self._product(equation)
        if product is not None:
            return self._added_where_windows_overlap(equation, product)
        arguments = tuple([self.of[r] for r in equation.arguments])
        batched = tuple([self.program.batched[r] for r in equation.arguments])
        numbers = tuple([self.numbers.get(r) for r in equation.arguments])
        site = Site(f, self.loops, arguments, numbers, batched, self.samples)
        lowering = None if any(0 in x.shape for x in arguments) else LOOPS.get(f.name)
        return (lowering(site) if lowering else None) or self._called(site)

    def _called(self, site: Site) -> Layout:
        y = site.fresh()
        views = [x.plain() or self.loops.copied(x).plain() for x in (site.argument(i) for i in range(len(site.arguments)))]
        output = y.plain()
        if output is None or any(v is None for v in views):
            raise KernelBug("a copy has an axis of several parts")
        self.loops.steps.append(Call(site.function, output, tuple([v for v in views if v is not None])))
        return y

    # The cotangent of a signal under a convolution is a product of matrices whose rows are added where windows overlap. It is
    # made where it is to be added, if nobody else wants it.

    def _product(self, equation: Equation) -> tuple[Equation, Equation] | None:
        """The product, and how it is reshaped, of an ``overlap_add`` that alone uses it."""
        reshape = self._sole(equation.arguments[0], "reshape") if _is(equation, "overlap_add1d", "overlap_add2d") else None
        product = self._sole(reshape.arguments[0], "matmul") if reshape else None
        if reshape is None or product is None or len(self.program.shapes[product.result]) != 2:
            return None
        rows = self.program.shapes[product.result][0]
        shape = self.program.shapes[reshape.result]
        s = len(self.program.shapes[equation.result]) - 1
        return (product, reshape) if prod(shape[: s + 1]) == rows else None

    def _sole(self, r: Register, name: str) -> Equation | None:
        found = self.definitions.get(r)
        return found if found and self.uses[r] == 1 and _is(found, name) else None

    def _overlapped(self, equation: Equation) -> tuple[Register, ...]:
        found = self._product(equation)
        return tuple([e.result for e in found]) if found else ()

    def _added_where_windows_overlap(self, equation: Equation, found: tuple[Equation, Equation]) -> Layout:
        product, reshape = found
        batched = self.program.batched[equation.result]
        front = 1 if batched else 0
        y = self.loops.fresh(self._shape(equation.result), samples=batched)
        s = len(y.axes) - front - 1
        taps = self.program.shapes[reshape.result][1 : s + 1]
        into = overlapping(y, taps, front, self.program.shapes[product.result])
        letters = ["z" * self.program.batched[r] + axes for r, axes in zip(product.arguments, ("ik", "kj"), strict=True)]
        left, right = [(self.of[r], axes) for r, axes in zip(product.arguments, letters, strict=True)]
        self.loops.contract(left, right, "z" * front + "ij", into=into)
        return y


def _is(equation: Equation, *names: str) -> bool:
    return isinstance(equation.operator, Primitive) and equation.operator.name in names
