"""Candidates for completion at a place of a program, the likeliest first, each with its type or its form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rh_kernel.kernel.completion.indices import indices
from rh_kernel.kernel.completion.place import Word
from rh_kernel.primitives.table import ROWS
from rh_kernel.session.forms import FORMS
from rh_kernel.session.signatures import signature
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import ReverseHandler
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.parser import parse_item
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    CLOSERS,
    COMPILE_OPTIONS,
    DECLARATIONS,
    INITIALS,
    TRAINING_OPTIONS,
    Kind,
    Token,
    ends_expression,
)
from rh_kernel.syntax.surface_items import Declaration
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    NetDefinition,
    OpDefinition,
)
from rh_kernel.typing.elaboration.declarations import declare

_ITEMS = (*DECLARATIONS, "train", CHECK)
_EXPRESSIONS = ("let", "in", "return", "rev", "handle", "with", "rd")
_TYPES = ("Real", "Loc", "Dim")
_SEEDED = frozenset({"normal", "uniform", "glorot"})

_LONG = 4_000
"""The declarations of a longer text (in characters) are ignored; reading them would take too long."""

SMALL = 5_000
"""A program with more nodes, nets unfolded, is not analysed; that would take too long."""

_LONG_TYPE = 60
"""Tokens of a written type that are shown at most."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion: ``kind`` is one that front ends have icons for, ``signature`` a type or a form."""

    text: str
    kind: str
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The completions at a place: where the partial word begins, the word, and the candidates, nearest first."""

    start: int
    word: str
    found: tuple[Completion, ...]


def declared_in(definitions: Definitions, text: str, name: str) -> Definitions:
    """Return the definitions extended by the well-formed declarations of a text, which messages call ``name``."""
    if len(text) > _LONG:
        return definitions
    found = replace(definitions, nodes=SMALL)
    for chunk in chunks(Source(name, text)):
        item = parse_item(chunk)
        if isinstance(item, Declaration):
            try:
                found = found.with_(declare(found, item), item.name.span)
            except (Failure, MemoryError):
                continue
    return replace(found, nodes=definitions.nodes)


def words(definitions: Definitions, place: Word, text: str) -> list[str]:
    """Return the words this place calls for, then declared names, names written elsewhere in the cell, and built-ins.

    If nothing of the word is typed yet and the place calls for certain words, return only those.
    """
    asked = list(_asked(definitions, place))
    if asked and not place.text:
        return asked
    return [*asked, *definitions.named, *_written(text, place), *_language(place), *ROWS]


def described(definitions: Definitions, text: str, names: Iterable[str]) -> list[Completion]:
    """Describe the words: a declared name by its type, another by the type written in the text, else by the language's own."""
    types = dict(written_types(text))
    return [_described(definitions, types, name) for name in names]


def _described(definitions: Definitions, types: Mapping[str, str], name: str) -> Completion:
    definition = definitions.get(name)
    if definition is not None:
        return Completion(name, _kind(definition), signature(definition))
    if name in FORMS and name not in types:
        return Completion(name, "keyword", FORMS[name].split("\n")[0])
    if name in ROWS and name not in types:
        return Completion(name, "function", ROWS[name].signatures[0])
    return Completion(name, "instance", types.get(name, ""))


def _asked(definitions: Definitions, place: Word) -> Iterator[str]:
    """The words that this place calls for first."""
    yield from indices(definitions, place)
    if place.last == "with":
        yield from _handlers(definitions, place)
    if place.last == "rev":
        yield from ("handler",) if place.in_type else ("handle",)
    if place.directive == "compile" and [t.text for t in place.before] == ["-", "-"]:
        yield from COMPILE_OPTIONS
    if place.directive == "gradient" and place.follows_expression:
        yield "against"
    if place.head == "train":
        yield from _training(place)
    elif place.head == CHECK and place.follows_expression and any(t.text == "==" for t in place.before):
        yield "within"
    elif place.head == "loc":
        yield from _initials(place)
    if place.in_type and place.last != "rev":
        yield from _of_types(definitions, place)
    if place.begins_clause:
        yield "return"
        yield from [name for name, d in definitions.named.items() if isinstance(d.definition, OpDefinition)]
    if place.follows_cotangent:
        yield "rd"


