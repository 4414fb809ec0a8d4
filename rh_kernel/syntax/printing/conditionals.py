"""Printing of ``if B then M else N`` (LANGUAGE §9); the branches extend as far to the right as possible."""

from collections.abc import Callable
from enum import IntEnum
from typing import Any, TypeAlias

from rh_kernel.syntax import core
from rh_kernel.syntax.conditions import Compare, Condition, Connective, Joined, Negated
from rh_kernel.syntax.printing.doc import LINE, Doc, Role, concat, group, nest, role
from rh_kernel.syntax.printing.steps import Marks, PrinterState, Printing

Write: TypeAlias = Callable[[PrinterState, Any, Marks], Printing]


class _Level(IntEnum):
    """Precedence: a condition is bracketed where a higher level is required."""

    OR = 0
    AND = 1
    NOT = 2


def conditional(page: PrinterState, M: core.If | core.IfCommand, marks: Marks, operand: Write, branch: Write) -> Printing:
    """``if B then M else N`` on one line or on three; ``operand`` prints a term as part of a comparison."""
    operands: list[Doc] = []
    items = M.operands.items if isinstance(M.operands, core.Tuple) else (M.operands,)
    for i, L in enumerate(items):
        operands += ((yield operand(page, L, marks.child(0).child(i))),)
    then = yield branch(page, M.then, marks.child(1))
    otherwise = yield branch(page, M.otherwise, marks.child(2))
    return group(
        concat(role(Role.KEYWORD, "if"), " ", nest(_condition(M.condition, operands, _Level.OR))),
        concat(LINE, role(Role.KEYWORD, "then"), " ", nest(then)),
        concat(LINE, role(Role.KEYWORD, "else"), " ", nest(otherwise)),
    )


def condition_doc(condition: Condition, operands: list[Doc]) -> Doc:
    """``B``, given the terms that it compares."""
    return _condition(condition, operands, _Level.OR)


def _condition(condition: Condition, operands: list[Doc], level: _Level) -> Doc:
    match condition:
        case Compare(relation, place):
            return concat(operands[place], f" {relation.value} ", operands[place + 1])
        case Negated(Compare() as of):
            return concat(role(Role.KEYWORD, "not"), " (", _condition(of, operands, _Level.OR), ")")
        case Negated(of):
            return concat(role(Role.KEYWORD, "not"), " ", _condition(of, operands, _Level.NOT))
        case Joined(connective, left, right):
            here = _Level.AND if connective is Connective.AND else _Level.OR
            first, second = _condition(left, operands, here), _condition(right, operands, _Level(here + 1))
            doc = concat(first, " ", role(Role.KEYWORD, connective.value), LINE, second)
            return concat("(", doc, ")") if here < level else doc
