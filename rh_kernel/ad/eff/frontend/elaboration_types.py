"""Elaboration of the types of ``%%eff`` cells: names become keys, and implicit rows explicit.

In a signature, as in Frank, a row without a row variable has the implicit one, ε, and an omitted row is ``[]``. In
declarations rows are taken literally.
"""

from collections.abc import Collection, Mapping
from typing import NoReturn

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.core import IMPLICIT
from rh_kernel.ad.eff.frontend import surface as s
from rh_kernel.ad.eff.frontend.lexing import is_upper
from rh_kernel.ad.eff.frontend.resolving import EFFECT, undeclared, unknown
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.surface import Name
from rh_kernel.typing.errors import WrongKindOfName, WrongNumberOfArguments

BASES = frozenset({"Float", "Int", "Text", "Tensor"})
"""The names of the base types."""

UNIT_NAME = "Unit"
"""The name of the nullary product."""

CELLS = frozenset({"Ref", "Array"})
"""The names of the machine's types of cells."""


class TypeElaborator:
    """Elaborates types, given the keys of data types and effects.

    In a declaration, ``variables`` and ``rows`` are its parameters, the only variables there unless it ``is_generic`` in
    others, as an operation is; these are collected in ``generic``.
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
        self.generic: list[str] = []

    def value(self, A: s.Type) -> t.ValueType:
        """Elaborate a value type."""
        match A:
            case s.ProductType(components):
                return t.Product(tuple([self.value(B) for B in components]))
            case s.ThunkType(C):
                row, D = self.computation(C)
                return t.Thunk(row, D)
            case s.NamedType(name, arguments) if not is_upper(name.text):
                if arguments:
                    _takes_none(name, len(arguments))
                return self._variable(name)
            case s.NamedType(name, arguments) if name.text in BASES | {UNIT_NAME} and name.text not in self._types:
                if arguments:
                    _takes_none(name, len(arguments))
                return t.UNIT if name.text == UNIT_NAME else t.Base(name.text)
            case s.NamedType(name, arguments):
                return t.Data(self._type(name), self._arguments(arguments))

    def computation(self, C: s.ComputationType) -> tuple[t.Row, t.ComputationType]:
        """Elaborate a computation type, with the row after its last arrow."""
        row = self._completed(t.Row()) if C.row is None else self.row(C.row)
        D: t.ComputationType
        if C.sides is not None:
            (_, left), (_, right) = map(self.computation, C.sides)
            D = t.With(left, right)
        else:
            assert C.result is not None
            D = t.Returner(self.value(C.result))
        for A in reversed(C.domains):
            D = t.Function(self.value(A), D)
        return row, D

    def row(self, E: s.Row) -> t.Row:
        """Elaborate an explicit row."""
        labels = tuple([t.Label(self._effect(L.name), self._arguments(L.arguments)) for L in E.labels])
        if E.tail is None:
            return self._completed(t.Row(labels))
        if self._variables is not None and E.tail.text not in self._rows:
            hint = "" if not self._rows else f"its rows are {', '.join(sorted(self._rows))}"
            raise unknown(E.tail, self._rows, hint or "write a row parameter as [e]")
        return t.Row(labels, t.RowVariable(E.tail.text))

    def _completed(self, row: t.Row) -> t.Row:
        """A row without a row variable, to which a signature adds the implicit one."""
        return t.Row(row.labels, t.RowVariable(IMPLICIT)) if self._variables is None else row

    def _arguments(self, arguments: tuple[s.Type | s.Row, ...]) -> tuple[t.ValueType | t.Row, ...]:
        return tuple([self.row(A) if isinstance(A, s.Row) else self.value(A) for A in arguments])

    def _variable(self, name: Name) -> t.Variable:
        if self._variables is not None and name.text not in self._variables:
            if name.text in self._rows:
                hint = f"as an argument it is written [{name.text}]"
                is_a, wanted = "a row", "a type"
                raise Rejected(WrongKindOfName(span=name.span, name=name.text, is_a=is_a, wanted=wanted, hint=hint))
            if not self._is_generic:
                raise unknown(name, self._variables, "a generic declaration needs the type as a parameter")
            if name.text not in self.generic:
                self.generic.append(name.text)
        return t.Variable(name.text)

    def _type(self, name: Name) -> str:
        found = self._types.get(name.text) or (name.text if name.text in CELLS else None)
        if found is None:
            self._reject_kind(name, self._effects, "an effect", "a type", "an effect stands in a row: {[e | %s] A}")
            raise undeclared(name, [*self._types, *BASES, *CELLS, UNIT_NAME], "a type is declared by data D = K A | …")
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
