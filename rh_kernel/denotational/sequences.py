"""The pure maps between a sequence and its rows, as terms to interpret (LANGUAGE §9).

``⟦map (x in M) do N⟧`` stacks what ``⟦N⟧`` gives at the rows of ``⟦M⟧`` (``smooth.ForEach``).
``⟦scan (x in M) from s = N do P⟧`` is the n-fold composition of ``⟦P⟧``, where the sequence and the results so far pass beside
it, under a strength.
"""

from rh_kernel.primitives import sequences
from rh_kernel.primitives.formulas import Typed
from rh_kernel.syntax.core import Bound, Term
from rh_kernel.syntax.sequences import unstacked
from rh_kernel.syntax.types import Type


def row_of(A: Type, i: int) -> Term:
    """Row i, counted from 0, of the sequence of type A that is variable 0."""
    return sequences.row_at(Typed(Bound(0, "m"), A), i).term


def stacked_rows(n: int, C: Type) -> tuple[tuple[str, ...], Term]:
    """Names for n rows, and the term that stacks these variables, the last of which has index 0, to the type C."""
    names, B = ("y",) * n, unstacked(C)
    return names, sequences.stack([Typed(Bound(n - 1 - i, name), B) for i, name in enumerate(names)], C).term
