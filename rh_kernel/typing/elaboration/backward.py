"""Errors in backward passes: one written in an ordinary handler (RH §2.2.2), or one that uses variables of the forward part."""

import re
from collections.abc import Iterator
from dataclasses import replace

from rh_kernel.source.diagnostic import Diagnostic, Fix, Note, Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.types import Type
from rh_kernel.typing.diagnostics.origins import MAX_NOTES, names_of
from rh_kernel.typing.elaboration.clause_heads import Head
from rh_kernel.typing.errors import (
    BackwardInOrdinary,
    NoSuchComponent,
    OperandsDiffer,
    PatternDoesNotFit,
    TypesDiffer,
    UnknownName,
)
from rh_kernel.typing.unification.unify import Unifier


def backpropagation(unifier: Unifier, head: Head, clause: s.OrdinaryClause, D: Type) -> Rejected:
    """The diagnostic for ``H_train``: ``k`` is used at ``B ⇝ B``, and the clause has type A; rule (1) requires one D."""
    B, A, answer = unifier.show(head.arity, head.coarity, D)
    k, name = clause.continuation.text, clause.head.text
    alike = head.arity == head.coarity
    span = resumed(clause.body, k) or clause.head.span
    hint = f"to go forward and then back, use a reverse handler and split the clause at `{k}`"
    halves = _as_reverse_clause(clause)
    hint += f":\n{halves}" if halves else ": what comes before it, and what comes after"
    return Rejected(
        BackwardInOrdinary(
            span=span,
            continuation=k,
            operation=name,
            wanted="the result type of the handler" if alike else "one type",
            given="something else" if alike else "two",
            found=f"{B} from both" if alike else f"{B} from `{k}`, and {A} from the clause",
            expected="one type for both" if answer == "_" else f"{answer} for both, the result type of the handler",
            hint=hint,
            notes=(Note(span=last(clause.body).span, text=f"the clause returns {A}"),),
        )
    )


def _as_reverse_clause(clause: s.OrdinaryClause) -> str | None:
    """The clause for a reverse handler, if it is a spine of lets of which exactly one resumes ``k``; ``None`` otherwise."""
    k, e = clause.continuation.text, clause.body
    before = [x.name for x in names_of(clause.variable)]
    while isinstance(e, s.LetExpr) and resumed(e.bound, k) is None:
        before += [x.name for x in names_of(e.pattern)]
        e = e.body
    match e:
        case s.LetExpr(y, _, s.Apply(_, _, (M,)) | s.ResumeExpr(_, M), rest) if resumed(rest, k) is None:
            words = set(re.findall(r"[\w']+", rest.span.text))
            kept = [name for name in dict.fromkeys(before) if name in words]
        case _:
            return None
    source, start = clause.span.source.text, clause.span.start
    head, forward = source[start : clause.body.span.start], source[clause.body.span.start : e.span.start]
    head = re.sub(rf",\s*{re.escape(k)}(?=\s*\W+$)", "", head)
    z = f"({', '.join(kept)})" if len(kept) > 1 else "".join(kept) or "_"
    halves = f"{head}{forward}return ({M.span.text}, {z if kept else '0'})", f"{y.span.text}, {z} -> {rest.span.text}"
    return None if any("#" in half for half in halves) else "\n  | ".join(" ".join(half.split()) for half in halves)


