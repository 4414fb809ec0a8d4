"""The steps of a plan on NumPy: each is a list of calls that write where they should, made before the first run.

Numbers are arrays of no axes, outputs are given, and products are ``dot`` where that is possible: so a call costs what NumPy's
own dispatch costs, and a run of them is a loop over calls without arguments.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any, TypeAlias

import numpy as np

from rh_kernel.arrays.matrices import Matrices, matrices
from rh_kernel.arrays.plan import (
    Call,
    Check,
    Contract,
    Fold,
    Gather,
    Instruction,
    Integers,
    Map,
    Number,
    Reduce,
    Scalar,
    Step,
    View,
)
from rh_kernel.primitives.smoothness import require_smooth
from rh_kernel.primitives.table import kernel
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Array

Action: TypeAlias = "Callable[[], object] | partial[Any]"

_UNARY: dict[Scalar, np.ufunc] = {
    Scalar.NEG: np.negative,
    Scalar.EXP: np.exp,
    Scalar.LOG: np.log,
    Scalar.SQRT: np.sqrt,
    Scalar.SIN: np.sin,
    Scalar.COS: np.cos,
    Scalar.TANH: np.tanh,
    Scalar.ABS: np.absolute,
    Scalar.SIGN: np.sign,
    Scalar.RINT: np.rint,
}
_BINARY: dict[Scalar, np.ufunc] = {
    Scalar.ADD: np.add,
    Scalar.SUB: np.subtract,
    Scalar.MUL: np.multiply,
    Scalar.DIV: np.true_divide,
    Scalar.MAX: np.maximum,
    Scalar.MIN: np.minimum,
}


class Arrays:
    """The arrays that a plan's views are, and room for what is needed within a step only."""

    def __init__(self, buffers: Sequence[Array], dtype: "np.dtype[Any]", largest: int) -> None:
        self.buffers = buffers
        self.dtype = dtype
        self.largest = largest
        self._spare: list[Array] = []
        self._numbers: dict[float, Array] = {}

    def of(self, view: View) -> Array:
        """The array of a view."""
        buffer, item = self.buffers[view.buffer], self.dtype.itemsize
        if 0 in view.shape:
            return np.zeros(view.shape, self.dtype)
        return np.ndarray(view.shape, self.dtype, buffer, view.offset * item, tuple([s * item for s in view.strides]))

    def spare(self, number: int, shape: Sequence[int]) -> Array:
        """Room number so-and-so in that shape, of ``largest`` entries at most: what a step leaves there is nobody's."""
        while len(self._spare) <= number:
            self._spare.append(np.empty(self.largest, self.dtype))
        return self._spare[number][: prod(shape)].reshape(shape)

    def number(self, value: float) -> Array:
        """An array of no axes."""
        found = self._numbers.get(value)
        if found is None:
            found = self._numbers[value] = np.array(value, self.dtype)
        return found


def calls(step: Step, arrays: Arrays) -> list[Action]:
    """The calls that do the step."""
    match step:
        case Map():
            return _Entries(step, arrays).calls
        case Reduce():
            return _reduce(step, arrays)
        case Contract():
            return _contract(step, arrays)
        case Gather(output, argument, table):
            return _gather(arrays.of(output), arrays.of(argument), table, arrays)
        case Call(f, output, arguments):
            return [partial(_called, kernel(f, np), arrays.of(output), [arrays.of(v) for v in arguments])]
        case Check(f, arguments, span):
            return [partial(require_smooth, f, tuple([arrays.of(v) for v in arguments]), span)]


def room(step: Step) -> int:
    """The most entries that an array has which a step needs for itself."""
    match step:
        case Map(shape):
            return prod(shape)
        case Contract():
            found = matrices(step, direct=not step.accumulate and _is_apart(step.output))
            return max(prod(found.product), min(prod(found.left.shape), prod(found.right.shape)))
        case Reduce(_, output) | Gather(output):
            return prod(output.shape)
        case Call() | Check():
            return 0


