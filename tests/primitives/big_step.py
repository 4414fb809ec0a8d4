"""``M ⇓ V`` and ``Γ ⊢ M : A`` for the terms that derivatives are made of: RH Fig. 2 and Fig. 6 read at one go."""

from functools import reduce
from typing import cast

from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.primitives.values import add_values
from rh_kernel.syntax.binding import instantiate_term, mentions, shift
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Const,
    Defined,
    Function,
    If,
    Let,
    Map,
    Plus,
    Primitive,
    Proj,
    R,
    Rd,
    RdOf,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.types import Product, Type, TypeMeta
from rh_kernel.syntax.values import component, constant_type


def value(M: Term) -> Term:
    """The closed value V with ``M ⇓ V``."""
    match M:
        case Const() | Zero():
            return M
        case Call(f, argument):
            return apply(f, value(argument))
        case Plus(left, right):
            return add_values(value(left), value(right))
        case Tuple(items):
            return Tuple(tuple(value(N) for N in items))
        case Proj(i, n, N):
            return part(value(N), i - 1, n)
        case Let(N, scope):
            return value(instantiate_term(scope, value(N)))
        case Rd(W, scope, V):
            return value(unfolded(R(value(W), scope, value(V))))
        case R():
            return value(unfolded(M))
        case Bound() | Map() | If():
            raise AssertionError(M)


def apply(f: Function, V: Term) -> Term:
    """``Ev(f, V)`` for every function symbol."""
    match f:
        case Primitive():
            return evaluate(f, typed_zeros(V, f.domain))
        case Defined(_, _, _, body, _):
            return value(instantiate_term(body, V))
        case RdOf(g):
            return value(instantiate_term(derivative(g), part(V, 0, 2), part(V, 1, 2)))


ZERO = Zero(TypeMeta(0))


def part(V: Term, i: int, n: int) -> Term:
    """``component``, which a ``ZERO`` has as well."""
    return V if V == ZERO else component(V, i, n)


def typed_zeros(V: Term, A: Type) -> Term:
    """V : A with each ``ZERO`` given the type that it has there."""
    match V, A:
        case Zero(), _:
            return Zero(A)
        case Tuple(items), Product(factors):
            return Tuple(tuple(typed_zeros(W, B) for W, B in zip(items, factors, strict=True)))
        case _:
            return V


def unfolded(form: R) -> Term:
    """``W.R_V(x. N)`` with one equation of Fig. 6 unfolded; its zeros are ``ZERO``."""
    W, V = form.cotangent, form.point
    N = cast(Term, form.scope.body)

    def at(M: Term) -> Term:
        return instantiate_term(Scope(("x",), M), V)

    def pulled(U: Term, M: Term) -> Term:
        return R(U, Scope(("x",), M), V)

    match N:
        case _ if not mentions(form.scope, 0):
            return ZERO
        case Bound() | Const() | Zero():
            return W
        case Call(f, M):
            return Let(
                Call(RdOf(f), Tuple((W, at(M)))),
                Scope(("y",), R(Bound(0, "y"), shift(Scope(("x",), M), 1), shift(V, 1))),
            )
        case Plus(M, L):
            return Plus(pulled(W, M), pulled(W, L))
        case Tuple(items):
            n = len(items)
            return reduce(Plus, [pulled(part(W, i, n), M) for i, M in enumerate(items)])
        case Proj(i, n, M):
            return pulled(Tuple(tuple(W if k == i - 1 else ZERO for k in range(n))), M)
        case Let(M, inner):
            both = Scope(("x", "y"), shift(cast(Term, inner.body), 2, above=2))
            in_x = Scope(("x",), instantiate_term(both, Bound(0, "x"), Bound(1, "y")))
            in_y = Scope(("y",), instantiate_term(both, shift(V, 2), Bound(0, "y")))
            through_y = Let(
                R(shift(W, 1), in_y, Bound(0, "y")),
                Scope(("y'",), R(Bound(0, "y'"), shift(Scope(("x",), M), 2), shift(V, 2))),
            )
            return Let(at(M), Scope(("y",), Plus(R(shift(W, 1), in_x, shift(V, 1)), through_y)))
        case Rd(M, inner, L):
            unfolding = R(Bound(1, "z"), shift(inner, 2), Bound(0, "w"))
            return pulled(W, Let(M, Scope(("z",), Let(shift(L, 1), Scope(("w",), unfolding)))))
        case R():
            return pulled(W, unfolded(N))
        case Map() | If():
            raise AssertionError(N)


def is_a_member(f: Primitive) -> bool:
    """Whether f is in the table, with the types that its scheme gives it."""
    schemes = [scheme for scheme in SYMBOLS[f.name].schemes if len(scheme.variables) == len(f.at)]
    return any(instantiate(f.name, scheme, f.at) == f for scheme in schemes)


def synthesised(M: Term, gamma: tuple[Type, ...]) -> Type:
    """The A with ``Γ ⊢ M : A``; the last of ``gamma`` is the variable 0. ``AssertionError`` if there is none."""
    match M:
        case Bound(i):
            return gamma[-1 - i]
        case Const():
            return constant_type(M)
        case Zero(A):
            return A
        case Call(f, argument):
            A = synthesised(argument, gamma)
            assert f.domain == A, f"{f} was applied to {A}"
            assert not isinstance(f, Primitive) or is_a_member(f), f
            return f.codomain
        case Plus(left, right):
            A, B = synthesised(left, gamma), synthesised(right, gamma)
            assert A == B, f"{A} + {B}"
            return A
        case Tuple(items):
            return Product(tuple(synthesised(N, gamma) for N in items))
        case Proj(i, n, N):
            A = synthesised(N, gamma)
            assert isinstance(A, Product)
            assert len(A.factors) == n
            return A.factors[i - 1]
        case Let(N, scope):
            return synthesised(cast(Term, scope.body), (*gamma, synthesised(N, gamma)))
        case Rd(W, scope, V) | R(W, scope, V):
            A = synthesised(V, gamma)
            B = synthesised(cast(Term, scope.body), (*gamma, A))
            assert synthesised(W, gamma) == B, f"the cotangent of {B}"
            return A
        case Map() | If():
            raise AssertionError(M)
