"""In which of its arguments a function symbol is linear: so zeros may be dropped, and means taken before instead of after.

``f`` is linear in argument i when ``f(…, x + y, …) = f(…, x, …) + f(…, y, …)`` with the others fixed, and jointly linear
when the same holds for all arguments at once.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rh_kernel.syntax.core import Primitive

JOINTLY: frozenset[str] = frozenset(
    {
        *("add", "sub", "neg", "sum", "mean", "fill", "transpose", "reshape", "concat", "slice", "broadcast_rows", "sum_rows"),
        *("windows1d", "overlap_add1d", "sumpool1d", "spread1d", "pad1d", "crop1d", "upscale1d", "downsum1d"),
        *("windows2d", "overlap_add2d", "sumpool2d", "spread2d", "avgpool2d"),
    }
)

SEPARATELY: Mapping[str, frozenset[int]] = MappingProxyType(
    {
        "mul": frozenset({0, 1}),
        "div": frozenset({0}),
        "scale": frozenset({0, 1}),
        "matmul": frozenset({0, 1}),
        "outer": frozenset({0, 1}),
        "dot": frozenset({0, 1}),
        "conv1d": frozenset({0, 1}),
        "conv2d": frozenset({0, 1}),
    }
)

ENTRY_BY_ENTRY: frozenset[str] = frozenset({"mul", "div", "scale"})
"""The products of which each entry is one product: the sign of a zero among them is that of its factors together."""

BEGINS_WITH_ZERO: frozenset[str] = frozenset(
    {
        *("sum", "mean", "sum_rows", "dot", "outer", "matmul", "conv1d", "conv2d"),
        *("sumpool1d", "sumpool2d", "avgpool2d", "downsum1d", "overlap_add1d", "overlap_add2d"),
    }
)
"""What adds up entries begins with 0.0, so that no entry of it is −0.0."""


def vanishes(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 when the marked arguments are: a product also where its other factor is infinite or no number."""
    return vanishes_together(f, zero) or any(zero[i] for i in SEPARATELY.get(f.name, ()))


def vanishes_together(f: Primitive, zero: Sequence[bool]) -> bool:
    """Whether ``f`` is 0 when the marked arguments are, whatever numbers the others are."""
    return f.name in JOINTLY and all(zero)


def commutes_with_mean(f: Primitive, varying: Sequence[bool]) -> bool:
    """Whether the mean of ``f(x)`` over samples is ``f`` at the mean of x: f is affine in the marked arguments, which vary."""
    if f.name in JOINTLY:
        return True
    positions = [i for i, marked in enumerate(varying) if marked]
    return len(positions) == 1 and positions[0] in SEPARATELY.get(f.name, ())
