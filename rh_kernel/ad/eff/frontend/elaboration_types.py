"""Types of ``%%eff`` cells to core: names of data types and effects to their keys, what may be left out put in.

In a signature a row without a variable of its own has the variable ε, and a row that is left out is ``[]``, as in Frank; in
declarations rows are as they are written.
"""

from collections.abc import Collection, Mapping
from typing import NoReturn

from rh_kernel.ad.eff.core import IMPLICIT
from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.resolving import EFFECT, undeclared, unknown
from rh_kernel.ad.eff.types import (
    UNIT,
    Base,
    ComputationType,
    Data,
    Function,
    Label,
    Product,
    Returner,
    Row,
    RowVariable,
    Thunk,
    ValueType,
    Variable,
    With,
)
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import WrongKindOfName, WrongNumberOfArguments

BASES = frozenset({"Float", "Int", "Text", "Tensor"})
"""The names of the types whose values are no more than one thing."""

UNIT_NAME = "Unit"
"""The name of the product of nothing."""

MACHINE = frozenset({"Ref", "Array"})
"""The names of the types of cells."""


class Types:
    """What the names in types stand for.

    ``types`` and ``effects`` are the keys of declared names. In a declaration ``variables`` and ``rows`` are its parameters,
    and nothing else is a variable there; but operations may be generic in others, which are ``found``.
    """

    def __init__(
        self,
        types: Mapping[str, str],
        effects: Mapping[str, str],
        variables: Collection[str] | None = None,
        rows: Collection[str] = (),
        *,
        is_generic: bool = True,
    ) -> None:
        self._types = types
        self._effects = effects
        self._variables = variables
        self._rows = rows
        self._is_generic = is_generic
        self.found: list[str] = []

    def value(self, A: s.Type) -> ValueType:
        """A value type."""
        match A:
            case s.ProductType(components):
                return Product(tuple([self.value(B) for B in components]))
            case s.ThunkType(C):
                row, D = self.computation(C)
                return Thunk(row, D)
            case s.NamedType(name, arguments) if not is_upper(name.text):
                if arguments:
                    _takes_none(name, len(arguments))
                return self._variable(name)
            case s.NamedType(name, arguments) if name.text in BASES | {UNIT_NAME} and name.text not in self._types:
                if arguments:
                    _takes_none(name, len(arguments))
                return UNIT if name.text == UNIT_NAME else Base(name.text)
            case s.NamedType(name, arguments):
                return Data(self._type(name), self._arguments(arguments))

    def computation(self, C: s.ComputationType) -> tuple[Row, ComputationType]:
        """The row of a computation and its type; the row is that of the end of its arrows."""
        row = self._completed(Row()) if C.row is None else self.row(C.row)
        D: ComputationType
        if C.sides is not None:
            (_, left), (_, right) = map(self.computation, C.sides)
            D = With(left, right)
        else:
            assert C.result is not None
            D = Returner(self.value(C.result))
        for A in reversed(C.domains):
            D = Function(self.value(A), D)
        return row, D

    def row(self, E: s.Row) -> Row:
        """A row that is written."""
        labels = tuple([Label(self._effect(L.name), self._arguments(L.arguments)) for L in E.labels])
        if E.tail is None:
            return self._completed(Row(labels))
        if self._variables is not None and E.tail.text not in self._rows:
            hint = "" if not self._rows else f"its rows are {', '.join(sorted(self._rows))}"
            raise unknown(E.tail, self._rows, hint or "write a row parameter as [e]")
        return Row(labels, RowVariable(E.tail.text))

    def _completed(self, row: Row) -> Row:
        """A row without a variable of its own: in a signature it has the one that nobody writes."""
        return Row(row.labels, RowVariable(IMPLICIT)) if self._variables is None else row

    def _arguments(self, arguments: tuple[s.Type | s.Row, ...]) -> tuple[ValueType | Row, ...]:
        return tuple([self.row(A) if isinstance(A, s.Row) else self.value(A) for A in arguments])

    def _variable(self, name: Name) -> Variable:
        if self._variables is not None and name.text not in self._variables:
            if name.text in self._rows:
                hint = f"as an argument it is written [{name.text}]"
                is_a, wanted = "a row", "a type"
                raise Rejected(WrongKindOfName(span=name.span, name=name.text, is_a=is_a, wanted=wanted, hint=hint))
            if not self._is_generic:
                raise unknown(name, self._variables, "a generic declaration needs the type as a parameter")
            if name.text not in self.found:
                self.found.append(name.text)
        return Variable(name.text)

    def _type(self, name: Name) -> str:
        found = self._types.get(name.text) or (name.text if name.text in MACHINE else None)
        if found is None:
            self._reject_kind(name, self._effects, "an effect", "a type", "an effect stands in a row: {[e | %s] A}")
            raise undeclared(name, [*self._types, *BASES, *MACHINE, UNIT_NAME], "a type is declared by data D = K A | …")
        return found

    def _effect(self, name: Name) -> str:
        found = self._effects.get(name.text)
        if found is None:
            self._reject_kind(name, self._types, "a type", "an effect", "a row contains only effects")
            raise undeclared(name, self._effects, EFFECT)
        return found

    def _reject_kind(self, name: Name, others: Mapping[str, str], is_a: str, wanted: str, hint: str) -> None:
        if name.text in others:
            hint = hint.replace("%s", name.text)
            raise Rejected(WrongKindOfName(span=name.span, name=name.text, is_a=is_a, wanted=wanted, hint=hint))


def _takes_none(name: Name, given: int) -> NoReturn:
    arguments = "one argument" if given == 1 else f"{given} arguments"
    hint = f"next to other types, put a type with arguments in brackets; `{name.text}` has none"
    raise Rejected(WrongNumberOfArguments(span=name.span, name=name.text, wanted="no arguments", given=arguments, hint=hint))
