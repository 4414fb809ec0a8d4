"""A string diagram to explore: which of its folds are open is what the page asks for, and a drawing is the answer."""

from collections.abc import Collection, Iterator
from typing import cast

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.drawing.fold import FoldKind
from rh_kernel.denotational.drawing.folding import Folding, folding, folds_of, passing
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
from rh_kernel.display.live.view import Unanswerable, words
from rh_kernel.display.text import visible
from rh_kernel.session.results import DiagramMade

INK, PAPER = "#24292f", "#ffffff"
"""The colours of a drawing in a file of its own."""

AT_FIRST = 250
"""So many boxes are shown at first, if folding achieves that."""

ENDINGS = {"svg": "image/svg+xml", "tikz": "text/x-tex", "dot": "text/vnd.graphviz", "text": "text/plain"}


class DiagramView:
    """The view of one diagram. A drawing has up to ``BOTH`` boxes; of a larger diagram some folds stay closed."""

    kind = "diagram"

    def __init__(self, made: DiagramMade) -> None:
        self._made = made
        self._sketch = sketch(made.diagram)
        self._cotangents = belonging(cast(Arrow, made.diagram))

    def opening(self) -> Record:
        """What is drawn at first, what it is of, and the list of its boxes; no ``drawing`` if it is too large.

        ``cotangents`` are wires on a way back, each with the wire on the way forward that it belongs to.
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
        }

    def answer(self, question: Record) -> Record:
        """``layout`` with the numbers of the ``folded`` folds, or ``export`` of that ``as`` one of ``ENDINGS``."""
        match question.get("ask"):
            case "layout":
                return self._drawing(self._folded(question))
            case "export":
                return self._export(words(question, "as", 10), question)
            case _:
                raise Unanswerable("a diagram answers `layout` and `export`")

    def _first(self) -> frozenset[int] | None:
        """The folds that are closed at first, so that there is not too much to look at."""
        found = None
        for closed in self._choices():
            shown = folding(self._sketch, closed)
            if self._has_room(shown):
                found = closed
                if shown.box_count <= (AT_FIRST if closed else OPEN):
                    return closed
        return found

    def _choices(self) -> Iterator[frozenset[int]]:
        """From all open to all closed: the clauses, then the nets, those within others first, then the handlers."""
        yield frozenset()
        folds = folds_of(self._sketch)
        depths: list[int] = []
        for fold in folds:
            depths.append(0 if fold.outer < 0 else depths[fold.outer] + 1)
        closed = frozenset([fold.number for fold in folds if fold.kind is FoldKind.CLAUSE])
        yield closed
        for depth in sorted({depths[fold.number] for fold in folds if fold.kind is FoldKind.NET}, reverse=True):
            closed |= {fold.number for fold in folds if fold.kind is FoldKind.NET and depths[fold.number] >= depth}
            yield closed
        yield frozenset([fold.number for fold in folds])

    def _has_room(self, found: Folding) -> bool:
        return found.box_count <= BOTH and passing(found, self._sketch) <= MOST_PASSING

    def _folded(self, question: Record) -> frozenset[int]:
        """The numbers of folds in a question. Raises ``Unanswerable``."""
        found: Json = question.get("folded", [])
        numbers = cast("list[object]", found) if isinstance(found, list) else [found]
        if not all(isinstance(n, int) and not isinstance(n, bool) for n in numbers):
            raise Unanswerable("`folded` is a list of the numbers of folds")
        return frozenset(cast("list[int]", numbers))

    def _fit(self, closed: Collection[int]) -> Folding:
        """The folding, if it can be drawn. Raises ``Unanswerable``."""
        found = folding(self._sketch, closed)
        if not self._has_room(found):
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
