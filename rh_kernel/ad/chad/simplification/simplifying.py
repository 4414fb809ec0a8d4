"""The simplification of derivatives to programs that one can read, at no cost (CHAD App. B, Table 1).

What a linear ``let`` binds is a component of the one linear variable, so the lets of a simplified term keep what they have. One
round goes once through the whole term: on the way down it puts in what is bound and cheap, or used once where it is bound, on
the way up it applies the rules of ``contraction``.
"""

from collections import Counter
from dataclasses import dataclass, field

from rh_kernel.ad.chad.simplification.contraction import Simplification, contracted, dense, is_cheap
from rh_kernel.ad.chad.source import NameSupply
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.traversal import binders, bottom_up, parts, rebuilt, renamed, renamed_as, subterms
from rh_kernel.ad.chad.target.types import Product
from rh_kernel.source.children import Part
from rh_kernel.source.trampoline import Descent, descend

ROUNDS = 200
"""A term is left as it is after so many rounds."""


def simplified(
    t: to.Term,
    parameters: tuple[str, ...] = (),
    written: frozenset[str] = frozenset(),
    used: Counter[Simplification] | None = None,
) -> to.Term:
    """An equal term in the same context that is simpler; ``used`` counts the rules.

    The names that are ``written`` in the program are kept where there is a choice.
    """
    supply, rules = NameSupply((*parameters, *_names(t), *binders(t))), Counter[Simplification]() if used is None else used
    meant: dict[str, str] = {}
    for _ in range(ROUNDS):
        before = rules.total()
        t = descend(_Round(_uses(t), supply, rules, meant, written).term(t))
        if rules.total() == before:
            break
    return _renumbered(bottom_up(t, dense), parameters, meant)


def _names(t: to.Term) -> set[str]:
    return {s.name for s in subterms(t) if isinstance(s, to.Variable | to.LinearVariable)}


def _renumbered(t: to.Term, parameters: tuple[str, ...], meant: dict[str, str]) -> to.Term:
    """The same term with small numbers in the names that it binds."""
    bound = tuple(binders(t))
    supply = NameSupply((*parameters, *_names(t).difference(bound)))
    return renamed_as(t, {x: supply.fresh(meant.get(x, x.rstrip("0123456789"))) for x in bound})


@dataclass(slots=True)
class _Uses:
    """How often variables occur, and which do in a function or a loop that they are bound outside of."""

    times: Counter[str] = field(default_factory=Counter[str])
    inside: set[str] = field(default_factory=set[str])


def _uses(t: to.Term) -> _Uses:
    """How the variables of t occur."""
    found = _Uses()
    bound_at: dict[str, int] = {}
    pending: list[tuple[to.Term, int]] = [(t, 0)]
    while pending:
        s, depth = pending.pop()
        if isinstance(s, to.Variable | to.LinearVariable):
            found.times[s.name] += 1
            if depth > bound_at.get(s.name, depth):
                found.inside.add(s.name)
        repeats = not isinstance(s, to.Let | to.LetLinear | to.Case)
        for names, r in reversed(parts(s)):
            inner = depth + 1 if repeats and names else depth
            bound_at.update(dict.fromkeys(names, inner))
            pending.append((r, inner))
    return found


_Prefix = list[tuple[bool, tuple[str, ...], to.Term]]


