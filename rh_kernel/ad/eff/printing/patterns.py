"""Printing of patterns and literals."""

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
    """The shortest text of a number that parses as the same, or a quoted text."""
    match value:
        case str():
            return quoted(value)
        case float():
            is_whole = value.is_integer() and abs(value) < 1e15 and repr(value) != "-0.0"
            return str(int(value)) if is_whole else repr(value)
        case int() | Tensor():
            return str(value)


def pattern(p: Pattern, renamed: dict[str, str] | None = None, *, atomic: bool = False) -> str:
    """A pattern; in parentheses, if it has parts, where it must be ``atomic``."""
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
            return _list(p, renamed, atomic=atomic)
        case ConstructorPattern(name, fields):
            text = " ".join([shown(name), *[pattern(q, renamed, atomic=True) for q in fields]])
            return f"({text})" if atomic and fields else text


def _list(p: Pattern, renamed: dict[str, str] | None, *, atomic: bool) -> str:
    firsts: list[Pattern] = []
    while isinstance(p, ConstructorPattern) and p.constructor == "Cons" and len(p.fields) == 2:
        firsts.append(p.fields[0])
        p = p.fields[1]
    if p == ConstructorPattern("Nil", ()):
        return f"[{', '.join([pattern(q, renamed) for q in firsts])}]"
    text = " :: ".join([_element(q, renamed) for q in (*firsts, p)])
    return f"({text})" if atomic else text


def _element(p: Pattern, renamed: dict[str, str] | None) -> str:
    """A pattern as an operand of ``::``."""
    return pattern(p, renamed, atomic=isinstance(p, ConstructorPattern) and p.constructor == "Cons")
