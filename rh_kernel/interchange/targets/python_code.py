"""Python code for a function of array expressions; NumPy, JAX and PyTorch differ in the names of what they call.

An expression is written where it is used, unless it is used more than once or long: then it gets a line of its own.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path

import numpy as np

from rh_kernel.interchange.errors import NoTranslation
from rh_kernel.interchange.functions import ArrayFunction, Computed, Let, Line, Rounds
from rh_kernel.interchange.uses import uses
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.loops.trees import Tree
from rh_kernel.primitives import array_expressions as ae
from rh_kernel.primitives.array_expressions import Expr, Fold
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Array

LONG = 70
"""Characters from which on an expression gets a line of its own."""

WIDEST = 100
"""Characters of a line that a comment shows."""

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

Code = tuple[str, int]
"""The text of an expression, and how tightly its outermost operator binds."""


def written(number: float) -> str:
    """A finite number: whole ones without a point, which do not change the type of an array that they meet."""
    return str(int(number)) if number.is_integer() and abs(number) < 2**53 else repr(number)


def quoted(name: str) -> str:
    """A name as a string literal."""
    return json.dumps(name, ensure_ascii=False)


def origin_of(span: Span) -> str:
    """The line where a command begins, as a comment: ``sgd.rh, line 30: return (w @ x + c, (w, x))``."""
    number, _ = span.source.position(span.start)
    file = Path(span.source.name).name
    place = f"{file}, line {number}" if file.endswith(".rh") else f"line {number}"
    text = "".join([c for c in span.source.line(number).strip() if c.isprintable()])
    return f"{place}: {text[:WIDEST]}"


class PythonCode(ABC):
    """The lines of the body of a Python function, and what they need besides: constants and auxiliary functions."""

    function_names: Mapping[ScalarOp, str] = {}
    """Templates of the scalar operations that are calls."""

    functions: Mapping[str, str] = {}
    """Auxiliary functions, by name."""

    def __init__(self, function: ArrayFunction, dtype: str, indent: int = 1) -> None:
        self.function = function
        self.dtype = dtype
        self.lines: list[str] = []
        self.auxiliary: list[str] = []
        self.constants: dict[str, Array] = {}
        self._uses = uses(function)
        self._names: dict[int, str] = {}
        self._indent = indent
        self._spans: dict[int, Span | None] = {}
        self._origin = ""
        self._count = 0
        self._loops = 0
        # Expressions that were made here have to stay alive, because they are known by identity.
        self._kept: list[Expr] = []

    def everything(self, names: Mapping[str, str]) -> tuple[list[str], str, list[str]]:
        """Return the lines of the body, the text of the result, and lines with the new weights, called by these ``names``."""
        self._write(self.function.lines)
        result = self.tree(self.function.result)
        texts = [(quoted(names[w.parameter.name]), self.text(e), self._spans.get(id(e))) for w, e in self.function.writes]
        lines, self.lines = self.lines, []
        for name, text, span in texts:
            self._add_origin(span)
            self.add(f"{name}: {text},")
        written, self.lines = self.lines, lines
        return lines, result, [line.strip() for line in written]

    def tree(self, tree: "Tree[Expr]") -> str:
        """The text of a result."""
        if not isinstance(tree, tuple):
            return self.text(tree)
        return f"({''.join([f'{self.tree(each)}, ' for each in tree]).strip()})" if tree else "()"

    def text(self, e: Expr, least: int = 0) -> str:
        """The text of an expression, in parentheses unless it binds as tightly as wanted; may write lines before."""
        text, binds = self._code(e)
        return text if binds >= least else f"({text})"

    # -- lines

    def _write(self, lines: Sequence[Line]) -> None:
        for line in lines:
            match line:
                case Computed(value, span):
                    self._spans.setdefault(id(value), span)
                    if self._uses[id(value)] > 1:
                        self.text(value)
                case Let(variable, value):
                    self.add(f"{self.text(variable)} = {self.text(value)}")
                case Rounds():
                    self.rounds(line)

    def add(self, line: str) -> None:
        """Add a line."""
        self.lines.append("    " * self._indent + line)

    def _code(self, e: Expr) -> Code:
        if id(e) in self._names:
            return self._names[id(e)], ATOM
        text, binds = self._plain(e)
        if isinstance(e.op, ae.Variable) or (e.number is not None and binds == ATOM):
            return text, binds
        if self._uses[id(e)] > 1 or len(text) > LONG:
            return self._new_line(e, text), ATOM
        return text, binds

    def _new_line(self, e: Expr, text: str) -> str:
        self._count += 1
        name = self._names[id(e)] = f"t{self._count}"
        self._add_origin(self._spans.get(id(e)))
        self.add(f"{name} = {text}")
        return name

    def _add_origin(self, span: Span | None) -> None:
        """Add a comment with the line that what follows comes from, unless the last one says so."""
        origin = "" if span is None else origin_of(span)
        if origin and origin != self._origin:
            self._origin = origin
            self.add(f"# {origin}")

    def rounds(self, loop: Rounds) -> None:
        """Write a loop."""
        states = [self.text(v) for v, _ in loop.carried]
        if states:
            self.add(f"{', '.join(states)} = {', '.join([self.text(first) for _, first in loop.carried])}")
        wholes = [(self.text(v), self.text(whole, ATOM), whole) for v, whole in loop.rows]
        stacked = loop.results[len(states) :]
        names = [self.text(v) for v in stacked]
        for name in names:
            self.add(f"{name} = []")
        index = self._fresh_index()
        indices = f"range({loop.count})"
        self.add(f"for {index} in {f'reversed({indices})' if loop.backward else indices}:")
        self._indent += 1
        for name, text, whole in wholes:
            self.add(f"{name} = {text}[{':, ' if whole.batched else ''}{index}]")
        self._write(loop.body)
        emitted = [self.text(e) for e in loop.emitted]
        following = [self.text(e) for e in loop.following]
        for name, text in zip(names, emitted, strict=True):
            self.add(f"{name}.append({text})")
        if states:
            self.add(f"{', '.join(states)} = {', '.join(following)}")
        self._indent -= 1
        for name, v in zip(names, stacked, strict=True):
            order = f"{name}[::-1]" if loop.backward else name
            self.add(f"{name} = {self.stacked(order, int(v.batched))}")

    def _fresh_index(self) -> str:
        self._loops += 1
        return f"i{self._loops}" if self._loops > 1 else "i"

    @abstractmethod
    def stacked(self, rows: str, axis: int) -> str:
        """A list of arrays stacked along an axis."""

    # -- operators

    def _plain(self, e: Expr) -> Code:
        """The text of an operator applied to its arguments."""
        simpler = ae.composed(e) if self.is_composed(e) else None
        if simpler is not None:
            return self._code_of_new(e, simpler)
        match e.op:
            case ae.Variable(name):
                return name, ATOM
            case ae.Constant(array):
                return self.constant(array, e.number)
            case ae.MeanOverBatch():
                return self.mean_over_batch(self.text(e.args[0])), ATOM
            case ae.MeanProduct():
                return self._mean_product(*e.args), PRODUCT
            case (
                ae.Reshape()
                | ae.Transpose()
                | ae.Expand()
                | ae.Batch()
                | ae.Slice()
                | ae.Pad()
                | ae.Concat()
                | ae.Rows()
                | ae.AsSamples()
                | ae.AsRows()
            ) as op:
                return self._moved(op, e), ATOM
            case op:
                return self._computed(op, e)

    def _moved(self, op: ae.Moving, e: Expr) -> str:
        x = e.args[0]
        match op:
            case ae.Reshape():
                return self._reshape(x, e)
            case ae.Transpose(order):
                return self._transpose(x, order)
            case ae.Expand() | ae.Batch():
                if x.number is not None and e.batched:
                    return self.full(self.sizes(e, e.args[-1]), x.number)
                return self.expand(self.text(x, ATOM), self.sizes(e, e.args[-1]))
            case ae.AsSamples():
                return f"{self.text(x, ATOM)}.reshape({', '.join(map(str, (-1, *e.shape)))})" if x.batched else self.text(x)
            case ae.AsRows(batched):
                return f"{self.text(x, ATOM)}.reshape({', '.join(map(str, (-1, *e.shape)))})" if batched else self.text(x)
            case ae.Slice(axis, start, stop):
                cut = f"{start or ''}:{stop if stop < x.shape[axis] else ''}"
                return f"{self.text(x, ATOM)}[{self._place(x, axis, cut)}]"
            case ae.Pad(widths, value):
                return self.pad(self.text(x), [*[(0, 0)] * x.batched, *widths], value)
            case ae.Concat(axis):
                return self.concat(", ".join(map(self.text, e.args)), axis + e.batched)
            case ae.Rows(axis, table):
                return f"{self.text(x, ATOM)}[{self._place(x, axis, self.places(str(table.tolist())))}]"

    def _computed(self, op: ae.Computing, e: Expr) -> Code:
        x = e.args[0]
        match op:
            case ae.Scalar(function):
                return self._scalar(function, e)
            case ae.MatMul():
                return f"{self.text(x, PRODUCT)} @ {self.text(e.args[1], SIGN)}", PRODUCT
            case ae.Where():
                _, y, z = e.args
                return self.where(f"{self.text(x, SUM)} > 0", self._operand(y, e, 0), self._operand(z, e, 0)), ATOM
            case ae.Reduce(fold, axes):
                return self._reduce(fold, x, axes, keeps=True), ATOM
            case ae.Take():
                return f"{self.text(x, ATOM)}[{self.integers(self.text(e.args[1], ATOM))}]", ATOM
            case ae.Normalise(function):
                return self.normalise(function, self.text(x)), ATOM
            case ae.Convolve():
                return self.convolve(x, self.text(x), self.text(e.args[1])), ATOM
            case ae.Windows(sizes):
                self.needs("windows")
                return f"windows({self.text(x)}, {sizes})", ATOM
            case ae.OverlapAdd():
                self.needs("overlap_add")
                return f"overlap_add({self.text(x)}, {e.rank - 1})", ATOM
            case ae.Pool(fold, sizes):
                return self.pool(fold, self.text(x), sizes), ATOM

    def _mean_product(self, y: Expr, x: Expr) -> str:
        if y.rank == 1:
            return f"{self.text(y, ATOM)}.T @ {self.named(x)} / len({self.named(x)})"
        return f"{self.einsum('bmk,bkn->mn', self.text(y), self.named(x))} / len({self.named(x)})"

    def _code_of_new(self, e: Expr, simpler: Expr) -> Code:
        """The code of a new expression for e, in which what is used more than once is counted."""
        todo = [simpler]
        while todo:
            each = todo.pop()
            if each not in e.args:
                if not self._uses[id(each)]:
                    todo += each.args
                self._uses[id(each)] += 1
        self._kept.append(simpler)
        return self._plain(simpler)

    def is_composed(self, e: Expr) -> bool:
        """Whether an expression is written by simpler operators."""
        return isinstance(e.op, ae.Pool)

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
        if isinstance(x.op, ae.Reduce) and self._uses[id(x)] <= 1:
            (whole,) = x.args
            if e.shape == tuple([n for i, n in enumerate(whole.shape) if i not in x.op.axes]):
                return self._reduce(x.op.fold, whole, x.op.axes, keeps=False)
        if e.shape == (*x.shape, 1):
            return f"{self.text(x, ATOM)}[..., None]"
        sizes = self.sizes(e, x) if 0 in e.shape else ", ".join(map(str, (*[-1] * e.batched, *e.shape)))
        return f"{self.text(x, ATOM)}.reshape({sizes})"

    def sizes(self, e: Expr, like: Expr) -> str:
        """The sizes of all axes; if it is batched, the first one is that of another array."""
        return ", ".join([*[f"len({self.named(like)})"] * e.batched, *map(str, e.shape)])

    def named(self, e: Expr) -> str:
        """The name of an expression, which gets a line of its own if it has none."""
        text, _ = self._code(e)
        return text if text.isidentifier() else self._new_line(e, text)

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
        """A constant that is stored with the weights."""
        return f"weights[{quoted(name)}]"

    def places(self, text: str) -> str:
        """A list of whole numbers as an index."""
        return text

    def needs(self, name: str) -> None:
        """Say that an auxiliary function is called."""
        if name not in self.auxiliary:
            self.auxiliary.append(name)

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
    def normalise(self, function: ae.Normalising, x: str) -> str:
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
