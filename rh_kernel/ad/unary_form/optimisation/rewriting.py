"""The optimiser, step by step: ``M ⟶ N`` by a named rule of Fig 12 (§5.1, §5.4).

Rules are applied in phases, as in the paper: partial evaluation, which removes all functions; constants and rings; arrays; dead
code; inlining. ``residual`` computes the same in one pass.
"""

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.optimisation.algebra import LAWS, Known, rewrite
from rh_kernel.ad.unary_form.optimisation.gradients import uses
from rh_kernel.ad.unary_form.optimisation.rules import ABOUT, ALL, PARTIAL_EVALUATION, Rule
from rh_kernel.ad.unary_form.terms import terms as e
from rh_kernel.ad.unary_form.terms.binding import lets, parts, rebuilt, substituted, subterms
from rh_kernel.ad.unary_form.terms.printing import Path
from rh_kernel.ad.unary_form.terms.types import Context, Times, VectorType
from rh_kernel.ad.unary_form.terms.typing import Checking

_CONSTANTS = frozenset({Rule.CONSTANT, Rule.TIMES_ZERO, Rule.PLUS_ZERO, Rule.TIMES_ONE, Rule.COMMUTED})
_ARRAYS = frozenset(LAWS) - {Rule.TUPLE, Rule.FUSION}
PHASES: tuple[frozenset[Rule], ...] = (
    PARTIAL_EVALUATION,
    PARTIAL_EVALUATION | _CONSTANTS,
    PARTIAL_EVALUATION | _CONSTANTS | _ARRAYS,
    PARTIAL_EVALUATION | _CONSTANTS | _ARRAYS | {Rule.DEAD},
    ALL,
)
"""The rules of each phase."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A step: its rule, the term after it, and the position of the contractum."""

    rule: Rule
    term: e.Term
    at: Path


