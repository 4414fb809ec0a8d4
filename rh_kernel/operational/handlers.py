"""Ordinary handlers of arrows (RH §2.2.1).

``handle ⌊V⌋ with H → P[V/x]``, and ``handle F[Op(V)] with H → Q[V/x, k]`` where ``k • M`` is ``handle F[⌊M⌋] with H``:
handlers are deep. The same holds inside an ``RH`` with a variable for V. An operation without a clause passes to the outer
handlers.
"""

from rh_kernel.operational.contexts import Context, siblings, up_to
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.substitution import handled
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.clauses import ordinary_clause
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Command,
    Handle,
    OrdinaryHandler,
    Perform,
    Return,
    Scope,
)


def handle_operation(M: Perform, K: Context | None, at: Context) -> Command | None:
    """Return ``Q[V/x, k]`` for an operation in K, by the handler in the innermost frame of ``at``, a part of K.

    Returns ``None`` if that frame is not an ordinary handler, or if the handler has no clause for the operation.
    """
    if not isinstance(at.form, Handle):
        return None
    (H,) = siblings(at)
    clause = _clauses.of(H, M.operation)
    if clause is None:
        return None
    return handled(clause, M.argument, _continuation(K, at, H))


def _continuation(K: Context | None, at: Context, H: OrdinaryHandler) -> Scope:
    hint = K.form.scope.hints[0] if K is not None and isinstance(K.form, Bind) else "y"
    P: Command = Return(Bound(0, hint))
    for part in up_to(K, at):
        P = _around(P, part)
    return Scope((hint,), Handle(P, shift(H, 1)))


def _around(P: Command, part: Context) -> Command:
    """Put P into a frame of an ``F^c``, shifted under the binder of the continuation."""
    form = part.form
    if isinstance(form, Bind):
        return Bind(P, shift(siblings(part)[0], 1), span=form.span)
    if isinstance(form, Handle):
        return Handle(P, shift(siblings(part)[0], 1), span=form.span)
    raise KernelBug("what is around a command is no term")


_clauses = Memo(ordinary_clause, 16)
