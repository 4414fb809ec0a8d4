"""Comparisons of values that depend on the inputs, which are the numbers 1 and 0, and choices by them."""

import numpy as np

from rh_kernel.interchange.model import Call, Infix, Map, Number, Term
from rh_kernel.interchange.sources import tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Operand, Tensor, Typed, Unsupported
from rh_kernel.interchange.sources.shapes import broadcast, show, without


def greater(b: Builder, x: Operand, y: Operand) -> Tensor:
    """Return 1 where x > y, else 0: ``step(x - y)``."""
    if isinstance(y, Known) and not np.any(y.array) and broadcast(x.shape, y.shape) == x.shape:
        return x if isinstance(x, Tensor) and is_truth(b, x.term) else tensors.entrywise(b, "step", x)
    return tensors.entrywise(b, "step", tensors.binary(b, "-", tensors.tensor(b, x), y))


def negated(b: Builder, x: Operand) -> Tensor:
    """Return 1 where a truth value does not hold, else 0: ``1 - x``."""
    one = Known(np.array(1.0), "one", is_learned=False)
    return tensors.binary(b, "-", one, tensors.tensor(b, x))


def compared(b: Builder, sign: str, x: Operand, y: Operand) -> Tensor:
    """Return 1 where ``x sign y`` holds, one of ``< <= > >=``, else 0."""
    match sign:
        case ">":
            return greater(b, x, y)
        case "<":
            return greater(b, y, x)
        case "<=":
            return negated(b, greater(b, x, y))
        case _:
            return negated(b, greater(b, y, x))


def joined(b: Builder, sign: str, x: Operand, y: Operand) -> Tensor:
    """Return ``x sign y`` of two truth values, ``and`` or ``or``: the product or the larger of their numbers."""
    return tensors.binary(b, "*" if sign == "and" else "maximum", *[tensors.tensor(b, _number(z)) for z in (x, y)])


def _number(x: Operand) -> Operand:
    return Known(x.array.astype(float), x.name, is_learned=False) if isinstance(x, Known) else x


def chosen(b: Builder, condition: Operand, x: Operand, y: Operand) -> Operand:
    """Return x where a condition holds, else y, entry by entry. Raises ``Unsupported`` if the shapes do not fit."""
    if isinstance(condition, Known):
        return tensors.choose(b, condition, x, y)
    shape = broadcast(condition.shape, x.shape, y.shape)
    if shape is None:
        raise Unsupported(f"the shapes {show(condition.shape)}, {show(x.shape)} and {show(y.shape)} do not fit")
    axes = {len(shape) - len(t.shape) + t.batch for t in (condition, x, y) if isinstance(t, Tensor) and t.batch is not None}
    batch = axes.pop() if len(axes) == 1 else None
    batch = batch if batch is not None and shape[batch] == 1 else None
    c = tensors.aligned(b, condition, len(shape), batch)
    branches = [_finite(z) for z in (x, y)]
    left, right = (_whole(b, z, shape, batch) for z in branches)
    c, turned = _deciding(b, c)
    left, right = (right, left) if turned else (left, right)
    there = without(shape, batch)
    if int(np.prod(c.shape)) == 1:
        done = b.call("select", [b.reshape(c, (1,)), left, right], there)
    else:
        wide = tensors.expand(b, Tensor(c.term, c.shape, None), there)
        done = _each(b, wide.typed, left, right)
    return Tensor(done.term, shape, batch)


def _each(b: Builder, c: Typed, x: Typed, y: Typed) -> Typed:
    """Return the choice for each entry."""
    count = int(np.prod(x.shape))
    names = (b.variable((1,)), b.variable((1,)), b.variable((1,)))
    sequences: tuple[Term, ...] = tuple([b.reshape(z, (count,)).term for z in (c, x, y)])
    done = b.let(Map(names, sequences, Call("select", names)), (count, 1))
    return b.reshape(done, x.shape)


def _whole(b: Builder, x: Operand, shape: tuple[int, ...], batch: int | None) -> Typed:
    there = tensors.aligned(b, x, len(shape), batch)
    return tensors.expand(b, Tensor(there.term, there.shape, None), without(shape, batch)).typed


def is_truth(b: Builder, M: Term) -> bool:
    """Whether a term is made of comparisons, so that its entries are 1 and 0."""
    match b.definition(M):
        case Call("step", _):
            return True
        case Call("reshape" | "transpose" | "permute" | "maximum" | "broadcast_rows" | "fill", arguments):
            return all(is_truth(b, N) for N in arguments)
        case Infix("-", one, other):
            return _is_one(b, one) and is_truth(b, other)
        case Infix("*", left, right):
            return is_truth(b, left) and is_truth(b, right)
        case _:
            return False


def _finite(x: Operand) -> Operand:
    """Return a branch with a large number for an infinity, as in a mask."""
    if isinstance(x, Known) and np.issubdtype(x.array.dtype, np.floating):
        return Known(np.clip(x.array.astype(np.float64), -1e30, 1e30), x.name, x.is_learned)
    return x


def _deciding(b: Builder, c: Typed) -> tuple[Typed, bool]:
    """Return a number that is positive where a truth value holds, or where it does not, and which of the two."""
    inner = b.reshaped(c)
    if inner is not None:
        found, turned = _deciding(b, inner)
        return b.reshape(found, c.shape), turned
    match b.definition(c.term):
        case Call("step", (argument,)):
            return Typed(argument, c.shape), False
        case Infix("-", one, other) if _is_one(b, one):
            found, turned = _deciding(b, Typed(other, c.shape))
            return found, not turned
        case _:
            return c, False


def _is_one(b: Builder, M: Term) -> bool:
    match b.definition(M):
        case Number(value):
            return value == 1
        case Call("fill", (argument,)):
            return argument == Number(1.0)
        case _:
            return False
