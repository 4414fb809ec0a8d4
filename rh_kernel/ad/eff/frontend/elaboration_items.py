"""Elaboration of the items of ``%%eff`` cells: declarations get keys, and other items become requests."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import TypeAlias, TypeVar

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.builtin_effects import EFFECTS
from rh_kernel.ad.eff.core import Computation, FunctionDefinition, HandlerDefinition, Signature, Thunk
from rh_kernel.ad.eff.definitions import Definitions, member_key
from rh_kernel.ad.eff.frontend import surface_items as s
from rh_kernel.ad.eff.frontend.elaboration import ExpressionElaborator
from rh_kernel.ad.eff.frontend.elaboration_types import BASES, CELLS, UNIT_NAME, TypeElaborator
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.resolving import Scope, reject_duplicates
from rh_kernel.ad.eff.frontend.surface import Expr, Var
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import BuiltInName


@frozen
class Run:
    """A computation to run; or to trace, count or type-check, as the ``directive`` says."""

    directive: str
    computation: Computation
    span: Span


@frozen
class TypeQuery:
    """``%type evaluate``, for the key of a declaration that is not an expression.

    ``kind`` is ``handler``, ``constructor``, ``operation``, ``type`` or ``effect``.
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
    """Mutually recursive functions."""

    functions: tuple[FunctionDefinition, ...]
    span: Span


Declared = TypeVar("Declared", t.DataDeclaration, t.EffectDeclaration)

Elaborated: TypeAlias = (
    t.DataDeclaration | t.EffectDeclaration | FunctionDefinition | Group | HandlerDefinition | Run | TypeQuery | Include
)


def elaborate(item: s.Item, definitions: Definitions) -> Elaborated:
    """Elaborate an item. Raises ``Rejected``."""
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
            query = _type_query(M, definitions) if directive.text == "type" and isinstance(M, Var) else None
            return query or Run(directive.text, computation(M, definitions), item.span)


def computation(M: Expr, definitions: Definitions) -> Computation:
    """Elaborate an expression whose free names are declared. Raises ``Rejected``."""
    return ExpressionElaborator(Scope(definitions)).block(M)


def data(item: s.DataItem, definitions: Definitions) -> t.DataDeclaration:
    """Elaborate a data type. Raises ``Rejected``."""
    _reject_built_in(item.name, BASES | CELLS | {UNIT_NAME}, "type")
    reject_duplicates([p.name for p in item.parameters], "give each parameter a different name")
    reject_duplicates([k.name for k in item.constructors], "give each constructor a different name")
    others = {k.name for d in definitions.declared.values() if isinstance(d, t.DataDeclaration) for k in d.constructors}
    members = [k.name.text for k in item.constructors]
    return _keyed(item.name.text, members, definitions.types, others, definitions, lambda key: _data(item, key, definitions))


def _data(item: s.DataItem, key: str, definitions: Definitions) -> t.DataDeclaration:
    """The data type with this key, to which its name refers in its own fields."""
    types = _parameterised(item, {**definitions.types, item.name.text: key}, definitions.effects, is_generic=False)
    constructors = [
        t.Constructor(member_key(key, k.name.text), tuple([types.value(A) for A in k.fields])) for k in item.constructors
    ]
    return t.DataDeclaration(key, _parameters(item.parameters), tuple(constructors))


def effect(item: s.EffectItem, definitions: Definitions) -> t.EffectDeclaration:
    """Elaborate an effect; its operations may be generic in variables other than its parameters. Raises ``Rejected``."""
    _reject_built_in(item.name, {E.name for E in EFFECTS}, "effect")
    reject_duplicates([p.name for p in item.parameters], "give each parameter a different name")
    reject_duplicates([o.name for o in item.operations], "give each operation of an effect a different name")
    others = {o.name for d in definitions.declared.values() if isinstance(d, t.EffectDeclaration) for o in d.operations}
    members = [o.name.text for o in item.operations]
    return _keyed(
        item.name.text, members, definitions.effects, others, definitions, lambda key: _effect(item, key, definitions)
    )


def _effect(item: s.EffectItem, key: str, definitions: Definitions) -> t.EffectDeclaration:
    """The effect with this key, to which its name refers in its own operations."""
    operations: list[t.Operation] = []
    for o in item.operations:
        types = _parameterised(item, definitions.types, {**definitions.effects, item.name.text: key}, is_generic=True)
        domain = tuple([types.value(A) for A in o.domain])
        codomain = types.value(o.codomain)
        operations.append(t.Operation(member_key(key, o.name.text), domain, codomain, tuple(types.generic)))
    return t.EffectDeclaration(key, _parameters(item.parameters), tuple(operations))


