"""``D(f) : A_1 → B_1 × (A_2 ⊸ B_2)`` for an arrow ``f : A → B``, in reverse mode with ``B_2 ⊸ A_2`` (CHAD §6).

These are the Cartesian closed structures of Σ_C L and of Σ_C L^op, by the combinators of f.
"""

from collections.abc import Iterable, Sequence
from functools import partial, reduce
from typing import TypeAlias

from rh_kernel.ad.chad.combinators import arrows as of
from rh_kernel.ad.chad.combinators.arrow_builder import ArrowBuilder
from rh_kernel.ad.chad.combinators.arrows import Arrow, Entries, Object
from rh_kernel.ad.chad.combinators.loops import fold_derivative, map_derivative
from rh_kernel.ad.chad.context import codomain_of, component_of, sum_of
from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import Mode, product_of
from rh_kernel.ad.chad.term_builder import Unary, first, let, linear_call, second
from rh_kernel.ad.language import types as source
from rh_kernel.ad.language.types import SCALAR, Function, Real, Sum, Type
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import Descent, descend

Derived: TypeAlias = tuple[to.Term, Object]
"""``D(f)``, a closed function, and the codomain of f."""


def combinator_derivative(mode: Mode, domain: Entries, f: Arrow, taken: Iterable[str] = ()) -> to.Term:
    """Return ``D(f)``, which does not bind the names ``taken``."""
    return descend(_Transformation(mode, taken).arrow(domain, f))[0]


