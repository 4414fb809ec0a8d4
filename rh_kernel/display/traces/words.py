"""What a step or a leg is about, on one line, from the redex alone: it takes no longer where much stands around the redex."""

from collections.abc import Iterator, Sequence

from rh_kernel.display.clipping import clipped
from rh_kernel.display.rounding import DIGITS, ENTRIES
from rh_kernel.display.traces.marking import Sight, head, sight
from rh_kernel.display.traces.phases import Direction, Leg
from rh_kernel.display.traces.viewport import document
from rh_kernel.operational.contexts import Context, Subject, binders
from rh_kernel.operational.step import Step
from rh_kernel.operational.substitution import substituted
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import RH, Bind, Handle, Let, Perform, Return, RevHandle, Scope
from rh_kernel.syntax.printing.doc import Doc, plain
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.patterns import open_scope
from rh_kernel.syntax.printing.printer import symbols
from rh_kernel.syntax.printing.steps import UNMARKED, Abbreviation

LONGEST, LONGEST_TITLE = 200, 60
"""What is shown on one line is at most so long, and what a leg is about."""

ARROWS = {Direction.PLAIN: "·", Direction.FORWARD: "↓", Direction.TURN: "↺", Direction.BACKWARD: "↑"}

SHORT = Abbreviation(ENTRIES, ENTRIES, folds=True, digits=DIGITS)


def about(step: Step) -> str:
    """What the rule looked at; for a let the name."""
    match sight(step.rule):
        case Sight.VALUE:
            return _binder(step.outline)
        case Sight.HEAD:
            M = step.outline
            return _text(looked_at(step), [*_names(step.context, M), *_on_the_way(M)])
        case Sight.PASS:
            return ""
        case Sight.REDEX:
            return _text(step.redex, _names(step.context, step.redex))


def became(step: Step) -> str:
    """What came of it, if that is told in a line."""
    match sight(step.rule):
        case Sight.VALUE:
            return _text(looked_at(step), ())
        case Sight.HEAD | Sight.PASS:
            return ""
        case Sight.REDEX:
            match step.contractum:
                case Return(M):
                    return _text(M, _names(step.context, step.contractum))
                case N:
                    return _text(N, _names(step.context, N))


def looked_at(step: Step) -> Subject:
    """What the rule looks at in the redex: the value of a let, the head that a handler has met, else the redex itself."""
    match sight(step.rule):
        case Sight.VALUE:
            match step.outline:
                case Let(M, _) | Bind(Return(M), _):
                    return M
                case M:
                    return M
        case Sight.HEAD:
            found = step.found
            _, P = head(substituted(found.subject, found.rho))
            match P:
                case Return(M):
                    return M
                case Perform(_, M) | RevHandle(M) if step.rule is Rule.RH_TERM:
                    return M
                case _:
                    return P
        case Sight.PASS | Sight.REDEX:
            return step.redex


def title(leg: Leg, steps: Sequence[Step]) -> str:
    """The operation or term that the leg goes through, or the handler that it begins or turns with."""
    if leg.opened_by is None:
        return "reduction"
    opening = steps[leg.opened_by]
    match opening.redex:
        case RevHandle(_, _, H):
            return f"rev handle … with {H.name or '{…}'}"
        case RH(_, _, H) if leg.direction is Direction.TURN:
            return f"return clause of {H.name or '{…}'}"
        case _:
            return cut(about(opening), LONGEST_TITLE)


def cut(text: str, most: int) -> str:
    """``text``, with an ellipsis in place of what is too long."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def line(doc: Doc, most: int) -> str:
    """The document on one line of ``most`` characters."""
    return cut(plain(doc, float("inf")), most)


def one_line(M: Subject, most: int = LONGEST) -> str:
    """A closed term or command on one line, of a long one the beginning."""
    return line(_doc(M, ()), most)


def _text(M: Subject, names: Sequence[str]) -> str:
    return line(_doc(M, names), LONGEST)


def _names(K: Context | None, M: Subject) -> list[str]:
    """The variables that the context binds, the last of them with index 0; none where ``M`` is closed."""
    return [*binders(K)] if M.loose else []


def _on_the_way(M: Subject) -> Iterator[str]:
    """The variables that are bound between a handler and the head that it has met."""
    while isinstance(M, RH | Bind | Handle):
        match M:
            case RH(_, scope):
                yield from scope.hints
                M = scope.body
            case Bind(P) | Handle(P):
                M = P


def _binder(M: Subject) -> str:
    """``x`` of ``let x ← …``, or the pattern that stands there."""
    match M:
        case Let(_, scope) | Bind(_, scope):
            short = Scope(scope.hints, clipped(scope.body, scope.arity))
            return open_scope(Names(symbols(short.body)), short, UNMARKED).binders[0]
        case _:
            return ""


def _doc(M: Subject, names: Sequence[str]) -> Doc:
    return document(clipped(M, len(names)), names, SHORT)
