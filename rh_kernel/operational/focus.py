"""Unique decomposition (RH Lemma 5.6): every term and command that is no result is exactly one ``K[head]``.

The heads are, outside every ``RH``: a redex of Def. 5.4, ``⌊V⌋``, ``Op(V)`` and ``rev handle (V) …``; inside one, where
variables are values and terms wait for RH-Term: ``⌊M⌋``, ``Op(M)`` and ``rev handle (M) …``, whatever M is.
"""

from typing import TypeGuard

from rh_kernel.operational.contexts import (
    BindFrame,
    CallFrame,
    Context,
    Frame,
    HandleFrame,
    LetFrame,
    PerformFrame,
    PlusLeftFrame,
    PlusRightFrame,
    ProjFrame,
    RdCotangentFrame,
    RdPointFrame,
    ReturnFrame,
    RevHandleFrame,
    RFrame,
    RHFrame,
    Subject,
    TupleFrame,
    Values,
    fill,
    listed,
    under,
)
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Const,
    Handle,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Resume,
    Return,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
    is_value,
)


def focus(M: Subject, K: Context | None) -> tuple[Subject, Context | None]:
    """The head of ``K[M]`` and the context around it, for an M that stands at an evaluation position of K.

    A result comes back as itself: a closed value, or ``⌊V⌋``, in the empty context.
    """
    while True:
        match M:
            case Bind(P, scope):
                K, M = under(K, BindFrame(scope, M.span)), P
            case Handle(P, H):
                K, M = under(K, HandleFrame(H, M.span)), P
            case RH(V, scope, H):
                K, M = under(K, RHFrame(V, scope.hints, H, M.span)), scope.body
            case Return(N):
                if is_head(N, K):
                    return M, K
                K, M = under(K, ReturnFrame(M.span)), N
            case Perform(op, N):
                if is_head(N, K):
                    return M, K
                K, M = under(K, PerformFrame(op, M.span)), N
            case RevHandle(N, scope, H):
                if is_head(N, K):
                    return M, K
                K, M = under(K, RevHandleFrame(scope, H, M.span)), N
            case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() if _in_body(K):
                # An R in the body has become this, and the R around it goes on.
                M, K = _plugged(K, M)
            case Call() | Plus() | Proj() | Let() | Rd() | R():
                inner = _argument(M)
                if inner is None:
                    return M, K
                frame, M = inner
                K = under(K, frame)
            case Tuple(items) if not M.of_values:
                M, K = _along(None, 0, items, M.span, K)
            case Const() | Zero() | Tuple():
                if K is None:
                    return M, None
                M, K = _plugged(K, M)
            case Bound() | Resume():
                raise KernelBug("a free variable stands at an evaluation position")


def is_head(M: Term, K: Context | None) -> bool:
    """Whether a command with M as its argument is a head: inside an ``RH`` always, else if M is a value."""
    return is_value(M) or (K is not None and K.opens)


def _in_body(K: Context | None) -> TypeGuard[Context]:
    return K is not None and isinstance(K.frame, RFrame)


def _argument(M: Term) -> tuple[Frame, Term] | None:
    match M:
        case Call(f, N) if not is_value(N):
            return CallFrame(f, M.span), N
        case Plus(L, N) if not is_value(L):
            return PlusLeftFrame(N, M.span), L
        case Plus(V, N) if not is_value(N):
            return PlusRightFrame(V, M.span), N
        case Proj(i, n, N) if not is_value(N):
            return ProjFrame(i, n, M.span), N
        case Let(N, scope) if not is_value(N):
            return LetFrame(scope, M.span), N
        case Rd(W, scope, L) if not is_value(W):
            return RdCotangentFrame(scope, L, M.span), W
        case Rd(W, scope, L) if not is_value(L):
            return RdPointFrame(W, scope, M.span), L
        case R(W, Scope(hints, R() as N), V):
            return RFrame(W, hints, V, M.span), N
        case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Let() | Rd() | R():
            return None


def _along(
    before: Values, start: int, items: tuple[Term, ...], span: Span | None, outer: Context | None
) -> tuple[Subject, Context | None]:
    for i in range(start, len(items)):
        if not is_value(items[i]):
            return items[i], under(outer, TupleFrame(before, i, items, span))
        before = items[i], before
    return Tuple(tuple(listed(before)), span=span), outer


def _plugged(K: Context, V: Term) -> tuple[Subject, Context | None]:
    match K.frame:
        case TupleFrame(before, i, items, span):
            return _along((V, before), i + 1, items, span, K.outer)
        case (
            CallFrame()
            | PlusLeftFrame()
            | PlusRightFrame()
            | ProjFrame()
            | LetFrame()
            | RdCotangentFrame()
            | RdPointFrame()
            | RFrame()
            | ReturnFrame()
            | PerformFrame()
            | RevHandleFrame()
            | BindFrame()
            | HandleFrame()
            | RHFrame()
        ):
            return fill(K.frame, V), K.outer
