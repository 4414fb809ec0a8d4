"""Lowering of programs to loops: an equation becomes steps that compute it, or only a layout if it just moves entries.

The steps work on buffers that are not allocated yet; ``arrays.planning`` turns them into a plan.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.loop_cache import LoopCache
from rh_kernel.arrays.loop_lowering import as_rows, as_samples, first_sample, is_map, row_of, stacked_rows
from rh_kernel.arrays.planning.fusion import fused
from rh_kernel.arrays.planning.in_place import in_place
from rh_kernel.arrays.program import (
    Alias,
    Equation,
    Loop,
    MeanOverBatch,
    OuterMean,
    Part,
    ProductMean,
    Program,
    Register,
    Smooth,
    extent_of,
)
from rh_kernel.loops import ir
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.context import LoweringContext
from rh_kernel.loops.ir import Call, Check, Content, Extent, Fold, IndexCheck, Input, View
from rh_kernel.loops.layouts import Layout, as_scalar, broadcast_axis, dense, permuted
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.smoothness import has_row_numbers, row_count
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.windows import overlapping
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.signature import Location


@dataclass(frozen=True, slots=True)
class Lowered:
    """The loops of a program, the views of its results, and those of the new contents of locations.

    ``contents`` are the numbers of the buffers with the contents of locations.
    """

    loops: Loops
    inputs: tuple[Extent, ...]
    contents: Mapping[Location, int]
    results: Mapping[Register, View]
    writes: tuple[tuple[Location, View], ...]


def lowered(program: Program, samples: int | None, *, matrices: bool = False) -> Lowered:
    """Lower a program for ``samples`` samples in each batched input; ``matrices`` is as for ``Loops``.

    Raises ``KernelBug`` if a batched program is given no samples, or another program is given some.
    """
    if program.is_batched != (samples is not None):
        raise KernelBug("a program needs samples if and only if it is batched")
    return _Lowering(program, samples or 1, Loops(matrices), LoopCache()).run()


class _Lowering:
    """The state of lowering a program: ``of`` has the layout of each register so far."""

    def __init__(self, program: Program, samples: int, loops: Loops, cache: LoopCache) -> None:
        self.program = program
        self.samples = samples
        self.loops = loops
        self.cache = cache
        self.of: dict[Register, Layout] = {}
        self.numbers: dict[Register, float] = {}
        self.products = _products(program)
        self.parts: dict[Register, list[Layout]] = {}

    def run(self) -> Lowered:
        program = self.program
        inputs: list[Extent] = []
        for r, name in program.named_inputs:
            shape = program.extent(r, self.samples)
            self.of[r] = dense(self.loops.buffer(Input(len(inputs), prod(shape), name)), shape)
            inputs.append(shape)
        contents: dict[Location, int] = {}
        for r, location in (*program.reads, *((r, location) for location, r in program.writes)):
            if location not in contents:
                contents[location] = self.loops.buffer(Content(location, prod(program.shapes[r])))
        for r, location in program.reads:
            self.of[r] = dense(contents[location], program.shapes[r])
        self.run_equations()
        results = {r: self.plain(r) for r in dict.fromkeys(leaves(program.result))}
        writes = tuple([(location, self.plain(r)) for location, r in program.writes])
        return Lowered(self.loops, tuple(inputs), contents, results, writes)

    def run_equations(self) -> None:
        """Lower the constants and equations."""
        program = self.program
        for r, array in program.constants:
            if array.size and (array.size == 1 or not any(array.strides)):
                self.numbers[r] = array.item(0)
            self.of[r] = self.loops.kept(array, program.shapes[r])
        elsewhere = {e.result for found in self.products.values() for e in found}
        for equation in program.equations:
            if equation.result in self.products:
                self.of[equation.result] = self._overlapping_product(equation, *self.products[equation.result])
            elif equation.result not in elsewhere:
                self.of[equation.result] = self._lower(equation)

    def plain(self, r: Register) -> View:
        """Return the array in a register as a view."""
        return self.view(self.of[r])

    def view(self, x: Layout) -> View:
        """Return the array as a view; if that is impossible, copy it."""
        found = x.plain() or self.loops.copied(x).plain()
        if found is None:
            raise KernelBug(_SEVERAL_PARTS)
        return found

    def _lower(self, equation: Equation) -> Layout:
        f = equation.operator
        arguments = tuple([self.of[r] for r in equation.arguments])
        match f:
            case Primitive():
                return self._primitive(f, equation, arguments)
            case Alias():
                return arguments[0]
            case MeanOverBatch() | OuterMean() | ProductMean():
                return self.cache.emit(self.loops, (f,), arguments, lambda: self._mean(f, arguments))
            case Smooth(g, span) if has_row_numbers(g):
                (index,) = equation.arguments
                self.loops.steps.append(IndexCheck(self.plain(index), row_count(g) or 0, span))
                return dense(0, (0,))
            case Smooth(g, span, shown):
                self.loops.steps.append(Check(g, tuple([self.plain(r) for r in equation.arguments]), span, shown))
                return dense(0, (0,))
            case Loop():
                self.parts[equation.result] = (self._map if is_map(f) else self._loop)(f, equation, arguments)
                return dense(0, (0,))
            case Part(number):
                y, r = self.parts[equation.arguments[0]][number], equation.result
                is_same = self.program.batched[r] and len(y.axes) == len(self.program.shapes[r])
                return broadcast_axis(y, 0, self.samples) if is_same else y

    def _map(self, f: Loop, equation: Equation, arguments: tuple[Layout, ...]) -> list[Layout]:
        """Lower a loop whose rounds are independent: they are computed like the samples of a batch."""
        loops, n, (_, rows) = self.loops, f.rounds, f.arity
        is_batched = any(self.program.batched[a] for a in equation.arguments)
        samples = self.samples if is_batched else None
        body = batched(f.body, [False, True, False])
        inner = _Lowering(body, n * (samples or 1), loops, self.cache)
        for i, (r, x, a) in enumerate(zip(leaves(body.inputs), arguments, equation.arguments, strict=True)):
            if i >= rows:
                inner.of[r] = x
                continue
            whole = broadcast_axis(x, 0, self.samples) if is_batched and not self.program.batched[a] else x
            row = as_samples(loops, whole, n, samples)
            inner.of[r] = as_scalar(row) if len(row.axes) == len(body.shapes[r]) else row
        inner.run_equations()
        found: list[Layout] = []
        for r, before in zip(leaves(body.result), leaves(f.body.result), strict=True):
            y = inner.of[r] if body.batched[r] else broadcast_axis(inner.of[r], 0, n * (samples or 1))
            y = as_rows(loops, y, n, samples)
            # A result that is the same for all samples is computed for each.
            found.append(y if samples is None or f.body.batched[before] else first_sample(y))
        return found

    def _loop(self, f: Loop, equation: Equation, arguments: tuple[Layout, ...]) -> list[Layout]:
        """Lower a loop; return the layouts of its results."""
        loops, body, samples = self.loops, f.body, self.samples
        carried, rows = f.arity
        inputs, results = leaves(body.inputs), leaves(body.result)
        inner = _Lowering(body, samples, loops, self.cache)
        found: list[Layout] = []
        given: list[ir.Rows] = []
        for i, (r, x, a) in enumerate(zip(inputs, arguments, equation.arguments, strict=True)):
            if i < carried:
                shape = body.extent(r, samples)
                y = inner.of[r] = dense(loops.buffer(ir.Scratch(0, prod(shape))), shape)
                start = x if self.program.batched[a] or not body.batched[r] else broadcast_axis(x, 0, samples)
                loops.map([start], [(0, y)])
                found.append(y)
            elif i < carried + rows:
                axis = 1 if body.batched[r] else 0
                inner.of[r] = row_of(loops, loops.single(x, axis), axis, f, body.extent(r, samples), given)
            else:
                inner.of[r] = x
        around, loops.steps = loops.steps, []
        inner.run_equations()
        updates: list[tuple[int, View]] = []
        places: dict[int, int] = {i: y.buffer for i, y in enumerate(found)}
        for i, r in enumerate(results):
            is_same = i < carried and body.batched[inputs[i]] and not body.batched[r]
            updates.append((i, self.view(broadcast_axis(inner.of[r], 0, samples) if is_same else inner.of[r])))
            if i >= carried:
                places[i], whole = stacked_rows(loops, f, body.extent(r, samples), given)
                found.append(permuted(whole, [1, 0, *range(2, len(whole.axes))]) if body.batched[r] else whole)
        joined = fused(loops.steps, {view.buffer for _, view in updates})
        steps = in_place(joined, loops, places, {}, updates).steps
        loops.steps = around
        loops.steps.append(ir.Loop(f.rounds, tuple(given), tuple(steps)))
        return found

    def _mean(self, f: MeanOverBatch | OuterMean | ProductMean, arguments: tuple[Layout, ...]) -> Layout:
        *_, x = arguments
        match f:
            case MeanOverBatch():
                return self.loops.reduce(Fold.SUM, permuted(x, [*range(1, len(x.axes)), 0]), 1, 1 / self.samples)
            case OuterMean():
                return self.loops.contract((arguments[0], "zi"), (x, "zj"), "ij", 1 / self.samples)
            case ProductMean():
                return self.loops.contract((arguments[0], "zij"), (x, "zjk"), "ik", 1 / self.samples)

    def _primitive(self, f: Primitive, equation: Equation, arguments: tuple[Layout, ...]) -> Layout:
        batched = tuple([self.program.batched[r] for r in equation.arguments])
        numbers = tuple([self.numbers.get(r) for r in equation.arguments])
        site = LoweringContext(f, extent_of(f), self.loops, arguments, numbers, batched, self.samples)
        # Compare numbers by their texts, as 0.0 and −0.0 are equal.
        return self.cache.emit(self.loops, (f, batched, *map(repr, numbers)), arguments, lambda: self._at(site))

    def _at(self, site: LoweringContext) -> Layout:
        lowering = None if any(0 in x.shape for x in site.arguments) else SYMBOLS[site.function.name].lowering
        return (lowering(site) if lowering else None) or self._called(site)

    def _called(self, site: LoweringContext) -> Layout:
        y = site.fresh()
        views = [x.plain() or self.loops.copied(x).plain() for x in (site.argument(i) for i in range(len(site.arguments)))]
        output = y.plain()
        if output is None or any(v is None for v in views):
            raise KernelBug(_SEVERAL_PARTS)
        self.loops.steps.append(Call(site.function, output, tuple([v for v in views if v is not None])))
        return y

    def _overlapping_product(self, equation: Equation, product: Equation, reshape: Equation) -> Layout:
        """Compute the product directly in the overlapping windows of the result."""
        batched = self.program.batched[equation.result]
        front = 1 if batched else 0
        y = self.loops.fresh(self.program.extent(equation.result, self.samples), samples=batched)
        s = len(y.axes) - front - 1
        taps = self.program.shapes[reshape.result][1 : s + 1]
        into = overlapping(y, taps, front, self.program.shapes[product.result])
        letters = ["z" * self.program.batched[r] + axes for r, axes in zip(product.arguments, ("ik", "kj"), strict=True)]
        left, right = [(self.of[r], axes) for r, axes in zip(product.arguments, letters, strict=True)]
        self.loops.contract(left, right, "z" * front + "ij", into=into)
        return y


_SEVERAL_PARTS = "a copy has an axis of several parts"


# The cotangent of the input of a convolution is a matrix product whose rows are added where windows overlap. If it has no other
# use, the product accumulates in the overlapping windows.


def _products(program: Program) -> dict[Register, tuple[Equation, Equation]]:
    """Map each ``overlap_add`` that is the only use of a product to the equations of the product and of its reshaping."""
    adding = [e for e in program.equations if _is(e, "overlap_add1d", "overlap_add2d")]
    if not adding:
        return {}
    definitions = {e.result: e for e in program.equations}
    uses = Counter(r for e in program.equations for r in e.arguments)
    uses.update((*leaves(program.result), *(r for _, r in program.writes)))

    def sole(r: Register, name: str) -> Equation | None:
        found = definitions.get(r)
        return found if found and uses[r] == 1 and _is(found, name) else None

    products: dict[Register, tuple[Equation, Equation]] = {}
    for equation in adding:
        reshape = sole(equation.arguments[0], "reshape")
        product = sole(reshape.arguments[0], "matmul") if reshape else None
        if reshape is None or product is None or len(program.shapes[product.result]) != 2:
            continue
        shape = program.shapes[reshape.result]
        if prod(shape[: len(program.shapes[equation.result])]) == program.shapes[product.result][0]:
            products[equation.result] = product, reshape
    return products


def _is(equation: Equation, *names: str) -> bool:
    return isinstance(equation.operator, Primitive) and equation.operator.name in names
