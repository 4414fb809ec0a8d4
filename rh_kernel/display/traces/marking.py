"""The marks in ``K[M] → K[N]`` (RH Def. 5.4, 5.10, Fig. 7): M and N, and the subterms that the rule concerns.

In M that is the value of a let, or the head that a reverse handler has reached. In N it is each occurrence of the substituted
value, or the two parts of the clause that now sandwich the continuation.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from math import inf
from typing import TypeAlias

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import RH, Bind, Bound, Handle, If, IfCommand, Let, Perform, R, Repeat, Return, RevHandle, Scope
from rh_kernel.syntax.printing.doc import Annotation, Mark, MarkKind
from rh_kernel.syntax.printing.printer import Path
from rh_kernel.syntax.traversal import children

Marks: TypeAlias = Mapping[Path, Annotation]


class RuleFocus(Enum):
    """What a rule inspects: the value of a let, the head under a handler, the start of a pass, or only its redex."""

    VALUE = "value"
    HEAD = "head"
    PASS = "pass"
    REDEX = "redex"


def rule_focus(rule: Rule) -> RuleFocus:
    """Return what the rule inspects (RH Fig. 6, 7)."""
    match rule:
        case Rule.LET | Rule.LET_COMMAND:
            return RuleFocus.VALUE
        case (
            Rule.RH_RETURN
            | Rule.RH_LET
            | Rule.RH_OP
            | Rule.RH_HANDLE
            | Rule.RH_TERM
            | Rule.RH_IF
            | Rule.H_OP
            | Rule.H_RETURN
            | Rule.RH_REPEAT
            | Rule.RH_SCAN
        ):
            return RuleFocus.HEAD
        case Rule.REV_HANDLE:
            return RuleFocus.PASS
        case (
            Rule.EV
            | Rule.REPEAT
            | Rule.PLUS
            | Rule.PROJ
            | Rule.RD
            | Rule.R_VAR
            | Rule.R_CONST
            | Rule.R_FUN
            | Rule.R_PLUS
            | Rule.R_LET
            | Rule.R_TUPLE
            | Rule.R_PROJ
            | Rule.R_RD
            | Rule.MAP
            | Rule.R_MAP
            | Rule.SCAN
            | Rule.GET
            | Rule.PUT
            | Rule.DRAW
            | Rule.BATCH_MEAN
            | Rule.IF_TRUE
            | Rule.IF_FALSE
            | Rule.R_IF
        ):
            return RuleFocus.REDEX


def redex_marks(step: Step) -> Marks:
    """Return the marks of the redex, and of what the rule inspects in it, with paths from the redex.

    Of a conditional that is the branch which is taken, or under ``RH`` the head; the branch that is not taken is marked too.
    """
    taken = _branches(step)
    if taken is not None:
        focus = _inspected(step.rule, step.outline)
        return _placed("redex", [(taken[0] if focus is None else focus, "focus"), (taken[1], "untaken")])
    inner = _inspected(step.rule, step.outline)
    return _placed("redex", [] if inner is None else [(inner, "focus")])


def contractum_marks(step: Step, most: float = inf) -> Marks:
    """Return the marks of the contractum, and of what the rule has inserted, with paths from the contractum.

    Occurrences of a variable deeper than ``most`` are ignored.
    """
    inner: list[tuple[Path, MarkKind]] = []
    match step.rule, step.outline:
        case ((Rule.LET | Rule.LET_COMMAND), (Let(_, scope) | Bind(_, scope))):
            inner.extend([(path, "changed") for path in _occurrences(scope, most)])
        case (Rule.RH_OP | Rule.RH_TERM) as rule, _:
            inner.extend(_sandwich(rule, step.left.subject))
        case _:
            pass
    return _placed("contractum", inner)


def moved(marks: Marks, path: Path) -> Marks:
    """Prefix the paths of marks by ``path``."""
    return {(*path, *place): mark for place, mark in marks.items()}


def _placed(kind: MarkKind, inner: Sequence[tuple[Path, MarkKind]]) -> Marks:
    return {**{there: Mark(k) for there, k in inner}, (): Mark(kind)}


def _inspected(rule: Rule, M: Subject) -> Path | None:
    match rule_focus(rule):
        case RuleFocus.VALUE:
            return (0,)
        case RuleFocus.HEAD:
            path, P = head(M)
            return (*path, 0) if rule is Rule.RH_TERM and isinstance(P, Return | Perform | RevHandle | Repeat) else path
        case RuleFocus.PASS | RuleFocus.REDEX:
            return None


def _branches(step: Step) -> tuple[Path, Path] | None:
    """The paths to the branch that is taken and to the other one, if the rule takes a branch."""
    path: Path
    match step.rule, step.outline:
        case (Rule.IF_TRUE, _):
            return (1,), (2,)
        case (Rule.IF_FALSE, _):
            return (2,), (1,)
        case (Rule.RH_IF, M):
            path, form = head(M)
        case (Rule.R_IF, R(_, Scope(body=form))):
            path = (1,)
        case _:
            return None
    taken = step.left.subject
    for position in path:
        taken = children(taken)[position][0]
    if not isinstance(form, If | IfCommand):
        return None
    then, otherwise = (*path, 1), (*path, 2)
    return (then, otherwise) if taken == form.then else (otherwise, then)


def head(M: Subject) -> tuple[Path, Subject]:
    """Return the head of the command under ``RH`` and ``handle``, and the path to it."""
    path: list[int] = []
    while True:
        match M:
            case RH(_, scope):
                path.append(1)
                M = scope.body
            case Bind(P) | Handle(P):
                path.append(0)
                M = P
            case _:
                return tuple(path), M


def _sandwich(rule: Rule, N: Subject) -> Iterator[tuple[Path, MarkKind]]:
    """The paths of Q^f and Q^b in ``let … ⇐ Q^f in let … ⇐ RH(…) in let y ⇐ Q^b in ⌊…⌋``.

    For a term, M and the last line with its ``z.rd(y_i. M)(V_i)`` play the parts of Q^f and Q^b.
    """
    yield (0,), "forward"
    last: Path = ()
    path: Path = ()
    while isinstance(N, Bind):
        last, path, N = path, (*path, 1), N.scope.body
    yield (path if rule is Rule.RH_TERM else (*last, 0)), "backward"


def _occurrences(scope: Scope, most: float) -> Iterator[Path]:
    """The paths to the occurrences of the variable bound by ``scope``, from left to right, up to depth ``most``."""
    todo: list[tuple[Subject, int, Path]] = [(scope.body, 0, ())]
    while todo:
        M, index, path = todo.pop()
        if isinstance(M, Bound):
            yield path
            continue
        if len(path) >= most:
            continue
        below = [(N, index + binders, (*path, i)) for i, (N, binders) in enumerate(children(M))]
        todo += [task for task in reversed(below) if task[0].loose >> task[1] & 1]
