"""Render the states of a trace as lines, with the marks of the steps before and after each state.

Step k marks its redex in state k and its contractum in state k + 1. A mark forces out what a pattern would hide, so each state
is rendered once, with the marks of both steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rh_kernel.display.live.line_layout import render_lines
from rh_kernel.display.live.lines import WIDTH, Origin, Position, Region, RenderedLines
from rh_kernel.display.live.subterms import below, derive, innermost, judged
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.rounding import DIGITS, ENTRIES
from rh_kernel.display.traces.cropping import LINKS, is_large
from rh_kernel.display.traces.marking import Marks as Marking
from rh_kernel.display.traces.marking import contractum_marks, redex_marks
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import CroppedViewport, Viewport, document
from rh_kernel.operational.contexts import path
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Annotation, Mark, Typed
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import Abbreviation, Path, PrintCache
from rh_kernel.syntax.printing.steps import Marks
from rh_kernel.typing.derivation.derivations import Derivation

ABOVE, BELOW = 300, 600
"""Lines shown above and below the marked line of a state that has very many."""

DEEPEST = 2 * LINKS
"""Occurrences deeper than this are not marked as changed."""

TYPED = 50_000
"""States with more nodes are not type-checked for hovers."""

STATES = 8
"""Capacity of the cache of rendered states, and of that of print caches by options."""


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """Options for printing states: ``entries`` of an array at most, handlers ``whole`` or by name, columns, and notation."""

    entries: int = ENTRIES
    whole: bool = False
    width: int = WIDTH
    notation: Notation = Notation.PAPER

    def brevity(self, marks: Mapping[Path, Annotation]) -> Abbreviation:
        """Return the abbreviations of the printer; tuples are cut only behind their last marked component."""
        items = max([ENTRIES, self.entries, *[position + 1 for path in marks for position in path]])
        return Abbreviation(self.entries, items, folds=not self.whole, digits=DIGITS, notation=self.notation)


class StateRenderer:
    """Renders the states of one trace, with a cache."""

    def __init__(self, result: TraceMade, origin: Origin) -> None:
        self._result = result
        self._origin = origin
        self._print_caches: dict[RenderOptions, PrintCache] = {}
        self._states = States(result)
        self._cache: dict[tuple[int, RenderOptions], _RenderedState] = {}
        self._judged: tuple[tuple[int, RenderOptions], RenderedLines, tuple[Derivation, ...]] | None = None

    def lines(self, state: int, options: RenderOptions) -> RenderedLines:
        """Return the lines of a state; the name of each region lists its kinds of marks, separated by spaces."""
        return self._cached(state, options).lines

    def type_at(self, state: int, options: RenderOptions, place: Position) -> tuple[RenderedLines, Region, Derivation] | None:
        """Return the innermost subterm at a position: the lines, its region in them, and its derivation.

        Raises ``Unanswerable`` if the state is too large.
        """
        key = state, options
        if self._judged is None or self._judged[0] != key:
            shown, M = self._states.viewport(state, whole=options.whole), self._states.subject(state)
            if is_large(M, TYPED):
                raise Unanswerable(f"this state has more than {TYPED:,} subterms, so their types are not looked for")
            marks = self._marks(state, shown.viewport)
            found = judged(shown.subject, below(derive(M), path(shown.viewport.end)), Marks.of(marks))
            doc = document(shown.subject, shown.names, options.brevity(marks), found.marks)
            lines = render_lines(doc, self._origin, options.width)
            self._judged = key, _clipped(lines, self._cached(state, options).place, shown), found.derivations
        _, lines, derivations = self._judged
        region = innermost(lines, place)
        return None if region is None else (lines, region, derivations[int(region.name)])

    def _marks(self, state: int, shown: Viewport) -> Mapping[Path, Annotation]:
        """Return the marks of the steps before and after the state in the viewport, joining kinds at the same path."""
        steps = self._result.steps
        words: dict[Path, list[str]] = {}
        sides: list[tuple[Step, Marking]] = []
        sides += ((steps[state], redex_marks(steps[state])),) if state < len(steps) else ()
        sides += ((steps[state - 1], contractum_marks(steps[state - 1], DEEPEST)),) if state else ()
        for step, marks in sides:
            for inner, mark in marks.items():
                place = shown.within(step.context, inner)
                if isinstance(mark, Mark) and place is not None:
                    words.setdefault(place, []).append(mark.kind)
        return {place: Typed(" ".join(kinds)) for place, kinds in words.items()}

    def _cached(self, state: int, options: RenderOptions) -> "_RenderedState":
        key = state, options
        found = self._cache.pop(key, None) or self._render(state, options)
        while len(self._cache) >= STATES:
            del self._cache[next(iter(self._cache))]
        self._cache[key] = found
        return found

    def _render(self, state: int, options: RenderOptions) -> "_RenderedState":
        if options not in self._print_caches and len(self._print_caches) >= STATES:
            self._print_caches.clear()
        print_cache = self._print_caches.setdefault(options, PrintCache())
        shown = self._states.viewport(state, whole=options.whole)
        marks = self._marks(state, shown.viewport)
        doc = document(shown.subject, shown.names, options.brevity(marks), Marks.of(marks), print_cache)
        whole = render_lines(doc, self._origin, options.width)
        place = next((region.start[0] for kind in _ANCHORS for region in whole.regions if kind in region.name.split()), 0)
        return _RenderedState(_clipped(whole, place, shown), place)


@dataclass(frozen=True, slots=True)
class _RenderedState:
    """The visible lines of a state, and the line that they are centred on, in the numbering of all its lines."""

    lines: RenderedLines
    place: int


def ranges(rendered: RenderedLines, *kinds: str) -> dict[str, list[int]]:
    """Return the ranges of the marks of these kinds that occur."""
    found: dict[str, list[int]] = {kind: [] for kind in kinds}
    for region in rendered.regions:
        for kind in region.name.split():
            if kind in found:
                found[kind] += rendered.ranges(region)
    return {kind: places for kind, places in found.items() if places}


def _clipped(whole: RenderedLines, place: int, shown: CroppedViewport) -> RenderedLines:
    """Return the lines around ``place``, under a note on how many frames of the context are hidden."""
    found = whole.shown(max(place - ABOVE, 0), place + BELOW)
    return found.under(f"⋮ inside of {shown.viewport.hidden_frames:,} more") if shown.viewport.end is not None else found


_ANCHORS = ("redex", "contractum")