def _handlers(definitions: Definitions, place: Word) -> Iterator[str]:
    """After ``with``: the handlers of the kind that the innermost open ``handle`` needs, then the others."""
    waiting: list[bool] = []
    before = place.before[:-1]
    for n, token in enumerate(before):
        if token.text == "handle":
            waiting.append(n > 0 and before[n - 1].text == "rev")
        elif token.text == "with" and waiting:
            waiting.pop()
    if not waiting:
        yield "rd"
        return
    found = [d.definition for d in definitions.named.values() if isinstance(d.definition, HandlerDefinition)]
    yield from [H.name for H in found if isinstance(H.handler, ReverseHandler) is waiting[-1]]
    yield from [H.name for H in found if isinstance(H.handler, ReverseHandler) is not waiting[-1]]


def _training(place: Word) -> Iterator[str]:
    """The parts of a training item that may follow, in order."""
    there = [token.text for token in place.before]
    if place.last == "on" or (place.last == "in" and "for" in there):
        yield "data"
    if not place.follows_expression:
        return
    if "for" not in there:
        yield "for"
    elif "data" in there:
        yield from [option for option in TRAINING_OPTIONS if option == "measure" or option not in there]
        last = max((n for n, word in enumerate(there) if word in TRAINING_OPTIONS), default=-1)
        if last >= 0 and there[last] == "measure" and "on" not in there[last:]:
            yield "on"


def _initials(place: Word) -> Iterator[str]:
    there = [token.text for token in place.before]
    if place.last == "=" and not place.opened:
        yield from [word for word in FORMS if word in INITIALS]
    elif place.opened and there[place.opened[-1] - 1] in _SEEDED and place.last in {"(", ","}:
        yield "seed"


def _of_types(definitions: Definitions, place: Word) -> Iterator[str]:
    """Dimensions inside the brackets of a type; otherwise types."""
    if place.opened and place.before[place.opened[-1] - 1].text in {"Real", "Loc"}:
        yield from [name for name, d in definitions.named.items() if isinstance(d.definition, DimDefinition)]
        return
    is_static = bool(place.opened) and place.before[place.opened[-1]].text == "["
    yield from _TYPES if is_static else _TYPES[:1]
    if place.head == "handler":
        yield "rev"


def _language(place: Word) -> Iterator[str]:
    if place.is_first:
        yield from _ITEMS
    yield from _EXPRESSIONS
    if place.head:
        yield from _TYPES


def _written(text: str, place: Word) -> Iterator[str]:
    """The names in the text, except the one being typed."""
    for token in tokens(Span(Source("cell", text), 0, len(text))):
        if token.kind is Kind.NAME and not token.start <= place.start <= token.end and token.text not in FORMS:
            yield token.text


def written_types(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names that are annotated with a type in the text, each with the annotation, such as ``x : Real(2)``."""
    found = tokens(Span(Source("cell", text), 0, len(text)))
    for n, token in enumerate(found[:-2]):
        if token.kind is Kind.NAME and found[n + 1].text == ":":
            yield token.text, _typed(text, found, n)


def _typed(text: str, found: Sequence[Token], n: int) -> str:
    """The annotation ``x : Real(2)`` that starts at the n-th token, as written."""
    depth, end = 0, found[n].end
    for token in found[n + 1 : n + _LONG_TYPE]:
        depth += (token.text in CLOSERS) - (token.text in CLOSERS.values())
        ends = token.text in {",", "=", "{", "|"} and depth == 0
        if ends or depth < 0 or (ends_expression(token) and "\n" in text[end : token.start]):
            break
        end = token.end
    return " ".join(text[found[n].start : end].split())


def _kind(definition: Definition) -> str:
    match definition:
        case DimDefinition() | ConstDefinition() | LocDefinition():
            return "instance"
        case FunDefinition() | OpDefinition():
            return "function"
        case NetDefinition():
            return "module"
        case HandlerDefinition():
            return "class"
