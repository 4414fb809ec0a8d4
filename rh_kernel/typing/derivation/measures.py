"""Two measures of well-typed programs: the depth of reverse handlers (RH Fig. 4) and the size of derivations (Fig. 5).

``RH_H^V(⟨ys⟩. P)`` is as deep as P and H are, which bounds what it unfolds to (Lemma 5.8); an ordinary handler has the depth
of its clauses. Rules that the figures lack count 1, like those of other constructs; ``k • M`` counts as an operation.
"""

from typing import cast

from rh_kernel.syntax.core import (
    RH,
    Bind,
    Command,
    Handle,
    Handler,
    OrdinaryHandler,
    Perform,
    Resume,
    Return,
    ReverseHandler,
    RevHandle,
    Scope,
)
from rh_kernel.typing.derivation.derivations import Derivation, TypingRule


def depth(node: Command | Handler) -> int:
    """``depth(P)`` or ``depth(H)``: the nesting depth of reverse handlers."""
    deepest = 0
    pending: list[tuple[Command | Handler, int]] = [(node, 0)]
    while pending:
        node, above = pending.pop()
        deepest = max(deepest, above)
        inner = above + 1 if isinstance(node, RevHandle) else above
        pending += [(part, inner) for part in _parts(node)]
    return deepest


def _parts(node: Command | Handler) -> list[Command | Handler]:
    match node:
        case Return() | Perform() | Resume():
            return []
        case Bind(P, scope):
            return [P, _body(scope)]
        case RevHandle(_, scope, H) | RH(_, scope, H):
            return [_body(scope), H]
        case Handle(P, H):
            return [P, H]
        case ReverseHandler(_, returns, clauses):
            return [_body(returns), *(_body(scope) for c in clauses for scope in (c.forward, c.backward))]
        case OrdinaryHandler(_, _, returns, clauses):
            return [_body(returns), *(_body(c.scope) for c in clauses)]


def _body(scope: Scope) -> Command:
    return cast(Command, scope.body)


def size(derivation: Derivation) -> int:
    """``|Γ ⊢ M : A|``, ``|Γ ; Δ ⊢ P : A|`` or ``|⊢ H : rev handler(C)|``."""
    total = 0
    pending = [derivation]
    while pending:
        d = pending.pop()
        total += _WEIGHT.get(d.rule, 1)
        pending += d.premises
    return total


_WEIGHT = {TypingRule.T_PURE: 0, TypingRule.T_OP: 2, TypingRule.T_RESUME: 2}
