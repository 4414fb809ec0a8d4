"""``⟦Γ, Δ ⊢ M : A⟧ : ⟦Δ⟧ → ⟦A⟧`` in 𝕏 (RH Def. 7.12), and with it ``R'`` for all of 𝕏.

Values have been substituted for the variables of Γ. Each equation of the definition is one case; interpretations run on a
trampoline, so terms may be arbitrarily deep.
"""

from collections.abc import Collection
from dataclasses import replace
from functools import cache
from typing import TypeAlias, cast

from rh_kernel.denotational import smooth
from rh_kernel.denotational.choices import pullback_of_choice
from rh_kernel.denotational.environment import Environment, bind, enclose, wires
from rh_kernel.denotational.smooth import Draft, Smooth, Symbol
from rh_kernel.denotational.wiring import Builder, Wires, flat, like, nested, part, side_by_side
from rh_kernel.primitives.derivative import derivative
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax import core
from rh_kernel.syntax.core import Scope, Term
from rh_kernel.syntax.sequences import length, row
from rh_kernel.syntax.types import Type, leaves
from rh_kernel.syntax.values import constant_type

Interpretation: TypeAlias = Descent[Wires]


def interpret_term(delta: tuple[Type, ...], scope: Scope) -> Smooth:
    """``⟦x₁ : A₁, …, xₙ : Aₙ ⊢ M : A⟧`` for the closed scope ``x₁, …, xₙ. M``."""
    b: Draft = Builder([leaf for A in delta for leaf in leaves(A)])
    values = side_by_side(delta, b.inputs)
    return b.close(flat(descend(term(cast(Term, scope.body), bind(scope.hints, values, None), b))))


def reverse_derivative(f: Smooth, along: Collection[int] | None = None, without: Collection[int] = ()) -> Smooth:
    """``R'[f] : Y × X → X``, or its components at positions ``along`` of X; cotangents at ``without`` are symbolic zeros."""
    return smooth.reverse(f, pullback, along, without)


def pullback(symbol: Symbol, without: Collection[int] = ()) -> Smooth:
    """``R'[⟦f⟧]`` of one symbol: ``⟦rd[f]⟧`` (RH Def. 7.2), and ``w ↦ ⟨w, w⟩`` for the sum.

    The cotangents at the positions ``without`` are symbolic zeros.
    """
    match symbol:
        case smooth.Apply(f):
            return _of_primitive(f)
        case smooth.Sum(A):
            b: Draft = Builder((A, A, A))
            return b.close((b.inputs[0], b.inputs[0]))
        case smooth.CustomDerivative(pullback=own):
            return own
        case smooth.Choice():
            return pullback_of_choice(symbol, pullback, without)
        case smooth.ForEach():
            return smooth.pullback_of_rows(symbol, pullback, without)
        case smooth.Constant() | smooth.ZeroMap():
            raise KernelBug("a constant has no argument to differentiate in")


@cache
def _of_primitive(f: core.Primitive) -> Smooth:
    return interpret_term((f.codomain, f.domain), derivative(f))


