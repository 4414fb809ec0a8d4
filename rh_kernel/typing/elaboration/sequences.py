"""Elaboration of ``map`` and ``scan`` (LANGUAGE §9), rules T-MAP and T-SCAN.

The types of sequences must be known to be arrays when the body is elaborated; their lengths may still be unknown.
"""

from collections.abc import Callable
from typing import TypeAlias, TypeVar

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.syntax import core
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.sequences import is_sequence, length, lengths, row, stacked
from rh_kernel.syntax.types import SCALAR, Product, Real, ShapeMeta, Type, TypeMeta, leaves, product
from rh_kernel.syntax.values import tuple_of
from rh_kernel.typing.context import Context, Zone
from rh_kernel.typing.derivation.rules import TypingRule
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.diagnostics.origins import chosen, operand_notes, type_note
from rh_kernel.typing.diagnostics.shared import quoted, types_differ
from rh_kernel.typing.elaboration.backward import last
from rh_kernel.typing.elaboration.error_recovery import ErrorCollector
from rh_kernel.typing.elaboration.patterns import open_patterns
from rh_kernel.typing.errors import OperandsDiffer, TypesDiffer
from rh_kernel.typing.unification.unify import Unifier

Body = TypeVar("Body")
Infer: TypeAlias = Callable[[Context, s.Expr], tuple[Body, Type]]


def elaborate_map(cx: Context, unifier: Unifier, e: s.MapExpr, infer: Infer[core.Term]) -> tuple[core.Term, Type]:
    """``map (x in M) do N`` and its type. Raises ``Rejected``."""
    M, A = _sequences(cx, unifier, e.sources, infer, TypingRule.T_MAP)
    whole = e.patterns[0].span.to(e.patterns[-1].span)
    pattern = e.patterns[0] if len(e.patterns) == 1 else s.TuplePattern(e.patterns, span=whole)
    opened = open_patterns(cx, unifier, ((pattern, row(A)),), Zone.DELTA)
    N, B = infer(opened.context, e.body)
    B = _row_type(unifier, B)
    if isinstance(B, Product) or not is_sequence(B):
        by = "the type of what `map` stacks" if isinstance(B, Product) else ""
        hint = "write one map for each component" if isinstance(B, Product) else "state the size of the array"
        raise _mismatch(unifier, last(e.body), B, "an array", hint, TypingRule.T_MAP, by)
    C = stacked(length(A), B)
    form = core.Map(M, opened.term_scope(N), A, C, span=e.span)
    unifier.uses.append((e.span, form))
    return form, C


def elaborate_scan(
    cx: Context, unifier: Unifier, e: s.ScanExpr, infer: Infer[core.Term], command: Infer[core.Command]
) -> tuple[core.Command, Type]:
    """``scan (x in M) from s = N do P`` and its type. Raises ``Rejected``."""
    siblings = ErrorCollector(unifier)
    found: list[tuple[core.Term, Type]] = []
    with siblings:
        found.append(_sequences(cx, unifier, (e.source,), infer, TypingRule.T_SCAN))
    with siblings:
        found.append(infer(cx, e.start))
    siblings.raise_errors()
    (M, A), (N, S) = found
    x, state = e.variables
    opened = open_patterns(cx, unifier, ((x, row(A)), (state, S)), Zone.DELTA)
    P, C = command(opened.context, e.body)
    B = _emitted(cx, unifier, e, C, S)
    target = stacked(length(A), B)
    argument = core.Tuple((M, N), span=e.source.span.to(e.start.span))
    form = core.Scan(argument, opened.command_scope(P), A, target, span=e.span)
    unifier.uses.append((e.span, form))
    return form, Product((target, S))


