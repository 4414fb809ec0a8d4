"""Candidates for completion in a syntactic context, the likeliest first, each with its type or its form."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType

from rh_kernel.kernel.completion.context import Word
from rh_kernel.kernel.completion.indices import indices
from rh_kernel.kernel.sections.position import LONGEST
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.forms import FORMS
from rh_kernel.session.included_files import declarations
from rh_kernel.session.signatures import signature
from rh_kernel.session.sweeps.jobs import combinations, with_numbers
from rh_kernel.source.diagnostic import Failure, Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import ReverseHandler
from rh_kernel.syntax.parsing.lexer import chunks, tokens
from rh_kernel.syntax.parsing.parser import parse_item
from rh_kernel.syntax.parsing.sequences import iteration_words
from rh_kernel.syntax.parsing.sweeps import SweepParts, is_sweep, sweep_parts
from rh_kernel.syntax.parsing.tokens import (
    CHECK,
    CLOSERS,
    DECLARATIONS,
    DIRECTIVE_OPTIONS,
    INCLUDE,
    INITIALS,
    ITERATIONS,
    SAMPLE_DIRECTIVES,
    SWEEP,
    TRAINING_OPTIONS,
    Kind,
    Token,
    ends_expression,
)
from rh_kernel.syntax.surface_items import Declaration, IncludeItem
from rh_kernel.typing import definitions as defs
from rh_kernel.typing.definitions import Definition, Definitions, kind_of
from rh_kernel.typing.elaboration.declarations import declare

_ITEMS = (*DECLARATIONS, INCLUDE, "train", CHECK, SWEEP)
_EXPRESSIONS = ("let", "in", "return", "rev", "handle", "with", "rd", "if", "then", "else", "and", "or", "not")
_TYPES = ("Real", "Loc", "Dim")
_SEEDED = frozenset({"normal", "uniform", "glorot"})

SMALL = 5_000
"""A program with more nodes, with nets unfolded, is not analysed, as that would take too long."""

_LONG_TYPE = 60
"""Tokens of a type annotation that are shown at most."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A completion. Front ends show its ``kind``, by a word and its first letter; ``signature`` is a type or a form."""

    text: str
    kind: str
    signature: str = ""


def declared_in(definitions: Definitions, text: str, name: str, folder: Path) -> Definitions:
    """Return the definitions extended by the well-formed declarations of a text, which messages call ``name``.

    The files that it includes are relative to ``folder``.
    """
    if len(text) > LONGEST:
        return definitions
    found = replace(definitions, nodes=SMALL)
    for chunk in chunks(Source(name, text)):
        swept = _swept(chunk) if chunk.end == len(text) and not text.endswith("\n") else None
        if swept is not None:
            # The cursor is in a sweep, whose names are known here.
            found = with_numbers(found, swept.parameters, combinations(swept.parameters)[0])
        for part in (chunk,) if swept is None else swept.items:
            item = parse_item(part)
            for made in declarations(item, folder) if isinstance(item, IncludeItem) else (item,):
                if isinstance(made, Declaration):
                    with suppress(Failure, MemoryError):
                        found = found.with_(declare(found, made), made.name.span)
    return replace(found, nodes=definitions.nodes)


def _swept(chunk: Span) -> SweepParts | None:
    """The parts of a sweep whose header has no error."""
    try:
        return sweep_parts(chunk) if is_sweep(chunk) else None
    except Rejected:
        return None


def words(definitions: Definitions, context: Word, text: str) -> list[str]:
    """Return the words that the context expects, then declared names, other names of the cell, keywords and function symbols.

    If nothing of the word is typed yet and the context expects certain words, return only those.
    """
    expected = list(_expected(definitions, context))
    if expected and not context.text:
        return expected
    return [*expected, *definitions.named, *_written(text, context), *_language(context), *SYMBOLS]


def described(definitions: Definitions, text: str, names: Iterable[str]) -> list[Completion]:
    """Describe names by their declaration, or else by an annotation in the text, or else by the documentation."""
    types = dict(written_types(text))
    return [_described(definitions, types, name) for name in names]


def named(definitions: Definitions, kind: type[Definition] | UnionType) -> list[str]:
    """Return the declared names of a kind."""
    return [name for name, declared in definitions.named.items() if isinstance(declared.definition, kind)]


def _described(definitions: Definitions, types: Mapping[str, str], name: str) -> Completion:
    definition = definitions.get(name)
    if definition is not None:
        return Completion(name, kind_of(definition).split(" ", 1)[1], signature(definition))
    if name in FORMS and name not in types:
        return Completion(name, "keyword", FORMS[name].split("\n")[0])
    if name in SYMBOLS and name not in types:
        return Completion(name, "function", SYMBOLS[name].signatures[0])
    return Completion(name, "variable", types.get(name, ""))