def _compared(step: Map) -> list[Number | Instruction]:
    """The body, with ``step(x − y)`` as ``x > y``, a step of two arguments, where nothing else uses the difference."""
    n = len(step.arguments)
    body = list(step.body)
    uses = Counter(i for line in body if isinstance(line, Instruction) for i in line.arguments)
    uses.update(store.value for store in step.stores)
    for i, line in enumerate(step.body):
        if isinstance(line, Instruction) and line.function is Scalar.STEP and line.arguments[0] >= n:
            difference = step.body[line.arguments[0] - n]
            if isinstance(difference, Instruction) and difference.function is Scalar.SUB and uses[line.arguments[0]] == 1:
                body[line.arguments[0] - n] = Number(0.0)
                body[i] = Instruction(Scalar.STEP, difference.arguments)
    return body


class _Entries:
    """A ``Map``: a ufunc for each line of its body, written where it is stored, or into spare room."""

    def __init__(self, step: Map, arrays: Arrays) -> None:
        self.step = step
        self.arrays = arrays
        self.calls: list[Action] = []
        self.values: list[Array] = [arrays.of(view) for view in step.arguments]
        self.body = _compared(step)
        self.last = self._last_uses()
        self.spare: dict[int, int] = {}
        self.free: list[int] = []
        self.rooms = 0
        self.places = self._places()
        for i, line in enumerate(self.body, start=len(step.arguments)):
            self.values.append(arrays.number(line.value) if isinstance(line, Number) else self._line(i, line))
            self._let_go(i, line)
        self._keep_apart()
        for store in step.stores:
            self._store(arrays.of(store.view), self.values[store.value], accumulate=store.accumulate)

    def _last_uses(self) -> dict[int, int]:
        """The last line that uses a value; those that are stored are used after all lines."""
        n = len(self.step.arguments)
        last: dict[int, int] = {}
        for i, line in enumerate(self.body, start=n):
            if isinstance(line, Instruction):
                last.update(dict.fromkeys(line.arguments, i))
        end = n + len(self.step.body)
        last.update({store.value: end for store in self.step.stores})
        return last

    def _places(self) -> dict[int, Array]:
        """Where a value may be computed at once: where it is stored, unless what lies there is still used."""
        places: dict[int, Array] = {}
        n = len(self.step.arguments)
        for store in self.step.stores:
            if store.accumulate or store.value < n or store.value in places:
                continue
            line = self.body[store.value - n]
            if isinstance(line, Number):
                continue
            readers = [k for k, view in enumerate(self.step.arguments) if view.buffer == store.view.buffer]
            simple = line.function in _UNARY or line.function in _BINARY
            if all(self.last.get(k, -1) < store.value or (simple and self.last[k] == store.value) for k in readers):
                places[store.value] = self.arrays.of(store.view)
        return places

    def _keep_apart(self) -> None:
        """Copies the arguments that are stored as they are, where a store writes on them."""
        written = {store.view.buffer for store in self.step.stores}
        for i in {store.value for store in self.step.stores if store.value < len(self.step.arguments)}:
            if self.step.arguments[i].buffer in written:
                copy = self._room(i)
                self.calls.append(partial(np.copyto, copy, self.values[i]))
                self.values[i] = copy

    def _room(self, i: int) -> Array:
        """Spare room for value number i."""
        if not self.free:
            self.free.append(self.rooms)
            self.rooms += 1
        self.spare[i] = self.free.pop()
        return self.arrays.spare(self.spare[i], self.step.shape)

    def _line(self, i: int, line: Instruction) -> Array:
        out = self.places.get(i)
        if out is None:
            out = self._room(i)
        x, *rest = [self.values[k] for k in line.arguments]
        self._compute(line.function, x, rest, out)
        return out

    def _let_go(self, i: int, line: Number | Instruction) -> None:
        if isinstance(line, Instruction):
            self.free += [self.spare.pop(k) for k in set(line.arguments) if k in self.spare and self.last[k] == i]

    def _compute(self, f: Scalar, x: Array, rest: Sequence[Array], out: Array) -> None:
        one, nought = self.arrays.number(1.0), self.arrays.number(0.0)
        add = self.calls.append
        if f in _UNARY:
            add(partial(_UNARY[f], x, out))
        elif f in _BINARY:
            # The extremes take an output by name only.
            extreme = f in (Scalar.MAX, Scalar.MIN)
            add(partial(_BINARY[f], x, rest[0], out=out) if extreme else partial(_BINARY[f], x, rest[0], out))
        elif f is Scalar.SIGMOID:
            self.calls += [partial(np.negative, x, out), partial(np.exp, out, out), partial(np.add, out, one, out)]
            add(partial(np.true_divide, one, out, out))
        elif f is Scalar.SOFTPLUS:
            add(partial(np.logaddexp, x, nought, out))
        elif f is Scalar.STEP:
            add(partial(np.greater, x, rest[0] if rest else nought, out))
        elif f is Scalar.EQUAL:
            same, none = np.empty(self.step.shape, bool), np.empty(self.step.shape, bool)
            self.calls += [partial(np.equal, x, rest[0], same), partial(np.not_equal, x, x, none)]
            add(partial(np.logical_or, same, none, out))
        elif f is Scalar.FINITE:
            finite = np.empty(self.step.shape, bool)
            self.calls += [partial(np.isfinite, x, finite), partial(np.copyto, out, nought)]
            add(partial(np.copyto, out, x, where=finite))
        else:
            raise KernelBug(f"NumPy has no {f.name}")

    def _store(self, target: Array, value: Array, *, accumulate: bool) -> None:
        if accumulate:
            self.calls.append(partial(np.add, target, value, target))
        elif value is not target and not any(value is place and _same(place, target) for place in self.places.values()):
            self.calls.append(partial(np.copyto, target, value))


