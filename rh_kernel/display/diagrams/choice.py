"""Choice of the drawings of a string diagram that are shown: with open or with folded clauses, if they are not too large."""

from rh_kernel.denotational.drawing.folding import passing_count
from rh_kernel.denotational.drawing.layout import Layout, placed
from rh_kernel.denotational.drawing.outline import box_count, outline
from rh_kernel.denotational.drawing.sketch import Sketch

OPEN = 40
"""The clauses of a diagram with more boxes are folded at first."""

MOST = 1500
"""The most boxes in a drawing."""

MOST_PASSING = 500_000
"""The largest ``passing_count`` of a drawing."""

BOTH = 500
"""A diagram with more boxes is drawn with folded clauses only, if it has clauses."""


def foldings(s: Sketch) -> tuple[bool, ...]:
    """The drawings that are not too large, with open (``False``) or folded clauses; the one to show at first comes first."""
    if passing_count(s) > MOST_PASSING:
        return ()
    count = len(s.every)
    if not any(node.place for node in s.every.values()):
        return (False,) if count <= MOST else ()
    if count > BOTH:
        return (True,) if box_count(outline(s), folded=True) <= MOST else ()
    return (False, True) if count <= OPEN else (True, False)


def pass_foldings(s: Sketch) -> tuple[bool, ...]:
    """The drawings of a recorded pass, whose wires have values: first with folded clauses, so that all is in view."""
    return tuple(sorted(foldings(s), reverse=True))


def chosen(s: Sketch) -> Layout | None:
    """The drawing that is shown at first; ``None`` if even the folded one is too large."""
    return next((placed(s, folded=folded) for folded in foldings(s)), None)
