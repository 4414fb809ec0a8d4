"""The typing of values and patterns, ``Θ; Γ ⊢ V : A``, against an expected type that may be unknown (Sigal 2024, Fig. 7.14)."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    TENSOR,
    TEXT,
    ComputationType,
    Data,
    HandlerScheme,
    Parameter,
    Product,
    Row,
    Scheme,
    ValueType,
)
from rh_kernel.ad.eff.types import Thunk as ThunkType
from rh_kernel.ad.eff.typing.diagnostics import TypeDiagnostics
from rh_kernel.ad.eff.typing.instantiation import Instance, applied
from rh_kernel.ad.eff.typing.kinds import declaring
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns

Own: TypeAlias = Scheme | HandlerScheme | core.FunctionDefinition | core.HandlerDefinition
"""What is assumed in its own body of what is declared: any type, where nothing but its definition is there."""

Bound: TypeAlias = tuple[str, ValueType | None]


class ValueInference(ABC):
    """What is known while one item is typed.

    ``numbers`` are the types of its literals, in the order in which they are met; ``is_recursive`` says whether the item uses
    what it declares, of which ``own`` is assumed. Once literals are resolved, ``2`` is an ``Int``. ``cells`` are the
    types of references.
    """

    __slots__ = (
        "_complaints",
        "_definitions",
        "_gamma",
        "_is_settled",
        "cells",
        "is_recursive",
        "numbers",
        "own",
        "unknowns",
    )

    def __init__(self, definitions: Definitions, *, is_settled: bool = False) -> None:
        self._definitions, self._is_settled = definitions, is_settled
        self.cells: dict[int, ValueType] = {}
        self._gamma: dict[str, ValueType] = {}
        self.numbers: list[ValueType] = []
        self.own: dict[str, Own] = {}
        self.is_recursive = False
        self.unknowns = Unknowns()
        self._complaints = TypeDiagnostics(definitions, self.unknowns)

    def assume(self, name: str, A: ValueType) -> None:
        """``Γ, x : A``"""
        self._gamma[name] = A

    # -------------------------------------------------------------------------------------------- values

    def value(self, V: core.Value, A: ValueType, E: Row) -> None:
        """``Γ ⊢ V : A``; E is the row in whose midst V stands, and nothing but complaints speak of it."""
        while True:
            match V:
                case core.Variable(name):
                    return self._equal(self._gamma[name], A, V, E)
                case core.Global(name):
                    return self._equal(self._declared(name), A, V, E)
                case core.Literal(value):
                    return self._equal(self._literal(value), A, V, E)
                case core.Reference(number):
                    return self._equal(self.cells[number], A, V, E)
                case core.Tuple(components):
                    types = self._factors(A, len(components))
                    self._equal(Product(types), A, V, E)
                    for W, B in zip(components, types, strict=True):
                        self.value(W, B, E)
                    return None
                case core.Thunk(body):
                    match self.unknowns.known(A):
                        case ThunkType(row, C):
                            return self.computation(body, row, C)
                        case _:
                            made = ThunkType(self.unknowns.row(), self.unknowns.computation_type())
                            self._equal(made, A, V, E)
                            return self.computation(body, made.row, made.computation)
                case core.Constructed(constructor, fields):
                    found, types = self._construction(constructor)
                    self._equal(found, A, V, E)
                    # A long list is a value inside a value, as often as it has entries.
                    for W, B in zip(fields[:-1], types[:-1], strict=True):
                        self.value(W, B, E)
                    if not fields:
                        return None
                    V, A = fields[-1], types[-1]

    def _literal(self, value: float | str | Tensor) -> ValueType:
        if isinstance(value, str):
            return TEXT
        if isinstance(value, Tensor):
            return TENSOR
        if isinstance(value, float):
            return FLOAT
        if self._is_settled:
            return INT
        self.numbers.append(A := self.unknowns.type(numeric=True))
        return A

    def _declared(self, name: str) -> ValueType:
        scheme = self._itself(name) if name in self.own else self._definitions.function(name).scheme
        if isinstance(scheme, core.FunctionDefinition):
            return ThunkType(self.unknowns.row(), self.unknowns.computation_type())
        assert isinstance(scheme, Scheme)
        return self._new(scheme.variables, scheme.rows).value(scheme.type)

    def _itself(self, name: str) -> Own:
        self.is_recursive = True
        return self.own[name]

    def _construction(self, constructor: str) -> tuple[ValueType, tuple[ValueType, ...]]:
        """``D A…`` and the types of the fields of one of its constructors."""
        declared = declaring(constructor, self._definitions)
        arguments = self._arguments(declared.parameters)
        instance = applied(declared.parameters, arguments)
        found = next(K for K in declared.constructors if K.name == constructor)
        return Data(declared.name, arguments), tuple(map(instance.value, found.fields))

    def _factors(self, A: ValueType, count: int) -> tuple[ValueType, ...]:
        match self.unknowns.known(A):
            case Product(components) if len(components) == count:
                return components
            case _:
                return tuple(self.unknowns.type() for _ in range(count))

    # ------------------------------------------------------------------------------------------ patterns

    def _pattern(self, p: core.Pattern, A: ValueType, E: Row, bound: list[Bound]) -> None:
        """``p : A``, with the names of p in Γ from here on; what they were before is noted down."""
        match p:
            case core.AnyPattern():
                return
            case core.NamePattern(name):
                self._bind(name, A, bound)
            case core.LiteralPattern(value):
                self._equal(self._literal(value), A, p, E)
            case core.TuplePattern(components):
                types = self._factors(A, len(components))
                self._equal(Product(types), A, p, E)
                for q, B in zip(components, types, strict=True):
                    self._pattern(q, B, E, bound)
            case core.ConstructorPattern(constructor, fields):
                found, types = self._construction(constructor)
                self._equal(found, A, p, E)
                for q, B in zip(fields, types, strict=True):
                    self._pattern(q, B, E, bound)

    def _bind(self, name: str, A: ValueType, bound: list[Bound]) -> None:
        bound.append((name, self._gamma.get(name)))
        self._gamma[name] = A

    def _unbind(self, bound: list[Bound]) -> None:
        while bound:
            name, before = bound.pop()
            if before is None:
                del self._gamma[name]
            else:
                self._gamma[name] = before

    # ------------------------------------------------------------------------------------------ equations

    def _new(self, variables: Sequence[str], rows: Sequence[str]) -> Instance:
        return Instance({x: self.unknowns.type() for x in variables}, {e: self.unknowns.row() for e in rows})

    def _arguments(self, parameters: Sequence[Parameter]) -> tuple[ValueType | Row, ...]:
        return tuple(self.unknowns.row() if p.is_row else self.unknowns.type() for p in parameters)

    def _equal(self, found: ValueType, expected: ValueType, V: core.Value | core.Pattern, E: Row) -> None:
        try:
            self.unknowns.types(found, expected)
        except Mismatch as why:
            raise self._complaints.differ(found, expected, V, E, why) from None

    @abstractmethod
    def computation(self, M: core.Computation, E: Row, C: ComputationType) -> None:
        """``Γ ⊢_E M : C``"""
