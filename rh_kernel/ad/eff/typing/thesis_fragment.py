"""The features of a program that the thesis' calculus EFF does not have (Sigal 2024, Figs. 7.10 to 7.14).

There every program terminates: functions, types and effects are not recursive. There are no references, no adaptors and no
generic operations, and a handler handles all effects of the computation in it, so that no operation passes it.
"""

from collections.abc import Iterable, Iterator

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.builtin_effects import CONSOLE, REFERENCES
from rh_kernel.ad.eff.definitions import Definitions, Function, Handler, shown
from rh_kernel.ad.eff.traversal import Node, nodes
from rh_kernel.ad.eff.types import Data, DataDeclaration, EffectDeclaration, Label, ValueType
from rh_kernel.ad.eff.typing.kinds import declaring
from rh_kernel.ad.eff.typing.thesis_typing import is_thesis_typed
from rh_kernel.ad.eff.typing.type_traversal import nodes as type_nodes


def outside(definitions: Definitions, M: core.Computation) -> tuple[str, ...]:
    """The features of M, and of the declarations that it uses, that EFF does not have."""
    found = dict.fromkeys(_features(definitions, M))
    if not found and not is_thesis_typed(M, definitions):
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
    """The keys of the data types and the effects in types."""
    found: set[str] = set()
    for node in (node for A in types for node in type_nodes(A)):
        match node:
            case Data(name) | Label(name):
                found.add(name)
            case _:
                pass
    return found


def _used(definitions: Definitions, M: core.Computation) -> list[str]:
    """The keys of the declarations that M uses, in the order of their first use."""
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
    """The keys of the data types and the effects in a declaration, other than the machine's own effect."""
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
    """The nodes of M and of the functions and handlers that it uses, each of these once."""
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