def _parameterised(
    item: s.DataItem | s.EffectItem, types: Mapping[str, str], effects: Mapping[str, str], *, is_generic: bool
) -> TypeElaborator:
    variables = [p.name.text for p in item.parameters if not p.is_row]
    rows = [p.name.text for p in item.parameters if p.is_row]
    return TypeElaborator(types, effects, variables, rows, is_generic=is_generic)


def _keyed(
    name: str,
    members: Sequence[str],
    current: Mapping[str, str],
    others: Set[str],
    definitions: Definitions,
    make: Callable[[str], Declared],
) -> Declared:
    """Make a declaration with the key of an equal one that has or had its name, or else with a new key.

    With a new key, no member has the key of one of the ``others``, the members of other declarations.
    """
    for key in definitions.keys_of(name, current.get(name)):
        if (made := make(key)) == definitions.declared[key]:
            return made
    key, n = name, 1
    taken = others | definitions.declared.keys() | _reserved(definitions)
    while not taken.isdisjoint([key, *[member_key(key, member) for member in members]]):
        n += 1
        key = f"{name}#{n}"
    return make(key)


def functions(items: Sequence[s.FunItem], definitions: Definitions) -> tuple[FunctionDefinition, ...]:
    """Elaborate mutually recursive functions, with new keys. Raises ``Rejected``."""
    reject_duplicates([item.name for item in items], "give each function a different name")
    keys = {item.name.text: definitions.key(item.name.text, _reserved(definitions)) for item in items}
    return tuple([_function(item, keys, definitions) for item in items])


def _function(item: s.FunItem, keys: Mapping[str, str], definitions: Definitions) -> FunctionDefinition:
    elaborator = ExpressionElaborator(Scope(definitions, keys))
    body = elaborator.abstraction(tuple([p for p, _ in item.parameters]), item.body, item.body.span)
    types = TypeElaborator(definitions.types, definitions.effects)
    domains = tuple([None if A is None else types.value(A) for _, A in item.parameters])
    row, C = (None, None) if item.result is None else types.computation(item.result)
    return FunctionDefinition(keys[item.name.text], Thunk(body, span=item.span), Signature(domains, row, C), span=item.span)


def handler(item: s.HandlerItem, definitions: Definitions) -> HandlerDefinition:
    """Elaborate a handler, which may be recursive, with a new key. Raises ``Rejected``."""
    reject_duplicates([x for x, _ in item.parameters], "give each parameter a different name")
    key = definitions.key(item.name.text, _reserved(definitions))
    scope = Scope(definitions)
    parameters = [x.text for x, _ in item.parameters]
    scope.enter(parameters)
    clauses = ExpressionElaborator(scope, (item.name.text, key), len(parameters)).clauses(item.clauses)
    types = TypeElaborator(definitions.types, definitions.effects)
    domains = tuple([None if A is None else types.value(A) for _, A in item.parameters])
    return HandlerDefinition(key, tuple(parameters), clauses, domains, span=item.span)


def _parameters(written: Iterable[s.Parameter]) -> tuple[t.Parameter, ...]:
    return tuple([t.Parameter(p.name.text, p.is_row) for p in written])


def _reserved(definitions: Definitions) -> Set[str]:
    """In a session, the keys of the library's declarations, which no other declaration gets."""
    return library.declaring_programs().keys() if definitions.is_session else frozenset[str]()


def _reject_built_in(name: Name, built_in: Set[str], kind: str) -> None:
    if name.text in built_in:
        raise Rejected(BuiltInName(span=name.span, name=name.text, hint=f"choose another name for the {kind}"))


def _type_query(M: Var, definitions: Definitions) -> TypeQuery | None:
    """The request for the type of a name that is not an expression, if it is that."""
    x, span = M.name, M.span
    if is_upper(x):
        members, kind = definitions.constructors, "constructor"
    elif x in definitions.functions:
        return None
    elif x in definitions.handlers and x not in definitions.operations:
        return TypeQuery("handler", definitions.handlers[x], span)
    else:
        members, kind = definitions.operations, "operation"
    if x in members:
        return TypeQuery(kind, member_key(members[x], x), span)
    for names, kind in ((definitions.types, "type"), (definitions.effects, "effect")):
        if x in names:
            return TypeQuery(kind, names[x], span)
    return None
