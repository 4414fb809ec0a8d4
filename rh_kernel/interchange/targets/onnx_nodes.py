"""Array expressions as nodes of an ONNX graph. An array has a leading axis of samples if its expression is batched."""

from collections import ChainMap, Counter
from collections.abc import Mapping, Sequence
from math import inf, prod

import numpy as np
import numpy.typing as npt

from rh_kernel.interchange.errors import NoTranslation
from rh_kernel.interchange.targets.onnx_model import FLOAT, INTEGER, Attribute, Node, Value, single
from rh_kernel.loops import scalars
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives import array_compositions as ac
from rh_kernel.primitives import array_operators as ao
from rh_kernel.primitives.array_operators import Expr, Fold, Normalising
from rh_kernel.source.diagnostic import Rejected

OPERATORS: Mapping[ScalarOp, str] = {
    scalars.NEG: "Neg",
    scalars.EXP: "Exp",
    scalars.LOG: "Log",
    scalars.SQRT: "Sqrt",
    scalars.SIN: "Sin",
    scalars.COS: "Cos",
    scalars.TANH: "Tanh",
    scalars.ABS: "Abs",
    scalars.SIGN: "Sign",
    scalars.RINT: "Round",
    scalars.SIGMOID: "Sigmoid",
    scalars.SOFTPLUS: "Softplus",
    scalars.ADD: "Add",
    scalars.SUB: "Sub",
    scalars.MUL: "Mul",
    scalars.DIV: "Div",
    scalars.MAX: "Max",
    scalars.MIN: "Min",
}
"""The scalar operations that are one operator; ``_scalar`` has the others."""

REDUCTIONS = {Fold.SUM: "ReduceSum", Fold.MAX: "ReduceMax", Fold.MEAN: "ReduceMean"}

POOLS = {Fold.MAX: "MaxPool", Fold.MEAN: "AveragePool"}

POOLED = 3
"""The number of axes up to which blocks are pooled by one operator."""

FEW = 64
"""Entries up to which an array of equal numbers is stored as it is."""


class Shared:
    """What the graphs of a model share: names, initialisers, and what the variables are called."""

    def __init__(self, uses: Counter[int]) -> None:
        self.uses = uses
        self.initialisers: dict[str, npt.NDArray[np.float32 | np.int64]] = {}
        self.constants: dict[str, npt.NDArray[np.float32 | np.int64]] = {}
        self.variables: dict[str, str] = {}
        # Expressions that were made here have to stay alive, because they are known by identity.
        self.kept: list[Expr] = []
        self._constants: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._taken: Counter[str] = Counter()

    def name(self, wanted: str) -> str:
        """A name that no graph has yet: the one wanted, or with a number behind it."""
        found = wanted
        while found in self._taken:
            self._taken[wanted] += 1
            found = f"{wanted}_{self._taken[wanted]}"
        self._taken[found] = 1
        return found

    def constant(self, array: npt.NDArray[np.float32 | np.int64]) -> str:
        """The name of a constant, the same one for equal arrays."""
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            name = self.name("constant")
            self._constants[key] = name
            # Shapes stay initialisers: the rules by which shapes are inferred know more about these.
            (self.initialisers if array.dtype == np.int64 else self.constants)[name] = array
        return self._constants[key]

    def number(self, value: float) -> str:
        """A number as an array without axes."""
        return self.constant(single(value))

    def integers(self, values: Sequence[int]) -> str:
        """A vector of integers, such as a shape."""
        return self.constant(np.array(values, np.int64))

    def declare(self, v: Expr, wanted: str = "", samples: str | None = None) -> Value:
        """Give a variable a new name, and return it as an input of a graph, with a name for the number of samples."""
        name = self.name(wanted or _name(v))
        self.bind(v, name)
        return Value(name, dimensions(v, samples))

    def bind(self, v: Expr, name: str) -> None:
        """Say that a variable is the value of that name."""
        self.variables[_name(v)] = name


def _name(v: Expr) -> str:
    assert isinstance(v.op, ao.Variable)
    return v.op.name


def dimensions(e: Expr, samples: str | None) -> tuple[int | str | None, ...]:
    """The sizes of the axes, with a name for the number of samples."""
    return (*[samples] * e.batched, *e.shape)


