"""Simplification of derivatives to readable programs that are no slower (CHAD App. B, Table 1).

One round traverses the term once: on the way down it inlines bound terms that are cheap or used once outside of functions and
loops, on the way up it applies the rules of ``contraction``. Rounds are repeated until no rule applies. The variable of a
linear ``let`` is a component of the one linear variable, so the linear lets of a simplified term have ``keeps`` set.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.ad.chad.names import NameSupply
from rh_kernel.ad.chad.simplification.contraction import Simplification, contract, dense, is_cheap
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.traversal import binders, bottom_up, parts, rebuilt, renamed, renamed_as, subterms
from rh_kernel.ad.chad.target.types import Product
from rh_kernel.source.children import Part
from rh_kernel.source.trampoline import Descent, descend

ROUNDS = 200
"""The largest number of rounds."""


def simplify(
    t: to.Term,
    parameters: tuple[str, ...] = (),
    written: frozenset[str] = frozenset(),
    used: Counter[Simplification] | None = None,
) -> to.Term:
    """Return a simpler equal term in the same context, and count the rules in ``used``.

    ``parameters`` are the free variables of t, and ``written`` the names in the source program, which are preferred.
    """
    supply, rules = NameSupply((*parameters, *_names(t), *binders(t))), Counter[Simplification]() if used is None else used
    source_names: dict[str, str] = {}
    for _ in range(ROUNDS):
        before = rules.total()
        t = descend(_Round(_uses(t), supply, rules, source_names, written).term(t))
        if rules.total() == before:
            break
    return _renumbered(bottom_up(t, dense), parameters, source_names)


def _names(t: to.Term) -> set[str]:
    return {s.name for s in subterms(t) if isinstance(s, to.Variable | to.LinearVariable)}


def _renumbered(t: to.Term, parameters: tuple[str, ...], source_names: dict[str, str]) -> to.Term:
    """Return the same term with bound variables that are numbered from 1."""
    bound = tuple(binders(t))
    supply = NameSupply((*parameters, *_names(t).difference(bound)))
    return renamed_as(t, {x: supply.fresh(source_names.get(x, x.rstrip("0123456789"))) for x in bound})


@dataclass(slots=True)
class _Uses:
    """The number of occurrences of each variable, and the variables that occur in a function or loop inside their scope."""

    times: Counter[str] = field(default_factory=Counter[str])
    inside: set[str] = field(default_factory=set[str])


def _uses(t: to.Term) -> _Uses:
    """Count the occurrences of the variables of t."""
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


_Prefix: TypeAlias = list[tuple[bool, tuple[str, ...], to.Term]]
"""Lets around a term: whether each is linear, its names, and the term that it binds."""


class _Round:
    """One round: ``images`` are the terms to inline for variables, ``widths`` the sizes of linear variables that are tuples."""

    def __init__(
        self,
        uses: _Uses,
        supply: NameSupply,
        rules: Counter[Simplification],
        source_names: dict[str, str],
        written: frozenset[str],
    ) -> None:
        self.uses, self.supply, self.rules = uses, supply, rules
        self.images: dict[str, to.Term] = {}
        self.widths: dict[str, int] = {}
        self.source_names, self.written = source_names, written

    def term(self, t: to.Term) -> Descent[to.Term]:
        """Return the term after this round."""
        if isinstance(t, to.Variable | to.LinearVariable):
            if t.name not in self.images:
                return t
            image = self.images[t.name]
            return renamed(image, self.supply) if self.uses.times[t.name] > 1 and not is_cheap(image) else image
        if isinstance(t, to.Let | to.LetLinear):
            return (yield self._lets(t))
        if isinstance(t, to.LinearLambda) and isinstance(t.type, Product):
            self.widths[t.scope.names[0]] = len(t.type.factors)
        found: list[Part[to.Term]] = []
        for names, s in parts(t):
            found.append((names, (yield self.term(s))))
        return self._contract(self._expanded(rebuilt(t, tuple(found))))

    def _expanded(self, t: to.Term) -> to.Term:
        """``⟨v.1, …, v.n, s⟩`` for ``⟨v, s⟩``, where v is a tuple of n components"""
        match t:
            case to.Extend(to.LinearVariable(v), s) if v in self.widths:
                self.rules[Simplification.PAIR_ETA] += 1
                components = tuple(to.Projection(i, to.LinearVariable(v)) for i in range(1, self.widths[v] + 1))
                return to.Tuple((*components, s))
            case _:
                return t

    def _contract(self, t: to.Term) -> to.Term:
        step = contract(t, self.supply)
        while step is not None:
            self.rules[step[0]] += 1
            t = step[1]
            step = contract(t, self.supply)
        return t

    def _lets(self, t: to.Term) -> Descent[to.Term]:
        """Simplify nested lets."""
        kept: _Prefix = []
        body = yield self._body(kept, t)
        for linear, names, bound in reversed(kept):
            scope = to.Scope(names, body)
            body = to.LetLinear(bound, scope, keeps=True) if linear else to.Let(bound, scope)
            if len(names) > 1:
                body = self._contract(body)
        return body

    def _body(self, kept: _Prefix, t: to.Term) -> Descent[to.Term]:
        """Simplify the body of nested lets; append these to ``kept``, each after the lets of its bound term."""
        while isinstance(t, to.Let | to.LetLinear):
            linear = isinstance(t, to.LetLinear)
            self._record_source_names(t.scope.names, t.bound)
            if isinstance(t.bound, to.Let | to.LetLinear):
                self.rules[Simplification.LET_ROTATE] += 1
                bound = yield self._body(kept, t.bound)
            else:
                bound = yield self.term(t.bound)
            self._bind(kept, t.scope.names, bound, linear=linear)
            t = t.scope.body
        return (yield self.term(t))

    def _record_source_names(self, names: tuple[str, ...], bound: to.Term) -> None:
        """Record the names whose bound terms are variables of the source program."""
        components = bound.components if isinstance(bound, to.Tuple) else (bound,)
        for x, s in zip(names, components, strict=False):
            if isinstance(s, to.Variable) and s.name in self.written and x not in self.written:
                self.source_names.setdefault(x, s.name)

    def _bind(self, kept: _Prefix, names: tuple[str, ...], bound: to.Term, *, linear: bool) -> None:
        """Append the let to ``kept``, or split it, or inline the bound term."""
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
            self.images[x] = bound
        elif isinstance(bound, to.Tuple):
            self.rules[Simplification.LET_PAIR_SPLIT] += 1
            self.images[x] = to.Tuple(tuple(self._named(kept, x, s, linear=linear) for s in bound.components))
        elif isinstance(bound, to.Coprojection):
            self.rules[Simplification.LET_PAIR_SPLIT] += 1
            operand = self._named(kept, x, bound.operand, linear=linear)
            self.images[x] = to.Coprojection(bound.index, bound.type, operand)
        else:
            functions = _components(bound)
            if functions is None:
                kept.append((linear, (x,), bound))
                return
            self.rules[Simplification.LET_LAM_PAIR_SPLIT] += 1
            named = tuple(self._named(kept, x, renamed(f, self.supply), linear=linear) for f in functions)
            self.images[x] = _joined(bound, named, self.supply)

    def _named(self, kept: _Prefix, x: str, s: to.Term, *, linear: bool) -> to.Term:
        """Return a variable that is bound to this component, or the component itself if it is cheap."""
        if is_cheap(s):
            return s
        y = self.supply.fresh(x)
        kept.append((linear, (y,), s))
        return to.LinearVariable(y) if linear else to.Variable(y)


def _components(t: to.Term) -> tuple[to.Term, ...] | None:
    """``λx. λ̲v. t1, …`` for ``λx. λ̲v. ⟨t1, …⟩``, with any number of λ; ``None`` for other terms"""
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
    """``λx. λ̲v. ⟨f1 x • v, …⟩``, with the λ of t"""
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
