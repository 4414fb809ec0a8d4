"""Steps ``(hp, P) → (hp', P')`` of closed commands (RH Def. 5.10): the rules of Fig. 7, Ex. 5.13 and §2.2.1."""

from collections.abc import Callable
from typing import TypeAlias, cast

from rh_kernel.operational import reverse as fig_7
from rh_kernel.operational import scans
from rh_kernel.operational.conditionals import holds
from rh_kernel.operational.contexts import Context, Subject, handlers
from rh_kernel.operational.environments import Environment, extended
from rh_kernel.operational.focus import Head, inside
from rh_kernel.operational.handlers import handle_open_operation, handle_operation
from rh_kernel.operational.heap import Change, Heap, access
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.repeats import rh_repeat, unfolded
from rh_kernel.operational.right_sides import reverse_of, right_side
from rh_kernel.operational.substitution import instantiated, substituted
from rh_kernel.operational.telescopes import Telescope, telescope
from rh_kernel.operational.terms import contract, decided_at, ev
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Handle,
    IfCommand,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Repeat,
    Return,
    RevHandle,
    Scan,
    Term,
)
from rh_kernel.syntax.runtime_errors import unhandled

Reduct: TypeAlias = tuple[Rule, Subject, Environment, Context | None, Change | None]
"""The rule, the contractum ``N[ρ]``, its context, and the change of the heap."""

UnfoldBy: TypeAlias = Callable[[Rule, Callable[[fig_7.Form], Command]], Reduct]
"""The step that unfolds the innermost ``RH`` by an equation of Fig. 7."""


def reduct(head: Head, hp: Heap, limits: Limits) -> Reduct | None:
    """Return the only step of ``K[M]``, for a head M in its context K as found by ``focus``.

    ``None`` for an ``RH`` in whose body it takes place: it is that of the head ``inside``.

    Raises ``Stuck`` if there is none: an unhandled operation, a location that is not in the heap, or a limit.
    """
    form, V, W, rho, K = head
    if K is not None and K.opens:
        return _unfolded(form, V, K, limits, None)
    if V is not None:
        if type(form) is Return:
            return _return(V, K)
        if type(form) is Call:
            return Rule.EV, ev(form.function, V, limits, form.span), None, K, None
        if type(form) is Proj or type(form) is Let or type(form) is Plus:
            rule, N, rho = contract(form, V, W, rho, K, limits)
            return rule, N, rho, K, None
        if type(form) is Perform:
            return _perform(head, hp)
        if type(form) is IfCommand:
            return (Rule.IF_TRUE, form.then, rho, K, None) if holds(form, V) else (Rule.IF_FALSE, form.otherwise, rho, K, None)
        if type(form) is RevHandle:
            return Rule.REV_HANDLE, *reverse_of(form, V, rho), K, None
        if type(form) is Scan:
            P, outer = scans.unfolded(form, V, rho, K)
            return Rule.SCAN, P, None, outer, None
        if type(form) is Repeat:
            return Rule.REPEAT, *unfolded(form, V, rho), K, None
    if type(form) is RH:
        found = right_side(form, rho, lambda form, gamma: _right_side(form, gamma, limits))
        return None if found is None else (*found, K, None)
    rule, N, rho = contract(cast(Term, form), V, W, rho, K, limits)
    return rule, N, rho, K, None


def _return(V: Term, K: Context | None) -> Reduct:
    if K is not None and type(K.form) is Bind:
        rule, scope = Rule.LET_COMMAND, K.form.scope
    elif K is not None and type(K.form) is Handle:
        rule, scope = Rule.H_RETURN, K.form.handler.returns
    else:
        raise KernelBug("a result has no next step")
    return rule, scope.body, extended(K.rho if scope.loose else None, V), K.outer, None


