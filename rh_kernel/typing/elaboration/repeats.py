"""``Γ ; Δ ⊢ repeat i < n from s = M do P : S`` if ``Γ, Δ ⊢ M : S`` and ``Γ ; Δ, s : S ⊢ P : S`` for every i (LANGUAGE §9).

The index is a dimension variable that only P sees, so that P is checked once, for all rounds. S does not depend on it.
"""

from collections.abc import Callable
from typing import TypeAlias

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.syntax import core
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.binding import Static, specialise_type
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.types import Type
from rh_kernel.typing.context import Context, Zone
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import NO_EXPECTATION, Expectation
from rh_kernel.typing.diagnostics.origins import operand_notes
from rh_kernel.typing.elaboration.clause_heads import enclosing_variables, fresh_name
from rh_kernel.typing.elaboration.dimensions import elaborate_number
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.patterns import open_patterns
from rh_kernel.typing.elaboration.size_constraints import require_sizes
from rh_kernel.typing.elaboration.terms import Terms, wrong
from rh_kernel.typing.errors import BadDimension, StateChanges
from rh_kernel.typing.unification.atoms import dimension_names
from rh_kernel.typing.unification.unify import Unifier

ElaborateCommand: TypeAlias = Callable[[Context, s.Expr, Type | None, Expectation], tuple[core.Command, Type]]

_TRIED = 1000
"""The number of rounds among which the message looks for one whose type differs."""


def elaborate_repeat(
    cx: Context, unifier: Unifier, terms: Terms, command: ElaborateCommand, e: s.RepeatExpr
) -> tuple[core.Command, Type]:
    """Return the command and the type of its state. Raises ``Rejected``."""
    siblings = ErrorCollector(unifier)
    n, (M, S), P = dim(0), wrong(unifier), core.Return(wrong(unifier)[0])
    with siblings:
        n = _rounds(cx, unifier, e.count)
    with siblings:
        M, S = terms.infer(cx, e.start)
    index = fresh_name(e.index.text, enclosing_variables(cx))
    # A renamed index is also in scope under its new name, so that what is printed can be parsed.
    inner = cx.with_dims({index: dim(index), e.index.text: dim(index)}).with_places({e.index.text: e.index.span})
    opened = open_patterns(inner, unifier, ((e.variable, S),), Zone.DELTA)
    with siblings:
        P = _round(opened.context, cx, unifier, command, e, S, index, n)
    siblings.raise_errors()
    node = core.Repeat(index, 0, n, M, opened.command_scope(P), span=e.span)
    unifier.uses.append((e.span, node))
    return node, S


def _rounds(cx: Context, unifier: Unifier, e: s.Expr) -> Dim:
    """The number of rounds; where it depends on variables, every use has to make it 0 or more."""
    n = elaborate_number(cx, e)
    if n.constant is not None and n.constant < 0:
        what, hint = f"this repeats {n} rounds", "`repeat i < 0` returns the state that it begins with"
        raise Rejected(BadDimension(span=e.span, what=what, expected="0 rounds or more", hint=hint))
    require_sizes(unifier, e.span, "repeat", {e.span.text: n})
    return n


def _round(
    cx: Context, around: Context, unifier: Unifier, command: ElaborateCommand, e: s.RepeatExpr, S: Type, index: str, n: Dim
) -> core.Command:
    """P with ``Γ ; Δ, s : S ⊢ P : S``. Raises ``Rejected``, if only the type of the result is wrong with both types."""
    mark, asked = unifier.mark(), Expectation("the state of `repeat`, as it begins", rule=TypingRule.T_REPEAT.cited)
    try:
        P, _ = command(cx, e.body, S, asked)
    except Rejected as failure:
        unifier.back(mark)
        try:
            _, B = command(cx, e.body, None, NO_EXPECTATION)
        except Rejected:
            raise failure from None
        if unifier.is_unifiable(B, S):
            raise failure from None
        raise _state_changes(around, unifier, e, S, B, index, n) from None
    here = [entry.type for _, entry in around.scope.visible()]
    if any(index in dimension_names(unifier.type(A)) for A in (S, *here)):
        raise _state_changes(around, unifier, e, S, S, index, n)
    return P


def _state_changes(cx: Context, unifier: Unifier, e: s.RepeatExpr, S: Type, B: Type, index: str, n: Dim) -> Rejected:
    before, after = unifier.show(S, B)
    first = _first_change(unifier.type(S), unifier.type(B), index, n)
    where = f": in round {e.index.text} = {first[0]} it comes to {first[1]}" if first is not None else ""
    hint = "every round returns a state of the type that the first one begins with" + where
    notes: list[Note] = [*operand_notes(cx, unifier, e.start, S)]
    what = "the state has another type after a round than before it"
    if before == after:
        what = "the type of the state depends on the round"
    return Rejected(StateChanges(span=e.body.span, what=what, found=after, expected=before, hint=hint, notes=tuple(notes)))


def _first_change(S: Type, B: Type, index: str, n: Dim) -> tuple[int, Type] | None:
    """The first round in which B, which depends on the index, is another type than S, and that type."""
    if index not in dimension_names(B):
        return None
    for i in range(min(_TRIED if n.constant is None else n.constant, _TRIED)):
        here = specialise_type(B, Static({index: dim(i)}, {}, {}))
        if here != S:
            return i, here
    return None