class _Round:
    """One round: what is to be put in for variables, and the rules that were used."""

    def __init__(
        self,
        uses: _Uses,
        supply: NameSupply,
        rules: Counter[Simplification],
        meant: dict[str, str],
        written: frozenset[str],
    ) -> None:
        self.uses, self.supply, self.rules = uses, supply, rules
        self.instead: dict[str, to.Term] = {}
        self.widths: dict[str, int] = {}
        self.meant, self.written = meant, written

    def term(self, t: to.Term) -> Descent[to.Term]:
        """The term after this round."""
        if isinstance(t, to.Variable | to.LinearVariable):
            if t.name not in self.instead:
                return t
            instead = self.instead[t.name]
            return renamed(instead, self.supply) if self.uses.times[t.name] > 1 and not is_cheap(instead) else instead
        if isinstance(t, to.Let | to.LetLinear):
            return (yield self._lets(t))
        if isinstance(t, to.LinearLambda) and isinstance(t.type, Product):
            self.widths[t.scope.names[0]] = len(t.type.factors)
        found: list[Part[to.Term]] = []
        for names, s in parts(t):
            found.append((names, (yield self.term(s))))
        return self._contracted(self._opened(rebuilt(t, tuple(found))))

    def _opened(self, t: to.Term) -> to.Term:
        """``⟨v.1, …, v.n, s⟩`` for ``⟨v, s⟩``, where v is bound as a tuple of n."""
        match t:
            case to.Extend(to.LinearVariable(v), s) if v in self.widths:
                self.rules[Simplification.PAIR_ETA] += 1
                components = tuple(to.Projection(i, to.LinearVariable(v)) for i in range(1, self.widths[v] + 1))
                return to.Tuple((*components, s))
            case _:
                return t

    def _contracted(self, t: to.Term) -> to.Term:
        step = contracted(t, self.supply)
        while step is not None:
            self.rules[step[0]] += 1
            t = step[1]
            step = contracted(t, self.supply)
        return t

    def _lets(self, t: to.Term) -> Descent[to.Term]:
        """A spine of lets: what stays of them around what stays of the body."""
        kept: _Prefix = []
        body = yield self._into(kept, t)
        for linear, names, bound in reversed(kept):
            scope = to.Scope(names, body)
            body = to.LetLinear(bound, scope, keeps=True) if linear else to.Let(bound, scope)
            if len(names) > 1:
                body = self._contracted(body)
        return body

    def _into(self, kept: _Prefix, t: to.Term) -> Descent[to.Term]:
        """The body of a spine of lets, which are kept; those of what they bind come before them."""
        while isinstance(t, to.Let | to.LetLinear):
            linear = isinstance(t, to.LetLinear)
            self._mean(t.scope.names, t.bound)
            if isinstance(t.bound, to.Let | to.LetLinear):
                self.rules[Simplification.LET_ROTATE] += 1
                bound = yield self._into(kept, t.bound)
            else:
                bound = yield self.term(t.bound)
            self._bind(kept, t.scope.names, bound, linear=linear)
            t = t.scope.body
        return (yield self.term(t))

    def _mean(self, names: tuple[str, ...], bound: to.Term) -> None:
        """Remembers where a name is given to what a name that was written stands for."""
        components = bound.components if isinstance(bound, to.Tuple) else (bound,)
        for x, s in zip(names, components, strict=False):
            if isinstance(s, to.Variable) and s.name in self.written and x not in self.written:
                self.meant.setdefault(x, s.name)

    def _bind(self, kept: _Prefix, names: tuple[str, ...], bound: to.Term, *, linear: bool) -> None:
        """Keeps the let, or what is left of it, or puts in what it binds."""
        while isinstance(bound, to.Let | to.LetLinear):
            self.rules[Simplification.LET_ROTATE] += 1
            kept.append((isinstance(bound, to.LetLinear), bound.scope.names, bound.bound))
            bound = bound.scope.body
        match names:
            case (x,):
                self._bind_one(kept, x, bound, linear=linear)
            case _ if isinstance(bound, to.Tuple):
                self.rules[Simplification.LET_PAIR_SPLIT] += 1
                for x, s in zip(names, bound.components, strict=True):
                    self._bind_one(kept, x, s, linear=linear)
            case _ if any(self.uses.times[x] for x in names):
                kept.append((linear, names, bound))
            case _:
                self.rules[Simplification.LET_INLINE] += 1

    def _bind_one(self, kept: _Prefix, x: str, bound: to.Term, *, linear: bool) -> None:
        times, is_value = self.uses.times[x], isinstance(bound, to.Lambda | to.LinearLambda)
        once = times == 1 and (is_value or x not in self.uses.inside)
        if not times or once or is_cheap(bound):
            self.rules[Simplification.LET_INLINE] += 1
            self.instead[x] = bound
        elif isinstance(bound, to.Tuple):
            self.rules[Simplification.LET_PAIR_SPLIT] += 1
            self.instead[x] = to.Tuple(tuple(self._part(kept, x, s, linear=linear) for s in bound.components))
        elif isinstance(bound, to.Coprojection):
            self.rules[Simplification.LET_PAIR_SPLIT] += 1
            part = self._part(kept, x, bound.operand, linear=linear)
            self.instead[x] = to.Coprojection(bound.index, bound.type, part)
        else:
            several = _components(bound)
            if several is None:
                kept.append((linear, (x,), bound))
                return
            self.rules[Simplification.LET_LAM_PAIR_SPLIT] += 1
            functions = tuple(self._part(kept, x, renamed(s, self.supply), linear=linear) for s in several)
            self.instead[x] = _joined(bound, functions, self.supply)

    def _part(self, kept: _Prefix, x: str, s: to.Term, *, linear: bool) -> to.Term:
        """A component of what was bound, by a name of its own unless it is cheap."""
        if is_cheap(s):
            return s
        y = self.supply.fresh(x)
        kept.append((linear, (y,), s))
        return to.LinearVariable(y) if linear else to.Variable(y)


def _components(t: to.Term) -> tuple[to.Term, ...] | None:
    """``λx. λ̲v. t1, …`` for ``λx. λ̲v. ⟨t1, …⟩``, under any number of λ."""
    match t:
        case to.Tuple(components):
            return components
        case to.Coprojection():
            return _components(dense(t))
        case to.Lambda(A, to.Scope(names, body)) | to.LinearLambda(A, to.Scope(names, body)):
            inner, kind = _components(body), type(t)
            return None if inner is None else tuple(kind(A, to.Scope(names, s)) for s in inner)
        case _:
            return None


def _joined(t: to.Term, functions: tuple[to.Term, ...], supply: NameSupply) -> to.Term:
    """``λx. λ̲v. ⟨f1 x • v, …⟩``, a function as t is."""
    match t:
        case to.Lambda(A, to.Scope(names, body)):
            x = supply.fresh(names[0])
            applied = tuple(to.Call(f, to.Variable(x)) for f in functions)
            return to.Lambda(A, to.Scope((x,), _joined(body, applied, supply)))
        case to.LinearLambda(A, to.Scope(names, body)):
            v = supply.fresh(names[0])
            pushed = tuple(to.LinearCall(f, to.LinearVariable(v)) for f in functions)
            return to.LinearLambda(A, to.Scope((v,), _joined(body, pushed, supply)))
        case _:
            return to.Tuple(functions)
