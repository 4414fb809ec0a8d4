"""Completion in a ``%%lambda`` section: functions, variables, keywords, symbols, and the AD systems after ``%ad``."""

import re
from collections.abc import Iterator, Mapping

from rh_kernel.ad.language.elaboration import Functions
from rh_kernel.ad.language.parsing import GIVEN
from rh_kernel.ad.language.scalars import SYMBOLS
from rh_kernel.ad.language.types import SCALAR, Function, product
from rh_kernel.ad.registry import ALL, names, system
from rh_kernel.kernel.completion.section_items import Candidates, directive_candidates, local_names, partial_word
from rh_kernel.kernel.completion.words import Completion, written_types
from rh_kernel.kernel.sections.lambda_cells import declared
from rh_kernel.kernel.sections.position import SectionPosition
from rh_kernel.session.names import arrow
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS
from rh_kernel.source.span import Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import LAMBDA_SECTION, Kind, Token, ends_expression

_PARTIAL_SYSTEM = re.compile(r"%[ \t]*ad[ \t]+([^\s()]*)")
_DIRECTIVE = re.compile(r"%[ \t]*ad[ \t]+([^\s()]+)")
_OF_AD = ("with", "along")
_WORDS = tuple(word for word in LAMBDA_FORMS if word not in {*_OF_AD, "trace", "all", "fun", "Real"})


def complete(functions: Functions, position: SectionPosition) -> Candidates:
    """Return what can follow at ``position``, the end of a text."""
    known, item = declared(functions, position.above), position.item
    if (found := directive_candidates(item, LAMBDA_SECTION)) is not None:
        return found
    system_name = _PARTIAL_SYSTEM.fullmatch(item.text)
    if system_name is not None:
        return Candidates(item.start + system_name.start(1), system_name[1], tuple(_systems()))
    directive = _DIRECTIVE.match(item.text)
    rest = item if directive is None else Span(item.source, item.start + directive.end(), item.end)
    return _word(known, rest, is_directive=directive is not None)


def _systems() -> Iterator[Completion]:
    for name in names():
        yield Completion(name, "keyword", system(name).title)
    yield Completion(ALL, "keyword", "a table of all systems")


def _word(known: Functions, rest: Span, *, is_directive: bool) -> Candidates:
    partial = partial_word(rest, tokens(rest), (Kind.SYMBOL, Kind.FOREIGN))
    if partial is None:
        return Candidates(rest.end, "", ())
    if partial.before and partial.before[-1].text == "fun":
        return Candidates(partial.start, "", ())
    if is_directive and not partial.before:
        return Candidates(partial.start, partial.text, tuple(_functions(known)))
    found = _words(known, partial.before, rest.text, is_directive=is_directive)
    return Candidates(partial.start, partial.text, tuple(found))


def _words(known: Functions, before: list[Token], text: str, *, is_directive: bool) -> Iterator[Completion]:
    last = before[-1].text if before else ""
    if last == ":":
        yield _form("Real")
        return
    if is_directive and last == "-":
        yield _form("trace")
    if is_directive and ends_expression(before[-1]):
        yield from map(_form, _OF_AD)
        yield Completion("--trace", "keyword", LAMBDA_FORMS["trace"].split("\n")[0])
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
    taken = {*LAMBDA_FORMS, *SYMBOLS, *known} - {"with", "along", "trace", "all"}
    yield from [Completion(x, "variable", types.get(x, "")) for x in local_names(before, ("fun",), taken)]


def _functions(known: Functions) -> Iterator[Completion]:
    for name, f in known.items():
        yield Completion(name, "function", f"{name} : {arrow(f)}")


def _form(word: str) -> Completion:
    return Completion(word, "function" if word in GIVEN else "keyword", LAMBDA_FORMS[word].split("\n")[0])
