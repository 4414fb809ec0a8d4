"""Unique decomposition (RH Lemma 5.6): every term or command that is not a result is exactly one ``K[head]``.

The heads are, outside every ``RH``: a redex of Def. 5.4, ``⌊V⌋``, ``Op(V)``, ``rev handle (V) …``, ``repeat … from s = V …``
and ``scan`` with values. Inside one, where variables are values and terms wait for RH-Term, they have any M in place of V.
So has ``if B then P else Q`` any B.
"""

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeAlias, cast

from rh_kernel.operational.contexts import Context, Subject, Values, around, listed
from rh_kernel.operational.environments import Environment
from rh_kernel.operational.nested_derivatives import head_in, innermost
from rh_kernel.operational.right_sides import is_uniform
from rh_kernel.operational.substitution import substituted, value
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
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
    Term,
    Tuple,
    Unary,
    Zero,
)
from rh_kernel.syntax.values import tuple_of_values

Head: TypeAlias = tuple[Subject, Term | None, Term | None, Environment, Context | None]
"""A form, the values of its evaluated children, the ρ of its other children, and the context around it.

An ``R`` has no evaluated children; inside an ``RH`` the argument of a head counts as evaluated, whatever it is.
"""


_ONLY_CHILD: dict[type[Subject], Callable[[Any], Term]] = {
    Call: attrgetter("argument"),
    Perform: attrgetter("argument"),
    RevHandle: attrgetter("argument"),
    Scan: attrgetter("argument"),
    Return: attrgetter("term"),
    Let: attrgetter("bound"),
    Proj: attrgetter("of"),
    Map: attrgetter("of"),
}
"""The child of a form that has only one which is evaluated."""


def focus(M: Subject, rho: Environment, K: Context | None) -> Head:
    """Return the head of ``K[M[ρ]]`` and its context, for an M at an evaluation position of K.

    A result is returned as itself in the empty context: a closed value, without values of children, or ``⌊V⌋``. An ``RH`` is
    returned in place of the head in its body, which ``inside`` finds, if K is not in the body of another one.
    """
    if K is not None and K.opens:
        return _head_in_rh(M, K)
    if K is not None and (K.inside or type(K.form) is R):
        # A derivative in the body of an R was unfolded to M: go to the next one, or to that R.
        form, K = head_in(cast(Term, M), K)
        return form, None, None, None, K
    return _head(M, rho, K)


def _head(M: Subject, rho: Environment, K: Context | None) -> Head:
    """Return the head of ``K[M[ρ]]``, outside every ``R`` and ``RH``."""
    N: Term
    V: Term | None
    form: Subject
    # Most of the time of a step is spent here. Comparing classes takes a third of the time of a match over this many forms, and
    # one lookup in a table takes less than three comparisons.
    while True:
        first = _ONLY_CHILD.get(type(M))
        if first is not None:
            N = first(M)
            V = N if type(N) is Const else value(N, rho)
            if V is not None:
                return M, V, None, rho, K
            M, K = N, Context(M, 0, rho, None, K)
            continue
        if type(M) is Bind:
            K = around(K, M, 0, rho)
            M = M.bound
            continue
        if type(M) is Const or type(M) is Tuple or type(M) is Bound or type(M) is Zero:
            V = M if type(M) is Const else value(M, rho)
            if V is None:
                M, rho, K = _first_unevaluated(cast(Tuple, M), 0, None, rho, K)
                continue
            if K is None:
                return V, None, None, None, None
            form = K.form
            rho, outer = K.rho, K.outer
            if type(form) is Tuple:
                M, rho, K = _first_unevaluated(form, K.position + 1, (V, K.before), rho, outer)
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
            K = _at_last_child(form, V, rho, outer)
            continue
        if type(M) is Plus or type(M) is Rd:
            N = M.left if isinstance(M, Plus) else M.cotangent
            V = N if type(N) is Const else value(N, rho)
            if V is None:
                M, K = N, Context(M, 0, rho, None, K)
                continue
            N = M.right if isinstance(M, Plus) else M.point
            W = N if type(N) is Const else value(N, rho)
            if W is not None:
                return M, V, W, rho, K
            M, K = N, _at_last_child(M, V, rho, K)
            continue
        if type(M) is Handle:
            M, K = M.command, around(K, M, 0, rho)
            continue
        return _head_to_unfold(M, rho, K)


