"""Completion in a ``%%eff`` section: variables, functions, operations, constructors, handlers, types, keywords."""

from collections.abc import Iterable, Iterator

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.lexing import DECLARATIONS, KEYWORDS, tokens
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.kernel.completion.section_items import Candidates, directive_candidates, local_names, partial_word
from rh_kernel.kernel.completion.words import Completion
from rh_kernel.kernel.sections.eff_cells import known
from rh_kernel.kernel.sections.position import SectionPosition
from rh_kernel.session.sections.eff_cells import built_in_type, initial_declarations
from rh_kernel.session.sections.eff_forms import EFF_FORMS
from rh_kernel.session.sections.eff_names import EffDeclarations, about
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, Token

_EXPRESSIONS = frozenset({"let", "match", "if", "handle"})
"""Keywords that an expression can begin with."""

_BASES = ("Float", "Int", "Text", "Unit", "Ref", "Array")


def complete(effects: EffDeclarations | None, position: SectionPosition) -> Candidates:
    """Return what can follow at ``position``, the end of a text."""
    item = position.item
    if (found := directive_candidates(item, EFF_SECTION)) is not None:
        return found
    partial = partial_word(item, tokens(item))
    if partial is None:
        return Candidates(item.end, "", ())
    now = known(initial_declarations(effects), position.above).definitions
    return Candidates(partial.start, partial.text, tuple(_words(now, partial.before)))


def _words(now: Definitions, before: list[Token]) -> Iterator[Completion]:
    match [token.text for token in before]:
        case ["include"]:
            for name in library.names():
                yield Completion(name, "keyword", f"include {name}")
        case ["data" | "effect" | "fun" | "handler"]:
            pass
        case [*_, "with"]:
            yield from _named(now, now.handlers, "handler")
        case [*_, "<"]:
            yield from _named(now, now.operations, "operation")
            yield from _named(now, now.effects, "effect")
        case texts:
            yield from _variables(now, before)
            yield from _named(now, now.functions, "function")
            yield from _named(now, now.operations, "operation")
            yield from _named(now, now.constructors, "constructor")
            yield from _named(now, now.handlers, "handler")
            for name in BUILT_INS:
                yield Completion(name, "function", f"{name} : {built_in_type(name)}")
            yield from _named(now, now.types, "type")
            yield from _named(now, now.effects, "effect")
            yield from [Completion(name, "type", "a type of the language") for name in _BASES if texts]
            for word in sorted(KEYWORDS, key=lambda word: (word not in DECLARATIONS, word)):
                if word in _EXPRESSIONS or (word in DECLARATIONS) is not bool(texts):
                    yield Completion(word, "keyword", EFF_FORMS[word].split("\n")[0])


def _variables(now: Definitions, before: list[Token]) -> Iterator[Completion]:
    """The names earlier in the item that have no other meaning, most recent first."""
    taken = {*now.functions, *now.operations, *now.handlers, *BUILT_INS, "_"}
    yield from [Completion(x, "variable") for x in local_names(before, DECLARATIONS, taken) if not x[0].isupper()]


def _named(now: Definitions, names: Iterable[str], kind: str) -> Iterator[Completion]:
    for name in reversed(list(names)):
        described = next(about(now, name), None)
        if described is not None:
            yield Completion(name, kind, f"{name} : {described.type}")
