"""The states of a trace as sheets of lines, with the marks of the steps before and after each.

What step k is about is marked in state k, and what it has made in state k + 1. A mark shows what a pattern would hide, so each
state is written once, with the marks of both steps.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from rh_kernel.display.live.line_layout import sheet
from rh_kernel.display.live.lines import WIDTH, Origin, Part, Place, Sheet
from rh_kernel.display.live.subterms import below, derive, innermost, judged
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.rounding import DIGITS, ENTRIES
from rh_kernel.display.traces.cropping import LINKS, is_large
from rh_kernel.display.traces.marking import Marks as Marking
from rh_kernel.display.traces.marking import contractum_marks, redex_marks
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import Scene, Stage, document
from rh_kernel.operational.contexts import path
from rh_kernel.operational.step import Step
from rh_kernel.session.results import TraceMade
from rh_kernel.syntax.printing.doc import Annotation, Mark, Typed
from rh_kernel.syntax.printing.printer import Abbreviation, Path, PrintCache
from rh_kernel.syntax.printing.steps import Marks
from rh_kernel.typing.derivation.derivations import Derivation

ABOVE, BELOW = 300, 600
"""Of a state with very many lines so many are shown above and below the place where something is marked."""

DEEPEST = 2 * LINKS
"""What has changed deeper inside is not marked."""

TYPED = 50_000
"""States with more nodes are not typed."""

STATES = 8
"""So many states are kept as they were laid out, and what was written in so many manners."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How a reader wants states to be written: arrays of up to so many ``entries``, handlers ``whole``, lines so wide."""

    entries: int = ENTRIES
    whole: bool = False
    width: int = WIDTH

    def brevity(self, marks: Mapping[Path, Annotation]) -> Abbreviation:
        """What is printed in short; tuples are cut only behind what is marked."""
        items = max([ENTRIES, self.entries, *[position + 1 for path in marks for position in path]])
        return Abbreviation(self.entries, items, folds=not self.whole, digits=DIGITS)


class Sheets:
    """The states of one trace as sheets of lines."""

    def __init__(self, result: TraceMade, origin: Origin) -> None:
        self._result = result
        self._origin = origin
        self._memories: dict[Manner, PrintCache] = {}
        self._states = States(result)
        self._sheets: dict[tuple[int, Manner], _Laid] = {}
        self._judged: tuple[tuple[int, Manner], Sheet, tuple[Derivation, ...]] | None = None

    def sheet(self, state: int, manner: Manner) -> Sheet:
        """The lines of a state; each of its parts is named by the kinds of marks on it, with spaces in between."""
        return self._laid(state, manner).sheet

    def type_at(self, state: int, manner: Manner, place: Place) -> tuple[Sheet, Part, Derivation] | None:
        """What one sees at a place in the lines of a state, if it is a subterm: these lines, which part of them, and its type.

        Raises ``Unanswerable`` if the state is too large.
        """
        key = state, manner
        if self._judged is None or self._judged[0] != key:
            shown, M = self._states.scene(state, whole=manner.whole), self._states.subject(state)
            if is_large(M, TYPED):
                raise Unanswerable(f"this state has more than {TYPED:,} subterms, so their types are not looked for")
            marks = self._marks(state, shown.stage)
            found = judged(shown.subject, below(derive(M), path(shown.stage.end)), Marks.of(marks))
            doc = document(shown.subject, shown.names, manner.brevity(marks), found.marks)
            lines = sheet(doc, self._origin, manner.width)
            self._judged = key, _framed(lines, self._laid(state, manner).place, shown), found.derivations
        _, lines, derivations = self._judged
        part = innermost(lines, place)
        return None if part is None else (lines, part, derivations[int(part.name)])

    def _marks(self, state: int, shown: Stage) -> Mapping[Path, Annotation]:
        """What the step before and the step after the state mark in what is shown of it, the words of each place together."""
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

    def _laid(self, state: int, manner: Manner) -> "_Laid":
        key = state, manner
        found = self._sheets.pop(key, None) or self._lay(state, manner)
        while len(self._sheets) >= STATES:
            del self._sheets[next(iter(self._sheets))]
        self._sheets[key] = found
        return found

    def _lay(self, state: int, manner: Manner) -> "_Laid":
        if manner not in self._memories and len(self._memories) >= STATES:
            self._memories.clear()
        memory = self._memories.setdefault(manner, PrintCache())
        shown = self._states.scene(state, whole=manner.whole)
        marks = self._marks(state, shown.stage)
        doc = document(shown.subject, shown.names, manner.brevity(marks), Marks.of(marks), memory)
        whole = sheet(doc, self._origin, manner.width)
        place = next((part.start[0] for kind in _ANCHORS for part in whole.parts if kind in part.name.split()), 0)
        return _Laid(_framed(whole, place, shown), place)


@dataclass(frozen=True, slots=True)
class _Laid:
    """The lines of a state as far as they are shown, and the line of the whole that they are shown for."""

    sheet: Sheet
    place: int


def ranges(sheet: Sheet, *kinds: str) -> dict[str, list[int]]:
    """Where the marks of these kinds lie."""
    found: dict[str, list[int]] = {kind: [] for kind in kinds}
    for part in sheet.parts:
        for kind in part.name.split():
            if kind in found:
                found[kind] += sheet.ranges(part)
    return {kind: places for kind, places in found.items() if places}


def _framed(whole: Sheet, place: int, shown: Scene) -> Sheet:
    """The lines around ``place``, and above them how much is around what is shown."""
    found = whole.shown(max(place - ABOVE, 0), place + BELOW)
    return found.under(f"⋮ inside of {shown.stage.outside:,} more") if shown.stage.end is not None else found


_ANCHORS = ("redex", "contractum")
