"""The view of a confusion matrix in a page: the matrix, and the pictures of the samples behind the cell that is chosen."""

import math

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.view import Unanswerable, int_field
from rh_kernel.display.predictions.cells import MOST_CLASSES, Sample, columns_of, head, name_of, pairs, samples
from rh_kernel.session.predictions import NONE, ConfusionShown
from rh_kernel.source.diagnostic import Rejected

PAGE = 48
"""How many samples an answer has at most."""

ANY = -2
"""Any class, in a question."""


class ConfusionView:
    """The view of one confusion matrix."""

    kind = "confusion"

    def __init__(self, shown: ConfusionShown) -> None:
        self._shown = shown

    def opening(self) -> Record:
        """Return the heading, the predicted classes with their names, the counts, and the most frequent confusions.

        ``counts`` has a row for each class, and is empty if there are too many of them.
        """
        shown, order = self._shown, columns_of(self._shown)
        small = shown.classes <= MOST_CLASSES
        counts: list[Json] = [[row[j] for j in order] for row in shown.counts.tolist()] if small else []
        return {
            "head": head(shown),
            "subject": " ".join(shown.subject.split()),
            "columns": [{"predicted": j, "name": name_of(j)} for j in order] if small else [],
            "counts": counts,
            "pairs": [{"target": p.target, "predicted": p.predicted, "count": p.count} for p in pairs(shown)],
            "wrong": shown.size - shown.right,
            "size": shown.size,
        }

    def answer(self, question: Record) -> Record:
        """Answer ``{"ask": "samples", "target": i, "predicted": j, "from": n}``, where ``-2`` is any class.

        The answer has up to 48 of the samples in that cell, the most wrong first, and ``count``, how many there are.

        Raises ``Unanswerable``.
        """
        if question.get("ask") != "samples":
            raise Unanswerable("the question is `samples`")
        shown = self._shown
        target = int_field(question, "target", ANY, shown.classes - 1)
        predicted = int_field(question, "predicted", ANY, shown.classes - 1)
        found = shown.chosen(None if target in {ANY, NONE} else target, None if predicted == ANY else predicted)
        start = int_field(question, "from", 0, len(found), 0)
        try:
            taken = [
                _sample(sample, float(shown.excess[sample.number])) for sample in samples(shown, found[start : start + PAGE])
            ]
        except Rejected:
            raise Unanswerable("the file of the data can no longer be read") from None
        return {"samples": taken, "count": len(found)}


def _sample(sample: Sample, excess: float) -> Json:
    picture = sample.picture
    return {
        "number": sample.number,
        "target": sample.target,
        "predicted": name_of(sample.predicted),
        "right": sample.is_right,
        "label": sample.label,
        "excess": excess if math.isfinite(excess) else None,
        "picture": None if picture is None else {"source": picture.source, "width": picture.width, "height": picture.height},
        "numbers": sample.numbers,
    }
