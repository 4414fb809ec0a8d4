"""The optimiser one step at a time: ``M ⟶ N`` by a named rule of Fig 12 (§5.1, §5.4).

Rules come in phases, as the paper tells: first the partial evaluation that takes all functions away, then constants and
rings, then arrays, then what is not used, last what is used once. ``residual`` comes to the same in one pass.
"""

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.optimisation.algebra import LAWS, Known, rewrite
from rh_kernel.ad.unary_form.optimisation.gradients import uses
from rh_kernel.ad.unary_form.optimisation.rules import ABOUT, ALL, PARTIAL_EVALUATION, Rule
from rh_kernel.ad.unary_form.terms.binding import lets, parts, rebuilt, substituted, subterms
from rh_kernel.ad.unary_form.terms.printing import Path
from rh_kernel.ad.unary_form.terms.terms import (
    App,
    Const,
    Fill,
    Fun,
    If,
    Let,
    Map,
    Map2,
    Op,
    Pack,
    Plus,
    Proj,
    Scale,
    Term,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Context, Several, Times
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
"""What is switched on, phase by phase."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A term, the rule that gave it, and where what that rule gave is."""

    rule: Rule
    term: Term
    at: Path


@dataclass(slots=True)
class Rewriting:
    """What is known of the term at hand: the types of its names, and how often each occurs."""

    names: Names
    checking: Checking
    uses: Counter[str] = field(default_factory=Counter[str])

    def apply(self, rule: Rule, M: Term) -> Term | None:
        """What M is by a rule, if that is about M itself."""
        if rule in LAWS:
            return rewrite(rule, M, Known({}, self.checking.of))
        match rule:
            case Rule.BETA:
                return _beta(M)
            case Rule.SPLIT:
                return _split(M)
            case Rule.LET_LET:
                return _let_let(M)
            case Rule.LET_OUT:
                return _let_out(M)
            case Rule.IF_OUT:
                return _if_out(M)
            case Rule.PLUS:
                return self._plus(M)
            case Rule.LET_ETA:
                return _let_eta(M)
            case _:
                return self._let(rule, M)

    def _let(self, rule: Rule, M: Term) -> Term | None:
        """What a rule makes of ``let x = e1 in e2``."""
        match M:
            case Let((x,), bound, body):
                pass
            case _:
                return None
        match rule, bound:
            case Rule.INLINE, Fun() if self.uses[x] == 1:
                return substituted(body, {x: bound})
            case Rule.FORWARD, Var():
                return substituted(body, {x: bound})
            case Rule.CONSTANT, (Const(c) | Fill(_, Const(c))) if c in (0.0, 1.0):
                return substituted(body, {x: bound})
            case Rule.DEAD, _ if self.uses[x] == 0:
                return body
            case Rule.LET_TUPLE, Pack(components):
                return self._let_tuple(x, components, body)
            case Rule.INLINE_ONCE, _ if self.uses[x] == 1 and x in uses(body):
                return substituted(body, {x: bound})
            case _:
                return None

    def _let_tuple(self, x: str, components: tuple[Term, ...], body: Term) -> Term:
        spine: list[tuple[tuple[str, ...], Term]] = []
        atoms: list[Term] = []
        for N in components:
            if isinstance(N, Var | Const):
                atoms.append(N)
                continue
            y = self.names.fresh(x)
            spine.append(((y,), N))
            atoms.append(Var(y))
        return lets(spine, substituted(body, {x: Pack(tuple(atoms))}))

    def _plus(self, M: Term) -> Term | None:
        match M:
            case Plus(N, L) | Scale(N, L):
                A = self.checking.of(N)
            case _:
                return None
        form = type(M)
        if isinstance(A, Times):
            if not isinstance(N, Var | Pack) or not isinstance(L, Var | Pack | Const):
                p, q = self.names.fresh("p"), self.names.fresh("q")
                return Let((p,), N, Let((q,), L, form(Var(p), Var(q))))
            indices = range(1, len(A.factors) + 1)
            return Pack(tuple(form(Proj(i, N), Proj(i, L) if isinstance(M, Plus) else L) for i in indices))
        if not isinstance(A, Several):
            return Op("add" if isinstance(M, Plus) else "mul", (N, L))
        a, b = self.names.fresh("a"), self.names.fresh("b")
        if isinstance(M, Plus):
            return Map2(a, b, Plus(Var(a), Var(b)), N, L)
        if not isinstance(L, Var | Const):
            return Let((b,), L, Scale(N, Var(b)))
        return Map(a, Scale(Var(a), L), N)

    def steps(self, M: Term, rules: AbstractSet[Rule]) -> Iterator[Rewritten]:
        """All steps by these rules, from the outside in and from left to right, until none applies anywhere."""
        about = {form: tuple(rule for rule in many if rule in rules) for form, many in ABOUT.items()}
        self.uses = Counter(_occurring(M))
        is_done = False
        while not is_done:
            is_done = True
            pending: list[tuple[Path, Term]] = [((), M)]
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
                # What is further out may be a redex now.
                is_done = False

    def _step(self, M: Term, rules: tuple[Rule, ...]) -> tuple[Rule, Term] | None:
        for rule in rules:
            made = self.apply(rule, M)
            if made is not None:
                return rule, made
        return None


def _occurring(M: Term) -> Iterator[str]:
    return (N.name for N in subterms(M) if isinstance(N, Var))


def trace(context: Context, M: Term, names: Names, rules: AbstractSet[Rule] = ALL) -> Iterator[Rewritten]:
    """``M ⟶ … ⟶ N``, phase by phase, with the rules that are switched on"""
    checking = Checking(dict(context))
    checking.of(M)
    rewriting = Rewriting(names, checking)
    for phase in PHASES:
        for step in rewriting.steps(M, phase & rules):
            M = step.term
            yield step


def normal_form(context: Context, M: Term, names: Names, rules: AbstractSet[Rule] = ALL) -> tuple[Term, Counter[Rule]]:
    """Where the trace ends, and how often each rule was used."""
    fired: Counter[Rule] = Counter()
    for step in trace(context, M, names, rules):
        M = step.term
        fired[step.rule] += 1
    return M, fired


def _beta(M: Term) -> Term | None:
    match M:
        case App(Fun(parameters, body), arguments):
            names = tuple(x for x, _ in parameters)
            return lets([((x,), N) for x, N in zip(names, arguments, strict=True)], body)
        case _:
            return None


def _split(M: Term) -> Term | None:
    match M:
        case Let((_, _, *_) as names, Pack(components), body):
            return lets([((x,), N) for x, N in zip(names, components, strict=True)], body)
        case _:
            return None


def _let_let(M: Term) -> Term | None:
    match M:
        case Let(names, Let(inner, e1, e2), e3):
            return Let(inner, e1, Let(names, e2, e3))
        case _:
            return None


def _let_out(M: Term) -> Term | None:
    if isinstance(M, Let):
        return None
    inside = parts(M)
    for i, (names, N) in enumerate(inside):
        is_strict = not names and not isinstance(M, Fun) and not (isinstance(M, If) and i > 1)
        if is_strict and isinstance(N, Let):
            return Let(N.names, N.bound, rebuilt(M, (*inside[:i], ((), N.body), *inside[i + 1 :])))
    return None


def _if_out(M: Term) -> Term | None:
    match M:
        case Proj(i, If(smaller, larger, then, otherwise)):
            return If(smaller, larger, Proj(i, then), Proj(i, otherwise))
        case _:
            return None


def _let_eta(M: Term) -> Term | None:
    match M:
        case Let((x,), bound, Var(y)) if x == y:
            return bound
        case _:
            return None


def _replaced(M: Term, at: Path, made: Term) -> Term:
    """M with ``made`` at a place."""
    above: list[tuple[Term, int]] = []
    for i in at:
        above.append((M, i))
        M = parts(M)[i][1]
    for N, i in reversed(above):
        inside = parts(N)
        made = rebuilt(N, (*inside[:i], (inside[i][0], made), *inside[i + 1 :]))
    return made
