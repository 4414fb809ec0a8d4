"""Ordinary handlers of arrows (RH §2.2.1).

``handle ⌊V⌋ with H → P[V/x]``, and ``handle F[Op(V)] with H → Q[V/x, k]`` where ``k • M`` is ``handle F[⌊M⌋] with H``:
handlers are deep. The same holds inside an ``RH`` with a variable for V. An operation without a clause passes to the outer
handlers.
"""

from dataclasses import dataclass

from rh_kernel.operational.contexts import Context, Subject, siblings, up_to
from rh_kernel.operational.environments import Environment, extended, value_at
from rh_kernel.operational.memo import Memo
from rh_kernel.operational.substitution import free_variables, handled, renumbered
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.binding import shift
from rh_kernel.syntax.clauses import ordinary_clause
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Command,
    Handle,
    Operation,
    OrdinaryHandler,
    Perform,
    Return,
    Scope,
    Term,
)

MOST = 2_000
"""The number of operations in their contexts for which Q is kept."""

DEEPEST = 20
"""The number of frames of these contexts, at most: a long one is hardly met again."""


@dataclass(frozen=True, slots=True)
class _Known:
    """``Q[x/x, k]`` for an operation in a context of these forms, and the variables that are free in each, outermost first."""

    forms: tuple[Operation | Subject, ...]
    captured: tuple[tuple[int, ...], ...]
    Q: Command | None


_known: dict[tuple[int, ...], _Known] = {}


def handle_operation(op: Operation, V: Term, K: Context | None, at: Context) -> tuple[Command, Environment] | None:
    """Return ``Q[V/x, k]`` for ``Op(V)`` in K, by the handler in the innermost frame of ``at``, a part of K; all are closed.

    Returns ``None`` if that frame is not an ordinary handler, or if the handler has no clause for the operation. What depends
    on the program only is built once, with variables for values, as it is for Fig. 7 (``operational.right_sides``).
    """
    if type(at.form) is not Handle:
        return None
    parts = [at, *reversed([*up_to(K, at)])]
    key = (id(op), *[id(part.form) for part in parts]) if len(parts) <= DEEPEST else ()
    known = _known.get(key)
    if known is None:
        known = _clause_for(op, parts)
        if key:
            if len(_known) >= MOST:
                _known.clear()
            _known[key] = known
    if known.Q is None:
        return None
    rho: Environment = None
    for part, captured in zip(parts, known.captured, strict=True):
        for i in captured:
            rho = extended(rho, value_at(part.rho, i))
    return known.Q, extended(rho, V)


def handle_open_operation(M: Perform, K: Context | None, at: Context) -> Command | None:
    """The same for an operation in the body of an ``RH``, where V and the parts of K may be open."""
    if not isinstance(at.form, Handle):
        return None
    (H,) = siblings(at)
    clause = _clauses.of(H, M.operation)
    if clause is None:
        return None
    frames = [(part.form, siblings(part)[0]) for part in up_to(K, at)]
    return handled(clause, M.argument, _continuation(frames, H))


def _clause_for(op: Operation, parts: list[Context]) -> _Known:
    forms = (op, *[part.form for part in parts])
    H, *frames = [_beside(part) for part in parts]
    if not isinstance(H, OrdinaryHandler):
        raise KernelBug("an operation is handled by a handler")
    clause = _clauses.of(H, op)
    if clause is None:
        return _Known(forms, (), None)
    captured = tuple([free_variables(each.loose) for each in (H, *frames)])
    # The last variable of the environment is x, and those of the innermost part come before it.
    images: list[dict[int, int]] = []
    after = sum(map(len, captured)) + 1
    for variables in captured:
        images.append({index: after - 1 - i for i, index in enumerate(variables)})
        after -= len(variables)
    H, clause = renumbered(H, images[0]), renumbered(clause, images[0])
    renamed = [(part.form, renumbered(each, image)) for part, each, image in zip(parts[1:], frames, images[1:], strict=True)]
    return _Known(forms, captured, handled(clause, Bound(0, clause.hints[0]), _continuation(renamed[::-1], H)))


def _beside(part: Context) -> "Scope | OrdinaryHandler":
    """What is beside the hole of a frame of an ``F^c``."""
    form = part.form
    if isinstance(form, Bind):
        return form.scope
    if isinstance(form, Handle):
        return form.handler
    raise KernelBug("what is around a command is no term")


def _continuation(frames: "list[tuple[Subject, Scope | OrdinaryHandler]]", H: OrdinaryHandler) -> Scope:
    """``y. handle F[⌊y⌋] with H``, for the frames of F, innermost first, with what is beside their holes"""
    innermost = frames[0][0] if frames else None
    hint = innermost.scope.hints[0] if isinstance(innermost, Bind) else "y"
    P: Command = Return(Bound(0, hint))
    for form, beside in frames:
        P = _around(P, form, shift(beside, 1))
    return Scope((hint,), Handle(P, shift(H, 1)))


def _around(P: Command, form: Subject, beside: "Scope | OrdinaryHandler") -> Command:
    """Put P into a frame of an ``F^c``."""
    if isinstance(form, Bind) and isinstance(beside, Scope):
        return Bind(P, beside, span=form.span)
    if isinstance(form, Handle) and isinstance(beside, OrdinaryHandler):
        return Handle(P, beside, span=form.span)
    raise KernelBug("what is around a command is no term")


_clauses = Memo(ordinary_clause, 256)