def explain_auxiliary_data(unifier: Unifier, failure: Rejected, clause: s.ReverseClause, D: Type) -> Rejected:
    """Improve the diagnostics of a backward part: a variable of the forward part gets a hint how to pass it on.

    If the auxiliary data, of type D, does not match its pattern or has the wrong type at a use, a note shows where the forward
    part returns it.
    """
    taken, exchanged = _auxiliary_names(clause), _reordered(clause)
    bound, z = {x.name: x.span for x in _forward_names(clause)}, clause.auxiliary.span.text
    amended: list[Diagnostic] = []
    for d in failure.diagnostics:
        match d:
            case UnknownName(name=name) if name in bound:
                hint = f"`{name}` belongs to the forward part: save it there, `return (…, {name})`, and take it from `{z}` here"
                note = Note(span=bound[name], text=f"`{name}` is bound here, in the forward part")
                amended.append(replace(d, hint=hint, fix=None, notes=(note,)))
            case PatternDoesNotFit(span=span) if span is not None and clause.backward.span.to(span) != clause.backward.span:
                amended.append(
                    replace(d, notes=(Note(span=_saved(clause), text=f"the forward part saves {unifier.show(D)[0]}"),))
                )
            case TypesDiffer() | OperandsDiffer() | NoSuchComponent() if d.span is not None and taken & _words(d.span):
                kept = _saved_note(unifier, clause, D)
                others = [note for note in d.notes if note.span != kept.span]
                if exchanged is not None:
                    hint, fix = exchanged
                    amended.append(replace(d, hint=hint, fix=fix, notes=(kept, *others)[:MAX_NOTES]))
                else:
                    amended.append(replace(d, notes=(*others, kept)[:MAX_NOTES]))
            case _:
                amended.append(d)
    return Rejected(*amended)


def _words(span: Span) -> set[str]:
    return set(re.findall(r"[\w']+", span.text))


def _auxiliary_names(clause: s.ReverseClause) -> set[str]:
    """The names in the backward part that are bound to parts of the auxiliary data."""
    found = {x.name for x in names_of(clause.auxiliary)}
    e = clause.backward
    while isinstance(e, s.LetExpr):
        if _words(e.bound.span) & found and isinstance(e.bound, s.Var | s.Projection):
            found |= {x.name for x in names_of(e.pattern)}
        e = e.body
    return found


def _reordered(clause: s.ReverseClause) -> tuple[str, Fix] | None:
    """A hint and a quick fix if a tuple of variables is saved, and matched against the same names in another order."""
    patterns: list[s.Pattern] = [clause.auxiliary]
    e = clause.backward
    while isinstance(e, s.LetExpr):
        if isinstance(e.bound, s.Var) and isinstance(clause.auxiliary, s.NamePattern) and e.bound.name == clause.auxiliary.name:
            patterns.append(e.pattern)
        e = e.body
    match last(clause.forward):
        case s.ReturnExpr(s.TupleExpr((_, s.TupleExpr(items) as kept))) if all(isinstance(item, s.Var) for item in items):
            names = [item.name for item in items if isinstance(item, s.Var)]
        case _:
            return None
    for p in patterns:
        match p:
            case s.TuplePattern(parts) if all(isinstance(part, s.NamePattern) for part in parts):
                others = [part.name for part in parts if isinstance(part, s.NamePattern)]
                if others != names and sorted(others) == sorted(names):
                    hint = f"the forward part saves `{kept.span.text}`, but `{p.span.text}` has another order"
                    return hint, Fix(p.span, kept.span.text)
            case _:
                pass
    return None


def _saved_note(unifier: Unifier, clause: s.ReverseClause, D: Type) -> Note:
    return Note(span=_saved(clause), text=f"the forward part saves {unifier.show(D)[0]}")


def _saved(clause: s.ReverseClause) -> Span:
    """The auxiliary data that the forward part returns, or its last expression if that is not a literal pair."""
    match last(clause.forward):
        case s.ReturnExpr(s.TupleExpr((_, kept))):
            return kept.span
        case end:
            return end.span


def last(e: s.Expr) -> s.Expr:
    """The body of a spine of lets."""
    while isinstance(e, s.LetExpr):
        e = e.body
    return e


def resumed(e: s.Expr, k: str) -> Span | None:
    """The first place where ``e`` resumes ``k``, on its spine or below a handler; ``None`` if there is none."""
    while isinstance(e, s.LetExpr):
        found = resumed(e.bound, k)
        if found is not None:
            return found
        e = e.body
    match e:
        case s.Apply(s.Name(name)) | s.ResumeExpr(s.Name(name)) if name == k:
            return e.span
        case s.HandleExpr(command):
            return resumed(command, k)
        case s.IfExpr(_, then, otherwise):
            return resumed(then, k) or resumed(otherwise, k)
        case _:
            return None


def _forward_names(clause: s.ReverseClause) -> Iterator[s.NamePattern]:
    yield from names_of(clause.variable)
    e = clause.forward
    while isinstance(e, s.LetExpr):
        yield from names_of(e.pattern)
        e = e.body
