"""One-line captions of steps and legs, from the redex alone, so that their cost does not depend on the context."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rh_kernel.display.clipping import clipped
from rh_kernel.display.rounding import DIGITS, ENTRIES
from rh_kernel.display.traces.marking import RuleFocus, head, rule_focus
from rh_kernel.display.traces.phases import Direction, Leg
from rh_kernel.display.traces.viewport import document
from rh_kernel.operational.contexts import Context, Subject, binders
from rh_kernel.operational.step import Step
from rh_kernel.operational.substitution import substituted
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import RH, Bind, Handle, Let, Perform, Repeat, Return, RevHandle, Scope
from rh_kernel.syntax.printing.doc import Doc, plain
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.patterns import open_scope
from rh_kernel.syntax.printing.printer import symbols
from rh_kernel.syntax.printing.steps import UNMARKED, Abbreviation

LONGEST, LONGEST_TITLE = 200, 60
"""Characters of a line, and of the title of a leg."""

ARROWS = {Direction.PLAIN: "·", Direction.FORWARD: "↓", Direction.TURN: "↺", Direction.BACKWARD: "↑"}

SHORT = Abbreviation(ENTRIES, ENTRIES, folds=True, digits=DIGITS)

_SHORT = {notation: replace(SHORT, notation=notation) for notation in Notation}


def about(step: Step, notation: Notation = Notation.PAPER) -> str:
    """Return what the rule inspects; for a let, its binder."""
    match rule_focus(step.rule):
        case RuleFocus.VALUE:
            return _binder(step.outline, notation)
        case RuleFocus.HEAD:
            M = step.outline
            return _text(inspected(step), [*_names(step.context, M), *_binders_before_head(M)], notation)
        case RuleFocus.PASS:
            return ""
        case RuleFocus.REDEX:
            return _text(step.redex, _names(step.context, step.redex), notation)


def became(step: Step, notation: Notation = Notation.PAPER) -> str:
    """Return what the redex became; empty if one line would not say it."""
    match rule_focus(step.rule):
        case RuleFocus.VALUE:
            return _text(inspected(step), (), notation)
        case RuleFocus.HEAD | RuleFocus.PASS:
            return ""
        case RuleFocus.REDEX:
            N = step.contractum
            return _text(N.term if isinstance(N, Return) else N, _names(step.context, N), notation)


def inspected(step: Step) -> Subject:
    """Return what the rule inspects in the redex: the value of a let, the head under a handler, or the redex itself."""
    match rule_focus(step.rule):
        case RuleFocus.VALUE:
            match step.outline:
                case Let(M, _) | Bind(Return(M), _):
                    return M
                case M:
                    return M
        case RuleFocus.HEAD:
            found = step.found
            _, P = head(substituted(found.subject, found.rho))
            match P:
                case Return(M):
                    return M
                case Perform(_, M) | RevHandle(M) | Repeat(start=M) if step.rule is Rule.RH_TERM:
                    return M
                case _:
                    return P
        case RuleFocus.PASS | RuleFocus.REDEX:
            return step.redex


def title(leg: Leg, steps: Sequence[Step], notation: Notation = Notation.PAPER) -> str:
    """Return the operation or term of a leg, or the handler that the leg starts or returns from."""
    if leg.opened_by is None:
        return "reduction"
    opening = steps[leg.opened_by]
    match opening.redex:
        case RevHandle(_, _, H):
            return f"rev handle … with {H.name or '{…}'}"
        case RH(_, _, H) if leg.direction is Direction.TURN:
            return f"return clause of {H.name or '{…}'}"
        case _:
            return cut(about(opening, notation), LONGEST_TITLE)


def cut(text: str, most: int) -> str:
    """Truncate ``text`` to ``most`` characters, ending in an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def line(doc: Doc, most: int) -> str:
    """Print a document on one line of at most ``most`` characters."""
    return cut(plain(doc, float("inf")), most)


def one_line(M: Subject, most: int = LONGEST, notation: Notation = Notation.PAPER) -> str:
    """Print a closed term or command on one line, truncated."""
    return line(_doc(M, (), notation), most)


def _text(M: Subject, names: Sequence[str], notation: Notation) -> str:
    return line(_doc(M, names, notation), LONGEST)


def _names(K: Context | None, M: Subject) -> list[str]:
    """The variables bound by the context, the last of them with index 0; none if ``M`` is closed."""
    return [*binders(K)] if M.loose else []


def _binders_before_head(M: Subject) -> Iterator[str]:
    """The variables bound between a handler and the head under it."""
    while isinstance(M, RH | Bind | Handle):
        match M:
            case RH(_, scope):
                yield from scope.hints
                M = scope.body
            case Bind(P) | Handle(P):
                M = P


def _binder(M: Subject, notation: Notation) -> str:
    """The binder of a let: a variable or a pattern."""
    match M:
        case Let(_, scope) | Bind(_, scope):
            short = Scope(scope.hints, clipped(scope.body, scope.arity))
            return open_scope(Names(symbols(short.body)), short, UNMARKED, notation=notation).binders[0]
        case _:
            return ""


def _doc(M: Subject, names: Sequence[str], notation: Notation) -> Doc:
    return document(clipped(M, len(names)), names, _SHORT[notation])