def _expected(definitions: Definitions, context: Word) -> Iterator[str]:
    """The words that the context expects."""
    yield from indices(definitions, context)
    if context.last == "with":
        yield from _handlers(definitions, context)
    if context.last == "rev":
        yield from ("handler",) if context.in_type else ("handle",)
    if context.directive in DIRECTIVE_OPTIONS and [t.text for t in context.before] == ["-", "-"]:
        yield from DIRECTIVE_OPTIONS[context.directive]
    if context.directive == "gradient" and context.follows_expression:
        yield "against"
    if context.directive in SAMPLE_DIRECTIVES:
        yield from _of_samples(context)
    if context.directive == "sees" and context.follows_expression and "data" in [t.text for t in context.before]:
        yield "samples"
    if context.follows_expression:
        yield from iteration_words(context.before)
    yield from _of_conditionals(context)
    if context.head == "train":
        yield from _training(context)
    elif context.head == SWEEP and len(context.before) > 1 and context.before[-2].text in {SWEEP, ","} and not context.opened:
        yield "in"
    elif context.head == CHECK and context.follows_expression and any(t.text == "==" for t in context.before):
        yield "within"
    elif context.head == "loc":
        yield from _initials(context)
    if context.in_type and context.last != "rev":
        yield from _of_types(definitions, context)
    if context.begins_clause:
        yield "return"
        yield from named(definitions, defs.OpDefinition)
    if context.follows_cotangent:
        yield "rd"


def _handlers(definitions: Definitions, context: Word) -> Iterator[str]:
    """After ``with``: the handlers of the kind that the innermost open ``handle`` needs, then the others."""
    waiting: list[bool] = []
    before = context.before[:-1]
    for n, token in enumerate(before):
        if token.text == "handle":
            waiting.append(n > 0 and before[n - 1].text == "rev")
        elif token.text == "with" and waiting:
            waiting.pop()
    if not waiting:
        yield "rd"
        return
    found = [d.definition for d in definitions.named.values() if isinstance(d.definition, defs.HandlerDefinition)]
    yield from [H.name for H in found if isinstance(H.handler, ReverseHandler) is waiting[-1]]
    yield from [H.name for H in found if isinstance(H.handler, ReverseHandler) is not waiting[-1]]


def _of_conditionals(context: Word) -> Iterator[str]:
    """The words that may follow in the innermost conditional that waits for one."""
    waiting: list[str] = []
    for token in context.before:
        if token.text == "if":
            waiting.append("then")
        elif waiting and token.text == waiting[-1]:
            waiting[-1:] = ["else"] if token.text == "then" else []
    if waiting and context.before and ends_expression(context.before[-1]):
        if waiting[-1] == "then" and any(token.text in {"<", ">"} for token in context.before):
            yield from ("then", "and", "or")
        elif waiting[-1] == "else":
            yield "else"


def _of_samples(context: Word) -> Iterator[str]:
    """``for`` after a command for each sample, and ``data`` after its ``in``."""
    there = [token.text for token in context.before]
    if context.last == "in" and "for" in there:
        yield "data"
    if context.follows_expression and "for" not in there:
        yield "for"


def _training(context: Word) -> Iterator[str]:
    """The parts of a training item that may follow, in order."""
    there = [token.text for token in context.before]
    yield from _of_samples(context)
    if context.last == "on":
        yield "data"
    if context.follows_expression and "data" in there:
        yield from [option for option in TRAINING_OPTIONS if option in {"measure", "surface"} or option not in there]
        last = max((n for n, word in enumerate(there) if word in TRAINING_OPTIONS), default=-1)
        if last >= 0 and there[last] == "measure" and "as" not in there[last:]:
            yield from ("as",) if "on" in there[last:] else ("on", "as")


def _initials(context: Word) -> Iterator[str]:
    there = [token.text for token in context.before]
    if context.last == "=" and not context.opened:
        yield from [word for word in FORMS if word in INITIALS]
    elif context.opened and there[context.opened[-1] - 1] in _SEEDED and context.last in {"(", ","}:
        yield "seed"


def _of_types(definitions: Definitions, context: Word) -> Iterator[str]:
    """Dimensions between the brackets of a type; otherwise types."""
    if context.opened and context.before[context.opened[-1] - 1].text in {"Real", "Loc"}:
        yield from named(definitions, defs.DimDefinition | defs.NumberDefinition)
        return
    is_static = bool(context.opened) and context.before[context.opened[-1]].text == "["
    yield from _TYPES if is_static else _TYPES[:1]
    if context.head == "handler":
        yield "rev"


def _language(context: Word) -> Iterator[str]:
    if context.is_first:
        yield from _ITEMS
    yield from _EXPRESSIONS
    yield from ITERATIONS
    if context.head:
        yield from _TYPES


def _written(text: str, context: Word) -> Iterator[str]:
    """The names in the text, except the partial one."""
    for token in tokens(Span(Source("cell", text), 0, len(text))):
        if token.kind is Kind.NAME and not token.start <= context.start <= token.end and token.text not in FORMS:
            yield token.text


def written_types(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names annotated with a type in the text, each with its annotation, such as ``x : Real(2)``."""
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
