"""Patterns of ``%%eff`` cells to core."""

from rh_kernel.ad.eff.core import (
    AnyPattern,
    ConstructorPattern,
    LiteralPattern,
    NamePattern,
    Pattern,
    TuplePattern,
)
from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.elaboration_diagnostics import BRACKETS, wrong_number
from rh_kernel.ad.eff.frontend.resolving import Scope
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


def elaborate_pattern(p: s.Pattern, scope: Scope) -> Pattern:
    """A pattern with its constructors resolved, and lists as what they are made of."""
    span = p.span
    match p:
        case s.AnyPattern():
            return AnyPattern(span=span)
        case s.NamePattern(x):
            return NamePattern(x, span=span)
        case s.LiteralPattern(value):
            return LiteralPattern(value, span=span)
        case s.TuplePattern(items):
            return TuplePattern(tuple([elaborate_pattern(q, scope) for q in items]), span=span)
        case s.ListPattern(items):
            found: Pattern = ConstructorPattern("Nil", (), span=span)
            for q in reversed(items):
                found = ConstructorPattern("Cons", (elaborate_pattern(q, scope), found), span=span)
            return found
        case s.ConsPattern():
            firsts: list[s.Pattern] = []
            rest: s.Pattern = p
            while isinstance(rest, s.ConsPattern):
                firsts.append(rest.first)
                rest = rest.rest
            found = elaborate_pattern(rest, scope)
            for q in reversed(firsts):
                found = ConstructorPattern("Cons", (elaborate_pattern(q, scope), found), span=span)
            return found
        case s.ConstructorPattern(name, fields):
            constructor = scope.constructor(name)
            if len(fields) != len(constructor.fields):
                raise wrong_number(name, len(constructor.fields), len(fields), BRACKETS, "field")
            return ConstructorPattern(constructor.name, tuple([elaborate_pattern(q, scope) for q in fields]), span=span)
