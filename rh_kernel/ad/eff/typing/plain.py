"""What of a program lies outside of the thesis' calculus EFF (Sigal 2024, Figs. 7.10 to 7.14), where every program terminates.

There nothing is recursive, neither functions nor types nor effects; there are no references, no adaptors and no operations that
are generic; and a handler handles exactly the effects of what it is around, so that no operation goes past it.
"""

from collections.abc import Iterable, Iterator

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtin_effects import CONSOLE, REFERENCES
from rh_kernel.ad.eff.definitions import Definitions, Function, Handler, shown
from rh_kernel.ad.eff.traversal import Node, nodes
from rh_kernel.ad.eff.types import DataDeclaration, EffectDeclaration, ValueType
from rh_kernel.ad.eff.typing.exact import is_exact
from rh_kernel.ad.eff.typing.kinds import declaring
from rh_kernel.ad.eff.typing.leaves import names


def outside(definitions: Definitions, M: core.Computation) -> tuple[str, ...]:
    """The features of M, and of all that it uses, that EFF does not have; nothing for a program of EFF."""
    found = dict.fromkeys(_features(definitions, M))
    if not found and not is_exact(M, definitions):
        found["operations that go past a handler to another one"] = None
    return tuple(found)


def _features(definitions: Definitions, M: core.Computation) -> Iterator[str]:
    for key in _used(definitions, M):
        declaration = definitions.declared.get(key)
        match declaration:
            case Function(definition) if any(
                isinstance(p, core.Global) and p.name == key for p in _parts(definitions, definition.body.body)
            ):
                yield f"recursion: `{shown(key)}` uses itself"
            case Handler(definition) if any(isinstance(p, core.Named) and p.name == key for p in nodes(definition.clauses)):
                yield f"recursion: `{shown(key)}` uses itself"
            case DataDeclaration() if key in _mentioned(A for K in declaration.constructors for A in K.fields):
                yield f"a recursive data type: {shown(key)}"
            case EffectDeclaration():
                yield from _of_effect(declaration)
            case Function() | Handler() | DataDeclaration() | None:
                pass
    if any(isinstance(p, core.Adapt) for p in _parts(definitions, M)):
        yield "adaptors"


def _of_effect(declaration: EffectDeclaration) -> Iterator[str]:
    if declaration.name == REFERENCES:
        yield "references"
        return
    if declaration.name == CONSOLE:
        yield "printing"
    if declaration.name in _mentioned(A for o in declaration.operations for A in (*o.domain, o.codomain)):
        yield f"a recursive effect: {shown(declaration.name)}"
    for operation in declaration.operations:
        if operation.variables:
            yield f"an operation of any type: `{shown(operation.name)}`"


def _mentioned(types: Iterable[ValueType]) -> set[str]:
    return {name for A in types for name in names(A)}


def _used(definitions: Definitions, M: core.Computation) -> list[str]:
    """The keys of all declarations that M uses, in the order in which they are met."""
    found: dict[str, None] = {}
    for part in _parts(definitions, M):
        match part:
            case core.Global(name) | core.Named(name) | core.Perform(name) | core.Clause(name):
                found[name] = None
            case core.Constructed(name) | core.ConstructorPattern(name):
                found[declaring(name, definitions).name] = None
            case core.Clauses(_, _, effects):
                found |= dict.fromkeys(effects)
            case core.Reference():
                found[REFERENCES] = None
            case _:
                pass
    waiting = list(found)
    while waiting:
        for name in _in_types(definitions, waiting.pop()):
            if name not in found and name in definitions.declared:
                found[name] = None
                waiting.append(name)
    return list(found)


def _in_types(definitions: Definitions, key: str) -> Iterable[str]:
    """The keys of what occurs in a declaration; what the machine's own operations speak of is no concern of a program."""
    if key == REFERENCES:
        return ()
    match definitions.declared.get(key):
        case DataDeclaration(_, _, constructors):
            return _mentioned(A for K in constructors for A in K.fields)
        case EffectDeclaration(_, _, operations):
            return _mentioned(A for o in operations for A in (*o.domain, o.codomain))
        case Function() | Handler() | None:
            return ()


def _parts(definitions: Definitions, M: core.Computation) -> Iterator[Node]:
    """The nodes of M and of all functions and handlers that it uses, each of these once."""
    waiting: list[Node] = [M]
    seen: set[str] = set()
    while waiting:
        for part in nodes(waiting.pop()):
            yield part
            if not isinstance(part, core.Global | core.Named) or part.name in seen:
                continue
            seen.add(part.name)
            definition = definitions.declared[part.name]
            if isinstance(definition, Function):
                waiting.append(definition.definition.body)
            elif isinstance(definition, Handler):
                waiting.append(definition.definition.clauses)