def _same(x: Array, y: Array) -> bool:
    return x.ctypes.data == y.ctypes.data and x.strides == y.strides and x.shape == y.shape


def _apart(target: Array, value: Array) -> list[tuple[Array, Array]]:
    """The target in pieces in which no two entries lie at one place, with what belongs there."""
    steps = [abs(stride) for stride in target.strides]
    end = target.itemsize
    for i in sorted((i for i, n in enumerate(target.shape) if n > 1), key=lambda i: (steps[i], -target.shape[i])):
        if steps[i] < end:
            x, y = np.moveaxis(target, i, 0), np.moveaxis(value, i, 0)
            return [piece for k in range(len(x)) for piece in _apart(x[k, ...], y[k, ...])]
        end += (target.shape[i] - 1) * steps[i]
    return [(target, value)]


def _reduce(step: Reduce, arrays: Arrays) -> list[Action]:
    output, argument = arrays.of(step.output), arrays.of(step.argument)
    axes = tuple(range(output.ndim, argument.ndim))
    match step.fold:
        case Fold.SUM:
            done: list[Action] = [partial(np.add.reduce, argument, axes, None, output)]
        case Fold.MAX:
            done = [partial(np.maximum.reduce, argument, axes, None, output)]
        case Fold.ARGMAX:
            done = [partial(_argmax, output, argument, output.shape)]
    if step.scale != 1.0:
        done.append(partial(np.multiply, output, arrays.number(step.scale), output))
    return done


def _argmax(output: Array, argument: Array, shape: tuple[int, ...]) -> None:
    output[...] = argument.reshape(*shape, -1).argmax(axis=-1)


def _called(f: Callable[..., Array], output: Array, arguments: Sequence[Array]) -> None:
    np.copyto(output, f(*arguments))


