"""Parser of the items of ``%%eff`` cells: ``data``, ``effect``, ``fun``, ``handler``, ``include``, expressions, directives.

Items begin in the first column as in RH (LANGUAGE §1); here, lines that begin with ``|`` also continue one.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from rh_kernel.ad.eff.frontend import surface_items as s
from rh_kernel.ad.eff.frontend.cursor import Cursor
from rh_kernel.ad.eff.frontend.lexing import DIRECTIVES
from rh_kernel.ad.eff.frontend.parsing import clauses, expression
from rh_kernel.ad.eff.frontend.parsing_patterns import atom as pattern_atom
from rh_kernel.ad.eff.frontend.parsing_patterns import begins_pattern, pattern
from rh_kernel.ad.eff.frontend.parsing_types import computation_type, type_atom, value_type
from rh_kernel.ad.eff.frontend.surface import Pattern, Type
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import CodeMissing
from rh_kernel.syntax.parsing.tokens import STUB, Kind
from rh_kernel.syntax.surface import Name

T = TypeVar("T")

_BEGINS_ITEM = re.compile(r"^(?=[^\s#}|])", re.MULTILINE)
_DATA = "a data type is declared by data Paired x = Paired x x"
_EFFECT = "an effect is declared by effect State s = get : s | put : s -> Unit"
_FUN = "a function is declared by fun f x (y : A) : [E] B = M"
_TYPED = "a parameter is written with its type: (x : A)"
_HANDLER = "a handler is declared by handler h = return x -> M | <op x -> k> -> N"


def chunks(source: Source) -> Iterator[Span]:
    """Split a text of EFF at the starts of items: in the first column, but not at ``}``, ``|`` or a comment."""
    starts = [m.start() for m in _BEGINS_ITEM.finditer(source.text)]
    if not starts or starts[0] > 0:
        starts.insert(0, 0)
    for start, end in zip(starts, [*starts[1:], len(source.text)], strict=True):
        yield Span(source, start, end)


def items(source: Source) -> tuple[s.Item, ...]:
    """Parse the items of a text of EFF. Raises ``Rejected``."""
    return tuple([found for chunk in chunks(source) if (found := item(chunk)) is not None])


def item(chunk: Span) -> s.Item | None:
    """Parse one item; returns ``None`` if there are only comments. Raises ``Rejected``."""
    c = Cursor(chunk)
    if c.token.kind is Kind.END:
        return None
    _reject_open(c)
    start = c.token.start
    found: s.Item
    match c.token.text if c.holds(Kind.KEYWORD) else "":
        case "data":
            found = _data(c, start)
        case "effect":
            found = _effect(c, start)
        case "fun":
            found = _functions(c, start)
        case "and":
            raise c.fail("an item", "`and` continues the function before it: indent the line")
        case "handler":
            found = _handler(c, start)
        case "include":
            c.advance()
            name = c.name("the name of a program", "%help lists the programs that can be included")
            found = s.IncludeItem(name, span=c.since(start))
        case _ if c.at("%"):
            found = _directive(c, start)
        case _:
            M = expression(c)
            found = s.RunItem(M, span=c.since(start))
    if not c.holds(Kind.END):
        raise c.fail("the end of the item")
    return found


def _reject_open(c: Cursor) -> None:
    """Raise ``Rejected`` if the item has a placeholder for a solution."""
    hint = f"write it in place of `{STUB}`, and run the cell again"
    stubs = [t for t in c.rest() if t.kind is Kind.NAME and t.text == STUB]
    if stubs:
        raise Rejected(*[CodeMissing(span=c.span(t), hint=hint) for t in stubs])


def _parameters(c: Cursor) -> tuple[s.Parameter, ...]:
    """``x…`` and ``[e]…``"""
    found: list[s.Parameter] = []
    while c.at("[") or (c.holds(Kind.NAME) and not c.at("_")):
        start = c.token.start
        if c.at("["):
            c.open("[")
            name = c.name("the name of a row")
            c.close()
        else:
            name = c.name("a type parameter")
        found.append(s.Parameter(name, name.span.start != start, span=c.since(start)))
    return tuple(found)


def _members(c: Cursor, member: Callable[[Cursor], T], hint: str) -> tuple[T, ...]:
    """``= | K | …``: the constructors or operations of a declaration"""
    c.need("=", hint, ":=", "<-")
    c.take("|")
    return c.separated("|", member)


def _data(c: Cursor, start: int) -> s.DataItem:
    c.advance()
    name, parameters = c.name("the name of a type", upper=True), _parameters(c)
    return s.DataItem(name, parameters, _members(c, _constructor, _DATA), span=c.since(start))


def _constructor(c: Cursor) -> s.Constructor:
    name = c.name("the name of a constructor", upper=True)
    fields: list[Type] = []
    while c.holds(Kind.NAME) or c.at("(", "{"):
        fields.append(type_atom(c))
    if c.at("["):
        raise c.fail("a field, `|` or the end of the item", "a type with arguments is in brackets: Node (Cont x [e])")
    return s.Constructor(name, tuple(fields), span=c.since(name.span.start))


def _effect(c: Cursor, start: int) -> s.EffectItem:
    c.advance()
    name, parameters = c.name("the name of an effect", upper=True), _parameters(c)
    return s.EffectItem(name, parameters, _members(c, _operation, _EFFECT), span=c.since(start))


def _operation(c: Cursor) -> s.Operation:
    name = c.name("the name of an operation", _EFFECT)
    c.need(":", _EFFECT)
    *domain, codomain = c.separated("->", value_type)
    return s.Operation(name, tuple(domain), codomain, span=c.since(name.span.start))


def _functions(c: Cursor, start: int) -> s.FunItem | s.FunItems:
    found = [_fun(c, start)]
    while c.at("and"):
        found.append(_fun(c, c.token.start))
    return found[0] if len(found) == 1 else s.FunItems(tuple(found), span=c.since(start))


def _fun(c: Cursor, start: int) -> s.FunItem:
    c.advance()
    name = c.name("the name of the function")
    parameters: list[tuple[Pattern, Type | None]] = []
    while begins_pattern(c):
        parameters.append(_parameter(c))
    result = computation_type(c) if c.take(":") else None
    c.need("=", _FUN, "->", ":=", "<-")
    M = expression(c)
    return s.FunItem(name, tuple(parameters), result, M, span=c.since(start))


def _parameter(c: Cursor) -> tuple[Pattern, Type | None]:
    """``p``, or ``(p : A)``"""
    if not c.at("(") or not _is_annotated(c):
        return pattern_atom(c), None
    c.open("(")
    p = pattern(c)
    c.need(":")
    A = value_type(c)
    c.close(hint=_TYPED)
    return p, A


def _is_annotated(c: Cursor) -> bool:
    """Whether the current bracket directly contains a ``:``."""
    place, depth = 1, 0
    while (token := c.peek(place)).kind is not Kind.END:
        if token.kind is Kind.SYMBOL and token.text in {"(", "["}:
            depth += 1
        elif token.kind is Kind.SYMBOL and token.text in {")", "]"}:
            depth -= 1
        if depth < 0:
            return False
        if token.text == ":" and depth == 0:
            return True
        place += 1
    return False


def _handler(c: Cursor, start: int) -> s.HandlerItem:
    c.advance()
    name = c.name("the name of the handler")
    parameters: list[tuple[Name, Type | None]] = []
    while c.holds(Kind.NAME) or c.at("("):
        parameters.append(_named_parameter(c))
    c.need("=", _HANDLER, "->", ":=", "<-")
    if c.at("{"):
        c.open("{")
        H = clauses(c)
        c.close("|")
    else:
        H = clauses(c)
    return s.HandlerItem(name, tuple(parameters), H, span=c.since(start))


def _named_parameter(c: Cursor) -> tuple[Name, Type | None]:
    """``x``, or ``(x : A)``"""
    if not c.at("("):
        return c.name("a parameter", _HANDLER), None
    c.open("(")
    name = c.name("a parameter", _HANDLER)
    c.need(":", _TYPED)
    A = value_type(c)
    c.close(hint=_TYPED)
    return name, A


def _directive(c: Cursor, start: int) -> s.DirectiveItem:
    c.advance()
    if not c.at(*DIRECTIVES) or c.token.start != start + 1:
        expected = ", ".join(f"`%{word}`" for word in DIRECTIVES[:-1])
        raise c.fail(f"{expected} or `%{DIRECTIVES[-1]}`", "other directives go below a line %%rh")
    token = c.advance()
    name = Name(token.text, span=c.span(token))
    M = expression(c)
    return s.DirectiveItem(name, M, span=c.since(start))
