"""Types that are well formed (Sigal 2024, Fig. 7.13): what is applied to what. Unlike there, effects may be recursive."""

from collections.abc import Collection, Iterator, Sequence

from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.types import (
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    DataDeclaration,
    EffectDeclaration,
    Function,
    Meta,
    Parameter,
    Product,
    Returner,
    Row,
    RowMeta,
    RowVariable,
    Thunk,
    ValueType,
    Variable,
    With,
)
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import UnknownName, WrongNumberOfArguments

CELLS = {"Ref": (Parameter("x"),), "Array": (Parameter("x"),)}
"""The types of the machine's cells, which have no constructors."""


def declaring(constructor: str, definitions: Definitions) -> DataDeclaration:
    """The data type of a constructor."""
    name = shown(constructor)
    if name in definitions.constructors:
        newest = definitions.data(definitions.constructors[name])
        if any(K.name == constructor for K in newest.constructors):
            return newest
    older = (d for d in definitions.declared.values() if isinstance(d, DataDeclaration))
    return next(d for d in older if any(K.name == constructor for K in d.constructors))


class Kinds:
    """``Θ ⊢ A : Val``, ``Θ ⊢ E : Eff`` and ``Θ ⊢ C : Comp``: names that are known, with as many arguments as they take.

    ``scope`` are the variables that may occur; all may where it is ``None``.
    """

    __slots__ = ("_definitions", "_scope", "_span")

    def __init__(self, definitions: Definitions, span: Span | None, scope: Collection[str] | None = None) -> None:
        self._definitions, self._span, self._scope = definitions, span, scope

    def value(self, A: ValueType) -> None:
        """``Θ ⊢ A : Val``"""
        match A:
            case Variable(name):
                self._variable(name)
            case Base() | Meta():
                return
            case Product(components):
                for B in components:
                    self.value(B)
            case Data(name, arguments):
                parameters = CELLS[name] if name in CELLS else self._definitions.data(name).parameters
                self._arguments(name, parameters, arguments)
            case Thunk(row, computation):
                self.row(row)
                self.computation(computation)

    def row(self, E: Row) -> None:
        """``Θ ⊢ E : Eff``"""
        match E.tail:
            case RowVariable(name):
                self._variable(name)
            case RowMeta() | None:
                pass
        for L in E.labels:
            self._arguments(L.effect, self._definitions.effect(L.effect).parameters, L.arguments)

    def computation(self, C: ComputationType) -> None:
        """``Θ ⊢ C : Comp``"""
        match C:
            case Returner(A):
                self.value(A)
            case Function(A, D):
                self.value(A)
                self.computation(D)
            case With(D, D2):
                self.computation(D)
                self.computation(D2)
            case ComputationMeta():
                return

    def _variable(self, name: str) -> None:
        if self._scope is not None and name not in self._scope:
            hint = "a declaration can only use its own type parameters: add this one to them"
            raise Rejected(UnknownName(span=self._span, name=name, expected="one of the parameters", hint=hint))

    def _arguments(self, name: str, parameters: Sequence[Parameter], arguments: Sequence[ValueType | Row]) -> None:
        if [p.is_row for p in parameters] != [isinstance(A, Row) for A in arguments]:
            wanted, given = _kinds(p.is_row for p in parameters), _kinds(isinstance(A, Row) for A in arguments)
            example = " ".join([shown(name), *(f"[{p.name}]" if p.is_row else p.name for p in parameters)])
            name, hint = shown(name), f"it is written `{example}`"
            raise Rejected(WrongNumberOfArguments(span=self._span, name=name, wanted=wanted, given=given, hint=hint))
        for A in arguments:
            if isinstance(A, Row):
                self.row(A)
            else:
                self.value(A)


def check_data(declaration: DataDeclaration, definitions: Definitions, span: Span | None = None) -> Definitions:
    """With ``data D x… = K A… | …``, whose constructors may have fields of D itself."""
    found = definitions.with_(declaration)
    kinds = Kinds(found, span, [p.name for p in declaration.parameters])
    for constructor in declaration.constructors:
        for A in constructor.fields:
            kinds.value(A)
    return found


def check_effect(declaration: EffectDeclaration, definitions: Definitions, span: Span | None = None) -> Definitions:
    """With ``effect L x… = op : A -> … -> B | …``, whose operations may have thunks that do L itself."""
    found = definitions.with_(declaration)
    for operation in declaration.operations:
        kinds = Kinds(found, span, [*(p.name for p in declaration.parameters), *operation.variables])
        for A in (*operation.domain, operation.codomain):
            kinds.value(A)
    return found


def _kinds(rows: Iterator[bool]) -> str:
    found = list(rows)
    if not found:
        return "nothing"
    of_types, of_rows = len(found) - sum(found), sum(found)
    types = f"{of_types} type{'s' if of_types > 1 else ''}" if of_types else ""
    several = f"{of_rows} rows in brackets" if of_rows > 1 else "a row in brackets"
    return " and ".join(part for part in (types, several if of_rows else "") if part)
