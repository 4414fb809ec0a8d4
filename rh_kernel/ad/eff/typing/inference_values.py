"""Type inference of values and patterns (Sigal 2024, Fig. 7.14), ``Θ; Γ ⊢ V : A``, with unification."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.typing.diagnostics import Checkable, TypeDiagnostics
from rh_kernel.ad.eff.typing.instantiation import applied
from rh_kernel.ad.eff.typing.kinds import declaring
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns

Own: TypeAlias = t.Scheme | t.HandlerScheme | core.FunctionDefinition | core.HandlerDefinition
"""The type assumed of a declaration in its own body; a definition stands for a new unknown type at each use."""

Bound: TypeAlias = tuple[str, t.ValueType | None]
"""A name that was bound, and the type that it had outside of its scope."""


class ValueInference(ABC):
    """The state of the inference for one item.

    ``numbers`` are the types of its literals, in the order of the traversal; once ``literals_resolved``, ``2`` is an ``Int``.
    ``own`` are the types assumed of what the item declares, and ``is_recursive`` says whether the item uses that. ``cells``
    are the types of references.
    """

    __slots__ = (
        "_definitions",
        "_diagnostics",
        "_gamma",
        "_literals_resolved",
        "cells",
        "is_recursive",
        "numbers",
        "own",
        "unknowns",
    )

    def __init__(self, definitions: Definitions, *, literals_resolved: bool = False) -> None:
        self._definitions, self._literals_resolved = definitions, literals_resolved
        self.cells: dict[int, t.ValueType] = {}
        self._gamma: dict[str, t.ValueType] = {}
        self.numbers: list[t.ValueType] = []
        self.own: dict[str, Own] = {}
        self.is_recursive = False
        self.unknowns = Unknowns()
        self._diagnostics = TypeDiagnostics(definitions, self.unknowns)

    def assume(self, name: str, A: t.ValueType) -> None:
        """``Γ, x : A``"""
        self._gamma[name] = A

    # -------------------------------------------------------------------------------------------- values

    def value(self, V: core.Value, A: t.ValueType, E: t.Row) -> None:
        """Check ``Γ ⊢ V : A``; E is the row of the computation around V, for diagnostics. Raises ``Rejected``."""
        while True:
            match V:
                case core.Variable():
                    return self.equate(self.variable(V), A, V, E)
                case core.Global(name):
                    return self.equate(self._declared(name), A, V, E)
                case core.Literal(value):
                    return self.equate(self._literal(value), A, V, E)
                case core.Reference(number):
                    return self.equate(self.cells[number], A, V, E)
                case core.Tuple(components):
                    types = self._factors(A, len(components))
                    self.equate(t.Product(types), A, V, E)
                    for W, B in zip(components, types, strict=True):
                        self.value(W, B, E)
                    return None
                case core.Thunk(body):
                    match self.unknowns.known(A):
                        case t.Thunk(row, C):
                            return self.computation(body, row, C)
                        case _:
                            thunk = t.Thunk(self.unknowns.row(), self.unknowns.computation_type())
                            self.equate(thunk, A, V, E)
                            return self.computation(body, thunk.row, thunk.computation)
                case core.Constructed(constructor, fields):
                    found, types = self._construction(constructor)
                    self.equate(found, A, V, E)
                    # In a loop, since a list of n elements is nested n deep.
                    for W, B in zip(fields[:-1], types[:-1], strict=True):
                        self.value(W, B, E)
                    if not fields:
                        return None
                    V, A = fields[-1], types[-1]

    def variable(self, V: core.Variable) -> t.ValueType:
        """The type of a variable in Γ."""
        return self._gamma[V.name]

    def _literal(self, value: float | str | Tensor) -> t.ValueType:
        if isinstance(value, str):
            return t.TEXT
        if isinstance(value, Tensor):
            return t.TENSOR
        if isinstance(value, float):
            return t.FLOAT
        if self._literals_resolved:
            return t.INT
        self.numbers.append(A := self.unknowns.type(numeric=True))
        return A

    def _declared(self, name: str) -> t.ValueType:
        """An instance of the type of a declared function."""
        scheme = self._itself(name) if name in self.own else self._definitions.function(name).scheme
        if isinstance(scheme, core.FunctionDefinition):
            return t.Thunk(self.unknowns.row(), self.unknowns.computation_type())
        assert isinstance(scheme, t.Scheme)
        return self.unknowns.instance(scheme.variables, scheme.rows)(scheme.type)

    def _itself(self, name: str) -> Own:
        self.is_recursive = True
        return self.own[name]

    def _construction(self, constructor: str) -> tuple[t.ValueType, tuple[t.ValueType, ...]]:
        """``D A…`` and the types of the fields of one of its constructors."""
        declared = declaring(constructor, self._definitions)
        arguments = self._arguments(declared.parameters)
        instance = applied(declared.parameters, arguments)
        found = next(K for K in declared.constructors if K.name == constructor)
        return t.Data(declared.name, arguments), tuple(map(instance, found.fields))

    def _factors(self, A: t.ValueType, count: int) -> tuple[t.ValueType, ...]:
        match self.unknowns.known(A):
            case t.Product(components) if len(components) == count:
                return components
            case _:
                return tuple(self.unknowns.type() for _ in range(count))

    # ------------------------------------------------------------------------------------------ patterns

    def _pattern(self, p: core.Pattern, A: t.ValueType, E: t.Row, bound: list[Bound]) -> None:
        """Check ``p : A`` and add the names of p to Γ; the types that they hide are appended to ``bound``."""
        match p:
            case core.AnyPattern():
                return
            case core.NamePattern(name):
                self._bind(name, A, bound)
            case core.LiteralPattern(value):
                self.equate(self._literal(value), A, p, E)
            case core.TuplePattern(components):
                types = self._factors(A, len(components))
                self.equate(t.Product(types), A, p, E)
                for q, B in zip(components, types, strict=True):
                    self._pattern(q, B, E, bound)
            case core.ConstructorPattern(constructor, fields):
                found, types = self._construction(constructor)
                self.equate(found, A, p, E)
                for q, B in zip(fields, types, strict=True):
                    self._pattern(q, B, E, bound)

    def _bind(self, name: str, A: t.ValueType, bound: list[Bound]) -> None:
        bound.append((name, self._gamma.get(name)))
        self._gamma[name] = A

    def _unbind(self, bound: list[Bound], mark: int = 0) -> None:
        """Remove the names from Γ that were bound last, down to the first ``mark`` ones."""
        while len(bound) > mark:
            name, before = bound.pop()
            if before is None:
                del self._gamma[name]
            else:
                self._gamma[name] = before

    # ------------------------------------------------------------------------------------------ equations

    def _arguments(self, parameters: Sequence[t.Parameter]) -> tuple[t.ValueType | t.Row, ...]:
        """Unknown arguments for the parameters of a data type or an effect."""
        return tuple(self.unknowns.row() if p.is_row else self.unknowns.type() for p in parameters)

    def equate(
        self,
        found: t.ValueType | t.ComputationType,
        expected: t.ValueType | t.ComputationType,
        M: Checkable,
        E: t.Row,
    ) -> None:
        """Solve ``found = expected`` for the type of M. Raises ``Rejected`` if there is no solution."""
        try:
            self.unknowns.unify(found, expected)
        except Mismatch as why:
            raise self._diagnostics.differ(found, expected, M, E, why) from None

    @abstractmethod
    def computation(self, M: core.Computation, E: t.Row, C: t.ComputationType) -> None:
        """Check ``Γ ⊢_E M : C``. Raises ``Rejected``."""
