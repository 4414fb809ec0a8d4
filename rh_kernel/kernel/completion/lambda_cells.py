"""Completion in a ``%%lambda`` section: functions, variables, keywords, symbols, and the AD systems after ``%ad``."""

import re
from collections.abc import Iterator, Mapping

from rh_kernel.ad.language.elaboration import Functions
from rh_kernel.ad.language.parsing import GIVEN
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, Function, product
from rh_kernel.ad.registry import ALL, names, system
from rh_kernel.kernel.completion.words import Candidates, Completion, written_types
from rh_kernel.kernel.sections.lambda_cells import declared
from rh_kernel.kernel.sections.place import Place
from rh_kernel.session.directives.lines import RETURN_LINE
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.names import arrow
from rh_kernel.session.sections.lambda_forms import LABORATORY_FORMS
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, RETURN, Kind, Token, ends_expression

_HALF_DIRECTIVE = re.compile(r"%{1,2}\w*")
_HALF_SYSTEM = re.compile(r"%[ \t]*ad[ \t]+([^\s()]*)")
_DIRECTIVE = re.compile(r"%[ \t]*ad[ \t]+([^\s()]+)")
_OF_AD = ("with", "along")
_WORDS = tuple(word for word in LABORATORY_FORMS if word not in {*_OF_AD, "trace", "all", "fun", "Real"})


def offer(functions: Functions, there: Place) -> Candidates:
    """Return what can follow at ``there``, the end of a text."""
    known, item = declared(functions, there.above), there.item
    if _HALF_DIRECTIVE.fullmatch(item.text):
        return Candidates(item.start, item.text, tuple(_directives()))
    half = _HALF_SYSTEM.fullmatch(item.text)
    if half is not None:
        return Candidates(item.start + half.start(1), half[1], tuple(_systems()))
    directive = _DIRECTIVE.match(item.text)
    rest = item if directive is None else Span(item.source, item.start + directive.end(), item.end)
    return _word(known, rest, is_directive=directive is not None)


def _directives() -> Iterator[Completion]:
    for directive in directives(LAMBDA_SECTION).values():
        yield Completion(f"%{directive.name}", "magic", directive.call)
    yield Completion(RETURN, "magic", RETURN_LINE)


def _systems() -> Iterator[Completion]:
    for name in names():
        yield Completion(name, "keyword", system(name).title)
    yield Completion(ALL, "keyword", "a table of all systems")


def _word(known: Functions, rest: Span, *, is_directive: bool) -> Candidates:
    read = tokens(rest)
    half = read[-1] if read and read[-1].end == rest.end else None
    start = rest.end
    if half is not None and half.kind in {Kind.NAME, Kind.KEYWORD} and not half.text.startswith("λ"):
        start = half.start
        read.pop()
    elif half is not None and half.kind not in {Kind.SYMBOL, Kind.FOREIGN}:
        return Candidates(rest.end, "", ())
    before = [token for token in read if token.kind is not Kind.COMMENT]
    last = before[-1].text if before else ""
    if last == "fun":
        return Candidates(start, "", ())
    word = rest.source.text[start : rest.end]
    if is_directive and not before:
        return Candidates(start, word, tuple(_functions(known)))
    return Candidates(start, word, tuple(_words(known, before, rest.text, is_directive=is_directive)))


def _words(known: Functions, before: list[Token], text: str, *, is_directive: bool) -> Iterator[Completion]:
    last = before[-1].text if before else ""
    if last == ":":
        yield _form("Real")
        return
    if is_directive and last == "-":
        yield _form("trace")
    if is_directive and ends_expression(before[-1]):
        yield from map(_form, _OF_AD)
        yield Completion("--trace", "keyword", LABORATORY_FORMS["trace"].split("\n")[0])
        return
    if not before:
        yield _form("fun")
    yield from _variables(before, dict(written_types(text)), known)
    yield from _functions(known)
    yield from map(_form, _WORDS)
    for name, numbers in SYMBOLS.items():
        yield Completion(name, "function", str(Function(product(*[SCALAR] * numbers), SCALAR)))
    yield _form("Real")


def _variables(before: list[Token], types: Mapping[str, str], known: Functions) -> Iterator[Completion]:
    """The names earlier in the item that have no other meaning, most recent first."""
    own = {*LABORATORY_FORMS, *SYMBOLS, *known} - {"with", "along", "trace", "all"}
    declares = before[1].text if len(before) > 1 and before[0].text == "fun" else ""
    for token in reversed(before):
        name = token.text.removeprefix("λ")
        if token.kind is Kind.NAME and name and name not in {*own, declares}:
            yield Completion(name, "instance", types.get(name, ""))


def _functions(known: Functions) -> Iterator[Completion]:
    for name, f in known.items():
        yield Completion(name, "function", f"{name} : {arrow(f)}")


def _form(word: str) -> Completion:
    return Completion(word, "function" if word in GIVEN else "keyword", LABORATORY_FORMS[word].split("\n")[0])
