"""Python expressions for the operators of array expressions; NumPy, JAX and PyTorch differ in what they call."""

import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from math import inf
from typing import TypeAlias

import numpy as np

from rh_kernel.interchange.errors import NoTranslation
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives import array_compositions as ac
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.array_operators import Expr, Fold
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array

FEW = 12
"""Entries up to which an array is written as a list."""

COMPARISON, SUM, PRODUCT, SIGN, ATOM = range(5)
"""How tightly the outermost operator of an expression binds."""

INFIX: Mapping[ScalarOp, tuple[str, int]] = {
    scalars.NEG: ("-{0}", SIGN),
    scalars.ADD: ("{0} + {1}", SUM),
    scalars.SUB: ("{0} - {1}", SUM),
    scalars.MUL: ("{0} * {1}", PRODUCT),
    scalars.DIV: ("{0} / {1}", PRODUCT),
}
"""Templates, and how tightly they bind; the last operand binds more tightly."""

Code: TypeAlias = tuple[str, int]
"""The text of an expression, and how tightly its outermost operator binds."""


def written(number: float) -> str:
    """A finite number: whole ones without a point, which do not change the type of an array that they meet."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def quoted(name: str) -> str:
    """A name as a string literal."""
    return json.dumps(name, ensure_ascii=False)


class PythonOperators(ABC):
    """Texts of operators applied to expressions, of which ``uses`` counts the uses; large constants get a name."""

    function_names: Mapping[ScalarOp, str] = {}
    """Templates of the scalar operations that are calls."""

    def __init__(self, uses: Counter[int], dtype: str) -> None:
        self.uses = uses
        self.dtype = dtype
        self.constants: dict[str, Array] = {}
        self.auxiliary: list[str] = []

    @abstractmethod
    def text(self, e: Expr, least: int = 0) -> str:
        """The text of an expression, in parentheses unless it binds as tightly as wanted; may write lines before."""

    @abstractmethod
    def named(self, e: Expr) -> str:
        """The name of an expression, which gets a line of its own if it has none."""

    @abstractmethod
    def simplified(self, e: Expr, simpler: Expr) -> Code:
        """The code of an expression that was made for another one."""

    def needs(self, name: str) -> None:
        """Say that an auxiliary function is called."""
        if name not in self.auxiliary:
            self.auxiliary.append(name)

    def applied(self, e: Expr) -> Code:
        """The text of an operator applied to its arguments."""
        simpler = ac.composed(e) if self.is_composed(e) else None
        if simpler is not None:
            return self.simplified(e, simpler)
        match e.op:
            case ao.Variable(name):
                return name, ATOM
            case ao.Constant(array):
                return self.constant(array, e.number)
            case ao.MeanOverBatch():
                return self.mean_over_batch(self.text(e.args[0])), ATOM
            case ao.MeanProduct():
                return self._mean_product(*e.args), PRODUCT
            case (
                ao.Reshape()
                | ao.Transpose()
                | ao.Expand()
                | ao.Batch()
                | ao.Slice()
                | ao.Pad()
                | ao.Concat()
                | ao.Rows()
                | ao.AsSamples()
                | ao.AsRows()
            ) as op:
                return self._moved(op, e), ATOM
            case op:
                return self._computed(op, e)

    def _moved(self, op: ao.Moving, e: Expr) -> str:
        x = e.args[0]
        match op:
            case ao.Reshape():
                return self._reshape(x, e)
            case ao.Transpose(order):
                return self._transpose(x, order)
            case ao.Expand() | ao.Batch():
                if x.number is not None and e.batched:
                    return self.full(self.sizes(e, e.args[-1]), x.number)
                return self.expand(self.text(x, ATOM), self.sizes(e, e.args[-1]))
            case ao.AsSamples():
                return f"{self.text(x, ATOM)}.reshape({', '.join(map(str, (-1, *e.shape)))})" if x.batched else self.text(x)
            case ao.AsRows(batched):
                return f"{self.text(x, ATOM)}.reshape({', '.join(map(str, (-1, *e.shape)))})" if batched else self.text(x)
            case ao.Slice(axis, start, stop):
                cut = f"{start or ''}:{stop if stop < x.shape[axis] else ''}"
                return f"{self.text(x, ATOM)}[{self._place(x, axis, cut)}]"
            case ao.Pad(widths, value):
                return self.pad(self.text(x), [*[(0, 0)] * x.batched, *widths], value)
            case ao.Concat(axis):
                return self.concat(", ".join(map(self.text, e.args)), axis + e.batched)
            case ao.Rows(axis, table):
                return f"{self.text(x, ATOM)}[{self._place(x, axis, self.places(str(table.tolist())))}]"

    def _computed(self, op: ao.Computing, e: Expr) -> Code:
        x = e.args[0]
        match op:
            case ao.Scalar(function):
                return self._scalar(function, e)
            case ao.MatMul():
                return f"{self.text(x, PRODUCT)} @ {self.text(e.args[1], SIGN)}", PRODUCT
            case ao.Where():
                _, y, z = e.args
                return self.where(f"{self.text(x, SUM)} > 0", self._operand(y, e, 0), self._operand(z, e, 0)), ATOM
            case ao.Reduce(fold, axes):
                return self._reduce(fold, x, axes, keeps=True), ATOM
            case ao.Take():
                return f"{self.text(x, ATOM)}[{self.integers(self.text(e.args[1], ATOM))}]", ATOM
            case ao.Normalise(function):
                return self.normalise(function, self.text(x)), ATOM
            case ao.Convolve():
                return self.convolve(x, self.text(x), self.text(e.args[1])), ATOM
            case ao.Windows(sizes):
                self.needs("windows")
                return f"windows({self.text(x)}, {sizes})", ATOM
            case ao.OverlapAdd():
                self.needs("overlap_add")
                return f"overlap_add({self.text(x)}, {e.rank - 1})", ATOM
            case ao.Pool(fold, sizes):
                return self.pool(fold, self.text(x), sizes), ATOM

    def _mean_product(self, y: Expr, x: Expr) -> str:
        if y.rank == 1:
            return f"{self.text(y, ATOM)}.T @ {self.named(x)} / {self.length(self.named(x))}"
        return f"{self.einsum('bmk,bkn->mn', self.text(y), self.named(x))} / {self.length(self.named(x))}"

    def is_composed(self, e: Expr) -> bool:
        """Whether an expression is written by simpler operators."""
        return isinstance(e.op, ao.Pool)

    def _scalar(self, op: ScalarOp, e: Expr) -> Code:
        found = INFIX.get(op)
        if found is not None:
            template, binds = found
            *first, last = e.args
            return template.format(*[self._operand(x, e, binds) for x in first], self._operand(last, e, binds + 1)), binds
        template = self.template(op, e.args)
        if template is None:
            raise Rejected(NoTranslation(symbol=op.name, language="Python"))
        binds = PRODUCT if op is scalars.SIGMOID and " / " in template else ATOM
        atoms = "astype" in template or binds == PRODUCT
        return template.format(*[self._operand(x, e, ATOM if atoms else 0) for x in e.args], dtype=self.dtype), binds

    def template(self, op: ScalarOp, args: Sequence[Expr]) -> str | None:
        """The template of a scalar operation that is a call, or ``None``."""
        return self.function_names.get(op)

    def _operand(self, x: Expr, e: Expr, least: int) -> str:
        """The text of an operand; of a constant a number, if the others have the shape of the result."""
        number = x.number
        if number is None or abs(number) == inf or not any(y.shape == e.shape for y in e.args if y.number is None):
            return self.text(x, least)
        text = written(number)
        return text if number >= 0 or least < SIGN else f"({text})"

    def _reduce(self, fold: Fold, x: Expr, axes: Sequence[int], *, keeps: bool) -> str:
        last = [axis - x.rank for axis in axes]
        return self.reduce(fold, self.text(x), f"{last[0]}" if len(last) == 1 else f"{tuple(last)}", keeps=keeps)

    def _reshape(self, x: Expr, e: Expr) -> str:
        if isinstance(x.op, ao.Reduce) and self.uses[id(x)] <= 1:
            (whole,) = x.args
            if e.shape == tuple([n for i, n in enumerate(whole.shape) if i not in x.op.axes]):
                return self._reduce(x.op.fold, whole, x.op.axes, keeps=False)
        if e.shape == (*x.shape, 1):
            return f"{self.text(x, ATOM)}[..., None]"
        sizes = self.sizes(e, x) if 0 in e.shape else ", ".join(map(str, (*[-1] * e.batched, *e.shape)))
        return f"{self.text(x, ATOM)}.reshape({sizes})"

    def sizes(self, e: Expr, like: Expr) -> str:
        """The sizes of all axes; if it is batched, the first one is that of another array."""
        return ", ".join([*[self.length(self.named(like))] * e.batched, *map(str, e.shape)])

    def _transpose(self, x: Expr, order: Sequence[int]) -> str:
        if x.rank == 2 and not x.batched:
            return f"{self.text(x, ATOM)}.T"
        front = int(x.batched)
        return self.transpose(self.text(x, ATOM), [*range(front), *[front + i for i in order]])

    def _place(self, x: Expr, axis: int, text: str) -> str:
        """An index along one axis."""
        if axis == x.rank - 1 and x.rank + x.batched > 1:
            return f"..., {text}"
        return ", ".join([*[":"] * (axis + x.batched), text])

    def constant(self, array: Array, number: float | None) -> Code:
        """A list, or a name under which the array is stored with the weights."""
        if number is not None:
            return self.full(", ".join(map(str, array.shape)), number), ATOM
        if array.ndim == 1 and len(array) > 2 and (array == np.arange(len(array))).all():
            return self.arange(len(array)), ATOM
        if array.size <= FEW and np.isfinite(array).all():
            return self.array(str(array.tolist())), ATOM
        name = f"constant_{len(self.constants) + 1}"
        self.constants[name] = array
        return self.stored(name), ATOM

    def stored(self, name: str) -> str:
        """A constant that is stored beside the weights."""
        return f"CONSTANTS[{quoted(name)}]"

    def places(self, text: str) -> str:
        """A list of whole numbers as an index."""
        return text

    def length(self, x: str) -> str:
        """The length of the first axis."""
        return f"len({x})"

    def infinity(self, number: float) -> str:
        """Infinity, or minus infinity."""
        return f"{'-' if number < 0 else ''}float('inf')"

    @abstractmethod
    def full(self, sizes: str, number: float) -> str:
        """An array of one number, of these sizes."""

    @abstractmethod
    def array(self, text: str) -> str:
        """An array of a list."""

    @abstractmethod
    def arange(self, n: int) -> str:
        """The numbers 0, …, n − 1."""

    @abstractmethod
    def where(self, condition: str, x: str, y: str) -> str:
        """X where the condition holds, else y."""

    @abstractmethod
    def transpose(self, x: str, order: Sequence[int]) -> str:
        """The axes in another order."""

    @abstractmethod
    def expand(self, x: str, sizes: str) -> str:
        """An array broadcast to these sizes."""

    @abstractmethod
    def pad(self, x: str, widths: Sequence[tuple[int, int]], value: float) -> str:
        """The array with a margin."""

    @abstractmethod
    def concat(self, arrays: str, axis: int) -> str:
        """Arrays one after the other."""

    @abstractmethod
    def reduce(self, fold: Fold, x: str, axes: str, *, keeps: bool) -> str:
        """Axes combined; if they are kept, they have length 1."""

    @abstractmethod
    def integers(self, x: str) -> str:
        """An array of numbers as one of integers."""

    @abstractmethod
    def normalise(self, function: ao.Normalising, x: str) -> str:
        """``softmax`` and the like along the last axis."""

    @abstractmethod
    def convolve(self, signal: Expr, x: str, w: str) -> str:
        """The cross-correlation."""

    @abstractmethod
    def pool(self, fold: Fold, x: str, sizes: tuple[int, ...]) -> str:
        """The largest entry or the mean of each block."""

    @abstractmethod
    def mean_over_batch(self, x: str) -> str:
        """The mean over the first axis."""

    @abstractmethod
    def einsum(self, spec: str, x: str, y: str) -> str:
        """A sum of products."""
