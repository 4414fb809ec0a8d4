"""The loops of the symbols that go entry by entry, of sums and products, and of scores."""

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from rh_kernel.loops import scalars
from rh_kernel.loops.builder import Formula, call
from rh_kernel.loops.context import Lowering, LoweringContext
from rh_kernel.loops.ir import Fold
from rh_kernel.loops.layouts import Layout, permuted, reshaped, sliced, spread_out
from rh_kernel.loops.scalars import ScalarOp
from rh_kernel.primitives.schemes import index

_AS_THEY_ARE: Mapping[str, ScalarOp] = {
    "neg": scalars.NEG,
    "exp": scalars.EXP,
    "log": scalars.LOG,
    "sqrt": scalars.SQRT,
    "abs": scalars.ABS,
    "sign": scalars.SIGN,
    "sin": scalars.SIN,
    "cos": scalars.COS,
    "tanh": scalars.TANH,
    "sigmoid": scalars.SIGMOID,
    "softplus": scalars.SOFTPLUS,
    "round": scalars.RINT,
    "step": scalars.STEP,
    "add": scalars.ADD,
    "sub": scalars.SUB,
    "mul": scalars.MUL,
    "div": scalars.DIV,
    "maximum": scalars.MAX,
    "minimum": scalars.MIN,
}
"""The symbols that are one scalar function."""


def _scalar(function: ScalarOp) -> Lowering:
    return lambda at: at.entries(call(function, *range(len(at.arguments))))


def _formula(M: Formula) -> Lowering:
    return lambda at: at.entries(M)


def _scale(at: LoweringContext) -> Layout:
    a = at.numbers[0]
    return at.entries(call(scalars.MUL, 0, 1), _filled(at) if a is None else a, at.operand(1))


def _filled(at: LoweringContext) -> Layout:
    """The scalar that comes first, at each entry of the result."""
    a = at.argument(0)
    x = replace(a, axes=a.axes[: at.front])
    for i, n in enumerate(at.shape[at.front :], start=at.front):
        x = spread_out(x, i, n)
    return x


def _matmul(at: LoweringContext) -> Layout:
    if len(at.shape) - at.front == 1:
        return at.loops.contract(at.factor(0, "ik"), at.factor(1, "k"), at.summed("i"))
    return at.loops.contract(at.factor(0, "ik"), at.factor(1, "kj"), at.summed("ij"))


def _outer(at: LoweringContext) -> Layout:
    return at.loops.contract(at.factor(0, "i"), at.factor(1, "j"), at.summed("ij"))


def _dot(at: LoweringContext) -> Layout:
    axes = "abcdefgh"[: len(at.arguments[0].axes) - at.batched[0]]
    return _as_scalar(at.loops.contract(at.factor(0, axes), at.factor(1, axes), at.summed("")))


def _as_scalar(x: Layout) -> Layout:
    """The one number for each sample, as an array with one entry."""
    return replace(x, axes=(*x.axes, ()))


def _sum(at: LoweringContext) -> Layout:
    x = at.argument(0)
    return _as_scalar(at.loops.reduce(Fold.SUM, x, len(x.axes) - at.front))


def _mean(at: LoweringContext) -> Layout:
    x = at.argument(0)
    return _as_scalar(at.loops.reduce(Fold.SUM, x, len(x.axes) - at.front, 1 / prod(x.shape[at.front :])))


def _sum_rows(at: LoweringContext) -> Layout:
    x = at.argument(0)
    order = [*range(at.front), at.front + 1, at.front]
    return at.loops.reduce(Fold.SUM, permuted(x, order), 1)


def _transpose(at: LoweringContext) -> Layout:
    return permuted(at.argument(0), [*range(at.front), at.front + 1, at.front])


def _broadcast_rows(at: LoweringContext) -> Layout:
    return spread_out(at.argument(0), at.front, at.shape[at.front])


