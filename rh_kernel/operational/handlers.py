"""Ordinary handlers of arrows (RH §2.2.1).

``handle ⌊V⌋ with H → P[V/x]``, and ``handle F[Op(V)] with H → Q[V/x, k]`` where ``k • M`` is ``handle F[⌊M⌋] with H``:
handlers are deep. Inside an ``RH`` the same holds with a variable for V. An operation without a clause passes to the
handlers outside.
"""

from rh_kernel.operational.contexts import BindFrame, Context, Frame, HandleFrame, fill, up_to
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import instantiate_clause, instantiate_command, shift
from rh_kernel.syntax.clauses import ordinary_clause
from rh_kernel.syntax.core import Bound, Command, Handle, OrdinaryHandler, Perform, Return, Scope, Term


def handle_return(H: OrdinaryHandler, V: Term) -> Command:
    """``P[V/x]`` for the return clause ``x ↦ P`` of H."""
    return instantiate_command(H.returns, V)


def handle_operation(M: Perform, K: Context, at: Context, H: OrdinaryHandler) -> Command | None:
    """``Q[V/x, k]`` for an operation in K whose handler H stands ``at`` a part of K; ``None`` if H has no clause for it."""
    clause = ordinary_clause(H, M.operation)
    if clause is None:
        return None
    return instantiate_clause(clause, (M.argument,), _continuation(K, at, H))


def _continuation(K: Context, at: Context, H: OrdinaryHandler) -> Scope:
    hint = "y"
    if isinstance(K.frame, BindFrame):
        (hint,) = K.frame.scope.hints
    P: Command = Return(Bound(0, hint))
    for part in up_to(K, at):
        P = _filled(part.frame, P)
    return Scope((hint,), Handle(P, shift(H, 1)))


def _filled(frame: Frame, P: Command) -> Command:
    """The frame of an ``F^c`` around P, moved under the continuation's binder."""
    match frame:
        case BindFrame(scope, span):
            return fill(BindFrame(shift(scope, 1), span), P)
        case HandleFrame(H, span):
            return fill(HandleFrame(shift(H, 1), span), P)
        case _:
            raise KernelBug("a command's context ends in a term")
