"""Two measures of well-typed programs: the depth of reverse handlers (RH Fig. 4) and the size of derivations (Fig. 5).

``RH_H^V(⟨ys⟩. P)`` is as deep as P and H are, which bounds what it unfolds to (Lemma 5.8); an ordinary handler has the depth
of its clauses. Rules that the figures lack count 1, like those of other constructs; ``k • M`` counts as an operation. A map or
a scan of n rounds counts its body n times and ``ROUND`` for each round and once more, so unfolding a round makes it smaller.
``repeat`` counts as the rounds that it unfolds to: ``|repeat k ≤ i < n from s = M do P| = 2 + |M| + (n - k)(2 + |P|)``.
"""

from rh_kernel.syntax.core import Command, Handler, Map, Node, Repeat, RevHandle, Scan, Term
from rh_kernel.syntax.sequences import length
from rh_kernel.syntax.traversal import inside
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.rules import TypingRule


def depth(node: Command | Handler) -> int:
    """``depth(P)`` or ``depth(H)``: the nesting depth of reverse handlers."""
    deepest = 0
    pending: list[tuple[Node, int]] = [(node, 0)]
    while pending:
        part, above = pending.pop()
        deepest = max(deepest, above)
        inner = above + 1 if isinstance(part, RevHandle) else above
        pending += [(child, inner) for child in inside(part) if not isinstance(child, Term)]
    return deepest


def size(derivation: Derivation) -> int:
    """``|Γ ⊢ M : A|``, ``|Γ ; Δ ⊢ P : A|`` or ``|⊢ H : rev handler(C)|``."""
    total = 0
    pending = [(derivation, 1)]
    while pending:
        d, times = pending.pop()
        if isinstance(d.subject, Map | Scan):
            n = length(d.subject.source).constant
            n = 1 if n is None else n
            sequence, body = d.premises
            total += times * ROUND * (n + 1)
            pending += [(sequence, times), (body, times * n)]
        elif isinstance(d.subject, Repeat):
            start, body = d.premises
            rounds = (d.subject.count.constant or d.subject.first) - d.subject.first
            total += times * (_WEIGHT[TypingRule.T_REPEAT] + 2 * rounds)
            pending += ((start, times), (body, times * rounds))
        else:
            total += times * _WEIGHT.get(d.rule, 1)
            pending += [(premise, times) for premise in d.premises]
    return total


ROUND = 40
"""More than the size of what a round adds to its body: its lets, ``first``, ``rest`` and ``cons``."""

_WEIGHT = {TypingRule.T_PURE: 0, TypingRule.T_OP: 2, TypingRule.T_RESUME: 2, TypingRule.T_REPEAT: 2}
