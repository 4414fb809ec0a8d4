"""Random closed computations of plain EFF (Sigal 2024, Figs. 7.10 to 7.14), well typed by construction, of any type.

Handlers handle exactly the effects of what they are around, as in the thesis; with ``forwards`` what they handle may perform
the effects around as well. Clauses resume never, once or twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from hypothesis import strategies as st

from rh_kernel.ad.eff import core, loading, types
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.types import BOOL, INT, UNIT, ComputationType, Label, Product, Returner, Row, Thunk, ValueType, With
from rh_kernel.ad.eff.typing.inference import Inference

DECLARATIONS = """\
effect Choose = choose : Bool
effect State = get : Int | put : Int -> Unit
effect Ask = ask : (Int, Int) -> (Int, Bool)
"""

OPERATIONS: dict[str, dict[str, tuple[tuple[ValueType, ...], ValueType]]] = {
    "Choose": {"choose": ((), BOOL)},
    "State": {"get": ((), INT), "put": ((INT,), UNIT)},
    "Ask": {"ask": ((Product((INT, INT)),), Product((INT, BOOL)))},
}

Environment = tuple[tuple[str, ValueType], ...]


@cache
def declared() -> Definitions:
    """The effects that the programs perform."""
    return loading.declared(DECLARATIONS)


def row(effects: Sequence[str]) -> Row:
    """``[L, …]``, closed"""
    return Row(tuple(Label(effect) for effect in effects))


@dataclass
class Program:
    """A closed computation and its type."""

    definitions: Definitions
    term: core.Computation
    type: ComputationType
    row: Row = field(default_factory=Row)


class Making:
    """Generates terms of given types; no name is bound twice."""

    def __init__(self, draw: st.DrawFn, *, forwards: bool) -> None:
        self.draw = draw
        self.forwards = forwards
        self.names = 0

    def fresh(self, letter: str = "x") -> str:
        """A fresh name."""
        self.names += 1
        return f"{letter}{self.names}"

    def one_of(self, choices: Sequence[Callable[[], core.Computation]]) -> core.Computation:
        """One of the alternatives."""
        return choices[self.draw(st.integers(0, len(choices) - 1))]()

    def value_type(self, size: int) -> ValueType:
        """A type of values."""
        kind = self.draw(st.integers(0, 4 if size else 1))
        match kind:
            case 0:
                return INT
            case 1:
                return BOOL
            case 2:
                return Product((self.value_type(size - 1), self.value_type(size - 1)))
            case 3:
                return UNIT
            case _:
                return Thunk(row(self.effects()), self.computation_type(size - 1))

    def computation_type(self, size: int) -> ComputationType:
        """A type of computations."""
        match self.draw(st.integers(0, 2 if size else 0)):
            case 0:
                return Returner(self.value_type(size))
            case 1:
                return types.Function(self.value_type(size - 1), self.computation_type(size - 1))
            case _:
                return With(self.computation_type(size - 1), self.computation_type(size - 1))

    def effects(self) -> tuple[str, ...]:
        """Some of the effects."""
        return tuple(self.draw(st.lists(st.sampled_from(sorted(OPERATIONS)), unique=True, max_size=2)))

    def value(self, A: ValueType, gamma: Environment, size: int) -> core.Value:
        """``Γ ⊢ V : A``"""
        there = [x for x, B in gamma if B == A]
        if there and self.draw(st.booleans()):
            return core.Variable(self.draw(st.sampled_from(there)))
        match A:
            case Product(components):
                return core.Tuple(tuple(self.value(B, gamma, size) for B in components))
            case Thunk(E, C):
                return core.Thunk(self.computation(C, gamma, tuple(L.effect for L in E.labels), size - 1))
            case types.Data():
                return core.Constructed(self.draw(st.sampled_from(["True", "False"])), ())
            case _:
                return core.Literal(self.draw(st.integers(-2, 3)))

    def computation(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``Γ ⊢_E M : C``"""
        now: list[Callable[[], core.Computation]] = [lambda: self.made(C, gamma, effects, size)] * 2
        for x, A in gamma:
            if Thunk(row(effects), C) == A:
                now.append(partial(core.Force, core.Variable(x)))
        if isinstance(C, Returner):
            for effect in effects:
                for op, (domain, result) in OPERATIONS[effect].items():
                    if result == C.value:
                        perform = partial(self.performed, effect, op, domain, gamma, size)
                        now.append(perform)
            if C.value == INT:
                now.append(lambda: self.arithmetic(gamma, size))
        if size <= 0:
            return self.one_of(now)
        later = [
            lambda: self.sequence(C, gamma, effects, size),
            lambda: self.sequence(C, gamma, effects, size),
            lambda: self.branches(C, gamma, effects, size),
            lambda: self.unpacked(C, gamma, effects, size),
            lambda: self.application(C, gamma, effects, size),
            lambda: self.projection(C, gamma, effects, size),
            lambda: self.handled(C, gamma, effects, size),
            lambda: self.handled(C, gamma, effects, size),
        ]
        return self.one_of([*now, *later])

    def made(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """A computation of type C by its introduction rule."""
        match C:
            case Returner(A):
                return core.Return(self.value(A, gamma, size))
            case types.Function(A, D):
                x = self.fresh()
                return core.Lambda(x, self.computation(D, (*gamma, (x, A)), effects, size - 1))
            case With(D, D1):
                return core.Pair(self.computation(D, gamma, effects, size - 1), self.computation(D1, gamma, effects, size - 1))
            case types.ComputationMeta():
                raise AssertionError("types are made without metas")

    def performed(
        self, effect: str, operation: str, domain: tuple[ValueType, ...], gamma: Environment, size: int
    ) -> core.Computation:
        """``op V…``"""
        return core.Perform(effect, operation, tuple(self.value(A, gamma, size) for A in domain))

    def arithmetic(self, gamma: Environment, size: int) -> core.Computation:
        """``add V W`` and others"""
        name = self.draw(st.sampled_from(["add", "sub", "mul"]))
        return core.BuiltIn(name, (self.value(INT, gamma, size), self.value(INT, gamma, size)))

    def sequence(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``x ← M; N``, often with an operation for M"""
        x = self.fresh()
        performed = [(effect, op) for effect in effects for op in OPERATIONS[effect]]
        if performed and self.draw(st.integers(0, 3)):
            effect, op = self.draw(st.sampled_from(performed))
            domain, A = OPERATIONS[effect][op]
            bound = self.performed(effect, op, domain, gamma, size)
        else:
            A = self.value_type(size - 1)
            bound = self.computation(Returner(A), gamma, effects, size - 1)
        return core.Let(x, bound, self.computation(C, (*gamma, (x, A)), effects, size - 1))

    def branches(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``match V | True -> M | False -> N``"""
        made = [
            core.Branch(core.ConstructorPattern(K, ()), self.computation(C, gamma, effects, size - 1))
            for K in ("True", "False")
        ]
        return core.Match(self.value(BOOL, gamma, size), tuple(made))

    def unpacked(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``match V | (x, y) -> M``"""
        A = Product((self.value_type(size - 1), self.value_type(size - 1)))
        x, y = self.fresh(), self.fresh()
        inside = (*gamma, (x, A.components[0]), (y, A.components[1]))
        body = self.computation(C, inside, effects, size - 1)
        pattern = core.TuplePattern((core.NamePattern(x), core.NamePattern(y)))
        return core.Match(self.value(A, gamma, size), (core.Branch(pattern, body),))

    def application(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``M V``"""
        there = [
            (x, A.computation.domain)
            for x, A in gamma
            if isinstance(A, Thunk) and isinstance(A.computation, types.Function)
            if Thunk(row(effects), types.Function(A.computation.domain, C)) == A
        ]
        if there:
            x, domain = self.draw(st.sampled_from(there))
            return core.Apply(core.Force(core.Variable(x)), self.value(domain, gamma, size))
        B = self.value_type(size - 1)
        return core.Apply(self.computation(types.Function(B, C), gamma, effects, size - 1), self.value(B, gamma, size))

    def projection(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``M.i``"""
        i = self.draw(st.integers(1, 2))
        D = self.computation_type(0)
        return core.Projection(i, self.computation(With(C, D) if i == 1 else With(D, C), gamma, effects, size - 1))

    def handled(self, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int) -> core.Computation:
        """``handle M with H``"""
        around = effects if self.forwards else ()
        new = [effect for effect in sorted(OPERATIONS) if effect not in around]
        if not new:
            return self.made(C, gamma, effects, size)
        handled = tuple(self.draw(st.lists(st.sampled_from(new), unique=True, min_size=1, max_size=2)))
        B = self.value_type(size - 1)
        x = self.fresh()
        returns = core.ReturnClause(core.NamePattern(x), self.computation(C, (*gamma, (x, B)), effects, size - 1))
        clauses = [
            self.clause(effect, op, domain, A, C, gamma, effects, size - 1)
            for effect in handled
            for op, (domain, A) in OPERATIONS[effect].items()
        ]
        # What is handled is made for what the handler is about.
        body = self.sequence(Returner(B), gamma, (*around, *handled), size)
        return core.Handle(body, core.Clauses(returns, tuple(clauses), handled))

    def clause(
        self,
        effect: str,
        operation: str,
        domain: tuple[ValueType, ...],
        codomain: ValueType,
        C: ComputationType,
        gamma: Environment,
        effects: tuple[str, ...],
        size: int,
    ) -> core.Clause:
        """``<op p… -> k> -> N``"""
        names = [self.fresh("p") for _ in domain]
        k = self.fresh("k")
        resumed = Thunk(row(effects), types.Function(codomain, C))
        inside = (*gamma, *zip(names, domain, strict=True), (k, resumed))
        body = self.resumed(k, codomain, C, inside, effects, size) or self.computation(C, inside, effects, size)
        return core.Clause(effect, operation, tuple(map(core.NamePattern, names)), k, body)

    def resumed(
        self, k: str, A: ValueType, C: ComputationType, gamma: Environment, effects: tuple[str, ...], size: int
    ) -> core.Computation | None:
        """``k V``, or two calls in sequence if C is a type of returners."""
        times = self.draw(st.integers(0, 2))
        resume = [core.Apply(core.Force(core.Variable(k)), self.value(A, gamma, size - 1)) for _ in range(times)]
        if not resume:
            return None
        if len(resume) == 1 or not isinstance(C, Returner):
            return resume[0]
        x, y = self.fresh(), self.fresh()
        if C.value == INT:
            last: core.Computation = core.BuiltIn("add", (core.Variable(x), core.Variable(y)))
        else:
            last = self.computation(C, (*gamma, (x, C.value), (y, C.value)), effects, 0)
        return core.Let(x, resume[0], core.Let(y, resume[1], last))


@st.composite
def plain(draw: st.DrawFn, *, ground: bool = True, forwards: bool = False, size: int = 5) -> Program:
    """A closed computation of plain EFF in the empty row, of a ``ground`` type or of any."""
    making = Making(draw, forwards=forwards)
    C = Returner(draw(st.sampled_from([INT, BOOL, Product((INT, BOOL))]))) if ground else making.computation_type(2)
    M = making.handled(C, (), (), size) if draw(st.booleans()) else making.computation(C, (), (), size)
    return Program(declared(), M, C)


def has_type(M: core.Computation, program: Program) -> None:
    """Check ``⊢_E M : C`` for the row and the type of the program; raises ``Rejected`` otherwise."""
    Inference(program.definitions).computation(M, program.row, program.type)