class _Transformation(ArrowBuilder):
    """The derivatives of arrows in one mode."""

    def _constant(self, A: Object, B: Object, value: Unary, reverse: Unary, forward: Unary) -> Derived:
        """``λx. ⟨…, λ̲v. …⟩``, where the linear function does not depend on x"""
        derivative = reverse if self.is_reverse else forward
        return self.function(A, lambda x: self.dual_of(A, B, value(x), derivative)), B

    def arrow(self, A: Object, f: Arrow) -> Descent[Derived]:
        """``D(f)`` for an f from A."""
        match f:
            case of.Identity():
                return self._constant(A, A, _same, _same, _same)
            case of.Compose(g, h):
                s, B = yield self.arrow(A, g)
                r, C = yield self.arrow(B, h)
                return self.function(A, lambda x: self._composed(A, C, to.Call(s, x), r)), C
            case of.Tupling(parts):
                terms: list[to.Term] = []
                types: list[Type] = []
                for g in parts:
                    t, B = yield self.arrow(A, g)
                    terms.append(t)
                    types.append(_type(B))
                C = source.Product(tuple(types))
                return self.function(A, lambda x: self._tuple(A, C, [to.Call(t, x) for t in terms])), C
            case of.Extension(g):
                t, B = yield self.arrow(A, g)
                C = _entries(A).extended(_type(B))
                return self.function(A, lambda x: self._extended(A, C, x, to.Call(t, x))), C
            case of.Weakening():
                *shorter, last = _entries(A).types
                zero = to.Zero(self.two(last))
                return self._constant(A, Entries(tuple(shorter)), to.Initial, lambda v: to.Extend(v, zero), to.Initial)
            case of.Newest():
                n, whole = len(_entries(A).types), product_of(self.two(A))
                return self._constant(A, _entries(A).types[-1], to.Last, lambda v: to.Coprojection(n, whole, v), to.Last)
            case of.Component(i):
                B, whole = component_of(_type(A), i), product_of(self.two(A))
                component = partial(to.Projection, i)
                return self._constant(A, B, component, lambda v: to.Coprojection(i, whole, v), component)
            case of.Primitive(op):
                return self.function(A, lambda x: self._primitive(A, op, x)), Real(op.codomain)
            case _:
                return (yield self._higher(A, f))

    def _higher(self, A: Object, f: Arrow) -> Descent[Derived]:
        """Exponentials and sums"""
        match f:
            case of.Evaluation():
                B = codomain_of(component_of(_type(A), 1))
                return self.function(A, lambda x: self._evaluated(A, B, x)), B
            case of.Curry(B, g):
                t, C = yield self.arrow(_entries(A).extended(B), g)
                y, D = self.names.fresh("f"), Function(B, _type(C))
                return let((y,), t, self.function(A, lambda x: self._curried(A, D, to.Variable(y), x))), D
            case of.Injection(side, B):
                own, other = (B.left, B.right) if side == 1 else (B.right, B.left)
                own2, other2, B1 = self.two(own), self.two(other), self.one(B)
                return self._constant(
                    A,
                    B,
                    lambda x: to.Inject(side, B1, x),
                    lambda v: to.LinearOut(side, own2, v),
                    lambda v: to.LinearInject(side, other2, v),
                )
            case of.Cotupling(g, h):
                gamma = Entries(_entries(A).types[:-1])
                sides = sum_of(_entries(A).types[-1])
                s, D = yield self.arrow(gamma.extended(sides.left), g)
                r, _ = yield self.arrow(gamma.extended(sides.right), h)
                return self.function(A, lambda x: self._cases(A, D, (s, r), x)), D
            case of.Comparison():
                B = Sum(source.UNIT, source.UNIT)
                A0, B0 = to.Zero(self.two(A)), to.Zero(self.two(B))
                return self._constant(A, B, lambda x: to.Sign(first(x), second(x)), lambda _: A0, lambda _: B0)
            case of.Mapping(_, k, g):
                inner = Entries((*_entries(A).types[: len(_entries(A).types) - k], *(SCALAR,) * max(k, 1)))
                t, _ = yield self.arrow(inner, g)
                return map_derivative(self, _entries(A), f, t)
            case of.Folding(_, _, g):
                inner = Entries((*_entries(A).types[:-1], SCALAR))
                t, _ = yield self.arrow(inner, g)
                return fold_derivative(self, _entries(A), f, t)
            case _:
                raise KernelBug(f"no derivative of the combinator {f}")

    def _composed(self, A: Object, C: Object, t: to.Term, s: to.Term) -> to.Term:
        """``let ⟨y, y'⟩ = t in let ⟨z, z'⟩ = s y in ⟨z, λ̲v. y' • (z' • v)⟩``, forward ``z' • (y' • v)``"""

        def chained(y_: str, z: to.Term, z_: str) -> to.Term:
            inner, outer = (z_, y_) if self.is_reverse else (y_, z_)
            return self.dual_of(A, C, z, lambda v: self.let_linear(linear_call(inner, v), lambda w: linear_call(outer, w)))

        return self.let_pair(t, lambda y, y_: self.let_pair(to.Call(s, y), lambda z, z_: chained(y_, z, z_)))

    def _tuple(self, A: Object, C: Object, terms: Sequence[to.Term]) -> to.Term:
        """``let ⟨y, y'⟩ = t in … ⟨⟨y, …⟩, λ̲v. y' • v.1 + …⟩``, forward ``⟨y' • v, …⟩``"""
        names = [self.names.pair("y") for _ in terms]

        def derivative(v: to.Term) -> to.Term:
            if not self.is_reverse:
                return to.Tuple(tuple(linear_call(y_, v) for _, y_ in names))
            if not names:
                return to.Zero(self.two(A))
            return reduce(to.Plus, [linear_call(y_, to.Projection(i, v)) for i, (_, y_) in enumerate(names, 1)])

        body = self.dual_of(A, C, to.Tuple(tuple(to.Variable(y) for y, _ in names)), derivative)
        for pair, t in zip(reversed(names), reversed(terms), strict=True):
            body = let(pair, t, body)
        return body

    def _extended(self, A: Object, C: Object, x: to.Term, t: to.Term) -> to.Term:
        """``let ⟨y, y'⟩ = t in ⟨⟨x, y⟩, λ̲v. fst v + y' • (snd v)⟩``, forward ``⟨v, y' • v⟩``"""

        def derivative(y_: str, v: to.Term) -> to.Term:
            if self.is_reverse:
                return to.Plus(to.Initial(v), linear_call(y_, to.Last(v)))
            return to.Extend(v, linear_call(y_, v))

        return self.let_pair(t, lambda y, y_: self.dual_of(A, C, to.Extend(x, y), lambda v: derivative(y_, v)))

    def _primitive(self, A: Object, op: Operation, x: to.Term) -> to.Term:
        """``⟨op x, λ̲v. Dop(x; v)⟩``, and ``Dopᵗ``"""
        k = len(op.domain)
        point = (x,) if k == 1 else tuple(to.Projection(i, x) for i in range(1, k + 1))
        return self.dual_of(A, Real(op.codomain), to.Apply(op, point), lambda v: to.Differential(self.mode, op, point, v))

    def _evaluated(self, A: Object, B: Type, x: to.Term) -> to.Term:
        """``let ⟨b, b'⟩ = x.1 x.2 in ⟨b, λ̲v. ⟨!x.2⊗v, b' • v⟩⟩``, forward ``v.1 x.2 + b' • v.2``"""

        def derivative(b_: str, v: to.Term) -> to.Term:
            if self.is_reverse:
                return to.Tuple((to.Single(second(x), v), linear_call(b_, v)))
            return to.Plus(to.Call(first(v), second(x)), linear_call(b_, second(v)))

        return self.let_pair(to.Call(first(x), second(x)), lambda b, b_: self.dual_of(A, B, b, lambda v: derivative(b_, v)))

    def _curried(self, A: Object, D: Function, f: to.Term, c: to.Term) -> to.Term:
        """``⟨λa. let ⟨b, b'⟩ = f ⟨c, a⟩ in ⟨b, λ̲v. snd (b' • v)⟩, λ̲v. case v of !a⊗w → fst ((f ⟨c, a⟩).2 • w)⟩``

        Forward they are ``λ̲v. b' • ⟨0, v⟩`` and ``λ̲v. λa. (f ⟨c, a⟩).2 • ⟨v, 0⟩``.
        """
        B2, A2, B1, names = self.two(D.domain), self.two(A), self.one(D.domain), self.names
        a, e, w = names.fresh("a"), names.fresh("a"), names.fresh("v")

        def argument(b_: str, v: to.Term) -> to.Term:
            return to.Last(linear_call(b_, v)) if self.is_reverse else linear_call(b_, to.Extend(to.Zero(A2), v))

        def captured(v: to.Term) -> to.Term:
            called = second(to.Call(f, to.Extend(c, to.Variable(e))))
            if self.is_reverse:
                return to.Fold(A2, v, to.Scope((e, w), to.Initial(to.LinearCall(called, to.LinearVariable(w)))))
            return to.Lambda(B1, to.Scope((e,), to.LinearCall(called, to.Extend(v, to.Zero(B2)))))

        inner = self.let_pair(
            to.Call(f, to.Extend(c, to.Variable(a))),
            lambda b, b_: self.dual_of(D.domain, D.codomain, b, lambda v: argument(b_, v)),
        )
        return self.dual_of(A, D, to.Lambda(B1, to.Scope((a,), inner)), captured)

    def _cases(self, A: Object, D: Object, branches: tuple[to.Term, to.Term], x: to.Term) -> to.Term:
        """``case snd x of inl a → let ⟨y, y'⟩ = f ⟨fst x, a⟩ in ⟨y, λ̲v. let w = y' • v in ⟨fst w, linl (snd w)⟩⟩ | …``

        Forward the linear function is ``λ̲v. y' • ⟨fst v, lout_l (snd v)⟩``.
        """
        sides = sum_of(_entries(A).types[-1])

        def derivative(side: int, y_: str, v: to.Term) -> to.Term:
            own, other = map(self.two, (sides.left, sides.right) if side == 1 else (sides.right, sides.left))
            if self.is_reverse:
                inject = partial(to.LinearInject, side, other)
                return self.let_linear(linear_call(y_, v), lambda w: to.Extend(to.Initial(w), inject(to.Last(w))))
            return linear_call(y_, to.Extend(to.Initial(v), to.LinearOut(side, own, to.Last(v))))

        def branch(side: int) -> to.Scope:
            a = self.names.fresh("a")
            called = to.Call(branches[side - 1], to.Extend(to.Initial(x), to.Variable(a)))
            body = self.let_pair(called, lambda y, y_: self.dual_of(A, D, y, lambda v: derivative(side, y_, v)))
            return to.Scope((a,), body)

        return to.Case(to.Last(x), branch(1), branch(2))


def _same(t: to.Term) -> to.Term:
    return t


def _entries(A: Object) -> Entries:
    if not isinstance(A, Entries):
        raise KernelBug(f"{A} is not a context")
    return A


def _type(A: Object) -> Type:
    if isinstance(A, Entries):
        raise KernelBug("a type was expected, not a context")
    return A
