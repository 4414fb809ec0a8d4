"""Conditions ``B ::= L < L' | L > L' | not B | B and B' | B or B'`` of ``if B then M else N`` (LANGUAGE §9), as plain data.

A condition does not hold its terms: those that it compares, from left to right, are the components of one tuple, the
``operands`` of the conditional. So they are evaluated like any tuple, all of them and from left to right, before the
condition is decided; ``and`` and ``or`` skip none, as terms have no effects.
"""

from enum import Enum
from typing import TypeAlias

from rh_kernel.source.records import frozen


class Relation(Enum):
    """The sign of a comparison"""

    LESS = "<"
    GREATER = ">"


class Connective(Enum):
    """A word between two conditions"""

    AND = "and"
    OR = "or"


@frozen
class Compare:
    """``L < L'`` or ``L > L'``, where L is operand number ``place``, counted from 0, and L' the next one"""

    relation: Relation
    place: int


@frozen
class Negated:
    """``not B``"""

    of: "Condition"


@frozen
class Joined:
    """``B and B'`` or ``B or B'``"""

    connective: Connective
    left: "Condition"
    right: "Condition"


Condition: TypeAlias = Compare | Negated | Joined


def operand_count(condition: Condition) -> int:
    """Return the number of operands, two for each comparison."""
    match condition:
        case Compare():
            return 2
        case Negated(of):
            return operand_count(of)
        case Joined(_, left, right):
            return operand_count(left) + operand_count(right)
