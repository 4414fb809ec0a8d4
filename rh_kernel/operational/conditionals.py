"""``if B then M else N`` in small steps (LANGUAGE §9; conditionals are named in RH §10): which branch is taken.

The terms that B compares are evaluated first, all of them and from left to right. Then ``If-True`` or ``If-False`` takes the
branch. In a form of Fig. 6 or 7 the branch is chosen where the form is unfolded, at the values that the variables have there:
``W.R_V(x. if B then M else N)`` is ``W.R_V(x. M)`` if ``B[V/x]`` holds, else ``W.R_V(x. N)``. No derivative goes through B.

If reduction is strict, this derivative is undefined where B is neither true nor false, reading ``L < L'`` as undefined where
L = L', and ``and``, ``or`` and ``not`` as in Kleene's logic: there both truth values are near.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from rh_kernel.operational.environments import Environment, extended
from rh_kernel.operational.telescopes import Telescope
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.conditions import Compare, Condition, Connective, Joined, Negated, Relation
from rh_kernel.syntax.core import Const, If, IfCommand, Term, Tuple, Zero
from rh_kernel.syntax.printing.constants import array_doc
from rh_kernel.syntax.printing.doc import plain
from rh_kernel.syntax.runtime_errors import not_smooth

Evaluate: TypeAlias = Callable[[Term, Environment], Term]
"""The closed value of ``M[ρ]``."""


def holds(M: If | IfCommand, operands: Term) -> bool:
    """Whether the condition of M holds at these values of its operands."""
    return _holds(M.condition, _numbers(operands))


def holds_at(M: If | IfCommand, gamma: Telescope | None, evaluate: Evaluate) -> tuple[bool, Term]:
    """Whether the condition of M holds where the variables of Γ have their values, and the values of its operands."""
    V = evaluate(M.operands, _values(gamma, evaluate))
    return holds(M, V), V


def require_decided(M: If | IfCommand, operands: Term) -> None:
    """Raise ``Stuck`` if the condition of M is neither true nor false at these values, so that M has no derivative there."""
    numbers = _numbers(operands)
    if _decided(M.condition, numbers) is None:
        texts = [plain(array_doc(np.array([x + 0.0]), 1), float("inf")) for x in numbers]
        raise not_smooth("`if`", f"⟨{', '.join(texts)}⟩", "", M.span)


def _holds(condition: Condition, numbers: Sequence[float]) -> bool:
    match condition:
        case Compare(relation, place):
            x, y = numbers[place : place + 2]
            return x < y if relation is Relation.LESS else x > y
        case Negated(of):
            return not _holds(of, numbers)
        case Joined(connective, left, right):
            L, N = _holds(left, numbers), _holds(right, numbers)
            return L and N if connective is Connective.AND else L or N


def _decided(condition: Condition, numbers: Sequence[float]) -> bool | None:
    """The truth value in Kleene's three-valued logic; ``None`` is neither."""
    match condition:
        case Compare(_, place):
            return None if numbers[place] == numbers[place + 1] else _holds(condition, numbers)
        case Negated(of):
            value = _decided(of, numbers)
            return None if value is None else not value
        case Joined(connective, left, right):
            settles = connective is Connective.OR
            values = _decided(left, numbers), _decided(right, numbers)
            return settles if settles in values else None if None in values else not settles


def _numbers(operands: Term) -> list[float]:
    if not isinstance(operands, Tuple):
        raise KernelBug("the operands of a condition are a tuple")
    return [_number(V) for V in operands.items]


def _number(V: Term) -> float:
    match V:
        case Const(value):
            return float(value[0])
        case Zero():
            return 0.0
        case _:
            raise KernelBug("a condition compares numbers")


def _values(gamma: Telescope | None, evaluate: Evaluate) -> Environment:
    """The values of the variables of Γ, each computed once, the outermost first."""
    entries: list[Telescope] = []
    while gamma is not None:
        entries.append(gamma)
        gamma = gamma.outer
    values: dict[int, Environment] = {id(None): None}
    rho: Environment = None
    for entry in reversed(entries):
        rho = extended(rho, evaluate(entry.image, values[id(entry.below)]))
        values[id(entry)] = rho
    return rho
