"""Unique decomposition (RH Lemma 5.6): every term and command that is no result is exactly one ``K[head]``.

The heads are, outside every ``RH``: a redex of Def. 5.4, ``⌊V⌋``, ``Op(V)`` and ``rev handle (V) …``; inside one, where
variables are values and terms wait for RH-Term: ``⌊M⌋``, ``Op(M)`` and ``rev handle (M) …``, whatever M is.
"""

from typing import TypeAlias, cast

from rh_kernel.operational.contexts import Context, Subject, Values, around, listed
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.nested import head_in, innermost
from rh_kernel.operational.substitution import value, written_out
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
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
    Term,
    Tuple,
    Zero,
)

Head: TypeAlias = tuple[Subject, Term | None, Term | None, Environment, Context | None]
"""A form, the values of those of its children that are evaluated, the ρ for its other children, and the K around it.

An ``R`` has no such children; inside an ``RH`` the argument of a head counts as one, whatever it is.
"""


def focus(M: Subject, rho: Environment, K: Context | None) -> Head:
    """The head of ``K[M[ρ]]`` and the context around it, for an M that stands at an evaluation position of K.

    A result comes back as itself, in the empty context: a closed value, without values of children, or ``⌊V⌋``.
    """
    if K is not None and K.opens:
        return _opened(M, K)
    if K is not None and (K.inside or type(K.form) is R):
        # A derivative in the body of an R has become M: the next one comes, or that R.
        form, K = head_in(cast(Term, M), K)
        return form, None, None, None, K
    return _head(M, rho, K)


def _head(M: Subject, rho: Environment, K: Context | None) -> Head:
    """The head of ``K[M[ρ]]``, outside of every ``R`` and ``RH``."""
    N: Term
    V: Term | None
    form: Subject
    # Most of what a step takes is spent here. To compare classes takes a third of what a match of so many forms does.
    while True:
        if type(M) is Bind:
            K = around(K, M, 0, rho)
            M = M.bound
            continue
        if type(M) is Const or type(M) is Tuple or type(M) is Bound or type(M) is Zero:
            V = M if type(M) is Const else value(M, rho)
            if V is None:
                M, rho, K = _along(cast(Tuple, M), 0, None, rho, K)
                continue
            if K is None:
                return V, None, None, None, None
            form = K.form
            rho, outer = K.rho, K.outer
            if type(form) is Tuple:
                M, rho, K = _along(form, K.position + 1, (V, K.before), rho, outer)
                continue
            if K.position:
                return form, K.before, V, rho, outer
            if type(form) is Plus:
                M = form.right
            elif type(form) is Rd:
                M = form.point
            else:
                return form, V, None, rho, outer
            W = value(M, rho)
            if W is not None:
                return form, V, W, rho, outer
            K = _behind(form, V, rho, outer)
            continue
        if type(M) is Call or type(M) is Perform or type(M) is RevHandle:
            N = M.argument
        elif type(M) is Return:
            N = M.term
        elif type(M) is Let:
            N = M.bound
        elif type(M) is Proj:
            N = M.of
        elif type(M) is Plus or type(M) is Rd:
            N = M.left if isinstance(M, Plus) else M.cotangent
            V = N if type(N) is Const else value(N, rho)
            if V is None:
                M, K = N, Context(M, 0, rho, None, K)
                continue
            N = M.right if isinstance(M, Plus) else M.point
            W = N if type(N) is Const else value(N, rho)
            if W is not None:
                return M, V, W, rho, K
            M, K = N, _behind(M, V, rho, K)
            continue
        elif type(M) is Handle:
            M, K = M.command, around(K, M, 0, rho)
            continue
        else:
            return _unfolding(M, rho, K)
        V = value(N, rho)
        if V is not None:
            return M, V, None, rho, K
        M, K = N, Context(M, 0, rho, None, K)


def written(head: Head) -> Subject:
    """The head as a term or command."""
    return written_out(evaluated(head), head[3])


def evaluated(head: Head) -> Subject:
    """The form of the head with the values of its children; in the others the variables still stand that ρ has."""
    form, V, W, _, _ = head
    if V is None:
        return form
    span = form.span
    match form:
        case Call(f, N):
            return form if N is V else Call(f, V, span=span)
        case Plus(L, N) if W is not None:
            return form if L is V and N is W else Plus(V, W, form.of_cotangents, span=span)
        case Proj(i, n, N):
            return form if N is V else Proj(i, n, V, span=span)
        case Let(N, scope):
            return form if N is V else Let(V, scope, span=span)
        case Rd(L, scope, N) if W is not None:
            return form if L is V and N is W else Rd(V, scope, W, span=span)
        case Return(N):
            return form if N is V else Return(V, span=span)
        case Perform(op, N):
            return form if N is V else Perform(op, V, span=span)
        case RevHandle(N, scope, H):
            return form if N is V else RevHandle(V, scope, H, span=span)
        case Bound() | Const() | Zero() | Plus() | Tuple() | Rd() | R() | Bind() | RH() | Handle() | Resume():
            raise KernelBug(f"{type(form).__name__} is no head")


def _behind(form: Plus | Rd, V: Term, rho: Environment, outer: Context | None) -> Context:
    """The context of the last child, for a form whose first one is the value V."""
    return Context(form, 1 if isinstance(form, Plus) else 2, rho, V, outer)


def _along(
    form: Tuple, i: int, before: Values, rho: Environment, outer: Context | None
) -> tuple[Subject, Environment, Context | None]:
    """The first component from the i-th on that is no value yet, or a first one inside of it, or the tuple of values."""
    while i < len(form.items):
        N = form.items[i]
        if type(N) is Tuple and not N.of_values:
            form, i, before, outer = N, 0, None, Context(form, i, rho, before, outer)
            continue
        V = N if type(N) is Const else value(N, rho)
        if V is None:
            return N, rho, Context(form, i, rho, before, outer)
        before = V, before
        i += 1
    return Tuple(tuple(listed(before)), span=form.span), None, outer


def _unfolding(M: Subject, rho: Environment, K: Context | None) -> Head:
    """The head of a form that is unfolded where it stands."""
    match M:
        case RH(N, scope, H):
            V = None if rho is None or scope.loose or H.loose else value(N, rho)
            return _opened(written_out(M, rho) if V is None else RH(V, scope, H, span=M.span), K)
        case R():
            form, K = innermost(written_out(M, rho), K)
            return form, None, None, None, K
        case _:
            raise KernelBug(f"a {type(M).__name__} stands at an evaluation position")


def _opened(M: Subject, K: Context | None) -> Head:
    """The head in the body of an ``RH``."""
    while True:
        if type(M) is Bind:
            K = around(K, M)
            M = M.bound
        elif type(M) is Return:
            return M, M.term, None, None, K
        elif type(M) is Perform or type(M) is RevHandle:
            return M, M.argument, None, None, K
        elif type(M) is RH:
            M, K = cast(Command, M.scope.body), around(K, M, 1)
        elif type(M) is Handle:
            M, K = M.command, around(K, M)
        else:
            raise KernelBug(f"a {type(M).__name__} is the head in a body of commands")
