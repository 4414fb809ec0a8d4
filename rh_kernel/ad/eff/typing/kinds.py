"""Well-formed types and declarations (Sigal 2024, Fig. 7.13). Unlike there, effects may be recursive."""

from collections.abc import Collection, Iterable, Sequence

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.typing.type_traversal import TypeNode, nodes
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import UnknownName, WrongNumberOfArguments

_CELLS = {"Ref": (t.Parameter("x"),), "Array": (t.Parameter("x"),)}
"""The parameters of the machine's types of cells, which have no constructors."""


def declaring(constructor: str, definitions: Definitions) -> t.DataDeclaration:
    """The data type of a constructor."""
    name = shown(constructor)
    if name in definitions.constructors:
        newest = definitions.data(definitions.constructors[name])
        if any(K.name == constructor for K in newest.constructors):
            return newest
    older = (d for d in definitions.declared.values() if isinstance(d, t.DataDeclaration))
    return next(d for d in older if any(K.name == constructor for K in d.constructors))


def check_kinds(
    types: Iterable[TypeNode | None], definitions: Definitions, span: Span | None, scope: Collection[str] | None = None
) -> None:
    """``Θ ⊢ A : Val``, ``Θ ⊢ E : Eff`` and ``Θ ⊢ C : Comp``: names have as many arguments of each kind as they take.

    ``scope`` are the variables that may occur, ``None`` for all. Raises ``Rejected`` with a diagnostic at ``span``.
    """
    for node in (node for A in types if A is not None for node in nodes(A)):
        match node:
            case t.Variable(name) | t.RowVariable(name) if scope is not None and name not in scope:
                hint = "a declaration can only use its own type parameters: add this one to them"
                raise Rejected(UnknownName(span=span, name=name, expected="one of the parameters", hint=hint))
            case t.Data(name, arguments):
                parameters = _CELLS[name] if name in _CELLS else definitions.data(name).parameters
                _check_arguments(name, parameters, arguments, span)
            case t.Label(effect, arguments):
                _check_arguments(effect, definitions.effect(effect).parameters, arguments, span)
            case _:
                pass


def _check_arguments(
    name: str, parameters: Sequence[t.Parameter], arguments: Sequence[t.ValueType | t.Row], span: Span | None
) -> None:
    wanted, given = [p.is_row for p in parameters], [isinstance(A, t.Row) for A in arguments]
    if wanted != given:
        example = " ".join([shown(name), *(f"[{p.name}]" if p.is_row else p.name for p in parameters)])
        hint = f"it is written `{example}`"
        raise Rejected(
            WrongNumberOfArguments(span=span, name=shown(name), wanted=_kinds(wanted), given=_kinds(given), hint=hint)
        )


def check_data(declaration: t.DataDeclaration, definitions: Definitions, span: Span | None = None) -> Definitions:
    """The definitions with ``data D x… = K A… | …``, whose fields may have type D. Raises ``Rejected``."""
    found = definitions.with_(declaration)
    scope = [p.name for p in declaration.parameters]
    check_kinds([A for K in declaration.constructors for A in K.fields], found, span, scope)
    return found


def check_effect(declaration: t.EffectDeclaration, definitions: Definitions, span: Span | None = None) -> Definitions:
    """The definitions with ``effect L x… = op : A -> … -> B | …``, whose thunks may perform L. Raises ``Rejected``."""
    found = definitions.with_(declaration)
    for operation in declaration.operations:
        scope = [*(p.name for p in declaration.parameters), *operation.variables]
        check_kinds((*operation.domain, operation.codomain), found, span, scope)
    return found


def _kinds(rows: Sequence[bool]) -> str:
    """How a message counts arguments, given which of them are rows."""
    if not rows:
        return "nothing"
    of_types, of_rows = rows.count(False), rows.count(True)
    types = f"{of_types} type{'s' if of_types > 1 else ''}" if of_types else ""
    several = f"{of_rows} rows in brackets" if of_rows > 1 else "a row in brackets"
    return " and ".join(part for part in (types, several if of_rows else "") if part)