def _perform(head: Head, hp: Heap) -> Reduct:
    form, V, _, rho, K = head
    M = cast(Perform, form)
    op = M.operation if rho is None else substituted(M.operation, rho)
    for part in handlers(K):
        found = handle_operation(op, cast(Term, V), K, part)
        if found is not None:
            return Rule.H_OP, *found, part.outer, None
    M = Perform(op, cast(Term, V), span=M.span)
    accessed = access(M, hp)
    if accessed is None:
        raise unhandled(M.operation)
    rule, P, change = accessed
    return rule, P, None, K, change


def _right_side(form: R | RH, gamma: Telescope | None, limits: Limits) -> tuple[Rule, Command] | None:
    """Return the equation of Fig. 7 for a form whose variables Γ declares; ``None`` if the step is inside of it."""
    head, V, _, _, K = inside((form, None, None, None, None))
    rule, P, _, outer, _ = _unfolded(head, V, cast(Context, K), limits, gamma)
    return (rule, cast(Command, P)) if outer is None else None


def _unfolded(M: Subject, V: Term | None, K: Context, limits: Limits, gamma: Telescope | None) -> Reduct:
    """Return the step for a head in the body of an ``RH``: by an ordinary handler inside it, or by an equation of Fig. 7.

    Γ declares the variables that are free in K.
    """

    def unfold_by(rule: Rule, equation: Callable[[fig_7.Form], Command]) -> Reduct:
        return _unfold_by(rule, K, gamma, equation)

    if isinstance(M, Return | Perform | RevHandle | Repeat) and type(V) is not Bound:
        return unfold_by(Rule.RH_TERM, lambda form: fig_7.rh_term(form, M))
    if isinstance(M, IfCommand):

        def is_true(M: IfCommand, gamma: Telescope | None) -> bool:
            return decided_at(M, gamma, is_smooth=True, limits=limits)

        return unfold_by(Rule.RH_IF, lambda form: fig_7.rh_if(form, M, is_true))
    if isinstance(M, Return):
        return _return_inside(M.term, K, unfold_by)
    if isinstance(M, Perform):
        return _perform_inside(M, K, unfold_by)
    if isinstance(M, RevHandle):
        return unfold_by(Rule.RH_HANDLE, lambda form: fig_7.rh_handle(form, M))
    if isinstance(M, Scan):
        return unfold_by(Rule.RH_SCAN, lambda form: scans.rh_scan(form, M))
    if isinstance(M, Repeat):
        return unfold_by(Rule.RH_REPEAT, lambda form: rh_repeat(form, M))
    raise KernelBug(f"{type(M).__name__} is no head")


def _return_inside(y: Term, K: Context, unfold_by: UnfoldBy) -> Reduct:
    outer = K.form
    if isinstance(outer, Bind):
        return unfold_by(Rule.RH_LET, lambda form: fig_7.rh_let(form, outer.scope, y))
    if isinstance(outer, RH):
        return unfold_by(Rule.RH_RETURN, lambda form: fig_7.rh_return(form, y))
    if isinstance(outer, Handle):
        return Rule.H_RETURN, instantiated(outer.handler.returns, y), None, K.outer, None
    raise KernelBug("a term has no command in it")


def _perform_inside(M: Perform, K: Context, unfold_by: UnfoldBy) -> Reduct:
    for part in handlers(K):
        if isinstance(part.form, RH):
            break
        Q = handle_open_operation(M, K, part)
        if Q is not None:
            return Rule.H_OP, Q, None, part.outer, None
    return unfold_by(Rule.RH_OP, lambda form: fig_7.rh_op(form, M))


def _unfold_by(rule: Rule, K: Context, gamma: Telescope | None, equation: Callable[[fig_7.Form], Command]) -> Reduct:
    """Return the step that unfolds the innermost ``RH`` in K by an equation of Fig. 7."""
    for part in handlers(K):
        if isinstance(part.form, RH):
            P = equation(fig_7.Form(K, part, part.form, telescope(part.outer, gamma)))
            return rule, P, None, part.outer, None
    raise KernelBug("there is no RH to unfold")
