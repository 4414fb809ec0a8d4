"""The view of a race in a page: pictures whose lines are linked to the table, and the clauses that differ."""

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.races.curves import Picture
from rh_kernel.display.races.looks import look
from rh_kernel.display.races.sources import clauses_data
from rh_kernel.display.races.summary import ends, head, lowest, no_slice, pictures
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import chart_source, sparkline
from rh_kernel.display.values import short
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress, Racer

LENGTH = 16
"""The length in characters of a curve in the table."""


class RaceView:
    """The view of one race, which is done or running."""

    kind = "race"

    def __init__(self, race: RaceDone | RaceProgress) -> None:
        self._race = race

    def opening(self) -> Record:
        """Return the summary, a row for each handler, the pictures, and the comparison of the clauses.

        ``share`` is the part of all runs that is done, from 0 to 1; ``None`` of a race that is over.
        """
        race = self._race
        best = lowest(race.racers)
        share: float | None = None
        clauses: Record | None = None
        match race:
            case RaceDone():
                clauses = clauses_data(race.clauses, race.racers)
            case RaceProgress(racers, ended=ended):
                share = None if ended else sum([racer.share for racer in racers]) / max(len(racers), 1)
        return {
            "head": head(race),
            "share": share,
            "best": best,
            "measures": [visible(text) for text in race.measures],
            "rows": [_row(n, racer) for n, racer in enumerate(race.racers)],
            "plots": [_plot(picture) for picture in pictures(race)],
            "note": no_slice(race),
            "clauses": clauses,
        }

    def answer(self, question: Record) -> Record:
        """Raise ``Unanswerable``: the page has everything."""
        raise Unanswerable("the view of a race asks nothing")


def _row(n: int, racer: Racer) -> Record:
    cells: list[Json] = [[ends(curve), sparkline(curve, LENGTH) if len(curve) > 1 else ""] for curve in racer.curves]
    return {
        "handler": visible(racer.text),
        "colour": look(n).colour,
        "sign": look(n).sign,
        "cells": cells,
        "last": short(racer.ends[-1]) if racer.ends else "",
        "moved": short(racer.moved),
    }


def _plot(picture: Picture) -> Record:
    return {
        "title": visible(picture.title),
        "full": visible(picture.title),
        "source": chart_source(picture.parts, picture.width, picture.height),
        "width": picture.width,
        "height": picture.height,
        "label": visible(picture.label),
        "lines": [line.data for line in picture.lines],
        "key": [],
        "note": picture.note,
    }