def _gather(output: Array, argument: Array, table: Integers, arrays: Arrays) -> list[Action]:
    """The entries that come first, and to them the others where there are any."""
    done: list[Action] = []
    for l in range(table.shape[1]):
        at, there = np.maximum(table[:, l], 0), table[:, l] >= 0
        if l == 0:
            done.append(partial(np.take, argument, at, -1, output, "clip"))
            if not there.all():
                done.append(partial(np.copyto, output, arrays.number(0.0), where=~there))
            continue
        if there.all():
            taken = arrays.spare(0, output.shape)
            done += [partial(np.take, argument, at, -1, taken, "clip"), partial(np.add, output, taken, output)]
        else:
            done.append(partial(_some_added, output, np.flatnonzero(there), argument, at[there]))
    return done


def _some_added(output: Array, here: Integers, argument: Array, at: Integers) -> None:
    output[..., here] += argument[..., at]


def _contract(step: Contract, arrays: Arrays) -> list[Action]:
    """A product, written where it should be; or, where it is to be added, or entries overlap, made apart and then added."""
    direct = not step.accumulate and _is_apart(step.output)
    found = matrices(step, direct=direct)
    output, left, right = arrays.of(found.output), arrays.of(found.left), arrays.of(found.right)
    done: list[Action] = []
    negative = step.accumulate and step.scale < 0
    scale = -step.scale if negative else step.scale
    made = output if direct and not found.summed else arrays.spare(1, found.product)
    if scale != 1.0:
        # The number goes into what is smallest.
        number = arrays.number(scale)
        if left.size <= min(right.size, made.size):
            left = _scaled(left, number, arrays.spare(0, left.shape), done)
        elif right.size <= made.size:
            right = _scaled(right, number, arrays.spare(0, right.shape), done)
        else:
            return [*_product(left, right, made), *_finish(step, found, made, output, arrays, number, negative=negative)]
    return [*done, *_product(left, right, made), *_finish(step, found, made, output, arrays, None, negative=negative)]


def _finish(
    step: Contract, found: Matrices, made: Array, output: Array, arrays: Arrays, scale: Array | None, *, negative: bool
) -> list[Action]:
    """What is left to do with a product that was made: to add up stacks, to scale, and to add."""
    done: list[Action] = [] if scale is None else [partial(np.multiply, made, scale, made)]
    if made is output:
        return done
    if found.summed:
        total = arrays.spare(2, found.product[found.summed :])
        done.append(partial(np.add.reduce, made, tuple(range(found.summed)), None, total))
        made = total
    whole = made.reshape(output.shape)
    if not step.accumulate:
        done.append(partial(np.copyto, output, arrays.number(0.0)))
    return [*done, *[partial(np.subtract if negative else np.add, x, y, x) for x, y in _apart(output, whole)]]


def _is_apart(view: View) -> bool:
    """Whether no two entries lie at one place, but for axes along which the view does not move at all."""
    end = 1
    for stride, n in sorted((abs(s), n) for s, n in zip(view.strides, view.shape, strict=True) if s):
        if stride < end:
            return False
        end += (n - 1) * stride
    return True


def _scaled(x: Array, scale: Array, spare: Array, done: list[Action]) -> Array:
    # The copy lies as the factor does, so that what was a row of a matrix in memory is one again.
    order = sorted(range(x.ndim), key=lambda i: -abs(x.strides[i]))
    copy = spare.reshape([x.shape[i] for i in order]).transpose(np.argsort(order))
    done.append(partial(np.multiply, x, scale, copy))
    return copy


def _product(left: Array, right: Array, output: Array) -> list[Action]:
    """``output = left · right`` for stacks of matrices; one matrix, or row or column, by ``dot``."""
    if output.ndim > 2:
        return [partial(np.matmul, left, right, output)]
    m, n = output.shape
    if n == 1 and output[:, 0].flags.c_contiguous:
        return [partial(np.dot, left, right[:, 0], output[:, 0])]
    if m == 1 and output[0].flags.c_contiguous:
        return [partial(np.dot, right.T, left[0], output[0])]
    if output.flags.c_contiguous:
        return [partial(np.dot, left, right, output)]
    if output.T.flags.c_contiguous:
        return [partial(np.dot, right.T, left.T, output.T)]
    return [partial(np.matmul, left, right, output)]