class Nodes:
    """The nodes of one graph, and the names of the values that they compute, which are known in the graphs inside it."""

    def __init__(self, shared: Shared, outer: "Nodes | None" = None) -> None:
        self.shared = shared
        self.written: list[Node] = []
        self.values: ChainMap[int, str] = ChainMap() if outer is None else outer.values.new_child()

    def node(self, operator: str, *inputs: str, **attributes: Attribute) -> str:
        """Add a node, and return the name of its result."""
        name = self.shared.name(operator)
        self.written.append(Node(operator, inputs, (name,), attributes))
        return name

    def value(self, e: Expr) -> str:
        """The name of the value of an expression; may add nodes that compute it."""
        match e.op:
            case ao.Variable(name):
                return self.shared.variables[name]
            case op:
                if id(e) not in self.values:
                    self.values[id(e)] = self._translated(op, e)
                return self.values[id(e)]

    def outputs(self, values: Sequence[Expr], samples: str | None = None) -> tuple[Value, ...]:
        """Expressions as the outputs of the graph, which computes them itself, each one once."""
        names = [self.value(e) for e in values]
        computed = {name for node in self.written for name in node.outputs}
        for i, name in enumerate(names):
            if name not in computed or name in names[:i]:
                names[i] = self.node("Identity", name)
        return tuple([Value(name, dimensions(e, samples)) for name, e in zip(names, values, strict=True)])

    # -- operators

    def _translated(self, op: ao.Constant | ao.Moving | ao.Computing | ao.Joining, e: Expr) -> str:
        """The name of the value of an operator applied to its arguments."""
        match op:
            case ao.Constant(array):
                number = e.number
                if number is None or array.size <= FEW:
                    return self.shared.constant(single(array))
                return self.node("Expand", self.shared.number(number), self.shared.integers(e.shape))
            case ao.MeanOverBatch():
                return self.node("ReduceMean", self.value(e.args[0]), self.shared.integers([0]), keepdims=0)
            case ao.MeanProduct():
                return self._mean_product(*e.args)
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
            ):
                return self._moved(op, e)
            case _:
                return self._computed(op, e)

    def _moved(self, op: ao.Moving, e: Expr) -> str:
        x, front = e.args[0], int(e.batched)
        integers, value = self.shared.integers, self.value(x)
        match op:
            case ao.Reshape() if 0 in e.shape:
                return self.node("Reshape", value, self._sizes(value, e), allowzero=1)
            case ao.Reshape():
                # The size 0 stands for that of the argument.
                return self.node("Reshape", value, integers([*[0] * front, *e.shape]))
            case ao.Transpose(order):
                return self.node("Transpose", value, perm=[*range(front), *[front + i for i in order]])
            case ao.Expand():
                return self.node("Expand", value, integers([*[1] * front, *e.shape]))
            case ao.Batch():
                return self.node("Expand", value, self._sizes(self.value(e.args[1]), e))
            case ao.Slice(axis, start, stop):
                return self.node("Slice", value, integers([start]), integers([stop]), integers([front + axis]))
            case ao.Pad(widths, number):
                ends = [n for before in zip(*[*[(0, 0)] * front, *widths], strict=True) for n in before]
                return self.node("Pad", value, integers(ends), self.shared.number(number))
            case ao.Concat(axis):
                return self.node("Concat", *map(self.value, e.args), axis=front + axis)
            case ao.AsSamples() | ao.AsRows():
                # One of the two has one axis more; without samples, the rows are the samples as they are.
                return self.node("Reshape", value, integers([-1, *e.shape])) if x.batched and e.batched else value
            case ao.Rows(axis, table):
                return self.node("Gather", value, self.shared.constant(table.astype(np.int64)), axis=front + axis)

    def _computed(self, op: ao.Computing, e: Expr) -> str:
        match op:
            case ao.Scalar(function):
                return self._scalar(function, e)
            case ao.Where():
                c, x, y = e.args
                positive = self.node("Greater", self.value(c), self.shared.number(0.0))
                return self.node("Where", positive, self._operand(x, e), self._operand(y, e))
            case ao.MatMul():
                return self.node("MatMul", *map(self.value, e.args))
            case ao.Reduce(fold, axes):
                return self._reduced(fold, axes, e.args[0])
            case ao.Take():
                w, i = e.args
                return self.node("Gather", self.value(w), self.node("Cast", self.value(i), to=INTEGER), axis=0)
            case ao.Normalise(function):
                return self._normalised(function, self.value(e.args[0]))
            case ao.Convolve():
                x, w = e.args
                return self._of_batch("Conv", x, self.value(x), self.value(w))
            case ao.Pool(fold, sizes) if len(sizes) <= POOLED:
                (x,) = e.args
                return self._of_batch(POOLS[fold], x, self.value(x), kernel_shape=sizes, strides=sizes, ceil_mode=1)
            case ao.OverlapAdd():
                return self._overlap_added(e.args[0], e)
            case ao.Pool() | ao.Windows():
                simpler = ac.composed(e)
                assert simpler is not None
                self.shared.kept.append(simpler)
                return self.value(simpler)

    def _scalar(self, op: ScalarOp, e: Expr) -> str:
        values = [self._operand(x, e) for x in e.args]
        if op in OPERATORS:
            return self.node(OPERATORS[op], *values)
        if op is scalars.STEP:
            return self._flags("Greater", values[0], self.shared.number(0.0))
        if op is scalars.EQUAL:
            return self._flags("Equal", values[0], values[1])
        if op is scalars.FINITE:
            is_finite = self.node("Less", self.node("Abs", values[0]), self.shared.number(inf))
            return self.node("Where", is_finite, values[0], self.shared.number(0.0))
        raise Rejected(NoTranslation(symbol=op.name, language="ONNX"))

    def _flags(self, comparison: str, x: str, y: str) -> str:
        """1 where a comparison holds, else 0."""
        return self.node("Cast", self.node(comparison, x, y), to=FLOAT)

    def _operand(self, x: Expr, e: Expr) -> str:
        """The value of an operand; of a constant a number, if another one has the shape of the result."""
        number = x.number
        if number is None or not any(y.shape == e.shape for y in e.args if y.number is None):
            return self.value(x)
        return self.shared.number(number)

    def _reduced(self, fold: Fold, axes: Sequence[int], x: Expr) -> str:
        value, places = self.value(x), [axis + x.batched for axis in axes]
        if fold is Fold.ARGMAX:
            return self.node("Cast", self.node("ArgMax", value, axis=places[0], keepdims=1), to=FLOAT)
        # Without axes the operators would reduce all of them.
        return self.node(REDUCTIONS[fold], value, self.shared.integers(places), keepdims=1) if places else value

    def _normalised(self, function: Normalising, x: str) -> str:
        match function:
            case Normalising.SOFTMAX:
                return self.node("Softmax", x, axis=-1)
            case Normalising.LOG_SOFTMAX:
                return self.node("LogSoftmax", x, axis=-1)
            case Normalising.LOGSUMEXP:
                return self.node("ReduceLogSumExp", x, self.shared.integers([-1]), keepdims=1)

    def _of_batch(self, operator: str, x: Expr, value: str, *further: str, **attributes: Attribute) -> str:
        """An operator that wants an axis of samples, applied to x, whose value this is."""
        if x.batched:
            return self.node(operator, value, *further, **attributes)
        axis = self.shared.integers([0])
        return self.node("Squeeze", self.node(operator, self.node("Unsqueeze", value, axis), *further, **attributes), axis)

    def _overlap_added(self, x: Expr, e: Expr) -> str:
        """``x : (c, k…, m…)``, whose columns are the windows"""
        c, *sizes = x.shape
        s = len(sizes) // 2
        integers = self.shared.integers
        columns = self.node("Reshape", self.value(x), integers([*[0] * x.batched, c * prod(sizes[:s]), prod(sizes[s:])]))
        return self._of_batch("Col2Im", x, columns, integers(e.shape[1:]), integers(sizes[:s]))

    def _mean_product(self, y: Expr, x: Expr) -> str:
        values = self.value(y), self.value(x)
        total = self.node("Einsum", *values, equation="bm,bn->mn" if y.rank == 1 else "bmk,bkn->mn")
        return self.node("Div", total, self.node("Cast", self._samples(values[0]), to=FLOAT))

    def _samples(self, value: str) -> str:
        """The number of samples, as a vector."""
        return self.node("Shape", value, start=0, end=1)

    def _sizes(self, like: str, e: Expr) -> str:
        """The sizes of all axes; there are as many samples as in another value."""
        sizes = self.shared.integers(e.shape)
        return self.node("Concat", self._samples(like), sizes, axis=0) if e.batched else sizes
