"""Elaboration of ``if B then M else N`` on terms and on commands (LANGUAGE §9).

``Γ, Δ ⊢ L : Real`` for each term L that B compares, ``Γ, Δ ⊢ M : A`` and ``Γ, Δ ⊢ N : A`` give A, and likewise for commands.
"""

from collections.abc import Callable
from typing import Generic, TypeAlias, TypeVar

from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.conditions import Compare, Condition, Joined, Negated
from rh_kernel.syntax.core import Term, Tuple
from rh_kernel.syntax.types import SCALAR, Type
from rh_kernel.typing.context import Context
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.origins import type_note
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.unification.unify import Unifier

Branch = TypeVar("Branch")

Infer: TypeAlias = Callable[[s.Expr, Type | None, Expectation], tuple[Branch, Type]]
"""Elaborates a branch; if a type is given, at this type, which the expectation explains."""

Check: TypeAlias = Callable[[Context, s.Expr, Type, Expectation], Term]

_COMPARED = Expectation(
    "as `<` and `>` compare two numbers", "compare one number made of it, such as sum(x)", rule=TypingRule.T_IF.cited
)


@frozen
class Conditional(Generic[Branch]):
    """The parts of a conditional, and the type of its branches"""

    condition: Condition
    operands: Term
    then: Branch
    otherwise: Branch
    type: Type


def elaborate_conditional(
    unifier: Unifier, cx: Context, e: s.IfExpr, A: Type | None, asked: Expectation, check: Check, infer: Infer[Branch]
) -> Conditional[Branch]:
    """Elaborate the condition and the branches; if A is given, at A. Raises ``Rejected``.

    Without A, the branch after ``else`` is checked at the type of the one after ``then``.
    """
    siblings, operands = ErrorCollector(unifier), list[Term]()
    condition: list[Condition] = []
    with siblings:
        condition.append(_condition(unifier, cx, e.condition, operands, check))
    then: list[tuple[Branch, Type]] = []
    with siblings:
        then.append(infer(e.then, A, asked))
    if A is None and then:
        ((_, B),) = then
        A, span = B, e.then.span
        asked = Expectation(
            "as the branch after `then`", story=lambda: [type_note(unifier, span, B)], rule=TypingRule.T_IF.cited
        )
    otherwise: list[tuple[Branch, Type]] = []
    with siblings:
        otherwise.append(infer(e.otherwise, A, asked))
    siblings.raise_errors()
    ((M, C),), ((N, _),) = then, otherwise
    return Conditional(condition[0], Tuple(tuple(operands), span=e.condition.span), M, N, C)


def _condition(unifier: Unifier, cx: Context, B: s.Condition, operands: list[Term], check: Check) -> Condition:
    """Return B as data, and append the terms that it compares to ``operands``."""
    match B:
        case s.Comparison(relation, left, right):
            siblings, place = ErrorCollector(unifier), len(operands)
            for L in (left, right):
                with siblings:
                    operands.append(check(cx, L, SCALAR, _COMPARED))
            siblings.raise_errors()
            return Compare(relation, place)
        case s.NotCondition(of):
            return Negated(_condition(unifier, cx, of, operands, check))
        case s.JoinedConditions(connective, left, right):
            siblings, found = ErrorCollector(unifier), list[Condition]()
            for each in (left, right):
                with siblings:
                    found.append(_condition(unifier, cx, each, operands, check))
            siblings.raise_errors()
            return Joined(connective, *found)
