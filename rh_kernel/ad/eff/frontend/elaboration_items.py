"""Items of ``%%eff`` cells to core: what they declare, with keys of its own, or what they ask for."""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TypeAlias

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import EFFECTS
from rh_kernel.ad.eff.core import Computation, FunctionDefinition, HandlerDefinition, Signature, Thunk
from rh_kernel.ad.eff.definitions import Definitions, marked
from rh_kernel.ad.eff.frontend import surface_items as s
from rh_kernel.ad.eff.frontend.elaboration import Terms
from rh_kernel.ad.eff.frontend.elaboration_types import BASES, MACHINE, UNIT_NAME, Types
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.resolving import Scope, reject_twice
from rh_kernel.ad.eff.frontend.surface import Expr, Var
from rh_kernel.ad.eff.types import (
    Constructor,
    DataDeclaration,
    EffectDeclaration,
    Operation,
    Parameter,
)
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import BuiltInName


@frozen
class Run:
    """A computation that an item asks to run: by itself, or by ``%trace`` or ``%count``; or its type, by ``%type``."""

    directive: str
    computation: Computation
    span: Span


@frozen
class Asked:
    """``%type evaluate``: what is asked of is no expression but a handler, a constructor, an operation, a type or an effect.

    ``kind`` is which of these, and ``key`` its own key.
    """

    kind: str
    key: str
    span: Span


@frozen
class Include:
    """``include smooth``"""

    name: str
    span: Span


@frozen
class Group:
    """Functions that use each other."""

    functions: tuple[FunctionDefinition, ...]
    span: Span


Elaborated: TypeAlias = (
    DataDeclaration | EffectDeclaration | FunctionDefinition | Group | HandlerDefinition | Run | Asked | Include
)


def elaborate(item: s.Item, definitions: Definitions) -> Elaborated:
    """An item. Raises ``Rejected``."""
    match item:
        case s.DataItem():
            return data(item, definitions)
        case s.EffectItem():
            return effect(item, definitions)
        case s.FunItem():
            return functions([item], definitions)[0]
        case s.FunItems(several):
            return Group(functions(several, definitions), span=item.span)
        case s.HandlerItem():
            return handler(item, definitions)
        case s.IncludeItem(name):
            return Include(name.text, item.span)
        case s.RunItem(M):
            return Run("", computation(M, definitions), item.span)
        case s.DirectiveItem(directive, M):
            asked = _asked(M, definitions) if directive.text == "type" and isinstance(M, Var) else None
            return asked or Run(directive.text, computation(M, definitions), item.span)


def computation(M: Expr, definitions: Definitions) -> Computation:
    """An expression in which nothing is bound but what is declared."""
    return Terms(Scope(definitions)).block(M)


def data(item: s.DataItem, definitions: Definitions) -> DataDeclaration:
    """A data type. Its key is that of an equal one that has or had its name, or else new."""
    _reject_built_in(item.name, BASES | MACHINE | {UNIT_NAME}, "type")
    reject_twice([p.name for p in item.parameters], "give each parameter a different name")
    reject_twice([k.name for k in item.constructors], "give each constructor a different name")
    for key in definitions.of_name(item.name.text, definitions.types.get(item.name.text)):
        if (made := _data(item, key, definitions)) == definitions.declared[key]:
            return made
    others = {k.name for d in definitions.declared.values() if isinstance(d, DataDeclaration) for k in d.constructors}
    return _data(item, _key(item.name.text, [k.name.text for k in item.constructors], others, definitions), definitions)


def _data(item: s.DataItem, key: str, definitions: Definitions) -> DataDeclaration:
    """A data type that has this key, also in its own fields."""
    variables = [p.name.text for p in item.parameters if not p.is_row]
    rows = [p.name.text for p in item.parameters if p.is_row]
    types = Types({**definitions.types, item.name.text: key}, definitions.effects, variables, rows, is_generic=False)
    constructors = [Constructor(marked(key, k.name.text), tuple([types.value(A) for A in k.fields])) for k in item.constructors]
    return DataDeclaration(key, _parameters(item.parameters), tuple(constructors))


