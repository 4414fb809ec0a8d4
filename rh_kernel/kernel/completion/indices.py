"""Completion in the square brackets of an operation, net or function symbol; names that fit the parameter come first."""

from collections.abc import Iterator, Mapping

from rh_kernel.kernel.completion.context import Word
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.dimensions import Dim, DimVar, dim, substitute, variables
from rh_kernel.syntax.parsing.tokens import CLOSERS, DECLARATIONS, Token
from rh_kernel.syntax.parsing.tokens import Kind as TokenKind
from rh_kernel.syntax.signature import DimKind, Kind, LocationFamily, LocFamilyKind, LocKind, Parameter, ValueKind
from rh_kernel.syntax.types import Shape
from rh_kernel.typing import definitions as defs
from rh_kernel.typing.definitions import Definitions


def indices(definitions: Definitions, context: Word) -> Iterator[str]:
    """Yield the names that fit between the innermost square brackets, best first; none if there are no such brackets."""
    if not context.opened or context.before[context.opened[-1]].text != "[" or context.opened[-1] == 0:
        return
    at = context.opened[-1]
    head = context.before[at - 1]
    if at > 1 and context.before[at - 2].text in DECLARATIONS:
        return
    parameters = _parameters(definitions, head.text)
    given = _arguments(context.before[at + 1 :])
    if len(given) > len(parameters):
        return
    known: dict[str, Dim] = {}
    for parameter, words in zip(parameters, given[:-1], strict=False):
        definition = definitions.get(words[0]) if len(words) == 1 else None
        if isinstance(parameter.kind, LocKind) and isinstance(definition, defs.LocDefinition):
            _fits(parameter.kind.shape, definition.location.shape, known)
        elif isinstance(parameter.kind, LocFamilyKind) and isinstance(definition, defs.LocFamilyDefinition):
            _fits_family(parameter.kind, definition.family, known)
    if not given[-1]:
        yield from _named_in_brackets(definitions, context)
    yield from _fitting(definitions, parameters[len(given) - 1].kind, known)


def _parameters(definitions: Definitions, head: str) -> tuple[Parameter, ...]:
    match definitions.get(head):
        case defs.OpDefinition(_, family):
            return family.parameters
        case defs.NetDefinition(statics=statics):
            return statics
        case None if head in SYMBOLS:
            return tuple([Parameter(v.name, DimKind()) for v in SYMBOLS[head].schemes[0].explicit])
        case _:
            return ()


def _arguments(tokens: tuple[Token, ...]) -> list[list[str]]:
    """Split the tokens at commas outside brackets: the words of each index, the last one possibly partial."""
    found: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.text in CLOSERS) - (token.text in CLOSERS.values())
        if token.text == "," and depth == 0:
            found.append([])
        else:
            found[-1].append(token.text)
    return found


def _named_in_brackets(definitions: Definitions, context: Word) -> Iterator[str]:
    """The names bound in square brackets earlier in the item: parameters of a net, indices in the head of a clause."""
    opened = [""]
    for n, token in enumerate(context.before[: context.opened[-1]]):
        if token.text in CLOSERS:
            opened.append(token.text)
        elif token.text == CLOSERS.get(opened[-1]):
            opened.pop()
        elif opened[-1] == "[" and context.before[n - 1].text in {"[", ","} and definitions.get(token.text) is None:
            yield from [token.text] if token.kind is TokenKind.NAME else []


def _fitting(definitions: Definitions, kind: Kind, known: Mapping[str, Dim]) -> Iterator[str]:
    """The declared names that can instantiate a parameter of this kind, then those that only have the right kind."""
    declared = [d.definition for d in definitions.named.values()]
    match kind:
        case LocKind(shape):
            locations = [d for d in declared if isinstance(d, defs.LocDefinition)]
            fitting = [d.name for d in locations if _fits(shape, d.location.shape, dict(known))]
            yield from fitting
            yield from [d.name for d in locations if d.name not in fitting]
            families = [d.family for d in declared if isinstance(d, defs.LocFamilyDefinition)]
            yield from [f"{family.name}[" for family in families if _fits(shape, family.shape, dict(known))]
            yield from [f"{d.name}[" for d in declared if isinstance(d, defs.StateDefinition)]
        case LocFamilyKind():
            families = [d.family for d in declared if isinstance(d, defs.LocFamilyDefinition)]
            fitting = [family.name for family in families if _fits_family(kind, family, dict(known))]
            yield from fitting
            yield from [family.name for family in families if family.name not in fitting]
        case DimKind():
            yield from [d.name for d in declared if isinstance(d, defs.DimDefinition | defs.NumberDefinition)]
        case ValueKind(A):
            yield from [d.name for d in declared if isinstance(d, defs.ConstDefinition) and d.type == A]


def _fits_family(kind: LocFamilyKind, family: LocationFamily, known: dict[str, Dim]) -> bool:
    """``_fits`` for a family: its shape and its length."""
    return _fits((kind.length,), (family.length,), known) and _fits(kind.shape, family.shape, known)


def _fits(shape: Shape, actual: Shape, known: dict[str, Dim]) -> bool:
    """Whether ``actual`` can be an instance of ``shape``; adds the values of its dimension variables to ``known``."""
    if not isinstance(shape, tuple) or not isinstance(actual, tuple):
        return True
    if len(shape) != len(actual):
        return False
    for wanted, there in zip(shape, actual, strict=True):
        now = substitute(wanted, known)
        free = [v.name for v in variables(now) if isinstance(v, DimVar) and now == dim(v)]
        if free:
            known[free[0]] = there
        elif now.constant is not None and now != there:
            return False
    return True
