"""``f : Real(s…) × Real(s…) → Real(s…)``, entry by entry.

Where two arguments tie for ``maximum`` or ``minimum``, the first takes the whole cotangent.
"""

import math
from collections.abc import Callable
from types import ModuleType

from rh_kernel.primitives.formulas import OF_ONE_SHAPE, Typed, let, pair, step
from rh_kernel.primitives.row import Binary, Row, Slope
from rh_kernel.primitives.schemes import extent


def _row(
    name: str,
    doc: str,
    formula: str,
    derivative: Slope,
    kernel: Callable[[ModuleType], Binary],
    rough: Binary | None = None,
) -> Row:
    return Row(
        name,
        doc,
        formula,
        (OF_ONE_SHAPE,),
        lambda f, w, v: derivative(w, v),
        lambda f, xp: kernel(xp),
        lambda f: math.prod(extent(f.codomain)),
        None if rough is None else lambda f, xp: rough,
    )


def _mul(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return pair(w * y, w * x)


def _div(w: Typed, v: Typed) -> Typed:
    def of(q: Typed, w: Typed, v: Typed) -> Typed:
        x, y = v.parts
        return pair(q, -(q * (x / y)))

    return let("q", w / v.parts[1], of, w, v)


def _maximum(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return let("u", w * step(y - x), lambda u, w, v: pair(w - u, u), w, v)


def _minimum(w: Typed, v: Typed) -> Typed:
    x, y = v.parts
    return let("u", w * step(x - y), lambda u, w, v: pair(w - u, u), w, v)


PAIR_ROWS: tuple[Row, ...] = (
    _row("add", "the sum of two arrays of one shape", "x + y", lambda w, v: pair(w, w), lambda xp: xp.add),
    _row(
        "sub",
        "the difference of two arrays of one shape",
        "x − y",
        lambda w, v: pair(w, -w),
        lambda xp: xp.subtract,
    ),
    _row("mul", "the product of two arrays of one shape, entry by entry", "x ⊙ y", _mul, lambda xp: xp.multiply),
    _row(
        "div",
        "the quotient of two arrays of one shape, entry by entry",
        "x / y",
        _div,
        lambda xp: xp.true_divide,
        lambda x, y: y == 0,
    ),
    _row(
        "maximum",
        "the larger of two, entry by entry; a tie is the first's",
        "max(x, y)",
        _maximum,
        lambda xp: xp.maximum,
        lambda x, y: x == y,
    ),
    _row(
        "minimum",
        "the smaller of two, entry by entry; a tie is the first's",
        "min(x, y)",
        _minimum,
        lambda xp: xp.minimum,
        lambda x, y: x == y,
    ),
)
