"""``Γ ⊢ M : A`` and ``Γ ⊢ P : A`` (RH Fig. 2, 3), checked in full; unfolded forms have the types of Lemmas 5.3 and 5.9.

An independent reading of the figures, so that preservation is tried against more than the reducer's own types.
"""

from rh_kernel.operational.contexts import Subject
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Const,
    Handle,
    If,
    IfCommand,
    Let,
    Map,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Tuple,
    Zero,
)
from rh_kernel.syntax.sequences import length, of_rows, row, unstacked
from rh_kernel.syntax.types import SCALAR, Product, Type, factors, product
from rh_kernel.syntax.values import constant_type

Gamma = tuple[Type, ...]
"""The types of the variables, index 0 first."""


def check(M: Subject, gamma: Gamma = ()) -> Type:
    match M:
        case Bound(i):
            return gamma[i]
        case Const():
            return constant_type(M)
        case Zero(A):
            return A
        case Call(f, N):
            assert check(N, gamma) == f.domain, f
            return f.codomain
        case Plus(N, L):
            A = check(N, gamma)
            assert check(L, gamma) == A
            return A
        case Tuple(items):
            return Product(tuple(check(N, gamma) for N in items))
        case Proj(i, n, N):
            return factors(check(N, gamma), n)[i - 1]
        case Let(N, scope):
            return check(scope.body, (check(N, gamma), *gamma))
        case Rd(W, scope, N) | R(W, scope, N):
            A = check(N, gamma)
            assert check(scope.body, (A, *gamma)) == check(W, gamma)
            return A
        case Return(N):
            return check(N, gamma)
        case Perform(op, N):
            assert check(N, gamma) == op.domain
            return op.codomain
        case Bind(P, scope):
            return check(scope.body, (check(P, gamma), *gamma))
        case RevHandle(N, scope, H) | RH(N, scope, H):
            A = check(N, gamma)
            types = factors(A, scope.arity)
            assert product(types) == A
            assert check(scope.body, tuple(reversed(types))) == H.type
            assert check(H.returns.body, (H.type,)) == H.type
            return A
        case Handle(P, H):
            assert check(P, gamma) == H.source
            assert check(H.returns.body, (H.source,)) == H.target
            return H.target
        case Map(N, scope, source, target):
            assert check(N, gamma) == source
            assert check(scope.body, (row(source), *gamma)) == unstacked(target)
            assert of_rows(length(source), target) == target
            return target
        case Scan(N, scope, source, target):
            _, S = factors(check(N, gamma), 2)
            assert check(N, gamma) == Product((source, S))
            assert check(scope.body, (S, row(source), *gamma)) == Product((unstacked(target), S))
            assert of_rows(length(source), target) == target
            return Product((target, S))
        case If(_, operands, N, L) | IfCommand(_, operands, N, L):
            A = check(operands, gamma)
            assert isinstance(A, Product)
            assert set(A.factors) == {SCALAR}
            B = check(N, gamma)
            assert check(L, gamma) == B
            return B
        case Repeat(start=N, scope=scope):
            S = check(N, gamma)
            assert check(scope.body, (S, *gamma)) == S
            return S
        case Resume():
            raise AssertionError("a continuation is left over")
