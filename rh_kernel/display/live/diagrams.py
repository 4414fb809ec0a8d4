"""The interactive view of a string diagram: the front end chooses which folds are open, and gets the layout for that choice."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import cast

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.drawing.fold import FoldKind
from rh_kernel.denotational.drawing.folding import Folding, folding, folds_of, passing_count
from rh_kernel.denotational.drawing.layout import placed
from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.denotational.recording import belonging
from rh_kernel.display.data import Json, Record
from rh_kernel.display.diagrams.choice import BOTH, MOST_PASSING, OPEN
from rh_kernel.display.diagrams.dot import diagram_dot
from rh_kernel.display.diagrams.geometry import fold_records, geometry
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.diagrams.text import listing, summary
from rh_kernel.display.diagrams.tikz import diagram_tikz
from rh_kernel.display.live.view import Unanswerable, text_field
from rh_kernel.display.palette import INK, PAPER
from rh_kernel.display.text import visible
from rh_kernel.session.results import DiagramMade
from rh_kernel.session.rounds_shown import RoundsShown

INITIAL_BOXES = 250
"""Folds are closed at first until at most this many boxes remain, if that is possible."""

_CHOICES: list[Json] = [
    [RoundsShown.ONCE.value, "rounds: drawn once"],
    [RoundsShown.FOLDED.value, "rounds: one box"],
    [RoundsShown.UNROLLED.value, "rounds: first ones and last"],
]

ENDINGS = {"svg": "image/svg+xml", "tikz": "text/x-tex", "dot": "text/vnd.graphviz", "text": "text/plain"}


class DiagramView:
    """The view of one diagram. At most ``BOTH`` boxes are drawn; of a larger diagram some folds must stay closed."""

    kind = "diagram"

    def __init__(self, made: DiagramMade) -> None:
        self._first_made = made
        self._show(made)

    def _show(self, made: DiagramMade) -> None:
        """Answer about this diagram from now on."""
        self._made = made
        self._sketch = sketch(made.shown, opens_maps=True)
        self._cotangents = belonging(cast(Arrow, made.shown))

    def opening(self) -> Record:
        """Return the subject, the listing of boxes and the first drawing; ``drawing`` is ``None`` if the diagram is too large.

        ``rounds`` are the ways to draw rounds, and the current one; ``cotangents`` pairs each wire of the backward pass with
        the wire of the forward pass that it is the cotangent of.
        """
        first = self._first()
        return {
            "subject": visible(self._made.subject),
            "summary": visible(summary(self._made, self._sketch)),
            "listing": listing(self._made, self._sketch),
            "drawing": None if first is None else self._drawing(first),
            "cotangents": [[w, of] for w, of in sorted(self._cotangents.items()) if of != w],
            "folds": [] if first is None else fold_records(folds_of(self._sketch)),
            "most": BOTH,
            "rounds": {"shown": self._made.rounds.value, "choices": [] if self._made.unrolled is None else _CHOICES},
        }

    def answer(self, question: Record) -> Record:
        """Answer a question.

        It is ``layout`` with the ``folded`` folds closed, ``export`` of that drawing ``as`` one of ``ENDINGS``, or ``rounds``,
        which gives the opening record for another way to draw rounds. The other two say which way is shown.
        """
        self._show_rounds(question)
        match question.get("ask"):
            case "rounds":
                return self.opening()
            case "layout":
                return self._drawing(self._folded(question))
            case "export":
                return self._export(text_field(question, "as", 10), question)
            case _:
                raise Unanswerable("a diagram answers `layout`, `export` and `rounds`")

    def _show_rounds(self, question: Record) -> None:
        """Switch to the rounds that a question asks for. Raises ``Unanswerable``."""
        asked = question.get("rounds", self._made.rounds.value)
        found = next((way for way in RoundsShown if way.value == asked), None)
        if found is None:
            raise Unanswerable(f"`rounds` is one of {', '.join(way.value for way in RoundsShown)}")
        if found is not self._made.rounds:
            self._show(replace(self._first_made, rounds=found))

    def _first(self) -> frozenset[int] | None:
        """Return the folds to close at first, so that the drawing is of moderate size; ``None`` if nothing can be drawn."""
        found = None
        for closed in self._choices():
            shown = folding(self._sketch, closed)
            if self._is_drawable(shown):
                found = closed
                if shown.box_count <= (INITIAL_BOXES if closed else OPEN):
                    return closed
        return found

    def _choices(self) -> Iterator[frozenset[int]]:
        """Yield increasing sets of closed folds: none, the clauses, then nets from the innermost outwards, then all."""
        folds = folds_of(self._sketch)
        loops = [fold for fold in folds if fold.kind is FoldKind.ROUNDS]
        if self._made.rounds is RoundsShown.FOLDED:
            yield frozenset([fold.number for fold in folds if fold.kind in (FoldKind.ROUNDS, FoldKind.CLAUSE)])
        omitted = frozenset([fold.number for fold in loops if fold.title.startswith("…")])
        yield omitted
        depths: list[int] = []
        for fold in folds:
            depths.append(0 if fold.outer < 0 else depths[fold.outer] + 1)
        closed = omitted | {fold.number for fold in folds if fold.kind is FoldKind.CLAUSE}
        yield closed
        closed |= {fold.number for fold in loops}
        yield closed
        for depth in sorted({depths[fold.number] for fold in folds if fold.kind is FoldKind.NET}, reverse=True):
            closed |= {fold.number for fold in folds if fold.kind is FoldKind.NET and depths[fold.number] >= depth}
            yield closed
        yield frozenset([fold.number for fold in folds])

    def _is_drawable(self, found: Folding) -> bool:
        return found.box_count <= BOTH and passing_count(self._sketch, found.items) <= MOST_PASSING

    def _folded(self, question: Record) -> frozenset[int]:
        """Read the set of closed folds from a question. Raises ``Unanswerable``."""
        found: Json = question.get("folded", [])
        numbers = cast("list[object]", found) if isinstance(found, list) else [found]
        if not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
            raise Unanswerable("`folded` is a list of the numbers of folds")
        return frozenset(cast("list[int]", numbers))

    def _fit(self, closed: Collection[int]) -> Folding:
        """Return the folding. Raises ``Unanswerable`` if it is too large to draw."""
        found = folding(self._sketch, closed)
        if not self._is_drawable(found):
            raise Unanswerable(f"that would be {found.box_count} boxes, and up to {BOTH} are drawn; keep something folded")
        return found

    def _drawing(self, closed: frozenset[int]) -> Record:
        self._fit(closed)
        return geometry(placed(self._sketch, folded=closed))

    def _export(self, form: str, question: Record) -> Record:
        return {"text": self._text(form, question), "type": ENDINGS[form]}

    def _text(self, form: str, question: Record) -> str:
        match form:
            case "text":
                return listing(self._made, self._sketch) + "\n"
            case "dot":
                return diagram_dot(self._sketch, folding(self._sketch, self._folded(question)))
            case "svg" | "tikz":
                closed = self._folded(question)
                self._fit(closed)
                drawn = placed(self._sketch, folded=closed)
                if form == "tikz":
                    return diagram_tikz(drawn, self._made.subject)
                return diagram_svg(drawn, self._made.subject, INK, paper=PAPER) + "\n"
            case _:
                raise Unanswerable(f"`as` is one of {', '.join(ENDINGS)}")
