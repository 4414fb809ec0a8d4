"""Which drawings of a string diagram are shown: with open or with folded clauses, as far as they are not too large."""

from rh_kernel.denotational.drawing.layout import Layout, box_count, has_clauses, passing_count, placed
from rh_kernel.denotational.drawing.sketch import Sketch

OPEN = 40
"""A diagram of more boxes is shown with its clauses folded at first."""

MOST = 1500
"""A drawing has at most so many boxes."""

MOST_PASSING = 500_000
"""In a drawing the wires pass at most so many boxes, all together."""

BOTH = 500
"""Where clauses can be folded, a diagram of more boxes is only drawn with folded clauses."""


def foldings(s: Sketch) -> tuple[bool, ...]:
    """The drawings that are not too large, the one to begin with first: with open clauses (``False``), with folded ones."""
    if passing_count(s) > MOST_PASSING:
        return ()
    count = box_count(s, folded=False)
    if not has_clauses(s):
        return (False,) if count <= MOST else ()
    if count > BOTH:
        return (True,) if box_count(s, folded=True) <= MOST else ()
    return (False, True) if count <= OPEN else (True, False)


def chosen(s: Sketch) -> Layout | None:
    """The drawing that is shown at first; none if even the folded one is too large."""
    return next((placed(s, folded=folded) for folded in foldings(s)), None)