def effect(item: s.EffectItem, definitions: Definitions) -> EffectDeclaration:
    """An effect, with a key as a data type has. An operation is generic in the variables that are no parameters of it."""
    _reject_built_in(item.name, {E.name for E in EFFECTS}, "effect")
    reject_twice([p.name for p in item.parameters], "give each parameter a different name")
    reject_twice([o.name for o in item.operations], "give each operation of an effect a different name")
    for key in definitions.of_name(item.name.text, definitions.effects.get(item.name.text)):
        if (made := _effect(item, key, definitions)) == definitions.declared[key]:
            return made
    others = {o.name for d in definitions.declared.values() if isinstance(d, EffectDeclaration) for o in d.operations}
    return _effect(item, _key(item.name.text, [o.name.text for o in item.operations], others, definitions), definitions)


def _effect(item: s.EffectItem, key: str, definitions: Definitions) -> EffectDeclaration:
    """An effect that has this key, also in the types of its own operations."""
    variables = [p.name.text for p in item.parameters if not p.is_row]
    rows = [p.name.text for p in item.parameters if p.is_row]
    operations: list[Operation] = []
    for o in item.operations:
        types = Types(definitions.types, {**definitions.effects, item.name.text: key}, variables, rows)
        domain = tuple([types.value(A) for A in o.domain])
        codomain = types.value(o.codomain)
        operations.append(Operation(marked(key, o.name.text), domain, codomain, tuple(types.found)))
    return EffectDeclaration(key, _parameters(item.parameters), tuple(operations))


def functions(items: Sequence[s.FunItem], definitions: Definitions) -> tuple[FunctionDefinition, ...]:
    """Functions, whose keys are new; in the body of each the names of all of them stand for themselves."""
    reject_twice([item.name for item in items], "give each function a different name")
    keys = {item.name.text: definitions.key(item.name.text, _reserved(definitions)) for item in items}
    return tuple([_function(item, keys, definitions) for item in items])


def _function(item: s.FunItem, keys: Mapping[str, str], definitions: Definitions) -> FunctionDefinition:
    terms = Terms(Scope(definitions, keys))
    body = terms.abstraction(tuple([p for p, _ in item.parameters]), item.body, item.body.span)
    types = Types(definitions.types, definitions.effects)
    domains = tuple([None if A is None else types.value(A) for _, A in item.parameters])
    row, C = (None, None) if item.result is None else types.computation(item.result)
    return FunctionDefinition(keys[item.name.text], Thunk(body, span=item.span), Signature(domains, row, C), span=item.span)


def handler(item: s.HandlerItem, definitions: Definitions) -> HandlerDefinition:
    """A handler, whose key is new; in its clauses its name stands for itself."""
    reject_twice([x for x, _ in item.parameters], "give each parameter a different name")
    key = definitions.key(item.name.text, _reserved(definitions))
    scope = Scope(definitions)
    parameters = [x.text for x, _ in item.parameters]
    scope.enter(parameters)
    clauses = Terms(scope, (item.name.text, key), len(parameters)).clauses(item.clauses)
    types = Types(definitions.types, definitions.effects)
    domains = tuple([None if A is None else types.value(A) for _, A in item.parameters])
    return HandlerDefinition(key, tuple(parameters), clauses, domains, span=item.span)


def _parameters(written: Iterable[s.Parameter]) -> tuple[Parameter, ...]:
    return tuple([Parameter(p.name.text, p.is_row) for p in written])


def _key(name: str, members: list[str], others: set[str], definitions: Definitions) -> str:
    """A key that nothing has yet, such that none of the members has one that a member of another declaration has."""
    key, n = name, 1
    taken = others | definitions.declared.keys() | _reserved(definitions)
    while not taken.isdisjoint([key, *[marked(key, member) for member in members]]):
        n += 1
        key = f"{name}#{n}"
    return key


def _reserved(definitions: Definitions) -> Set[str]:
    """The keys that only declarations of the library have."""
    return library.homes().keys() if definitions.is_session else frozenset[str]()


def _reject_built_in(name: Name, built_in: Set[str], kind: str) -> None:
    if name.text in built_in:
        raise Rejected(BuiltInName(span=name.span, name=name.text, hint=f"choose another name for the {kind}"))


def _asked(M: Var, definitions: Definitions) -> Asked | None:
    """What a name stands for that is no expression."""
    x, span = M.name, M.span
    if is_upper(x):
        members, kind = definitions.constructors, "constructor"
    elif x in definitions.functions:
        return None
    elif x in definitions.handlers and x not in definitions.operations:
        return Asked("handler", definitions.handlers[x], span)
    else:
        members, kind = definitions.operations, "operation"
    if x in members:
        return Asked(kind, marked(members[x], x), span)
    for names, kind in ((definitions.types, "type"), (definitions.effects, "effect")):
        if x in names:
            return Asked(kind, names[x], span)
    return None
