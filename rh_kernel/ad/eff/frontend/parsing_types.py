"""Parser of the types and rows of ``%%eff`` cells; by increasing precedence: ``A -> B -> [E] C``, ``D A…``, and atoms."""

from rh_kernel.ad.eff.frontend.cursor import Cursor
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.surface import ComputationType, NamedType, ProductType, Row, ThunkType, Type
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface import Name

_A_TYPE = "a type: Float, x, Paired x, (A, B) or {A -> [E] B}"


def computation_type(c: Cursor) -> ComputationType:
    """Parse ``A -> B -> [E] C``, or ``A -> B -> [E] <| C, D |>``."""
    start = c.token.start
    domains: list[Type] = []
    while not c.at("[", "<|"):
        A = value_type(c)
        if not c.take("->"):
            return ComputationType(tuple(domains), None, A, span=c.since(start))
        domains.append(A)
    written = row(c) if c.at("[") else None
    if not c.at("<|"):
        A = value_type(c)
        if c.at("->"):
            raise c.fail("the end of the type", "only the final result can have a row: A -> B -> [E] C")
        return ComputationType(tuple(domains), written, A, span=c.since(start))
    c.deepen()
    c.open("<|")
    left = computation_type(c)
    c.need(",")
    right = computation_type(c)
    c.close()
    c.depth -= 1
    return ComputationType(tuple(domains), written, None, (left, right), span=c.since(start))


def value_type(c: Cursor) -> Type:
    """Parse ``D A… [E]…``, or an atom."""
    if c.holds(Kind.NAME) and is_upper(c.token.text):
        return named(c)
    return type_atom(c)


def named(c: Cursor, expected: str = _A_TYPE) -> NamedType:
    """Parse a type or an effect with its arguments, ``D A… [E]…``."""
    name = c.name(expected, upper=True)
    arguments: list[Type | Row] = []
    while (c.holds(Kind.NAME) or c.at("(", "{", "[")) and not _begins_item(c):
        arguments.append(row(c) if c.at("[") else type_atom(c))
    return NamedType(name, tuple(arguments), span=c.since(name.span.start))


def _begins_item(c: Cursor) -> bool:
    """Whether an operation begins here, ``name :``, without a ``|`` before it."""
    return c.holds(Kind.NAME) and c.peek().text == ":"


def type_atom(c: Cursor) -> Type:
    """Parse an atom: a name, or a type in brackets."""
    start = c.token.start
    if c.holds(Kind.NAME) and not c.at("_"):
        name = c.name(_A_TYPE, upper=None)
        return NamedType(name, (), span=name.span)
    c.deepen()
    if c.at("("):
        c.open("(")
        items = () if c.at_closer() else c.separated(",", value_type)
        hint = "put a function type in braces, which make it a thunk type: {A -> [E] B}"
        c.close(",", hint if c.at("->") else "")
        c.depth -= 1
        return items[0] if len(items) == 1 else ProductType(items, span=c.since(start))
    if c.at("{"):
        c.open("{")
        C = computation_type(c)
        c.close()
        c.depth -= 1
        return ThunkType(C, span=c.since(start))
    hint = "write a row before a result, or as an argument of a type: [E] A, Cont x [e]" if c.at("[") else ""
    raise c.fail(_A_TYPE, hint)


def row(c: Cursor) -> Row:
    """Parse ``[e | L, …, L]``, ``[L, …, L]``, ``[e]`` or ``[]``."""
    c.deepen()
    start = c.open("[").start
    tail: Name | None = None
    labels: list[NamedType] = []
    expected = "an effect, such as Smooth x"
    if c.holds(Kind.NAME) and not is_upper(c.token.text):
        tail = c.name("a row variable")
        if c.take("|") and not c.at_closer():
            labels.append(named(c, expected))
    elif not c.at_closer():
        c.take("|")
        labels.append(named(c, expected))
    while labels and c.take(","):
        labels.append(named(c, expected))
    c.close("," if labels else "|")
    c.depth -= 1
    return Row(tail, tuple(labels), span=c.since(start))
