"""The view of surfaces in a page: of a training run with all states that were kept, its curves and weights; or of ``%surface``.

The page goes through the epochs by itself, and tells the results at a point that one chooses.
"""

from collections.abc import Sequence

import numpy as np

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.pictures import source
from rh_kernel.display.text import visible
from rh_kernel.display.training import surfaces as drawn
from rh_kernel.display.training.curves import LEFT, RIGHT, WIDTH
from rh_kernel.display.training.summary import curve_picture, ends, head
from rh_kernel.display.training.weights import CARDS, LEGEND, Card, cards, others
from rh_kernel.session.predictions import SurfaceShown
from rh_kernel.session.results import TrainingDone
from rh_kernel.syntax.core import Array
from rh_kernel.training.surfaces import GRID, Surface

MOST_NUMBERS = 60_000
"""Of so many results those of all states are in the record, of more those of the last state alone."""


class SurfaceView:
    """The view of the surfaces of a training run, or of one surface."""

    kind = "surface"

    def __init__(self, shown: SurfaceShown | TrainingDone) -> None:
        self._shown = shown

    def opening(self) -> Record:
        """Return the epochs of the states, the surfaces in each of them, the curves, and the cards of the weights.

        ``epochs`` is empty for ``%surface``; a surface then has one state. ``plot`` is where the epochs begin and end in the
        picture of a curve, as shares of its width.
        """
        match self._shown:
            case SurfaceShown(surface=surface):
                return {"head": "", "epochs": [], "surfaces": [_surface(surface, [surface.values])], "curves": [], "cards": []}
            case TrainingDone(surfaces=surfaces) as done:
                states = [_states(surface, done.epochs) for surface in surfaces]
                found: list[Json] = [
                    _surface(surface, [*by_epoch.values()]) for surface, by_epoch in zip(surfaces, states, strict=True)
                ]
                return {
                    "head": head(done),
                    "epochs": [*states[0]],
                    "last": done.epochs,
                    "surfaces": found,
                    "curves": [_curve(text, values) for text, values in done.measures if values],
                    "plot": [LEFT / WIDTH, (WIDTH - RIGHT) / WIDTH],
                    "cards": [_card(card) for card in cards(done.changes)],
                    "first": CARDS,
                    "others": visible(others(done.changes[CARDS:])) if done.changes[CARDS:] else "",
                    "legend": [*LEGEND],
                }

    def answer(self, question: Record) -> Record:
        """Raise ``Unanswerable``: the page has everything."""
        raise Unanswerable("the view of a surface asks nothing")


def _states(surface: Surface, epochs: int) -> dict[int, Array]:
    """The results (GRID², k) after each of the epochs that were kept, and after the last one that ran."""
    return {**dict(surface.frames), epochs: surface.values}


def _surface(surface: Surface, states: Sequence[Array]) -> Record:
    plane = surface.plane
    shown: list[Json] = []
    for n, values in enumerate(states):
        has_values = n == len(states) - 1 or values.size * len(states) <= MOST_NUMBERS
        regions = drawn.regions(surface, values)
        shown.append(
            {
                "pixels": drawn.pixels_source(surface, values),
                "boundary": drawn.boundary(surface, values),
                "shares": [region.share for region in regions],
                "label": visible(drawn.label(surface, values)),
                "values": _values(values) if has_values else None,
            }
        )
    text = visible(" ".join(surface.text.split()))
    box: Json = [[float(x) for x in plane.low], [float(x) for x in plane.high]]
    return {
        "title": text,
        "width": drawn.WIDTH,
        "height": drawn.HEIGHT,
        "place": [drawn.LEFT, drawn.TOP, drawn.SIDE],
        "above": source(f"0 0 {drawn.WIDTH} {drawn.HEIGHT}", "".join(drawn.frame_and_samples(surface))),
        "axes": [visible(name) for name in plane.axes],
        "box": box,
        "grid": GRID,
        "regions": [{"name": one.name, "colour": one.colour, "sign": one.sign} for one in drawn.regions(surface)],
        "states": shown,
    }


def _values(values: Array) -> Json:
    """The results at each point of the grid, with three digits."""
    rows = values.reshape(GRID * GRID, -1)
    with np.errstate(all="ignore"):
        return strict_json([[float(f"{x:.3g}") for x in row] for row in rows.tolist()])


def _curve(text: str, values: Sequence[float]) -> Record:
    return {"title": visible(text), "ends": ends(values), "count": len(values), **curve_picture(visible(text), values).data}


def _card(card: Card) -> Record:
    return {
        "name": visible(card.name),
        "type": card.type,
        "numbers": [visible(text) for text in card.numbers],
        "held": visible(card.held),
        "matrix": None if card.matrix is None else {**card.matrix[0].data, "note": card.matrix[1]},
        "rows": None if card.rows is None else {**card.rows[1].data, "note": card.rows[0]},
    }
