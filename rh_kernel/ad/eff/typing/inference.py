"""Type inference of computations (Sigal 2024, Fig. 7.14), ``Θ; Γ ⊢_E M : C``, with unification.

The row E changes only under handlers and adaptors. Types are checked against an expected type, which may be unknown; a function
is typed before its arguments, so that these are checked against its domains.
"""

from collections.abc import Mapping

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.machine import builtins
from rh_kernel.ad.eff.typing.inference_values import Bound, ValueInference
from rh_kernel.ad.eff.typing.instantiation import Instance, applied
from rh_kernel.ad.eff.typing.type_traversal import leaves
from rh_kernel.ad.eff.typing.unification import Mismatch
from rh_kernel.source.diagnostic import Rejected


class Inference(ValueInference):
    """The inference for one item."""

    __slots__ = ()

    def computation(self, M: core.Computation, E: t.Row, C: t.ComputationType) -> None:
        """Check ``Γ ⊢_E M : C``. Raises ``Rejected``.

        In a loop, since the lines of a program are nested: ``x ← M; N``, on either side, and ``match V | p -> N``.
        """
        waiting: list[tuple[core.Let, t.ValueType, t.ComputationType]] = []
        bound: list[Bound] = []
        marks: list[int] = []
        while True:
            while isinstance(M, core.Let) or (isinstance(M, core.Match) and len(M.branches) == 1):
                A = self.unknowns.type()
                if isinstance(M, core.Let):
                    waiting.append((M, A, C))
                    marks.append(len(bound))
                    M, C = M.bound, t.Returner(A)
                else:
                    self.value(M.value, A, E)
                    self._pattern(M.branches[0].pattern, A, E, bound)
                    M = M.branches[0].body
            self._simple(M, E, C)
            if not waiting:
                return self._unbind(bound)
            let, A, C = waiting.pop()
            self._unbind(bound, marks.pop())
            self._bind(let.name, A, bound)
            M = let.body

    def _simple(self, M: core.Computation, E: t.Row, C: t.ComputationType) -> None:
        unknowns = self.unknowns
        match M:
            case core.Return(V):
                match unknowns.known(C):
                    case t.Returner(A):
                        self.value(V, A, E)
                    case expected:
                        A = unknowns.type()
                        self.value(V, A, E)
                        self.equate(t.Returner(A), expected, M, E)
            case core.Force() | core.Apply():
                self._application(M, E, C)
            case core.Lambda(name, body):
                match unknowns.known(C):
                    case t.Function(A, D):
                        pass
                    case expected:
                        A, D = unknowns.type(), unknowns.computation_type()
                        self.equate(t.Function(A, D), expected, M, E)
                bound: list[Bound] = []
                self._bind(name, A, bound)
                self.computation(body, E, D)
                self._unbind(bound)
            case core.Match(V, branches):
                A = unknowns.type()
                self.value(V, A, E)
                # The patterns of `if` have no source text, so a wrong type is reported for its condition.
                if isinstance(p := branches[0].pattern, core.ConstructorPattern) and p.constructor == "True":
                    self.equate(A, t.BOOL, V, E)
                for branch in branches:
                    bound = []
                    self._pattern(branch.pattern, A, E, bound)
                    self.computation(branch.body, E, C)
                    self._unbind(bound)
            case core.Pair(M1, M2):
                sides = t.With(unknowns.computation_type(), unknowns.computation_type())
                self.equate(sides, C, M, E)
                self.computation(M1, E, sides.left)
                self.computation(M2, E, sides.right)
            case core.Projection(index, operand):
                other = unknowns.computation_type()
                try:
                    self.computation(operand, E, t.With(C, other) if index == 1 else t.With(other, C))
                except Rejected as rejected:
                    raise self._diagnostics.projected(operand, rejected) from None
            case core.Perform():
                self._perform(M, E, C)
            case core.Handle(body, handler):
                B, handled = self._handler(handler, E, C)
                self.computation(body, handled, t.Returner(B))
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
                        self.value(V, instance(A), E)
                    except Rejected as rejected:
                        raise self._diagnostics.in_built_in(M, V, rejected) from None
                self.equate(t.Returner(instance(g.codomain)), C, M, E)
            case core.Let():
                self.computation(M, E, C)

    def _application(self, M: core.Computation, E: t.Row, C: t.ComputationType) -> None:
        """Check ``M V…``: first the function, then its arguments, then its result against C."""
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
                self.computation(body, E, t.curried(domains, C))
                for application, A in zip(applications, domains, strict=True):
                    self.value(application.argument, A, E)
                return None
            case core.Force(V):
                D = self._forced(V, M, E, applied=bool(applications))
            case head:
                D = unknowns.computation_type()
                self.computation(head, E, D)
        for given, application in enumerate(applications):
            match unknowns.known(D):
                case t.Function(A, D2):
                    self.value(application.argument, A, E)
                case t.ComputationMeta() as meta:
                    A, D2 = unknowns.type(), unknowns.computation_type()
                    unknowns.unify(meta, t.Function(A, D2))
                    self.value(application.argument, A, E)
                case t.Returner() | t.With() as other:
                    raise self._diagnostics.too_many(M, other, applications, given)
            D = D2
        return self.equate(D, C, whole, E)

    def _forced(self, V: core.Value, M: core.Computation, E: t.Row, *, applied: bool) -> t.ComputationType:
        """Infer C in ``Γ ⊢ V : U_E C``; V is ``applied`` or forced by itself."""
        A = self.unknowns.type()
        self.value(V, A, E)
        match self.unknowns.known(A):
            case t.Thunk(row, C):
                self._equate_rows(self._opened(self.unknowns.known_row(row)), E, V)
                return C
            case t.Meta() as meta:
                thunk = t.Thunk(E, self.unknowns.computation_type())
                self.equate(meta, thunk, V, E)
                return thunk.computation
            case other:
                raise self._diagnostics.no_thunk(V, other, applied=applied)

    def _opened(self, E: t.Row) -> t.Row:
        """E with an unknown tail if it is closed: a thunk with a closed row can run in every row that extends it."""
        return self.unknowns.row(*E.labels) if E.tail is None else E

    def _perform(self, M: core.Perform, E: t.Row, C: t.ComputationType) -> None:
        """Check ``op V…``, where ``(op : A… → B) ∈ E`` belongs to the innermost label of its effect."""
        declared = self._definitions.effect(M.effect)
        L = self._innermost(declared, 1, E, M)[0]
        operation = next(o for o in declared.operations if o.name == M.operation)
        of_effect = applied(declared.parameters, L.arguments)
        own = self.unknowns.instance(operation.variables, operation.variables)
        for V, A in zip(M.arguments, operation.domain, strict=True):
            self.value(V, own(of_effect(A)), E)
        self.equate(t.Returner(own(of_effect(operation.codomain))), C, M, E)

    def _innermost(self, declared: t.EffectDeclaration, count: int, E: t.Row, M: core.Perform | core.Adaptor) -> list[t.Label]:
        """The ``count`` innermost labels of an effect in a row, the innermost one first."""
        try:
            E = self.unknowns.extended(E, declared.name, count, lambda: self._arguments(declared.parameters))
        except Mismatch:
            raise self._diagnostics.missing(declared.name, count, E, M) from None
        return [L for L in reversed(E.labels) if L.effect == declared.name][:count]

    def _inside(self, adaptor: core.Adaptor, E: t.Row) -> t.Row:
        """The row inside of an adaptor, where E is the row around it."""
        taken = self._innermost(self._definitions.effect(adaptor.effect), adaptor.taken, E, adaptor)
        E = self.unknowns.known_row(E)
        left, rest = adaptor.taken, list[t.Label]()
        for L in reversed(E.labels):
            if L.effect == adaptor.effect and left:
                left -= 1
            else:
                rest.append(L)
        kept = [taken[i] for i in reversed(adaptor.kept)]
        return t.Row((*reversed(rest), *kept), E.tail)

    # ------------------------------------------------------------------------------------------ handlers

    def _handler(self, H: core.Clauses | core.Named, E: t.Row, C: t.ComputationType) -> tuple[t.ValueType, t.Row]:
        """Infer A and E' in ``Γ ⊢ H : A E'⇒E C``."""
        match H:
            case core.Clauses():
                A = self.unknowns.type()
                labels = self.labels(H)
                self.clauses(H, labels, A, E, C)
                E = self.unknowns.known_row(E)
                return A, t.Row((*E.labels, *labels.values()), E.tail)
            case core.Named(name, arguments):
                scheme = self._declared_handler(name)
                self._equate_rows(scheme.around, E, H)
                for V, A in zip(arguments, scheme.parameters, strict=True):
                    self.value(V, A, E)
                self.equate(scheme.codomain, C, H, E)
                return scheme.domain, scheme.handled

    def _declared_handler(self, name: str) -> t.HandlerScheme:
        """An instance of the type of a declared handler."""
        scheme = self._itself(name) if name in self.own else self._definitions.handler(name).scheme
        if isinstance(scheme, core.HandlerDefinition):
            return self._unknown_handler(scheme)
        assert isinstance(scheme, t.HandlerScheme)
        new = self.unknowns.instance(scheme.variables, scheme.rows)
        return t.HandlerScheme(
            variables=(),
            rows=(),
            parameters=tuple(map(new, scheme.parameters)),
            domain=new(scheme.domain),
            handled=new(scheme.handled),
            around=new(scheme.around),
            codomain=new(scheme.codomain),
        )

    def _unknown_handler(self, H: core.HandlerDefinition) -> t.HandlerScheme:
        """The type of a handler of which only the effects are known."""
        unknowns, around = self.unknowns, self.unknowns.row()
        parameters = tuple(unknowns.type() for _ in H.parameters)
        handled = t.Row(tuple(self.labels(H.clauses).values()), around.tail)
        return t.HandlerScheme((), (), parameters, unknowns.type(), handled, around, unknowns.computation_type())

    def clauses(self, H: core.Clauses, labels: Mapping[str, t.Label], A: t.ValueType, E: t.Row, C: t.ComputationType) -> None:
        """Check ``Γ ⊢ {return p -> M | <op p… -> k> -> N | …} : A E'⇒E C``, where E' is E with the labels inside of it."""
        bound: list[Bound] = []
        self._pattern(H.returns.pattern, A, E, bound)
        self.computation(H.returns.body, E, C)
        self._unbind(bound)
        for clause in H.clauses:
            self._clause(clause, labels[clause.effect], E, C)

    def labels(self, H: core.Clauses) -> dict[str, t.Label]:
        """A label for each effect that clauses handle; the clauses of one effect share it."""
        return {key: t.Label(key, self._arguments(self._definitions.effect(key).parameters)) for key in H.effects}

    def _clause(self, clause: core.Clause, L: t.Label, E: t.Row, C: t.ComputationType) -> None:
        """Check ``Γ, p : A, k : U_E (B → C) ⊢_E N : C``, with fresh variables for those that the operation is generic in."""
        declared = self._definitions.effect(clause.effect)
        operation = next(o for o in declared.operations if o.name == clause.operation)
        of_effect = applied(declared.parameters, L.arguments)
        rigid = {x: f"{x}#{self.unknowns.number()}" for x in operation.variables}
        own = Instance(
            {x: t.Variable(name) for x, name in rigid.items()},
            {e: t.Row((), t.RowVariable(name)) for e, name in rigid.items()},
        )
        bound: list[Bound] = []
        for p, A in zip(clause.patterns, operation.domain, strict=True):
            self._pattern(p, own(of_effect(A)), E, bound)
        self._bind(clause.continuation, t.Thunk(E, t.Function(own(of_effect(operation.codomain)), C)), bound)
        self.computation(clause.body, E, C)
        self._unbind(bound)
        if rigid:
            self._reject_escaping(set(rigid.values()), clause, L, E, C)

    def _reject_escaping(self, own: set[str], clause: core.Clause, L: t.Label, E: t.Row, C: t.ComputationType) -> None:
        """Raise ``Rejected`` if one of a clause's own type variables occurs in a type outside of it."""
        around: t.ValueType = t.Thunk(t.Row((*E.labels, L), E.tail), C)
        for A in (around, *self._gamma.values()):
            if any(isinstance(B, t.Variable | t.RowVariable) and B.name in own for B in leaves(self.unknowns.whole(A))):
                raise self._diagnostics.escaping(clause)

    def _equate_rows(self, needed: t.Row, E: t.Row, V: core.Value | core.Handler) -> None:
        """Solve ``needed = E`` for the row that V needs. Raises ``Rejected`` if there is no solution."""
        try:
            self.unknowns.unify(needed, E)
        except Mismatch as why:
            raise self._diagnostics.rows(needed, E, why, V) from None
