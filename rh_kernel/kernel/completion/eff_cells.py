"""Completion in a ``%%eff`` section: variables, functions, operations, constructors, handlers, types, keywords."""

import re
from collections.abc import Iterable, Iterator

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.lexing import DECLARATIONS, KEYWORDS, tokens
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.kernel.completion.words import Candidates, Completion
from rh_kernel.kernel.sections.eff_cells import known
from rh_kernel.kernel.sections.place import Place
from rh_kernel.session.directives.lines import RETURN_LINE
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.sections.eff_cells import built_in_type, initial_declarations
from rh_kernel.session.sections.eff_forms import EFF_FORMS
from rh_kernel.session.sections.eff_names import EffDeclarations, about
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, RETURN, Kind, Token

_HALF_DIRECTIVE = re.compile(r"%{1,2}\w*")
_EXPRESSIONS = frozenset({"let", "match", "if", "handle"})
"""Keywords that an expression can begin with."""

_BASES = ("Float", "Int", "Text", "Unit", "Ref", "Array")


def offer(effects: EffDeclarations | None, there: Place) -> Candidates:
    """Return what can follow at ``there``, the end of a text."""
    item = there.item
    if _HALF_DIRECTIVE.fullmatch(item.text):
        return Candidates(item.start, item.text, tuple(_directives()))
    read = tokens(item)
    half = read[-1] if read and read[-1].end == item.end else None
    start = item.end
    if half is not None and half.kind in {Kind.NAME, Kind.KEYWORD}:
        start = half.start
        read.pop()
    elif half is not None and half.kind is not Kind.SYMBOL:
        return Candidates(item.end, "", ())
    before = [token for token in read if token.kind is not Kind.COMMENT]
    word = item.source.text[start : item.end]
    now = known(initial_declarations(effects), there.above).definitions
    return Candidates(start, word, tuple(_words(now, before)))


def _directives() -> Iterator[Completion]:
    for directive in directives(EFF_SECTION).values():
        yield Completion(f"%{directive.name}", "magic", directive.call)
    yield Completion(RETURN, "magic", RETURN_LINE)


def _words(now: Definitions, before: list[Token]) -> Iterator[Completion]:
    match [token.text for token in before]:
        case ["include"]:
            for name in library.names():
                yield Completion(name, "keyword", f"include {name}")
        case ["data" | "effect" | "fun" | "handler"]:
            pass
        case [*_, "with"]:
            yield from _named(now, now.handlers, "function")
        case [*_, "<"]:
            yield from _named(now, now.operations, "function")
            yield from _named(now, now.effects, "class")
        case texts:
            yield from _variables(now, before)
            yield from _named(now, (*now.functions, *now.operations), "function")
            yield from _named(now, now.constructors, "class")
            yield from _named(now, now.handlers, "function")
            for name in BUILT_INS:
                yield Completion(name, "function", f"{name} : {built_in_type(name)}")
            yield from _named(now, (*now.types, *now.effects), "class")
            yield from [Completion(name, "class", "a type of the language") for name in _BASES if texts]
            for word in sorted(KEYWORDS, key=lambda word: word not in DECLARATIONS):
                if word in _EXPRESSIONS or (word in DECLARATIONS) is not bool(texts):
                    yield Completion(word, "keyword", EFF_FORMS[word].split("\n")[0])


def _variables(now: Definitions, before: list[Token]) -> Iterator[Completion]:
    """The names earlier in the item that have no other meaning, most recent first."""
    own = {*now.functions, *now.operations, *now.handlers, *BUILT_INS}
    declares = before[1].text if len(before) > 1 and before[0].text in DECLARATIONS else ""
    for token in reversed(before):
        if token.kind is Kind.NAME and not token.text[0].isupper() and token.text not in {*own, declares, "_"}:
            yield Completion(token.text, "instance", "")


def _named(now: Definitions, names: Iterable[str], kind: str) -> Iterator[Completion]:
    for name in reversed(list(names)):
        said = next(about(now, name), None)
        if said is not None:
            yield Completion(name, kind, f"{name} : {said.type}")