def term(M: Term, rho: Environment, b: Draft) -> Interpretation:
    """Add ``⟦M⟧`` to the end of ``b`` and return its wires."""
    match M:
        case core.Bound(index):
            return wires(rho, index)
        case core.Const():
            return b.add(smooth.Constant(M), (), (constant_type(M),))[0]
        case core.Zero(A):
            return nested(A, [b.add(smooth.ZeroMap(B), (), (B,))[0] for B in leaves(A)])
        case core.Call(f, N):
            return (yield _symbol(f, (yield term(N, rho, b)), b))
        case core.Let(N, scope):
            V = yield term(N, rho, b)
            return (yield term(cast(Term, scope.body), bind(scope.hints, (V,), rho), b))
        case core.Tuple(items):
            parts: list[Wires] = []
            for N in items:
                parts += ((yield term(N, rho, b)),)
            return tuple(parts)
        case core.Proj(i, n, N):
            return part((yield term(N, rho, b)), i - 1, n)
        case core.Plus(L, N):
            V = yield term(L, rho, b)
            W = yield term(N, rho, b)
            return like(V, [_sum(x, y, b) for x, y in zip(flat(V), flat(W), strict=True)])
        case core.Rd(W, scope, L) | core.R(W, scope, L):
            w = yield term(W, rho, b)
            return (yield _derivative(w, scope, (yield term(L, rho, b)), rho, b))
        case core.Map(N, scope, source, C):
            V = yield term(N, rho, b)
            inside, A = enclose(rho, scope.loose), leaves(row(source))
            captured = len(inside.outer)
            each: Draft = Builder([*inside.types(b), *A])
            x = nested(row(source), each.inputs[captured:])
            W = yield term(cast(Term, scope.body), bind(scope.hints, (x,), inside.environment), each)
            f = each.close(flat(W))
            rows = smooth.ForEach(f, captured, 0, length(source), leaves(source), leaves(C))
            return nested(C, b.add(rows, (*inside.outer, *flat(V)), leaves(C)))
        case core.If(condition, operands, N, L):
            u = flat((yield term(operands, rho, b)))
            inside = enclose(rho, N.loose | L.loose)
            made: list[tuple[Wires, Smooth]] = []
            for branch in (N, L):
                inner: Draft = Builder(inside.types(b))
                V = yield term(branch, inside.environment, inner)
                made += ((V, inner.close(flat(V))),)
            (V, f), (_, g) = made
            return like(V, b.add(smooth.Choice(condition, f, g, span=M.span), (*u, *inside.outer), f.results))


def _sum(x: int, y: int, b: Draft) -> int:
    A = b.types[x]
    return b.add(smooth.Sum(A), (x, y), (A,))[0]


def _derivative(w: Wires, scope: Scope, v: Wires, rho: Environment, b: Draft) -> Interpretation:
    """``⟨id_Δ, ⟦L⟧, ⟦M⟧⟩ ; R'[⟦Δ, x ⊢ N⟧] ; π_x``"""
    inside = enclose(rho, scope.loose)
    count = len(inside.outer)
    inner: Draft = Builder([*inside.types(b), *[b.types[wire] for wire in flat(v)]])
    x = like(v, inner.inputs[count:])
    N = yield term(cast(Term, scope.body), bind(scope.hints, (x,), inside.environment), inner)
    f = reverse_derivative(inner.close(flat(N)), inner.inputs[count:], _zeros(w, b))
    return like(v, b.graft(f, (*flat(w), *inside.outer, *flat(v))))


def _symbol(f: core.Function, V: Wires, b: Draft) -> Interpretation:
    """``V ; ⟦f⟧``"""
    match f:
        case core.Primitive():
            return nested(f.codomain, b.add(smooth.Apply(f), flat(V), leaves(f.codomain)))
        case core.Defined(_, _, B, body, own):
            if own is None:
                return (yield term(cast(Term, body.body), bind(body.hints, (V,), None), b))
            return nested(B, b.add(_own(f), flat(V), leaves(B)))
        case core.RdOf(core.Defined(_, A, B, _, own) as g) if own is not None:
            b.add(replace(_own(g), asked=False), flat(part(V, 1, 2)), leaves(B))
            return nested(A, b.graft(interpret_term((B, A), own), flat(V)))
        case core.RdOf(g):
            inner: Draft = Builder(leaves(g.domain))
            result = yield _symbol(g, nested(g.domain, inner.inputs), inner)
            pullback_of = reverse_derivative(inner.close(flat(result)), without=_zeros(part(V, 0, 2), b))
            return like(part(V, 1, 2), b.graft(pullback_of, flat(V)))


def _own(f: core.Defined) -> smooth.CustomDerivative:
    if f.own is None:
        raise KernelBug(f"{f.name} has no derivative of its own")
    return smooth.CustomDerivative(f.name, interpret_term((f.domain,), f.body), interpret_term((f.codomain, f.domain), f.own))


def _zeros(w: Wires, b: Draft) -> list[int]:
    """Return the positions of the wires of a cotangent that are symbolic zeros."""
    return [i for i, wire in enumerate(flat(w)) if smooth.is_zero(wire, b)]