def _emitted(cx: Context, unifier: Unifier, e: s.ScanExpr, C: Type, S: Type) -> Type:
    """The B of the type ``B × S`` of a scan's body. Raises ``Rejected`` if C is another type."""
    end = last(e.body)
    end = end.term if isinstance(end, s.ReturnExpr) else end
    head = unifier.head(C)
    if unifier.is_poison(head):
        raise Rejected
    if isinstance(head, TypeMeta):
        pair = Product((SCALAR, S))
        unifier.unify_types(head, pair)
        head = pair
    if not isinstance(head, Product) or len(head.factors) != 2:
        (state,) = unifier.show(S)
        hint = "a round gives a pair, of a row of the result and the next state: return (b, s)"
        wanted = f"a pair B × {state}"
        raise _mismatch(unifier, end, head, wanted, hint, TypingRule.T_SCAN, "what a round of `scan` gives")
    B, next_state = head.factors
    if not unifier.unify_types(next_state, S):
        pair = end.items[1] if isinstance(end, s.TupleExpr) and len(end.items) == 2 else end
        asked = Expectation(
            "the type of the state before the round",
            "the state has one type in all rounds",
            lambda: [*operand_notes(cx, unifier, e.start, S), type_note(unifier, e.start.span, S)],
            TypingRule.T_SCAN.cited,
        )
        raise types_differ(unifier, pair.span, "the state after a round", next_state, S, asked)
    B = _row_type(unifier, B)
    if not is_sequence(B):
        hint = "state the size of the array"
        raise _mismatch(unifier, end, B, "arrays whose axes are known", hint, TypingRule.T_SCAN, "what `scan` stacks")
    return B


def _sequences(
    cx: Context, unifier: Unifier, sources: tuple[s.Expr, ...], infer: Infer[core.Term], rule: TypingRule
) -> tuple[core.Term, Type]:
    """The sequences as one term, and its type: arrays of one length. Raises ``Rejected``."""
    siblings, found = ErrorCollector(unifier), list[tuple[core.Term, Type]]()
    for e in sources:
        with siblings:
            M, A = infer(cx, e)
            if unifier.is_poison(unifier.head(A)):
                raise Rejected
            A = unifier.type(A)
            if not is_sequence(A):
                hint = "a `map` or a `scan` walks along the leading axis of an array, or of several of one length"
                notes = chosen(e.span, operand_notes(cx, unifier, e, A))
                raise _mismatch(unifier, e, A, "an array, or a tuple of arrays", hint, rule, "the type of a sequence", notes)
            found.append((M, A))
    siblings.raise_errors()
    A = product([A for _, A in found])
    first, *others = lengths(A)
    for n in others:
        if not unifier.unify_dims(first, n):
            here, there = (text[5:-1] for text in unifier.show(Real((first,)), Real((n,))))
            span = sources[0].span.to(sources[-1].span)
            raise Rejected(
                OperandsDiffer(
                    span=span,
                    why=f"the sequences have two lengths, {here} and {there}",
                    found=", ".join(unifier.show(*[A for _, A in found])),
                    expected="arrays with leading axes of one length",
                    hint="sequences are walked in step, row by row",
                    rule=rule.cited,
                )
            )
    return tuple_of(tuple([M for M, _ in found])), A


def _row_type(unifier: Unifier, B: Type) -> Type:
    """The type of a row of a result, where what nothing determines is ``Real``. Raises ``Rejected`` if it has an error."""
    for leaf in leaves(unifier.type(B)):
        if unifier.is_poison(leaf):
            raise Rejected
        if isinstance(leaf, TypeMeta) or (isinstance(leaf, Real) and isinstance(leaf.shape, ShapeMeta)):
            unifier.unify_types(leaf, SCALAR)
    return unifier.type(B)


def _mismatch(
    unifier: Unifier,
    e: s.Expr,
    A: Type,
    wanted: str,
    hint: str,
    rule: TypingRule,
    by: str = "",
    notes: tuple[Note, ...] = (),
) -> Rejected:
    (found,) = unifier.show(A)
    expected = f"{wanted}, {by}" if by else wanted
    what = quoted(e.span)
    return Rejected(
        TypesDiffer(span=e.span, what=what, found=found, expected=expected, hint=hint, notes=notes, rule=rule.cited)
    )
