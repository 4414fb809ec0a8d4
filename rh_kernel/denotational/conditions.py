"""Conditions as open sets (LANGUAGE §9): ``⟦B⟧ ⊆ ℝ²ⁿ``, given the values of the terms that B compares.

    T(L < L') = {L < L'}      T(not B) = F(B)      T(B and B') = T(B) ∩ T(B')      T(B or B') = T(B) ∪ T(B')
    F(L < L') = {L > L'}      F(not B) = T(B)      F(B and B') = F(B) ∪ F(B')      F(B or B') = F(B) ∩ F(B')

T(B) and F(B), where B is true and where it is false, are open and disjoint. On the boundary, which is neither, ``holds``
decides: there the sides of a comparison are equal, so it does not hold.
"""

from collections.abc import Sequence

from rh_kernel.source.span import Span
from rh_kernel.syntax.conditions import Compare, Condition, Connective, Joined, Negated, Relation
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.constants import array_doc
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.runtime_errors import not_smooth


def holds(condition: Condition, operands: Sequence[Array]) -> bool:
    """Whether the condition holds at this point."""
    match condition:
        case Compare(relation, place):
            x, y = operands[place], operands[place + 1]
            return bool((x < y if relation is Relation.LESS else x > y).all())
        case Negated(of):
            return not holds(of, operands)
        case Joined(connective, left, right):
            both = holds(left, operands), holds(right, operands)
            return all(both) if connective is Connective.AND else any(both)


def require_interior(condition: Condition, operands: Sequence[Array], span: Span | None) -> None:
    """Raise ``Stuck``, located at ``span``, if the point is neither in T(B) nor in F(B)."""
    if _is_on_boundary(condition, operands):
        texts = [plain(array_doc(x + 0.0, 1), float("inf")) for x in operands]
        raise not_smooth("`if`", f"⟨{', '.join(texts)}⟩", "", span)


def _is_on_boundary(condition: Condition, operands: Sequence[Array]) -> bool:
    match condition:
        case Compare(_, place):
            return bool((operands[place] == operands[place + 1]).all())
        case Negated(of):
            return _is_on_boundary(of, operands)
        case Joined(connective, left, right):
            # A conjunction is in F, and a disjunction in T, if one of its parts is.
            settles = connective is Connective.OR
            parts = [(_is_on_boundary(part, operands), holds(part, operands) == settles) for part in (left, right)]
            return any(on for on, _ in parts) and not any(settled and not on for on, settled in parts)
