"""Patterns and literals as they are written."""

from rh_kernel.ad.eff.core import (
    AnyPattern,
    ConstructorPattern,
    LiteralPattern,
    NamePattern,
    Pattern,
    TuplePattern,
)
from rh_kernel.ad.eff.definitions import shown
from rh_kernel.ad.eff.frontend.texts import quoted
from rh_kernel.ad.eff.machine.tensor_values import Tensor


def literal(value: float | int | str | Tensor) -> str:
    """A number, as short as it can be read back, or a text between quotes."""
    match value:
        case str():
            return quoted(value)
        case float():
            is_whole = value.is_integer() and abs(value) < 1e15 and repr(value) != "-0.0"
            return str(int(value)) if is_whole else repr(value)
        case int() | Tensor():
            return str(value)


def pattern(p: Pattern, renamed: dict[str, str] | None = None, *, closed: bool = False) -> str:
    """A pattern; in brackets where it stands beside others, if it is ``closed``."""
    match p:
        case AnyPattern():
            return "_"
        case NamePattern(x):
            return x if renamed is None else renamed.get(x, x)
        case LiteralPattern(value):
            return literal(value)
        case TuplePattern(items):
            return f"({', '.join([pattern(q, renamed) for q in items])})"
        case ConstructorPattern("Nil", ()):
            return "[]"
        case ConstructorPattern("Cons", (_, _)):
            return _list(p, renamed, closed=closed)
        case ConstructorPattern(name, fields):
            text = " ".join([shown(name), *[pattern(q, renamed, closed=True) for q in fields]])
            return f"({text})" if closed and fields else text


def bound_names(p: Pattern) -> set[str]:
    """The names that a pattern binds."""
    found: set[str] = set()
    pending = [p]
    while pending:
        match pending.pop():
            case NamePattern(x):
                found.add(x)
            case TuplePattern(items) | ConstructorPattern(_, items):
                pending += items
            case AnyPattern() | LiteralPattern():
                pass
    return found


def _list(p: Pattern, renamed: dict[str, str] | None, *, closed: bool) -> str:
    firsts: list[Pattern] = []
    while isinstance(p, ConstructorPattern) and p.constructor == "Cons" and len(p.fields) == 2:
        firsts.append(p.fields[0])
        p = p.fields[1]
    if p == ConstructorPattern("Nil", ()):
        return f"[{', '.join([pattern(q, renamed) for q in firsts])}]"
    text = " :: ".join([_element(q, renamed) for q in (*firsts, p)])
    return f"({text})" if closed else text


def _element(p: Pattern, renamed: dict[str, str] | None) -> str:
    """A pattern on a side of ``::``."""
    return pattern(p, renamed, closed=isinstance(p, ConstructorPattern) and p.constructor == "Cons")