def inside(head: Head) -> Head:
    """Return the head in the body of an ``RH`` that ``focus`` has found; any other head as it is."""
    return _head_in_rh(written(head), head[4]) if type(head[0]) is RH else head


def written(head: Head) -> Subject:
    """Return the head as a term or command, with ρ substituted."""
    return substituted(evaluated(head), head[3])


def evaluated(head: Head) -> Subject:
    """Return the form of the head with the values of its evaluated children; ρ is not substituted in the others."""
    form, V, W, _, _ = head
    if V is None:
        return form
    if isinstance(form, Unary):
        return form if form.of is V else replace(form, of=V)
    span = form.span
    match form:
        case Call(f, N):
            return form if N is V else Call(f, V, span=span)
        case Plus(L, N) if W is not None:
            return form if L is V and N is W else Plus(V, W, form.of_cotangents, span=span)
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
        case Map(N, scope, source, target) | Scan(N, scope, source, target):
            return form if N is V else type(form)(V, scope, source, target, span=span)
        case Repeat(index, first, count, N, scope):
            return form if N is V else Repeat(index, first, count, V, scope, span=span)
        case If(condition, N, then, otherwise):
            return form if N is V else If(condition, V, then, otherwise, span=span)
        case IfCommand(condition, N, then, otherwise):
            return form if N is V else IfCommand(condition, V, then, otherwise, span=span)
        case Bound() | Const() | Zero() | Plus() | Tuple() | Rd() | R() | Bind() | RH() | Handle() | Resume():
            raise KernelBug(f"{type(form).__name__} is no head")


def _at_last_child(form: Plus | Rd, V: Term, rho: Environment, outer: Context | None) -> Context:
    """Return the context of the last child, for a form whose first child has the value V."""
    return Context(form, 1 if isinstance(form, Plus) else 2, rho, V, outer)


def _first_unevaluated(
    form: Tuple, i: int, before: Values, rho: Environment, outer: Context | None
) -> tuple[Subject, Environment, Context | None]:
    """Return the first component from the i-th on that is no value, descending into tuples, or the tuple of all values."""
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
    return tuple_of_values(tuple(listed(before)), form.span), None, outer


def _head_to_unfold(M: Subject, rho: Environment, K: Context | None) -> Head:
    """Return the head of a form that is unfolded in place, of a conditional, or in the term that a ``repeat`` begins with."""
    match M:
        case Repeat():
            V = value(M.start, rho)
            return (M, V, None, rho, K) if V is not None else _head(M.start, rho, Context(M, 0, rho, None, K))
        case RH():
            return M, None, None, rho, K
        case If(_, N) | IfCommand(_, N):
            V = value(N, rho)
            return _head(N, rho, Context(M, 0, rho, None, K)) if V is None else (M, V, None, rho, K)
        case R():
            if is_uniform(M, rho):
                return M, None, None, rho, K
            form, K = innermost(substituted(M, rho), K)
            return form, None, None, None, K
        case _:
            raise KernelBug(f"a {type(M).__name__} is at an evaluation position")


def _head_in_rh(M: Subject, K: Context | None) -> Head:
    """Return the head in the body of an ``RH``."""
    while True:
        if type(M) is Bind:
            K = around(K, M)
            M = M.bound
        elif type(M) is Return:
            return M, M.term, None, None, K
        elif type(M) is Perform or type(M) is RevHandle or type(M) is Scan:
            return M, M.argument, None, None, K
        elif type(M) is Repeat:
            return M, M.start, None, None, K
        elif type(M) is IfCommand:
            return M, M.operands, None, None, K
        elif type(M) is RH:
            M, K = cast(Command, M.scope.body), around(K, M, 1)
        elif type(M) is Handle:
            M, K = M.command, around(K, M)
        else:
            raise KernelBug(f"a {type(M).__name__} is the head in a body of commands")
