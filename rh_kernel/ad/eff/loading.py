"""Whole texts of EFF: read, elaborated, checked, and put to what is declared already. All raise ``Rejected``."""

import difflib
from functools import lru_cache

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.core import Computation, FunctionDefinition, HandlerDefinition
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.elaboration_items import Asked, Group, Include, Run, elaborate
from rh_kernel.ad.eff.frontend.elaboration_items import computation as elaborate_computation
from rh_kernel.ad.eff.frontend.parsing_items import item, items
from rh_kernel.ad.eff.frontend.surface_items import Item, RunItem
from rh_kernel.ad.eff.types import DataDeclaration, EffectDeclaration
from rh_kernel.ad.eff.typing.checking import (
    Checked,
    check_data,
    check_effect,
    check_function,
    check_functions,
    check_handler,
    check_item,
)
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.typing.errors import UnknownName


def parse(text: str | Source) -> tuple[Item, ...]:
    """The items of a text that has nothing but EFF."""
    return items(_source(text))


def prelude() -> Definitions:
    """What is declared before anything else: the effects of the machine, truth values, ``Maybe`` and lists."""
    return _prelude()


@lru_cache(maxsize=1)
def _prelude() -> Definitions:
    return declared(library.prelude(), BUILT_IN)


def declared(text: str | Source, definitions: Definitions | None = None) -> Definitions:
    """What is declared after a text, whose declarations and includes are put to ``definitions``, or else to the prelude.

    What it runs is checked, and not run.
    """
    found = prelude() if definitions is None else definitions
    for parsed in parse(text):
        found = declare(parsed, found)
    return found


def declare(parsed: Item, definitions: Definitions) -> Definitions:
    """What is declared after an item."""
    match elaborate(parsed, definitions):
        case Include(name, span):
            return include(name, definitions, span)
        case DataDeclaration() as declaration:
            return check_data(declaration, definitions, parsed.span)
        case EffectDeclaration() as declaration:
            return check_effect(declaration, definitions, parsed.span)
        case FunctionDefinition() as definition:
            return definitions.with_(check_function(definition, definitions))
        case Group(functions):
            for made in check_functions(functions, definitions):
                definitions = definitions.with_(made)
            return definitions
        case HandlerDefinition() as definition:
            return definitions.with_(check_handler(definition, definitions))
        case Run(_, M):
            check_item(M, definitions)
            return definitions
        case Asked():
            return definitions


def include(name: str, definitions: Definitions, span: Span | None = None) -> Definitions:
    """``include name``: a program of the library, and what that includes; once is enough.

    It means what it means by itself, whatever is declared where it is included.
    """
    if name in definitions.included:
        return definitions
    if name not in library.names():
        close = difflib.get_close_matches(name, library.names(), n=3)
        known = "there are " + ", ".join(library.names())
        hint = f"did you mean {' or '.join(f'`{x}`' for x in close)}?" if close else known
        raise Rejected(UnknownName(span=span, name=name, hint=hint))
    return definitions.with_program(_by_itself(name), prelude())


@lru_cache(maxsize=128)
def _by_itself(name: str) -> Definitions:
    """A program of the library with the prelude and what it includes."""
    return declared(library.included(name), prelude().of_library(name))


@lru_cache(maxsize=64)
def program(*names: str) -> Definitions:
    """What is declared after these programs of the library are included."""
    found = prelude()
    for name in names:
        found = include(name, found)
    return found


def computation(text: str | Source, definitions: Definitions | None = None) -> Computation:
    """The text of an expression, elaborated and not checked."""
    source = _source(text)
    parsed = item(Span(source, 0, len(source.text)))
    if not isinstance(parsed, RunItem):
        whole, hint = Span(source, 0, len(source.text)), "give only an expression; put declarations among the definitions"
        raise Rejected(Unexpected(span=whole, found="an item of another kind", expected="an expression", hint=hint))
    return elaborate_computation(parsed.expression, prelude() if definitions is None else definitions)


def checked(text: str | Source, definitions: Definitions | None = None) -> Checked:
    """The text of an expression, elaborated and checked as an item that is run."""
    return check_item(computation(text, definitions), prelude() if definitions is None else definitions)


def _source(text: str | Source) -> Source:
    return Source("program", text) if isinstance(text, str) else text
