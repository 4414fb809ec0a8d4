"""Traces to be read: each step of a reduction with its terms printed, when somebody asks, and with what the cells hold.

The terms before and after a step are whole; the redex and the contractum are marked, and for (op) what is performed and what
k is. Steps that bind a result that nobody has named are written alike before and after, so a trace leaves them out; and a call
is one step with all its arguments, as it is written.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.printing.terms import computation, value
from rh_kernel.ad.eff.reduction.reducing import advance
from rh_kernel.ad.eff.reduction.references import Content
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.step import Marked, Opened, Step, initial
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import Manner, written
from rh_kernel.source.diagnostic import Diagnostic, Stuck
from rh_kernel.syntax.printing.doc import Doc, Mark, MarkKind, concat, join

SLICE = 1_000
"""So many steps between two looks at what else there is to do."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the store: its name, what it holds, and whether the step has made or changed it."""

    name: str
    content: Doc
    is_changed: bool


class Shown:
    """A step of a trace as a reader is told of it: one of the reduction, or a call with all its arguments; or the start.

    ``first`` and ``number`` are the numbers of the first and the last step of the reduction in it, from 1 on; 0 at the start.
    """

    __slots__ = ("_start", "number", "steps")

    def __init__(self, steps: tuple[Step, ...], number: int, start: core.Computation) -> None:
        self.steps = steps
        self.number = number
        self._start = start

    @property
    def first(self) -> int:
        """The number of the first step."""
        return self.number - len(self.steps) + 1 if self.steps else 0

    @property
    def rule(self) -> str:
        """The names of its rules, empty for the start."""
        return " ".join(dict.fromkeys([step.rule.value for step in self.steps]))

    @property
    def figure(self) -> str:
        """Where the first of its rules is stated."""
        return self.steps[0].rule.figure if self.steps else ""

    @property
    def gloss(self) -> str:
        """What it does, in a line."""
        if not self.steps:
            return ""
        first = self.steps[0].rule
        return first.gloss if all(step.rule is first for step in self.steps) else _CALLED[first]

    @property
    def before(self) -> Doc:
        """The whole term before the step; the redex is marked, and with it what it performs."""
        if not self.steps:
            return computation(self._start)
        return _printed(self.steps[0].marked_before(self.steps[-1].context), "redex", "focus")

    @property
    def term(self) -> Doc:
        """The whole term after the step; the contractum is marked, and with it the continuation that it was given."""
        return _printed(self.steps[-1].marked_after, "contractum", "changed") if self.steps else computation(self._start)

    @property
    def printed(self) -> str | None:
        """The text that the step prints."""
        return self.steps[-1].printed if self.steps else None

    @property
    def changed(self) -> int | None:
        """The number of the cell that the step makes or changes."""
        return self.steps[-1].change.number if self.steps and self.steps[-1].change is not None else None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What the cells hold after the step."""
        contents = self.steps[-1].cells if self.steps else ()
        return tuple([Cell(f"r{n}", _content(content), n == self.changed) for n, content in enumerate(contents)])


_CALLED: Mapping[Rule, str] = {
    Rule.UNFOLD: "a declared function is run: its body, with the arguments, stands in place of the call",
    Rule.FORCE: "a thunk is run with its arguments",
}
"""What a call does in a line, by the rule that it begins with."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The start and the steps, the value they end in, and what they print. ``is_cut`` says that the limit was met first.

    ``stuck`` is why there is no further step, if that is not because there is a result.
    """

    steps: tuple[Shown, ...]
    value: core.Value | None
    printed: tuple[str, ...]
    is_cut: bool = False
    stuck: tuple[Diagnostic, ...] = ()


def trace(M: core.Computation, definitions: Definitions, limit: int | None = None) -> Trace:
    """The trace of a closed computation, of at most ``limit`` steps."""
    pieces = tracing(M, definitions, limit)
    while True:
        try:
            next(pieces)
        except StopIteration as end:
            found: Trace = end.value
            return found


def tracing(
    M: core.Computation, definitions: Definitions, limit: int | None = None, every: int = SLICE
) -> Generator[int, None, Trace]:
    """The same, a piece at a time: after ``every`` so many steps it tells how many there are."""
    state = initial(M)
    shown = [Shown((), 0, M)]
    call: tuple[Step, ...] = ()
    stuck: tuple[Diagnostic, ...] = ()
    is_cut = False
    while not is_cut:
        try:
            step, state = advance(state, definitions)
        except Stuck as found:
            stuck = found.diagnostics
            break
        if step is None:
            break
        if call and not (_waits(call[-1]) and step.rule is Rule.APPLY):
            shown.append(Shown(call, state.count - 1, M))
            call = ()
        call = () if step.is_silent else (*call, step)
        is_cut = limit is not None and state.count >= limit
        if not is_cut and state.count % every == 0:
            yield state.count
    if call:
        shown.append(Shown(call, state.count, M))
    printed = tuple([one.printed for one in shown if one.printed is not None])
    return Trace(tuple(shown), None if stuck or is_cut else state.value, printed, is_cut, stuck)


def _waits(step: Step) -> bool:
    """Whether the step leads to a function, which is applied next."""
    return isinstance(step.to.subject, core.Lambda | Opened)


def _printed(term: Marked, part: MarkKind, within: MarkKind) -> Doc:
    marks: Mapping[int, Mark] = {id(term.part): Mark(part)}
    if term.within is not None:
        marks = {**marks, id(term.within): Mark(within)}
    return computation(term.whole, marks)


def _content(content: Content) -> Doc:
    if isinstance(content, Vector):
        return concat("[", join(concat(", "), [value(written(V, Manner.SHORT)) for V in content]), "]")
    return value(written(content, Manner.SHORT))
