"""Plans drawn at random, and what a plan does by the words of ``loops.ir``: index by index, on NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from rh_kernel.loops import scalars
from rh_kernel.loops.ir import (
    Buffer,
    Call,
    Check,
    Content,
    Contract,
    Fold,
    Gather,
    GatherAt,
    IndexCheck,
    Input,
    Instruction,
    Integers,
    Kept,
    Loop,
    Map,
    Number,
    Plan,
    Precision,
    Reduce,
    Row,
    ScatterAdd,
    Scratch,
    Step,
    Store,
    View,
    Views,
)
from rh_kernel.loops.scalars import SCALAR_OPS, ScalarOp
from rh_kernel.primitives.table import kernel
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location

# ------------------------------------------------------------------------------------ by definition

ONE: Mapping[ScalarOp, Callable[[Any], Any]] = {
    scalars.NEG: np.negative,
    scalars.EXP: np.exp,
    scalars.LOG: np.log,
    scalars.SQRT: np.sqrt,
    scalars.SIN: np.sin,
    scalars.COS: np.cos,
    scalars.TANH: np.tanh,
    scalars.ABS: np.abs,
    scalars.SIGN: np.sign,
    scalars.RINT: np.rint,
    scalars.SIGMOID: lambda x: 1 / (1 + np.exp(-x)),
    scalars.SOFTPLUS: lambda x: np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))),
    scalars.STEP: lambda x: x > 0,
    scalars.FINITE: lambda x: np.where(np.isfinite(x), x, 0),
}
TWO: Mapping[ScalarOp, Callable[[Any, Any], Any]] = {
    scalars.ADD: np.add,
    scalars.SUB: np.subtract,
    scalars.MUL: np.multiply,
    scalars.DIV: np.divide,
    scalars.MAX: np.maximum,
    scalars.MIN: np.minimum,
    scalars.EQUAL: lambda x, y: (x == y) | (x != x),
}
DEFINITIONS: Mapping[ScalarOp, Callable[..., Any]] = {**ONE, **TWO}


def nearest(index: Array, rows: int) -> Integers:
    """The numbers of rows that are nearest to the entries of an index."""
    distances = np.abs(np.rint(index)[..., None] - np.arange(rows))
    return distances.argmin(axis=-1)


class ByDefinition:
    """A plan on arrays of its own."""

    def __init__(self, plan: Plan, memory: dict[Location, Array]) -> None:
        self.plan = plan
        scratch = np.full(plan.scratch, np.nan, dtype=plan.precision)
        self.buffers: list[Array] = []
        for buffer in plan.buffers:
            match buffer:
                case Input(_, size):
                    self.buffers.append(np.empty(size, dtype=plan.precision))
                case Content(location):
                    self.buffers.append(memory[location].reshape(-1))
                case Kept(array):
                    self.buffers.append(np.array(array, dtype=plan.precision))
                case Scratch(start, size):
                    self.buffers.append(scratch[start : start + size])
                case Row():
                    self.buffers.append(scratch[:0])

    def step(self, *inputs: Array) -> None:
        for buffer, array in zip(self.plan.buffers, self.buffers, strict=True):
            if isinstance(buffer, Input):
                array[...] = inputs[buffer.position].reshape(-1)
        with np.errstate(all="ignore"):
            for step in self.plan.steps:
                self._do(step)

    def result(self, leaf: Views | None = None) -> Any:
        leaf = self.plan.result if leaf is None else leaf
        return tuple([self.result(part) for part in leaf]) if isinstance(leaf, tuple) else self._read(leaf)

    def _read(self, view: View) -> Array:
        return self.buffers[view.buffer][places(view)]

    def _do(self, step: Step) -> None:
        kind = np.dtype(self.plan.precision).type
        match step:
            case Map(_, arguments, body, stores):
                values = [self._read(v) for v in arguments]
                for line in body:
                    match line:
                        case Number(x):
                            values.append(np.array(x, dtype=kind))
                        case Instruction(f, at):
                            found = DEFINITIONS.get(f, f.function(np))(*[values[i] for i in at])
                            values.append(np.asarray(found).astype(kind))
                for store in stores:
                    there, at = self.buffers[store.view.buffer], places(store.view)
                    assert np.unique(at).size == at.size, "two entries of what is stored lie at one place"
                    there[at] = there[at] + values[store.value] if store.accumulate else values[store.value]
            case Reduce(fold, y, x, scale):
                rows = self._read(x).reshape(*y.shape, -1)
                folds: dict[Fold, Callable[..., Any]] = {Fold.SUM: np.sum, Fold.MAX: np.max, Fold.ARGMAX: np.argmax}
                self.buffers[y.buffer][places(y)] = kind(scale) * folds[fold](rows, axis=-1).astype(kind)
            case Loop(rounds, rows, steps):
                for k in range(rounds):
                    for row in rows:
                        self.buffers[row.buffer] = self.buffers[row.first.buffer][row.first.offset + k * row.stride :]
                    for inner in steps:
                        self._do(inner)
            case GatherAt(y, x, index):
                places_of_rows = places(x)
                numbers = nearest(self._read(index), x.shape[-1])
                taken = np.take_along_axis(places_of_rows, numbers[..., None], -1)[..., 0]
                self.buffers[y.buffer][places(y)] = self.buffers[x.buffer][taken]
            case ScatterAdd(y, x, index):
                there = places(y)
                self.buffers[y.buffer][there] = 0
                numbers = nearest(self._read(index), y.shape[-1])
                np.add.at(self.buffers[y.buffer], np.take_along_axis(there, numbers[..., None], -1)[..., 0], self._read(x))
            case IndexCheck(index, rows):
                assert set(self._read(index).ravel().tolist()) <= set(range(rows))
            case Contract(extents, y, left, right, scale, accumulate):
                assert {v.shape for v in (y, left, right)} == {extents}
                there = self.buffers[y.buffer]
                if not accumulate:
                    there[places(y)] = 0
                np.add.at(there, places(y), kind(scale) * (self._read(left) * self._read(right)))
            case Gather(y, x, table):
                values = self._read(x)
                found = np.where(table < 0, 0, values[..., table])
                self.buffers[y.buffer][places(y)] = found.sum(axis=-1)
            case Call(f, y, arguments):
                self.buffers[y.buffer][places(y)] = kernel(f, np)(*[self._read(v) for v in arguments])
            case Check():
                pass


def interpret(plan: Plan, contents: Mapping[Location, Array], inputs: Sequence[Array]) -> tuple[Any, dict[Location, Array]]:
    """The result of one run, and what the locations hold after it."""
    memory = {location: np.array(content, dtype=plan.precision) for location, content in contents.items()}
    run = ByDefinition(plan, memory)
    run.step(*inputs)
    return run.result(), memory


def places(view: View) -> Integers:
    """Where in its buffer each entry of the view is."""
    at = np.full(view.shape, view.offset, dtype=np.intp)
    for axis, (n, stride) in enumerate(zip(view.shape, view.strides, strict=True)):
        at += (np.arange(n) * stride).reshape([-1 if k == axis else 1 for k in range(len(view.shape))])
    return at


# ----------------------------------------------------------------------------------------- at random

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, 2.5, -3.5, 1e-3, 40.0, -40.0, 800.0, -800.0, np.inf, -np.inf, np.nan]


class Builder:
    """Buffers as they are needed: every view has one of its own, filled with numbers."""

    def __init__(self, draw: st.DrawFn, *, wild: bool) -> None:
        self.draw = draw
        self.wild = wild
        self.buffers: list[Buffer] = []

    def numbers(self, n: int) -> Array:
        seed = self.draw(st.integers(0, 1000))
        rng = np.random.default_rng(seed)
        x = rng.standard_normal(n)
        if self.wild:
            x = np.where(rng.random(n) < 0.5, rng.choice(SPECIAL, n), x)
        return x

    def place(self, shape: Sequence[int], strides: Sequence[int]) -> View:
        """A view into a new buffer that is just large enough, and a little more."""
        before = self.draw(st.integers(0, 3))
        low = sum(min(0, s * (n - 1)) for n, s in zip(shape, strides, strict=True))
        high = sum(max(0, s * (n - 1)) for n, s in zip(shape, strides, strict=True))
        self.buffers.append(Kept(self.numbers(before + high - low + 1 + self.draw(st.integers(0, 3)))))
        return View(len(self.buffers) - 1, before - low, tuple(shape), tuple(strides))

    def read(self, shape: Sequence[int]) -> View:
        """Any strides."""
        if self.draw(st.booleans()):
            return self.written(shape)
        return self.place(shape, [self.draw(st.integers(-6, 6)) for _ in shape])

    def written(self, shape: Sequence[int], zero: Sequence[bool] | None = None) -> View:
        """Strides by which all entries differ; 0 along the axes that are in ``zero``."""
        fixed = [False] * len(shape) if zero is None else zero
        strides = [0] * len(shape)
        span = 1
        for k in self.draw(st.permutations(range(len(shape)))):
            if not fixed[k]:
                gap = self.draw(st.sampled_from([0, 0, 0, 1, 3]))
                strides[k] = (span + gap) * self.draw(st.sampled_from([1, 1, 1, -1]))
                span += (span + gap) * (shape[k] - 1)
        return self.place(shape, strides)


precisions: st.SearchStrategy[Precision] = st.sampled_from(("float64", "float32"))
shapes = st.lists(st.integers(1, 5), min_size=0, max_size=4).map(tuple)


def drawn_map(b: Builder) -> Map:
    """Any body over special numbers; what is stored may be what was read."""
    draw, shape = b.draw, b.draw(shapes)
    arguments = [b.read(shape) for _ in range(draw(st.integers(0, 3)))]
    body: list[Number | Instruction] = []
    for _ in range(draw(st.integers(0 if arguments else 1, 6))):
        known = len(arguments) + len(body)
        if known == 0 or draw(st.integers(0, 4)) == 0:
            body.append(Number(draw(st.sampled_from([*SPECIAL, 0.1, 1e-40]))))
        else:
            f = draw(st.sampled_from(SCALAR_OPS))
            f = draw(st.sampled_from(SCALAR_OPS))
            body.append(Instruction(f, tuple([draw(st.integers(0, known - 1)) for _ in range(1 if f in ONE else 2)])))
    stores: list[Store] = []
    for _ in range(draw(st.integers(1, 2))):
        value = draw(st.integers(0, len(arguments) + len(body) - 1))
        stores.append(Store(b.written(shape), value, draw(st.booleans())))
    if arguments and draw(st.booleans()):
        arguments[-1] = stores[0].view
    return Map(shape, tuple(arguments), tuple(body), tuple(stores))


def drawn_reduction(b: Builder) -> Reduce:
    """Short ones and long ones, which many threads do together."""
    draw = b.draw
    long = draw(st.sampled_from([(), (300,), (2, 700)]))
    shape = draw(shapes)[: 2 if long else 4]
    folded = (*draw(st.lists(st.integers(1, 4), min_size=0 if long else 1, max_size=2)), *long)
    fold = draw(st.sampled_from(Fold))
    scale = 1.0 if fold is not Fold.SUM else draw(st.sampled_from([1.0, -0.5]))
    return Reduce(fold, b.written(shape), b.read((*shape, *folded)), scale)


def drawn_contraction(b: Builder) -> Contract:
    """Any sum of products; an axis may lie over another one, as the windows of a signal do."""
    draw = b.draw
    extents = draw(st.lists(st.integers(2, 5), min_size=1, max_size=5))
    if draw(st.integers(0, 3)) == 0:
        extents.append(draw(st.sampled_from([300, 1100])))
    summed = [n > 5 or draw(st.booleans()) for n in extents]
    output = b.written(extents, summed)
    over = [i for i, n in enumerate(extents) if not summed[i] and n <= 5]
    laid = [k for k, n in enumerate(extents) if summed[k] and n <= 5]
    if over and laid and draw(st.booleans()):
        i, k = draw(st.sampled_from(over)), draw(st.sampled_from(laid))
        strides = slowest(extents, summed, i)
        strides[k] = strides[i] * draw(st.integers(1, extents[i]))
        output = b.place(extents, strides)
    left, right = [b.place(extents, [draw(st.sampled_from([0, 1, -1, 2, 3, 7])) for _ in extents]) for _ in range(2)]
    return Contract(tuple(extents), output, left, right, draw(st.sampled_from([1.0, -0.25])), draw(st.booleans()))


def slowest(extents: Sequence[int], summed: Sequence[bool], last: int) -> list[int]:
    """Strides for the axes of an output, number ``last`` being the slowest."""
    strides, span = [0] * len(extents), 1
    for k in reversed(range(len(extents))):
        if not summed[k] and k != last:
            strides[k] = span
            span *= extents[k]
    strides[last] = span
    return strides


def drawn_product(b: Builder) -> Contract:
    """A product of matrices, perhaps several at once, of arrays that lie in any order."""
    draw = b.draw
    sizes = {a: draw(st.sampled_from([1, 2, 3, 8])) for a in "zijk"}
    axes = [a for a in draw(st.permutations("zijk")) if sizes[a] > 1]
    extents = tuple([sizes[a] for a in axes])
    output, left, right = [b.written(extents, [a not in letters for a in axes]) for letters in ("zij", "zik", "zkj")]
    return Contract(extents, output, left, right, draw(st.sampled_from([1.0, -0.25])), draw(st.booleans()))


def drawn_gather(b: Builder) -> Gather:
    """A table with and without holes."""
    draw = b.draw
    shape = draw(st.lists(st.integers(1, 4), max_size=2).map(tuple))
    n, m, terms = draw(st.integers(1, 6)), draw(st.integers(1, 6)), draw(st.integers(1, 3))
    table = np.random.default_rng(draw(st.integers(0, 99))).integers(-1, n, (m, terms))
    return Gather(b.written((*shape, m)), b.read((*shape, n)), table)


STEPS: Mapping[str, tuple[Callable[[Builder], Step], bool]] = {
    "map": (drawn_map, True),
    "reduction": (drawn_reduction, True),
    "contraction": (drawn_contraction, False),
    "product": (drawn_product, False),
    "gather": (drawn_gather, False),
}
"""How a step of each kind is drawn, and whether there may be infinite numbers and such in its arrays."""


@st.composite
def plans(draw: st.DrawFn, kind: str, most: int = 6) -> Plan:
    """Up to so many steps of one kind, each on arrays of its own; the result is all that the buffers hold."""
    drawn, wild = STEPS[kind]
    b = Builder(draw, wild=wild)
    steps = tuple([drawn(b) for _ in range(draw(st.integers(1, most)))])
    whole = tuple([View(k, 0, (buffer.size,), (1,)) for k, buffer in enumerate(b.buffers)])
    return Plan(draw(precisions), None, (), tuple(b.buffers), 0, steps, whole, ())
