"""What is marked in ``K[M] → K[N]`` (RH Def. 5.4, 5.10, Fig. 7): M and N, and in them what the rule is about.

In M that is the value of a let, or the head that a reverse handler has met. In N it is each place the value went to, or
the two parts of the clause that now sandwich the continuation.
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from math import inf
from typing import TypeAlias

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.syntax.core import RH, Bind, Bound, Handle, Let, Perform, Return, RevHandle, Scope
from rh_kernel.syntax.printing.doc import Annotation, Mark, MarkKind
from rh_kernel.syntax.printing.printer import Path
from rh_kernel.syntax.traversal import children

Marks: TypeAlias = Mapping[Path, Annotation]


class Sight(Enum):
    """What a rule looks at: the value of a let, the head that a handler has met, a pass to be set off, or just its redex."""

    VALUE = "value"
    HEAD = "head"
    PASS = "pass"
    REDEX = "redex"


def sight(rule: Rule) -> Sight:
    """What the rule looks at (RH Fig. 6, 7)."""
    match rule:
        case Rule.LET | Rule.LET_COMMAND:
            return Sight.VALUE
        case Rule.RH_RETURN | Rule.RH_LET | Rule.RH_OP | Rule.RH_HANDLE | Rule.RH_TERM | Rule.H_OP | Rule.H_RETURN:
            return Sight.HEAD
        case Rule.REV_HANDLE:
            return Sight.PASS
        case (
            Rule.EV
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
            | Rule.GET
            | Rule.PUT
        ):
            return Sight.REDEX


def before_marks(step: Step) -> Marks:
    """The redex, and in it what the rule looks at."""
    return moved(redex_marks(step), step.path)


def after_marks(step: Step) -> Marks:
    """The contractum, and in it what the rule has put there."""
    return moved(contractum_marks(step), step.path)


def redex_marks(step: Step) -> Marks:
    """``before_marks``, from the redex on."""
    inner = _looked_at(step.rule, step.outline)
    return _placed("redex", [] if inner is None else [(inner, "focus")])


def contractum_marks(step: Step, most: float = inf) -> Marks:
    """``after_marks``, from the contractum on; a variable is not looked for deeper inside than ``most``."""
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
    """The marks of what stands at the end of a path, as marks of the whole."""
    return {(*path, *place): mark for place, mark in marks.items()}


def _placed(kind: MarkKind, inner: Sequence[tuple[Path, MarkKind]]) -> Marks:
    return {**{there: Mark(k) for there, k in inner}, (): Mark(kind)}


def _looked_at(rule: Rule, M: Subject) -> Path | None:
    match sight(rule):
        case Sight.VALUE:
            return (0,)
        case Sight.HEAD:
            path, P = head(M)
            return (*path, 0) if rule is Rule.RH_TERM and isinstance(P, Return | Perform | RevHandle) else path
        case Sight.PASS | Sight.REDEX:
            return None


def head(M: Subject) -> tuple[Path, Subject]:
    """The head of the command that ``RH`` or ``handle`` stands around, and where it is."""
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
    """``let … ⇐ Q^f in let … ⇐ RH(…) in let y ⇐ Q^b in ⌊…⌋``: where Q^f and Q^b are.

    For a term, M itself and the last line with its ``z.rd(y_i. M)(V_i)`` are what Q^f and Q^b are for an operation.
    """
    yield (0,), "forward"
    last: Path = ()
    path: Path = ()
    while isinstance(N, Bind):
        last, path, N = path, (*path, 1), N.scope.body
    yield (path if rule is Rule.RH_TERM else (*last, 0)), "backward"


def _occurrences(scope: Scope, most: float) -> Iterator[Path]:
    """Where the variable that ``scope`` binds occurs in its body, from left to right, but not deeper than ``most``."""
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
