"""The view of ``%sees`` in a page: a table of pictures, of which one is shown enlarged, with its numbers."""

from collections.abc import Sequence

import numpy as np

from rh_kernel.display.data import Json, Record, array
from rh_kernel.display.gradients.passes import Row
from rh_kernel.display.gradients.text import row_text
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.predictions import boxes
from rh_kernel.display.predictions.filters import filter_images
from rh_kernel.display.text import visible
from rh_kernel.session.predictions import SeenShown
from rh_kernel.syntax.core import Array

MOST_ENTRIES = 256
"""The most entries of an array whose numbers are in the record."""

MOST_NUMBERS = 40_000
"""The most numbers of all arrays that are in the record."""


class SeesView:
    """The view of what a net makes of some samples."""

    kind = "sees"

    def __init__(self, shown: SeenShown) -> None:
        self._shown = shown

    def opening(self) -> Record:
        """Return the names of the boxes, and for each sample and box the value and the cotangents; and the filters.

        The ``numbers`` of an array are rows of three-digit numbers, or ``None`` if there are too many.
        """
        shown, left = self._shown, MOST_NUMBERS
        found = boxes.passes(shown)

        def cell(made: boxes.SeenArray) -> Record:
            nonlocal left
            numbers: Json = None
            if made.array.size <= min(MOST_ENTRIES, left):
                left -= made.array.size
                numbers = _numbers(made.array)
            picture = made.picture
            return {
                "picture": None if picture is None else {**picture.data, "label": visible(picture.label)},
                "width": made.width,
                "note": made.note,
                "words": boxes.words(made.array),
                "numbers": numbers,
            }

        samples: list[Json] = [
            {
                "number": one.seen.number,
                "cells": [
                    {
                        "value": cell(boxes.value(row, one.seen, shown)),
                        "cotangents": [cell(made) for made in boxes.pulled(row, one.seen)],
                    }
                    for row in one.rows[: boxes.MOST_BOXES]
                ],
            }
            for one in found
        ]
        first: Sequence[Row] = found[0].rows if found else ()
        return {
            "head": visible(boxes.head(shown)),
            "subject": visible(" ".join(shown.subject.split())),
            "boxes": [visible(row_text(row)) for row in first[: boxes.MOST_BOXES]],
            "more": max(len(first) - boxes.MOST_BOXES, 0),
            "samples": samples,
            "filters": [
                {"name": visible(name), "note": note, "picture": {**image.data, "label": visible(image.label)}}
                for name, note, image in filter_images(boxes.read(found))
            ],
        }

    def answer(self, question: Record) -> Record:
        """Raise ``Unanswerable``: the page has everything."""
        raise Unanswerable("the view of what a net sees asks nothing")


def _numbers(values: Array) -> Json:
    rows = boxes.in_rows(values, np.float64(np.nan))
    with np.errstate(all="ignore"):
        rounded = np.array([[float(f"{x:.3g}") for x in row] for row in rows.tolist()])
    left = values.size
    return [array(row[: left - i * rows.shape[1]]) for i, row in enumerate(rounded)]