def _reshape(at: LoweringContext) -> Layout:
    x, shape = at.argument(0), at.shape[at.front :]
    found = reshaped(x, shape, at.front)
    if found is None or (at.loops.matrices and found.plain() is None):
        # An axis of several parts is none of a matrix.
        found = reshaped(at.loops.copied(x), shape, at.front)
    assert found is not None
    return found


def _concat(at: LoweringContext) -> Layout:
    y = at.fresh()
    start = 0
    for i in range(2):
        x = at.argument(i)
        stop = start + x.shape[at.front]
        place = sliced(y, at.front, start, stop)
        assert place is not None
        at.loops.map([at.operand(i)], [(0, place)])
        start = stop
    return y


def _slice(at: LoweringContext) -> Layout | None:
    return sliced(at.loops.single(at.argument(0), at.front), at.front, index(at.function, 0), index(at.function, 1))


def _shifted(at: LoweringContext) -> tuple[Layout, Layout]:
    """The scores, and the largest one of each vector, or 0 where that is not finite, as far along as the vector."""
    x = at.argument(0)
    largest = at.loops.reduce(Fold.MAX, x, 1)
    finite = at.loops.fresh(largest.shape)
    at.loops.map([largest], [(call(scalars.FINITE, 0), finite)])
    return x, finite


def _softmax(at: LoweringContext) -> Layout:
    x, largest = _shifted(at)
    n = x.shape[-1]
    powers = at.entries(call(scalars.EXP, call(scalars.SUB, 0, 1)), x, spread_out(largest, at.front, n))
    total = at.loops.reduce(Fold.SUM, powers, 1)
    return at.entries(call(scalars.DIV, 0, 1), powers, spread_out(total, at.front, n))


def _log_total(at: LoweringContext) -> tuple[Layout, Layout, Layout]:
    x, largest = _shifted(at)
    powers = at.loops.fresh(x.shape)
    at.loops.map([x, spread_out(largest, at.front, x.shape[-1])], [(call(scalars.EXP, call(scalars.SUB, 0, 1)), powers)])
    return x, largest, at.loops.reduce(Fold.SUM, powers, 1)


def _logsumexp(at: LoweringContext) -> Layout:
    _, largest, total = _log_total(at)
    return at.entries(call(scalars.ADD, 0, call(scalars.LOG, 1)), _as_scalar(largest), _as_scalar(total))


def _log_softmax(at: LoweringContext) -> Layout:
    x, largest, total = _log_total(at)
    along = [spread_out(v, at.front, x.shape[-1]) for v in (largest, total)]
    return at.entries(call(scalars.SUB, call(scalars.SUB, 0, 1), call(scalars.LOG, 2)), x, *along)


def _same_argmax(at: LoweringContext) -> Layout:
    places = [_as_scalar(at.loops.reduce(Fold.ARGMAX, x, len(x.axes) - at.front)) for x in (at.argument(0), at.argument(1))]
    return at.entries(call(scalars.EQUAL, 0, 1), *places)


SYMBOLS: Mapping[str, Lowering] = {
    **{name: _scalar(function) for name, function in _AS_THEY_ARE.items()},
    "square": _formula(call(scalars.MUL, 0, 0)),
    "recip": _formula(call(scalars.DIV, 1.0, 0)),
    "relu": _formula(call(scalars.MAX, 0, 0.0)),
    "scale": _scale,
    "matmul": _matmul,
    "outer": _outer,
    "dot": _dot,
    "sum": _sum,
    "mean": _mean,
    "sum_rows": _sum_rows,
    "fill": _filled,
    "transpose": _transpose,
    "broadcast_rows": _broadcast_rows,
    "reshape": _reshape,
    "concat": _concat,
    "slice": _slice,
    "softmax": _softmax,
    "logsumexp": _logsumexp,
    "log_softmax": _log_softmax,
    "same_argmax": _same_argmax,
}
"""How each of these symbols becomes loops; ``swish`` and ``gelu`` are gone before (``arrays.expanding``)."""