@dataclass(slots=True)
class Rewriting:
    """The rewriting of a term, with the types of its names and the number of uses of each."""

    names: Names
    checking: Checking
    uses: Counter[str] = field(default_factory=Counter[str])

    def apply(self, rule: Rule, M: e.Term) -> e.Term | None:
        """The contractum of M by a rule, or ``None`` if M is no redex of it."""
        if rule in LAWS:
            return rewrite(rule, M, Known({}, self.checking.of))
        match rule, M:
            case Rule.BETA, e.App(e.Fun(parameters, body), arguments):
                return lets([((x,), N) for (x, _), N in zip(parameters, arguments, strict=True)], body)
            case Rule.SPLIT, e.Let((_, _, *_) as names, e.Pack(components), body):
                return lets([((x,), N) for x, N in zip(names, components, strict=True)], body)
            case Rule.LET_LET, e.Let(names, e.Let(inner, e1, e2), e3):
                return e.Let(inner, e1, e.Let(names, e2, e3))
            case Rule.LET_OUT, _ if not isinstance(M, e.Let):
                return _let_out(M)
            case Rule.IF_OUT, e.Proj(i, e.If(smaller, larger, then, otherwise)):
                return e.If(smaller, larger, e.Proj(i, then), e.Proj(i, otherwise))
            case Rule.PLUS, e.Plus(N, L) | e.Scale(N, L):
                return self._plus(M, N, L)
            case Rule.LET_ETA, e.Let((x,), bound, e.Var(y)) if x == y:
                return bound
            case Rule.DEAD, e.Let((x,), _, body) if self.uses[x] == 0:
                return body
            case Rule.LET_TUPLE, e.Let((x,), e.Pack(components), body):
                return self._let_tuple(x, components, body)
            case Rule.INLINE, e.Let((x,), e.Fun() as bound, body) if self.uses[x] == 1:
                return substituted(body, {x: bound})
            case Rule.INLINE_ONCE, e.Let((x,), bound, body) if self.uses[x] == 1 and x in uses(body):
                return substituted(body, {x: bound})
            case Rule.FORWARD, e.Let((x,), e.Var() as bound, body):
                return substituted(body, {x: bound})
            case Rule.CONSTANT, e.Let((x,), (e.Const(c) | e.Fill(_, e.Const(c))) as bound, body) if c in (0.0, 1.0):
                return substituted(body, {x: bound})
            case _:
                return None

    def _let_tuple(self, x: str, components: tuple[e.Term, ...], body: e.Term) -> e.Term:
        spine: list[tuple[tuple[str, ...], e.Term]] = []
        atoms: list[e.Term] = []
        for N in components:
            if isinstance(N, e.Var | e.Const):
                atoms.append(N)
                continue
            y = self.names.fresh(x)
            spine.append(((y,), N))
            atoms.append(e.Var(y))
        return lets(spine, substituted(body, {x: e.Pack(tuple(atoms))}))

    def _plus(self, M: e.Plus | e.Scale, N: e.Term, L: e.Term) -> e.Term:
        A = self.checking.of(N)
        form = type(M)
        if isinstance(A, Times):
            if not isinstance(N, e.Var | e.Pack) or not isinstance(L, e.Var | e.Pack | e.Const):
                p, q = self.names.fresh("p"), self.names.fresh("q")
                return e.Let((p,), N, e.Let((q,), L, form(e.Var(p), e.Var(q))))
            indices = range(1, len(A.factors) + 1)
            return e.Pack(tuple(form(e.Proj(i, N), e.Proj(i, L) if isinstance(M, e.Plus) else L) for i in indices))
        if not isinstance(A, VectorType):
            return e.Op("add" if isinstance(M, e.Plus) else "mul", (N, L))
        a, b = self.names.fresh("a"), self.names.fresh("b")
        if isinstance(M, e.Plus):
            return e.Map2(a, b, e.Plus(e.Var(a), e.Var(b)), N, L)
        if not isinstance(L, e.Var | e.Const):
            return e.Let((b,), L, e.Scale(N, e.Var(b)))
        return e.Map(a, e.Scale(e.Var(a), L), N)

    def steps(self, M: e.Term, rules: AbstractSet[Rule]) -> Iterator[Rewritten]:
        """Rewrite by these rules, from the outside in and from left to right, until none applies anywhere."""
        about = {form: tuple(rule for rule in many if rule in rules) for form, many in ABOUT.items()}
        self.uses = Counter(_occurring(M))
        is_done = False
        while not is_done:
            is_done = True
            pending: list[tuple[Path, e.Term]] = [((), M)]
            while pending:
                at, N = pending.pop()
                found = self._step(N, about.get(type(N), ()))
                if found is None:
                    pending.extend(((*at, i), L) for i, (_, L) in reversed(list(enumerate(parts(N)))))
                    continue
                rule, made = found
                self.checking.of(made)
                self.uses.subtract(_occurring(N))
                self.uses.update(_occurring(made))
                M = _replaced(M, at, made)
                yield Rewritten(rule, M, at)
                pending.append((at, made))
                # An outer term may be a redex now.
                is_done = False

    def _step(self, M: e.Term, rules: tuple[Rule, ...]) -> tuple[Rule, e.Term] | None:
        for rule in rules:
            made = self.apply(rule, M)
            if made is not None:
                return rule, made
        return None


def _occurring(M: e.Term) -> Iterator[str]:
    return (N.name for N in subterms(M) if isinstance(N, e.Var))


def trace(context: Context, M: e.Term, names: Names, rules: AbstractSet[Rule] = ALL) -> Iterator[Rewritten]:
    """``M ⟶ … ⟶ N``, phase by phase, with ``rules``."""
    checking = Checking(dict(context))
    checking.of(M)
    rewriting = Rewriting(names, checking)
    for phase in PHASES:
        for step in rewriting.steps(M, phase & rules):
            M = step.term
            yield step


def _let_out(M: e.Term) -> e.Term | None:
    inside = parts(M)
    for i, (names, N) in enumerate(inside):
        is_strict = not names and not isinstance(M, e.Fun) and not (isinstance(M, e.If) and i > 1)
        if is_strict and isinstance(N, e.Let):
            return e.Let(N.names, N.bound, rebuilt(M, (*inside[:i], ((), N.body), *inside[i + 1 :])))
    return None


def _replaced(M: e.Term, at: Path, made: e.Term) -> e.Term:
    """M with ``made`` at the position ``at``."""
    above: list[tuple[e.Term, int]] = []
    for i in at:
        above.append((M, i))
        M = parts(M)[i][1]
    for N, i in reversed(above):
        inside = parts(N)
        made = rebuilt(N, (*inside[:i], (inside[i][0], made), *inside[i + 1 :]))
    return made
