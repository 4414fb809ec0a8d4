"""The typing of EFF (Sigal 2024, Fig. 7.14) with unknown types: ``Θ; Γ ⊢_E M : C`` and ``Θ; Γ ⊢ V : A``.

The row E changes under a handler and an adaptor only. Types are checked against what is expected, which may be unknown, and
what is applied comes before its arguments: so that they are met by what is asked of them.
"""

from collections.abc import Mapping

from rh_kernel.ad.eff import core, types
from rh_kernel.ad.eff.machine import builtins
from rh_kernel.ad.eff.types import Thunk as ThunkType
from rh_kernel.ad.eff.types import Variable as TypeVariable
from rh_kernel.ad.eff.typing.inference_values import Bound, ValueInference
from rh_kernel.ad.eff.typing.instantiation import Instance, applied
from rh_kernel.ad.eff.typing.leaves import leaves
from rh_kernel.ad.eff.typing.unification import Mismatch
from rh_kernel.source.diagnostic import Rejected


class Inference(ValueInference):
    """The typing of one item."""

    __slots__ = ()

    def computation(self, M: core.Computation, E: types.Row, C: types.ComputationType) -> None:
        """``Γ ⊢_E M : C``. A long program is ``x ← M; N`` or ``match V | p -> N`` inside of another as often
        as it has lines; of the former on either side.
        """
        waiting: list[tuple[core.Let, types.ValueType, types.ComputationType]] = []
        bound: list[Bound] = []
        marks: list[int] = []
        while True:
            while isinstance(M, core.Let) or (isinstance(M, core.Match) and len(M.branches) == 1):
                A = self.unknowns.type()
                if isinstance(M, core.Let):
                    waiting.append((M, A, C))
                    marks.append(len(bound))
                    M, C = M.bound, types.Returner(A)
                else:
                    self.value(M.value, A, E)
                    self._pattern(M.branches[0].pattern, A, E, bound)
                    M = M.branches[0].body
            self._simple(M, E, C)
            if not waiting:
                return self._unbind(bound)
            let, A, C = waiting.pop()
            self._leave(bound, marks.pop())
            self._bind(let.name, A, bound)
            M = let.body

    def _leave(self, bound: list[Bound], mark: int) -> None:
        inner = bound[mark:]
        del bound[mark:]
        self._unbind(inner)

    def _simple(self, M: core.Computation, E: types.Row, C: types.ComputationType) -> None:
        unknowns = self.unknowns
        match M:
            case core.Return(V):
                match unknowns.known_computation(C):
                    case types.Returner(A):
                        self.value(V, A, E)
                    case expected:
                        A = unknowns.type()
                        self.value(V, A, E)
                        self._same(types.Returner(A), expected, M, E)
            case core.Force() | core.Apply():
                self._application(M, E, C)
            case core.Lambda(name, body):
                match unknowns.known_computation(C):
                    case types.Function(A, D):
                        pass
                    case expected:
                        A, D = unknowns.type(), unknowns.computation_type()
                        self._same(types.Function(A, D), expected, M, E)
                bound: list[Bound] = []
                self._bind(name, A, bound)
                self.computation(body, E, D)
                self._unbind(bound)
            case core.Match(V, branches):
                A = unknowns.type()
                self.value(V, A, E)
                # What `if` asks of is to blame if it is no truth value: its patterns are written nowhere.
                if isinstance(p := branches[0].pattern, core.ConstructorPattern) and p.constructor == "True":
                    self._equal(A, types.BOOL, V, E)
                for branch in branches:
                    bound = []
                    self._pattern(branch.pattern, A, E, bound)
                    self.computation(branch.body, E, C)
                    self._unbind(bound)
            case core.Pair(M1, M2):
                sides = types.With(unknowns.computation_type(), unknowns.computation_type())
                self._same(sides, C, M, E)
                self.computation(M1, E, sides.left)
                self.computation(M2, E, sides.right)
            case core.Projection(index, operand):
                other = unknowns.computation_type()
                try:
                    self.computation(operand, E, types.With(C, other) if index == 1 else types.With(other, C))
                except Rejected as rejected:
                    raise self._complaints.projected(operand, rejected) from None
            case core.Perform():
                self._perform(M, E, C)
            case core.Handle(body, handler):
                B, handled = self._handler(handler, E, C)
                self.computation(body, handled, types.Returner(B))
            case core.Adapt(adaptors, body):
                for adaptor in adaptors:
                    E = self._inside(adaptor, E)
                self.computation(body, E, C)
            case core.BuiltIn(name, arguments):
                g = builtins.BUILT_INS[name]
                numeric = set(g.numeric)
                instance = Instance({x: unknowns.type(numeric=x in numeric) for x in g.variables}, {})
                for V, A in zip(arguments, g.domain, strict=True):
                    try:
                        self.value(V, instance.value(A), E)
                    except Rejected as rejected:
                        raise self._complaints.in_built_in(M, V, rejected) from None
                self._same(types.Returner(instance.value(g.codomain)), C, M, E)
            case core.Let():
                self.computation(M, E, C)

    def _application(self, M: core.Computation, E: types.Row, C: types.ComputationType) -> None:
        """``M V…``: first what is applied, then its arguments, then what is expected of the result."""
        applications: list[core.Apply] = []
        while isinstance(M, core.Apply):
            applications.append(M)
            M = M.function
        whole = applications[0] if applications else M
        applications.reverse()
        unknowns = self.unknowns
        match M:
            case core.Force(core.Thunk(body)) if not applications:
                return self.computation(body, E, C)
            case core.Force(core.Thunk(body)) | (core.Lambda() as body):
                domains = [unknowns.type() for _ in applications]
                for A in reversed(domains):
                    C = types.Function(A, C)
                self.computation(body, E, C)
                for application, A in zip(applications, domains, strict=True):
                    self.value(application.argument, A, E)
                return None
            case core.Force(V):
                D = self._forced(V, M, E, applied=bool(applications))
            case head:
                D = unknowns.computation_type()
                self.computation(head, E, D)
        for given, application in enumerate(applications):
            match unknowns.known_computation(D):
                case types.Function(A, D2):
                    self.value(application.argument, A, E)
                case types.ComputationMeta() as meta:
                    A, D2 = unknowns.type(), unknowns.computation_type()
                    unknowns.computations(meta, types.Function(A, D2))
                    self.value(application.argument, A, E)
                case types.Returner() | types.With() as other:
                    raise self._complaints.too_many(M, other, applications, given)
            D = D2
        return self._same(D, C, whole, E)

    def _forced(self, V: core.Value, M: core.Computation, E: types.Row, *, applied: bool) -> types.ComputationType:
        """C, where ``Γ ⊢ V : U_E C``."""
        A = self.unknowns.type()
        self.value(V, A, E)
        match self.unknowns.known(A):
            case ThunkType(row, C):
                row = self._opened(self.unknowns.known_row(row))
                try:
                    self.unknowns.rows(row, E)
                except Mismatch as why:
                    raise self._complaints.rows(row, E, why, V) from None
                return C
            case types.Meta() as meta:
                made = ThunkType(E, self.unknowns.computation_type())
                self._equal(meta, made, V, E)
                return made.computation
            case other:
                raise self._complaints.no_thunk(V, other, applied=applied)

    def _opened(self, E: types.Row) -> types.Row:
        """What needs no more than a closed row can run in every row that goes on around it."""
        return self.unknowns.row(*E.labels) if E.tail is None else E

    def _perform(self, M: core.Perform, E: types.Row, C: types.ComputationType) -> None:
        """``(op : A… → B) ∈ E``: of the innermost label of its effect"""
        declared = self._definitions.effect(M.effect)
        L = self._innermost(declared, 1, E, M)[0]
        operation = next(o for o in declared.operations if o.name == M.operation)
        of_effect = applied(declared.parameters, L.arguments)
        own = self._new(operation.variables, operation.variables)
        for V, A in zip(M.arguments, operation.domain, strict=True):
            self.value(V, own.value(of_effect.value(A)), E)
        self._same(types.Returner(own.value(of_effect.value(operation.codomain))), C, M, E)

    def _innermost(
        self, declared: types.EffectDeclaration, count: int, E: types.Row, M: core.Perform | core.Adaptor
    ) -> list[types.Label]:
        """So many innermost labels of an effect in a row, the innermost one first."""
        try:
            E = self.unknowns.extended(E, declared.name, count, lambda: self._arguments(declared.parameters))
        except Mismatch:
            raise self._complaints.missing(declared.name, count, E, M) from None
        return [L for L in reversed(E.labels) if L.effect == declared.name][:count]

    def _inside(self, adaptor: core.Adaptor, E: types.Row) -> types.Row:
        """The row inside of an adaptor, where E is the row around it."""
        taken = self._innermost(self._definitions.effect(adaptor.effect), adaptor.taken, E, adaptor)
        E = self.unknowns.known_row(E)
        left, rest = adaptor.taken, list[types.Label]()
        for L in reversed(E.labels):
            if L.effect == adaptor.effect and left:
                left -= 1
            else:
                rest.append(L)
        kept = [taken[i] for i in reversed(adaptor.kept)]
        return types.Row((*reversed(rest), *kept), E.tail)

    # ------------------------------------------------------------------------------------------ handlers

    def _handler(
        self, H: core.Clauses | core.Named, E: types.Row, C: types.ComputationType
    ) -> tuple[types.ValueType, types.Row]:
        """A and E', where ``Γ ⊢ H : A E'⇒E C``"""
        match H:
            case core.Clauses():
                A = self.unknowns.type()
                labels = self.labels(H)
                self.clauses(H, labels, A, E, C)
                E = self.unknowns.known_row(E)
                return A, types.Row((*E.labels, *labels.values()), E.tail)
            case core.Named(name, arguments):
                scheme = self._declared_handler(name)
                try:
                    self.unknowns.rows(scheme.around, E)
                except Mismatch as why:
                    raise self._complaints.rows(scheme.around, E, why, H) from None
                for V, A in zip(arguments, scheme.parameters, strict=True):
                    self.value(V, A, E)
                self._same(scheme.codomain, C, H, E)
                return scheme.domain, scheme.handled

    def _declared_handler(self, name: str) -> types.HandlerScheme:
        """A new instance of the type of a declared handler."""
        scheme = self._itself(name) if name in self.own else self._definitions.handler(name).scheme
        if isinstance(scheme, core.HandlerDefinition):
            return self._unknown_handler(scheme)
        assert isinstance(scheme, types.HandlerScheme)
        new = self._new(scheme.variables, scheme.rows)
        return types.HandlerScheme(
            variables=(),
            rows=(),
            parameters=tuple(map(new.value, scheme.parameters)),
            domain=new.value(scheme.domain),
            handled=new.row(scheme.handled),
            around=new.row(scheme.around),
            codomain=new.computation(scheme.codomain),
        )

    def _unknown_handler(self, H: core.HandlerDefinition) -> types.HandlerScheme:
        unknowns, around = self.unknowns, self.unknowns.row()
        parameters = tuple(unknowns.type() for _ in H.parameters)
        handled = types.Row(tuple(self.labels(H.clauses).values()), around.tail)
        return types.HandlerScheme((), (), parameters, unknowns.type(), handled, around, unknowns.computation_type())

    def clauses(
        self, H: core.Clauses, labels: Mapping[str, types.Label], A: types.ValueType, E: types.Row, C: types.ComputationType
    ) -> None:
        """``Γ ⊢ {return p -> M | <op p… -> k> -> N | …} : A E'⇒E C``, where E' is E and inside of it the labels."""
        bound: list[Bound] = []
        self._pattern(H.returns.pattern, A, E, bound)
        self.computation(H.returns.body, E, C)
        self._unbind(bound)
        for clause in H.clauses:
            self._clause(clause, labels[clause.effect], E, C)

    def labels(self, H: core.Clauses) -> dict[str, types.Label]:
        """A label for each effect that clauses handle; the clauses of one effect share it."""
        return {key: types.Label(key, self._arguments(self._definitions.effect(key).parameters)) for key in H.effects}

    def _clause(self, clause: core.Clause, L: types.Label, E: types.Row, C: types.ComputationType) -> None:
        """``Γ, p : A, k : U_E (B → C) ⊢_E N : C``; what the operation is generic in is some type that N knows nothing of"""
        declared = self._definitions.effect(clause.effect)
        operation = next(o for o in declared.operations if o.name == clause.operation)
        of_effect = applied(declared.parameters, L.arguments)
        unknown = {x: f"{x}#{self.unknowns.number()}" for x in operation.variables}
        own = Instance(
            {x: TypeVariable(name) for x, name in unknown.items()},
            {e: types.Row((), types.RowVariable(name)) for e, name in unknown.items()},
        )
        bound: list[Bound] = []
        for p, A in zip(clause.patterns, operation.domain, strict=True):
            self._pattern(p, own.value(of_effect.value(A)), E, bound)
        self._bind(clause.continuation, ThunkType(E, types.Function(own.value(of_effect.value(operation.codomain)), C)), bound)
        self.computation(clause.body, E, C)
        self._unbind(bound)
        if unknown:
            self._stay(set(unknown.values()), clause, L, E, C)

    def _stay(self, own: set[str], clause: core.Clause, L: types.Label, E: types.Row, C: types.ComputationType) -> None:
        whole = self.unknowns.whole
        around = ThunkType(types.Row((*E.labels, L), E.tail), C)
        for A in (around, *self._gamma.values()):
            if any(isinstance(B, TypeVariable | types.RowVariable) and B.name in own for B in leaves(whole(A))):
                raise self._complaints.escaping(clause)

    def _same(
        self, found: types.ComputationType, expected: types.ComputationType, M: core.Computation | core.Handler, E: types.Row
    ) -> None:
        try:
            self.unknowns.computations(found, expected)
        except Mismatch as why:
            raise self._complaints.differ_computations(found, expected, M, E, why) from None
