"""Parameters as declarations: what a cell declares that can be given from outside, and what is declared when it is.

A parameter takes the place of the value in the declaration that the notebook has: a ``dim`` stays a ``dim``, a location a
location, and a type that is written there has to fit. A name that the notebook does not declare becomes a constant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.parameters.values import value_text
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import NotAName
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.parser import Unparsed, parse, parse_item
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface_items import ConstDeclaration, DimDeclaration, LocDeclaration

Valued: TypeAlias = DimDeclaration | ConstDeclaration | LocDeclaration
"""The declarations that give a name one value."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter as the notebook declares it: the word that begins the item, and what is written there, perhaps nothing."""

    word: str
    name: str
    type: str
    value: str
    comment: str


def declared_in(text: str) -> tuple[Declared, ...]:
    """The parameters that a cell declares, in order. Raises nothing: an item that cannot be read declares none."""
    found: list[Declared] = []
    for chunk in chunks(Source("parameters", text)):
        match parse_item(chunk):
            case DimDeclaration(name, value) as item:
                found.append(Declared("dim", name.text, "", value.span.text, _comment(item.span, chunk)))
            case ConstDeclaration(name, A, value) as item:
                written = "" if A is None else A.span.text
                found.append(Declared("const", name.text, written, value.span.text, _comment(item.span, chunk)))
            case LocDeclaration(name, A, initial) as item:
                written = "" if A is None else A.span.text
                found.append(Declared("loc", name.text, written, initial.span.text, _comment(item.span, chunk)))
            case _:
                pass
    return tuple(found)


def declarations(parameters: Mapping[str, object], declared: Sequence[Declared] = ()) -> str:
    """The items that give ``parameters`` their values, a line each: in the order of ``declared``, and then the others.

    Raises ``Rejected`` for a name or a value that the language does not have; nothing but declarations of these names is made.
    """
    before = {d.name: d for d in declared}
    known = [name for name in before if name in parameters]
    others = [name for name in parameters if name not in before]
    return "\n".join([_declaration(before.get(name), name, parameters[name]) for name in [*known, *others]])


def _declaration(before: Declared | None, name: str, value: object) -> str:
    word = "const" if before is None else before.word
    annotation = f" : {before.type}" if before is not None and before.type else ""
    # A line that is indented continues an item, so a text of several lines begins no other.
    text = f"{word} {name}{annotation} = {value_text(name, value)}".replace("\n", "\n  ")
    _check(text, name)
    return text


def _check(text: str, name: str) -> None:
    """Raise ``Rejected`` unless ``text`` is one declaration, and of ``name``."""
    match parse(Source(f"parameter {name}", text)):
        case (DimDeclaration() | ConstDeclaration() | LocDeclaration() as item,) if item.name.span.text == name:
            return
        case (Unparsed(_, diagnostics),):
            raise Rejected(*diagnostics)
        case _:
            hint = 'a name is made of letters, digits, "_" and "\'", and begins with a letter'
            raise Rejected(NotAName(found=repr(name), expected="the name of a parameter", hint=hint))


def _comment(item: Span, chunk: Span) -> str:
    """The comment behind an item, on its last line."""
    return next(_comments(Span(item.source, item.end, chunk.end)), "")


def _comments(rest: Span) -> Iterator[str]:
    for token in tokens(rest):
        if token.kind is Kind.COMMENT and "\n" not in rest.source.text[rest.start : token.start]:
            yield token.text.lstrip("#").strip()
