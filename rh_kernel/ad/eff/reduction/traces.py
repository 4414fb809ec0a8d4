"""Traces for display: the steps of a reduction, with terms that are printed on demand, and the contents of the cells.

Terms before and after a step are whole; the redex and the contractum are marked, and for (op) the operation and k. A trace
leaves out steps that bind intermediate results without a name, as the printed terms before and after are equal. A call with all
its arguments is one step.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.printing.terms import computation, value
from rh_kernel.ad.eff.reduction.native_operations import Content
from rh_kernel.ad.eff.reduction.reducer import advance
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.step import ForcedContinuation, MarkedTerm, Step, initial
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import Detail, term_of
from rh_kernel.source.diagnostic import Diagnostic, Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.printing.doc import Doc, Mark, MarkKind, concat, join

SLICE = 1_000
"""The number of steps of a slice."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the store: its name, its content, and whether the step made or changed it."""

    name: str
    content: Doc
    is_changed: bool


@dataclass(slots=True, eq=False, repr=False)
class Shown:
    """A step of a trace: one step of the reduction, several for a call with all its arguments, or none for the start.

    ``first`` and ``number`` are the numbers of its first and its last step of the reduction, from 1 on; 0 for the start.
    """

    steps: tuple[Step, ...]
    number: int
    _start: core.Computation

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
        """The figure of the first of its rules."""
        return self.steps[0].rule.figure if self.steps else ""

    @property
    def gloss(self) -> str:
        """A description in one line."""
        if not self.steps:
            return ""
        first = self.steps[0].rule
        return first.gloss if all(step.rule is first for step in self.steps) else _CALLED[first]

    @property
    def before(self) -> Doc:
        """The whole term before the step; the redex is marked, and in it the operation that it performs."""
        if not self.steps:
            return computation(self._start)
        return _printed(self.steps[0].marked_before(self.steps[-1].context), "redex", "focus")

    @property
    def term(self) -> Doc:
        """The whole term after the step; the contractum is marked, and in it the continuation that the clause got."""
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
        """The cells after the step."""
        contents = self.steps[-1].cells if self.steps else ()
        return tuple([Cell(f"r{n}", _content(content), n == self.changed) for n, content in enumerate(contents)])


_CALLED: Mapping[Rule, str] = {
    Rule.UNFOLD: "a declared function is called: its body, with the arguments, replaces the call",
    Rule.FORCE: "a thunk is run with its arguments",
}
"""The description of a call, by its first rule."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The start and the steps, the value at the end, and the printed texts. ``is_cut`` says that the limit was reached first.

    ``stuck`` are the diagnostics of a reduction that ended without a result.
    """

    steps: tuple[Shown, ...]
    value: core.Value | None
    printed: tuple[str, ...]
    is_cut: bool = False
    stuck: tuple[Diagnostic, ...] = ()


def trace(M: core.Computation, definitions: Definitions, limit: int | None = None) -> Trace:
    """The trace of a closed computation, of at most ``limit`` steps."""
    return exhaust(tracing(M, definitions, limit))


def tracing(
    M: core.Computation, definitions: Definitions, limit: int | None = None, every: int = SLICE
) -> Generator[int, None, Trace]:
    """The trace in slices: yields the number of steps after each slice of ``every`` steps, and returns the trace."""
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
    """Whether the step results in a function, which may be applied next."""
    return isinstance(step.to.subject, core.Lambda | ForcedContinuation)


def _printed(term: MarkedTerm, part: MarkKind, within: MarkKind) -> Doc:
    marks: Mapping[int, Mark] = {id(term.part): Mark(part)}
    if term.within is not None:
        marks = {**marks, id(term.within): Mark(within)}
    return computation(term.whole, marks)


def _content(content: Content) -> Doc:
    if isinstance(content, Vector):
        return concat("[", join(concat(", "), [value(term_of(V, Detail.SHORT)) for V in content]), "]")
    return value(term_of(content, Detail.SHORT))
