"""Zeros and sums of cotangents in arrows, ``0`` and ``π₁ + π₂`` (RH Def. 6.8)."""

from rh_kernel.denotational.arrows import Pure, Row
from rh_kernel.denotational.smooth import Draft, Sum, ZeroMap
from rh_kernel.denotational.wiring import Builder
from rh_kernel.syntax.core import Bound, Plus, Zero
from rh_kernel.syntax.types import Type


def zero(A: Type, b: Row) -> int:
    """Add a box for the ``0`` of a base type, and return its wire."""
    made: Draft = Builder(())
    f = made.close(made.add(ZeroMap(A), (), (A,)))
    return b.add(Pure(f, Zero(A)), (), (A,))[0]


def is_zero(wire: int, b: Row) -> bool:
    """Whether a wire is ``0``: the output of a pure map that computes it from nothing."""
    match b.maker(wire):
        case Pure(f), position:
            made = f.codomain[position] - len(f.domain)
            for box in f.boxes:
                if made < len(box.outputs):
                    return made >= 0 and isinstance(box.content, ZeroMap)
                made -= len(box.outputs)
            return False
        case _:
            return False


def added(A: Type, x: int, y: int, b: Row) -> int:
    """Add a box for the sum of two wires of a base type, and return its wire."""
    made: Draft = Builder((A, A))
    f = made.close(made.add(Sum(A), made.inputs, (A,)))
    return b.add(Pure(f, Plus(Bound(1, "x"), Bound(0, "y")), ("x", "y")), (x, y), (A,))[0]
