"""Elaboration of the patterns of ``%%eff`` cells."""

from collections.abc import Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.elaboration_diagnostics import BRACKETS, wrong_number
from rh_kernel.ad.eff.frontend.resolving import Scope
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name


def bound_names(p: s.Pattern) -> list[Name]:
    """The names that a pattern binds, in order."""
    found: list[Name] = []
    pending = [p]
    while pending:
        match pending.pop():
            case s.NamePattern(x) as written:
                found.append(Name(x, span=written.span))
            case s.TuplePattern(items) | s.ListPattern(items) | s.ConstructorPattern(_, items):
                pending += reversed(items)
            case s.ConsPattern(first, rest):
                pending += (rest, first)
            case s.AnyPattern() | s.LiteralPattern():
                pass
    return found


def elaborate_pattern(p: s.Pattern, scope: Scope) -> core.Pattern:
    """Resolve the constructors of a pattern, and write lists with ``Cons`` and ``Nil``. Raises ``Rejected``."""
    span = p.span
    match p:
        case s.AnyPattern():
            return core.AnyPattern(span=span)
        case s.NamePattern(x):
            return core.NamePattern(x, span=span)
        case s.LiteralPattern(value):
            return core.LiteralPattern(value, span=span)
        case s.TuplePattern(items):
            return core.TuplePattern(tuple([elaborate_pattern(q, scope) for q in items]), span=span)
        case s.ListPattern(items):
            end: core.Pattern = core.ConstructorPattern("Nil", (), span=span)
            return _list(items, end, scope, span)
        case s.ConsPattern():
            firsts: list[s.Pattern] = []
            rest: s.Pattern = p
            while isinstance(rest, s.ConsPattern):
                firsts.append(rest.first)
                rest = rest.rest
            return _list(firsts, elaborate_pattern(rest, scope), scope, span)
        case s.ConstructorPattern(name, fields):
            constructor = scope.constructor(name)
            if len(fields) != len(constructor.fields):
                raise wrong_number(name, len(constructor.fields), len(fields), BRACKETS, "field")
            return core.ConstructorPattern(constructor.name, tuple([elaborate_pattern(q, scope) for q in fields]), span=span)


def _list(firsts: Sequence[s.Pattern], rest: core.Pattern, scope: Scope, span: Span) -> core.Pattern:
    """``p :: … :: rest``"""
    for p in reversed(firsts):
        rest = core.ConstructorPattern("Cons", (elaborate_pattern(p, scope), rest), span=span)
    return rest
