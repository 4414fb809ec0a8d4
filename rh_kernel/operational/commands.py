"""``(hp, P) → (hp', P')`` for closed commands (RH Def. 5.10), the rules of Fig. 7, of Ex. 5.13 and of §2.2.1 included."""

from collections.abc import Callable

from rh_kernel.operational import reverse as fig_7
from rh_kernel.operational.contexts import (
    BindFrame,
    Context,
    HandleFrame,
    RHFrame,
    Subject,
    fill,
    handlers,
    plug,
)
from rh_kernel.operational.handlers import handle_operation, handle_return
from rh_kernel.operational.heap import Heap, access
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.terms import contract, ev
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import instantiate_command
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
    Tuple,
    Zero,
)
from rh_kernel.syntax.stuck import unhandled


def step(M: Subject, K: Context | None, hp: Heap, limits: Limits) -> Step:
    """The one step that ``K[M]`` takes, for a head M in its context K as ``focus`` gives them.

    Raises ``Stuck`` if there is none: an operation that nothing handles, a location that the heap does not hold, or a
    limit that is met.
    """
    match M:
        case Return(V) | Perform(_, V) | RevHandle(V, _, _) if K is not None and K.opens and not isinstance(V, Bound):
            return _unfolded(Rule.RH_TERM, M, K, lambda form: fig_7.rh_term(form, M))
        case Return():
            return _return(M, K)
        case Perform():
            return _perform(M, K, hp)
        case RevHandle(V, scope, H):
            if K is not None and K.opens:
                return _unfolded(Rule.RH_HANDLE, M, K, lambda form: fig_7.rh_handle(form, M))
            return Step(Rule.REV_HANDLE, K, M, RH(V, scope, H, span=M.span))
        case Call() | Plus() | Proj() | Let() | Rd() | R():
            rule, N = contract(M, K, lambda f, V: ev(f, V, limits, M.span))
            return Step(rule, K, M, N)
        case Bound() | Const() | Zero() | Tuple() | Bind() | RH() | Handle() | Resume():
            raise KernelBug(f"{type(M).__name__} is no head")


def _return(M: Return, K: Context | None) -> Step:
    V = M.term
    match K:
        case Context(BindFrame() as frame, outer, _, opens):
            if opens:
                return _unfolded(Rule.RH_LET, M, K, lambda form: fig_7.rh_let(form, frame, V))
            return Step(Rule.LET_COMMAND, outer, fill(frame, M), instantiate_command(frame.scope, V))
        case Context(RHFrame()):
            return _unfolded(Rule.RH_RETURN, M, K, lambda form: fig_7.rh_return(form, V))
        case Context(HandleFrame(H, _) as frame, outer, _, _):
            return Step(Rule.H_RETURN, outer, fill(frame, M), handle_return(H, V))
        case Context() | None:
            raise KernelBug("a result has no next step")


def _perform(M: Perform, K: Context | None, hp: Heap) -> Step:
    for part in handlers(K):
        if isinstance(part.frame, RHFrame):
            return _unfolded(Rule.RH_OP, M, K, lambda form: fig_7.rh_op(form, M))
        Q = handle_operation(M, K, part)
        if Q is not None:
            return Step(Rule.H_OP, part.outer, plug(K, M, part.outer), Q)
    accessed = access(M, hp)
    if accessed is None:
        raise unhandled(M.operation)
    rule, P, change = accessed
    return Step(rule, K, M, P, change)


def _unfolded(rule: Rule, M: Command, K: Context | None, equation: Callable[[fig_7.Form], Command]) -> Step:
    """The step that unfolds the nearest ``RH`` around the head M by an equation of Fig. 7."""
    for at in handlers(K):
        if K is not None and isinstance(at.frame, RHFrame):
            return Step(rule, at.outer, plug(K, M, at.outer), equation(fig_7.Form(K, at, at.frame)))
    raise KernelBug("there is no RH to unfold")
