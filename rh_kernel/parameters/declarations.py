"""Parameters as declarations: which parameters a cell declares, and the declarations for given values.

A given value replaces the one in the declaration of the notebook: a ``dim`` stays a ``dim``, a location stays a location, and
the value must fit a declared type. A parameter that the notebook does not declare becomes a constant.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rh_kernel.parameters.values import value_text
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import NotAName
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.parser import Unparsed, parse, parse_item
from rh_kernel.syntax.parsing.tokens import Kind
from rh_kernel.syntax.surface_items import ConstDeclaration, DimDeclaration, LocDeclaration


@dataclass(frozen=True, slots=True)
class Declared:
    """A parameter as the notebook declares it: keyword, name, and the texts of its type, its value and its comment."""

    word: str
    name: str
    type: str
    value: str
    comment: str


def declared_in(text: str) -> tuple[Declared, ...]:
    """The parameters that a cell declares, in order. Families of locations and items that cannot be parsed are skipped."""
    found: list[Declared] = []
    for chunk in chunks(Source("parameters", text)):
        match parse_item(chunk):
            case DimDeclaration(name, value) as item:
                found.append(Declared("dim", name.text, "", value.span.text, _comment(item.span, chunk)))
            case LocDeclaration(length=length) if length is not None:
                pass
            case ConstDeclaration(name, A, value) | LocDeclaration(name, A, value) as item:
                word = "const" if isinstance(item, ConstDeclaration) else "loc"
                written = "" if A is None else A.span.text
                found.append(Declared(word, name.text, written, value.span.text, _comment(item.span, chunk)))
            case _:
                pass
    return tuple(found)


def declarations(parameters: Mapping[str, object], declared: Sequence[Declared] = ()) -> str:
    """The declarations that give ``parameters`` their values: in the order of ``declared``, followed by the others.

    Raises ``Rejected`` for an invalid name or value, so the text contains nothing but declarations of these names.
    """
    before = {d.name: d for d in declared}
    known = [name for name in before if name in parameters]
    others = [name for name in parameters if name not in before]
    return "\n".join([_declaration(before.get(name), name, parameters[name]) for name in [*known, *others]])


def _declaration(before: Declared | None, name: str, value: object) -> str:
    word = "const" if before is None else before.word
    annotation = f" : {before.type}" if before is not None and before.type else ""
    # Indented lines continue an item, so a value of several lines does not start another one.
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
    """Return the comment after an item, on its last line."""
    return next(_comments(Span(item.source, item.end, chunk.end)), "")


def _comments(rest: Span) -> Iterator[str]:
    for token in tokens(rest):
        if token.kind is Kind.COMMENT and "\n" not in rest.source.text[rest.start : token.start]:
            yield token.text.lstrip("#").strip()
