"""``(hp, P) → (hp', P')`` for closed commands (RH Def. 5.10), the rules of Fig. 7, of Ex. 5.13 and of §2.2.1 included."""

from typing import assert_never

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
from rh_kernel.operational.errors import Unhandled
from rh_kernel.operational.handlers import handle_operation, handle_return
from rh_kernel.operational.heap import Heap, access
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.step import Step
from rh_kernel.operational.terms import contract, ev
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.syntax.binding import instantiate_command
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
    Term,
    Tuple,
    Zero,
)


def step(M: Subject, K: Context | None, hp: Heap, limits: Limits) -> Step:
    """The one step that ``K[M]`` takes, for a head M in its context K as ``focus`` gives them.

    Raises ``Stuck`` if there is none: an operation that nothing handles, a location that the heap does not hold, or a
    limit that is met.
    """
    match M:
        case Return(Bound() as y) if K is not None:
            return _return_variable(M, y, K)
        case Return(V):
            return _return(M, V, K)
        case Perform():
            return _perform(M, K, hp)
        case RevHandle():
            return _rev_handle(M, K)
        case Call() | Plus() | Proj() | Let() | Rd() | R():
            rule, N = contract(M, K, lambda f, V: ev(f, V, limits))
            return Step(rule, K, M, N)
        case Bound() | Const() | Zero() | Tuple() | Bind() | RH() | Handle() | Resume():
            raise KernelBug(f"{type(M).__name__} is no head")
