"""Parse, elaborate and check texts of EFF, and add their declarations to given ones. All functions raise ``Rejected``."""

from functools import cache, lru_cache

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.core import Computation, FunctionDefinition, HandlerDefinition
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend import elaboration_items
from rh_kernel.ad.eff.frontend.parsing_items import item, items
from rh_kernel.ad.eff.frontend.resolving import suggestion
from rh_kernel.ad.eff.frontend.surface_items import Item, RunItem
from rh_kernel.ad.eff.types import DataDeclaration, EffectDeclaration
from rh_kernel.ad.eff.typing import checking
from rh_kernel.ad.eff.typing.kinds import check_data, check_effect
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.errors import Unexpected
from rh_kernel.typing.errors import UnknownName


def parse(text: str | Source) -> tuple[Item, ...]:
    """Parse the items of a text of EFF."""
    return items(_source(text))


@cache
def prelude() -> Definitions:
    """The definitions of every program: the effects of the machine, truth values, ``Maybe`` and lists."""
    return declared(library.prelude(), BUILT_IN)


def declared(text: str | Source, definitions: Definitions | None = None) -> Definitions:
    """Add the declarations and includes of a text to ``definitions``, by default to the prelude.

    Its expressions are checked and not run.
    """
    found = prelude() if definitions is None else definitions
    for parsed in parse(text):
        found = declare(parsed, found)
    return found


def declare(parsed: Item, definitions: Definitions) -> Definitions:
    """Add the declaration of an item to ``definitions``."""
    match elaboration_items.elaborate(parsed, definitions):
        case elaboration_items.Include(name, span):
            return include(name, definitions, span)
        case DataDeclaration() as declaration:
            return check_data(declaration, definitions, parsed.span)
        case EffectDeclaration() as declaration:
            return check_effect(declaration, definitions, parsed.span)
        case FunctionDefinition() as definition:
            return definitions.with_(checking.check_function(definition, definitions))
        case elaboration_items.Group(functions):
            for made in checking.check_functions(functions, definitions):
                definitions = definitions.with_(made)
            return definitions
        case HandlerDefinition() as definition:
            return definitions.with_(checking.check_handler(definition, definitions))
        case elaboration_items.Run(_, M):
            checking.check_item(M, definitions)
            return definitions
        case elaboration_items.TypeQuery():
            return definitions


def include(name: str, definitions: Definitions, span: Span | None = None) -> Definitions:
    """Add a program of the library, and what it includes, unless it is included already.

    The program is independent of the definitions that it is added to.
    """
    if name in definitions.included:
        return definitions
    if name not in library.names():
        hint = suggestion(name, library.names()) or f"there are {', '.join(library.names())}"
        raise Rejected(UnknownName(span=span, name=name, hint=hint))
    return definitions.with_program(_by_itself(name), prelude())


@cache
def _by_itself(name: str) -> Definitions:
    """The definitions of a program of the library, with the prelude and what it includes."""
    return declared(library.source(name), prelude().of_library(name))


@lru_cache(maxsize=64)
def program(*names: str) -> Definitions:
    """The prelude with these programs of the library."""
    found = prelude()
    for name in names:
        found = include(name, found)
    return found


def computation(text: str | Source, definitions: Definitions | None = None) -> Computation:
    """Parse and elaborate an expression, without checking it."""
    source = _source(text)
    parsed = item(Span(source, 0, len(source.text)))
    if not isinstance(parsed, RunItem):
        whole, hint = Span(source, 0, len(source.text)), "give only an expression; put declarations among the definitions"
        raise Rejected(Unexpected(span=whole, found="an item of another kind", expected="an expression", hint=hint))
    return elaboration_items.computation(parsed.expression, prelude() if definitions is None else definitions)


def checked(text: str | Source, definitions: Definitions | None = None) -> checking.Checked:
    """Parse, elaborate and check an expression as an item that is run."""
    return checking.check_item(computation(text, definitions), prelude() if definitions is None else definitions)


def _source(text: str | Source) -> Source:
    return Source("program", text) if isinstance(text, str) else text
