"""Partial evaluation in one pass: functions and tuples are static, and the residual program consists of ``let``s (§5.1).

``Residual`` evaluates a term, or a derivation forwards and then backwards. Each operation on numbers or arrays becomes a
``let``, unless a law rewrites it. A continuation is "almost the identity": an operation changes only the cotangents of its
arguments and of the variables in it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct.bodies import zero
from rh_kernel.ad.unary_form.optimisation.algebra import LAWS, Known, rewrite
from rh_kernel.ad.unary_form.optimisation.rules import ABOUT, ALL, Rule
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import free, lets, parts, rebuilt
from rh_kernel.ad.unary_form.terms.types import Context, Times, Type, VectorType
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.source.children import Part
from rh_kernel.source.diagnostic import KernelBug


@dataclass(frozen=True, slots=True)
class Static:
    """A tuple of residues."""

    components: tuple["Residue", ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """A function with the residues of its free variables."""

    function: e.Fun
    environment: "Environment"


Residue: TypeAlias = e.Var | e.Const | Static | Closure
"""The value of a term in partial evaluation: an atom, a tuple or a function."""

Environment: TypeAlias = dict[str, Residue]


class Residual:
    """A partial evaluator; ``spine`` has the ``let``s of the current block, ``fired`` the number of uses of each rule."""

    def __init__(self, context: Context, names: Names, rules: AbstractSet[Rule] = ALL) -> None:
        self.names = names
        self.rules = rules
        self.laws = {form: tuple((r, LAWS[r]) for r in many if r in rules and r in LAWS) for form, many in ABOUT.items()}
        self.checking = Checking(dict(context))
        self.definitions: dict[str, e.Term] = {}
        self.known = Known(self.definitions, self.checking.of)
        self.spine: list[tuple[str, e.Term]] = []
        self.fired: Counter[Rule] = Counter()

    def run(self, M: e.Term, environment: Environment) -> Residue:
        """Evaluate M in an environment."""
        env = environment
        if isinstance(M, e.Let):
            env = dict(env)
        while isinstance(M, e.Let | e.App):
            if isinstance(M, e.Let):
                self._bind(M.names, self.run(M.bound, env), env)
                M = M.body
                continue
            f = self.run(M.function, env)
            if not isinstance(f, Closure):
                raise KernelBug("a function was expected")
            self.fired[Rule.BETA] += 1
            arguments = [self.run(N, env) for N in M.arguments]
            env = dict(f.environment)
            for (x, _), V in zip(f.function.parameters, arguments, strict=True):
                self._bind((x,), V, env)
            M = f.function.body
        match M:
            case e.Var(x):
                return env.get(x, M)
            case e.Const():
                return M
            case e.Pack(components):
                return Static(tuple(self.run(N, env) for N in components))
            case e.Proj(i, N):
                return self.component(i, self.run(N, env))
            case e.Fun():
                return Closure(M, env)
            case e.Plus(N, L):
                return self.plus(self.run(N, env), self.run(L, env))
            case e.Scale(N, L):
                return self.scaled(self.run(N, env), term(self.run(L, env)))
            case e.Nabla(derive, context, body, wanted, seed):
                V = self.run(seed, env)
                derivation = derive(context, body, self.names)
                _, gradient = self.differentiated(derivation, context, env, V)
                found = dict(zip((x for x, _ in context), gradient, strict=True))
                several = tuple(found[x] for x in wanted)
                return several[0] if len(several) == 1 else Static(several)
            case _:
                return self._operation(M, env)

    def _operation(self, M: e.Term, env: Environment) -> Residue:
        new: list[Part[e.Term]] = []
        for i, (names, N) in enumerate(parts(M)):
            if names or (isinstance(M, e.If) and i > 1):
                fresh = tuple(map(self.names.fresh, names))
                self._declare(M, fresh, [L for _, L in new])
                new.append((fresh, self.block(N, {**env, **{x: e.Var(y) for x, y in zip(names, fresh, strict=True)}})))
            else:
                new.append(((), term(self.run(N, env))))
        return self.emit(rebuilt(M, tuple(new)))

    def _declare(self, M: e.Term, fresh: tuple[str, ...], before: list[e.Term]) -> None:
        """Declare the types of the names that an operation on arrays binds in its body."""
        given = [self.checking.of(N) for N in before]
        entries = [A.entry for A in given if isinstance(A, VectorType)]
        match M:
            case e.Map() | e.Map2():
                self.checking.types.update(zip(fresh, entries, strict=True))
            case e.Fold():
                self.checking.types.update(zip(fresh, (*given[:1], *entries[-1:]), strict=True))
            case _:
                pass

    def _bind(self, names: tuple[str, ...], V: Residue, env: Environment) -> None:
        x, *more = names
        if more:
            for i, y in enumerate(names, start=1):
                self._bind((y,), self.component(i, V), env)
            return
        if isinstance(V, e.Const) and Rule.CONSTANT not in self.rules:
            V = self._let(V, x)
        env[x] = V

    def component(self, i: int, V: Residue) -> Residue:
        """``πi``"""
        if isinstance(V, Static):
            self.fired[Rule.TUPLE] += 1
            return V.components[i - 1]
        return self.emit(e.Proj(i, term(V)))

    def emit(self, M: e.Term) -> Residue:
        """Rewrite M, whose arguments are atoms, by a law, or bind it to a fresh name."""
        for rule, law in self.laws[type(M)]:
            found = law(M, self.known)
            if found is not None:
                self.fired[rule] += 1
                return self.run(found, {})
        return self._let(M, "w")

    def _let(self, M: e.Term, wanted: str) -> e.Var:
        x = self.names.fresh(wanted)
        self.checking.types[x] = self.checking.of(M)
        self.definitions[x] = M
        self.spine.append((x, M))
        return e.Var(x)

    def plus(self, V: Residue, W: Residue) -> Residue:
        """``+̂``, componentwise on tuples and by a ``map2`` on arrays"""
        match self._type(V):
            case Times(factors):
                each = (self.plus(self.component(i, V), self.component(i, W)) for i in range(1, len(factors) + 1))
                return Static(tuple(each))
            case VectorType():
                a, b = self.names.fresh("a"), self.names.fresh("b")
                return self.run(e.Map2(a, b, e.Plus(e.Var(a), e.Var(b)), term(V), term(W)), {})
            case _:
                return self.emit(e.Op("add", (term(V), term(W))))

    def scaled(self, V: Residue, factor: e.Term) -> Residue:
        """``*̂``, componentwise on tuples and by a ``map`` on arrays"""
        match self._type(V):
            case Times(factors):
                return Static(tuple(self.scaled(self.component(i, V), factor) for i in range(1, len(factors) + 1)))
            case VectorType():
                a = self.names.fresh("a")
                return self.run(e.Map(a, e.Scale(e.Var(a), factor), term(V)), {})
            case _:
                return self.emit(e.Op("mul", (term(V), factor)))

    def _type(self, V: Residue) -> Type:
        return self.checking.of(term(V))

    def block(self, M: e.Term, env: Environment) -> e.Term:
        """Evaluate M to a term under the ``let``s that it needs."""
        outer, self.spine = self.spine, []
        result = term(self.run(M, env))
        made, self.spine = self.spine, outer
        return self.closed(made, result)

    def closed(self, spine: list[tuple[str, e.Term]], result: e.Term) -> e.Term:
        """``let … in e``, without dead code if that rule is on."""
        found = rewrite(Rule.PAIR_ETA, result, self.known) if Rule.PAIR_ETA in self.rules else None
        if found is not None:
            self.fired[Rule.PAIR_ETA] += 1
            result = found
        if Rule.DEAD in self.rules:
            spine = list(_live(spine, result))
        if spine and Rule.LET_ETA in self.rules and result == e.Var(spine[-1][0]):
            *spine, (_, result) = spine
        return lets([((x,), N) for x, N in spine], result)

    def differentiated(
        self, derivation: e.Derivation, context: Context, env: Environment, seed: Residue
    ) -> tuple[Residue, list[Residue]]:
        """The value of a derivation, and the cotangents of its context for the cotangent ``seed``."""
        env = dict(env)
        steps = tuple(flattened(derivation))
        value: Residue = Static(())
        for name, step in steps:
            for x, N in step.lets:
                env[x] = self.run(N, env)
            if step.value is not None:
                value = self.run(step.value, env)
                if name is not None:
                    env[name] = value
        cotangents = [self._named(self.run(zero(A), {})) for _, A in context]
        # The derivation of a term keeps its context and adds a slot for its value.
        cotangents.append(self._named(seed))
        for _, step in reversed(steps):
            if step.transposed is not None:
                self._backwards(step.transposed, cotangents, env)
        return value, cotangents

    def _named(self, V: Residue) -> Residue:
        env: Environment = {}
        self._bind(("y",), V, env)
        return env["y"]

    def _backwards(self, J: e.Transposed, cotangents: list[Residue], env: Environment) -> None:
        """Replace the cotangents after an operation by those before it."""
        first = len(cotangents) - len(J.taken)
        for (z, _), V in zip(J.taken, cotangents[first:], strict=True):
            env[z] = V
        del cotangents[first:]
        for x, N in J.lets:
            env[x] = self.run(N, env)
        for place, N in J.added:
            cotangents[place] = self.plus(cotangents[place], self.run(N, env))
        cotangents.extend(self._named(self.run(N, env)) for N in J.pushed)


def flattened(derivation: e.Derivation) -> Iterator[tuple[str | None, e.Derivation]]:
    """Yield the derivations in one in the order of evaluation, each with the name of its value."""
    pending: list[tuple[str | None, e.Derivation, bool]] = [(None, derivation, False)]
    while pending:
        name, step, is_ready = pending.pop()
        if is_ready or not step.before:
            yield name, step
            continue
        pending.append((name, step, True))
        pending.extend((x, inner, False) for x, inner in reversed(step.before))


def term(V: Residue) -> e.Term:
    """A residue as a term. Raises ``KernelBug`` for functions."""
    match V:
        case Static(components):
            return e.Pack(tuple(map(term, components)))
        case Closure():
            raise KernelBug("a function is left")
        case e.Var() | e.Const():
            return V


def _live(spine: Iterable[tuple[str, e.Term]], result: e.Term) -> Iterable[tuple[str, e.Term]]:
    """The ``let``s that the result needs."""
    used = set(free(result))
    kept: list[tuple[str, e.Term]] = []
    for x, N in reversed(list(spine)):
        if x in used:
            used |= free(N)
            kept.append((x, N))
    return reversed(kept)
