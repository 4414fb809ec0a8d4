"""What a step costs on many workers: the numbers of ``tests/benchmarks/cluster_scale.py`` as tables and as a figure."""

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from lessons.reference.figures import FAINT, INK, LINE, PICTURES, label, svg
from lessons.reference.markdown import table
from lessons.reference.running import ROOT
from rh_kernel.source.records import frozen

FILE = ROOT / "lessons" / "appendix" / "cluster" / "scale.json"
FIGURE = PICTURES / "cluster-scale.svg"

COLLECTOR, PEERS, TREE = "one collector", "weights from one another", "sums in a tree"
WAYS = {COLLECTOR: "#2b6cb0", PEERS: "#b7791f", TREE: "#2f855a"}
"""The ways to carry out a step, and their colours in the figure."""

EFFICIENCY = 0.8

PANEL, HEIGHT, MARGIN, LEGEND = 360, 260, 60, 206
"""Width and height of a panel of the figure, the space around it, and the width of a part of the legend, in pixels."""


@frozen
class Row:
    """What a round of n tasks needs that do not compute, in seconds: the median by the clock, the means of the processor's.

    ``payload`` is the size of the weights and of each result, in bytes. ``tried`` is the efficiency of steps that compute for
    ``needed`` seconds, if these are not too long. ``load`` is the load average of the machine before the workers started.
    """

    workers: int
    payload: int
    way: str
    rounds: int
    round: float
    scheduler: float
    client: float
    tried: float | None = None
    load: float = 0.0

    @property
    def needed(self) -> float:
        """How long each worker has to compute in a step, in seconds, so that this is 80 % of the step."""
        return self.round * EFFICIENCY / (1 - EFFICIENCY)

    @property
    def bound(self) -> float:
        """The same if nothing but the processor time of the scheduler and of the client were added: an extrapolation."""
        return self.busy * EFFICIENCY / (1 - EFFICIENCY)

    @property
    def busy(self) -> float:
        """The processor time of the scheduler and of the client, in seconds."""
        return self.scheduler + self.client


@cache
def measured() -> Sequence[Row]:
    """The rows of the file, by payload, way and number of workers."""
    return rows_of(json.loads(FILE.read_text(encoding="utf-8")))


def rows_of(found: dict[str, Any]) -> Sequence[Row]:
    """The rows of a file's content."""
    return tuple([Row(**row) for row in found["rows"]])


def _chosen(way: str, payload: int) -> list[Row]:
    return [row for row in measured() if (row.way, row.payload) == (way, payload)]


def _payloads() -> list[int]:
    return sorted({row.payload for row in measured()})


def scale_part() -> str:
    """The tables: what one collector needs, and the rounds of all ways."""
    head = (
        *("weights", "workers", "rounds", "median round", "processor: scheduler", "client"),
        *("step for 80 %", "efficiency of such a step", "extrapolated step for 80 %"),
    )
    collector = [
        (
            *(_bytes(row.payload), f"{row.workers:,}", f"{row.rounds}"),
            *(_seconds(row.round), _seconds(row.scheduler), _seconds(row.client)),
            *(_seconds(row.needed), _percent(row.tried), _seconds(row.bound)),
        )
        for payload in _payloads()
        for row in _chosen(COLLECTOR, payload)
    ]
    ways = [
        (_bytes(payload), f"{row.workers:,}", *[_round_of(way, row) for way in WAYS])
        for payload in _payloads()
        for row in _chosen(COLLECTOR, payload)
    ]
    tables = (table(head, collector), table(("weights", "workers", *WAYS), ways))
    return "\n\n".join([_conditions(), *tables, *map(_limits, _payloads())])


def _limits(payload: int) -> str:
    """What the largest cluster says about the scheduler and the client, and for how many workers a step is enough."""
    row = _chosen(COLLECTOR, payload)[-1]
    each = _seconds(row.busy / row.workers)
    best = ", ".join([f"{(work * row.workers / row.busy) ** 0.5:,.0f} for W = {work:,} s" for work in (1, 100, 10_000)])
    sentences = (
        f"**Weights of {_bytes(payload)}.** With {row.workers:,} workers a piece takes {_seconds(row.scheduler / row.workers)}",
        f"of the scheduler's processor and {_seconds(row.client / row.workers)} of the client's:",
        f"the scheduler serves at most {row.workers / row.scheduler:,.0f} pieces a second, on however many workers.",
        f"Extrapolated: a step of W seconds of computation takes about W/n + n · {each} on n workers, which is least for",
        f"n = √(W / {each}) of them, {best}; more workers make the step slower.",
    )
    return " ".join(sentences)


def _conditions() -> str:
    """When and on what it was measured."""
    found, loads = json.loads(FILE.read_text(encoding="utf-8")), [row.load for row in measured()]
    busy = f"other programs had a load average of {min(loads):g} to {max(loads):g} there"
    return f"Measured on {found['date']} with Dask {found['distributed']} on {found['cores']} cores; {busy}."


def _round_of(way: str, row: Row) -> str:
    found = [other.round for other in _chosen(way, row.payload) if other.workers == row.workers]
    return _seconds(found[0]) if found else "–"


def _bytes(payload: int) -> str:
    return f"{payload // 1_000_000} MB" if payload >= 1_000_000 else f"{payload // 1000} KB"


def _seconds(value: float) -> str:
    """Two digits, in ms or s."""
    scaled, unit = (value, "s") if value >= 1 else (1000 * value, "ms")
    return f"{scaled:.0f} {unit}" if scaled >= 10 else f"{scaled:.1f} {unit}"


def _percent(part: float | None) -> str:
    return "–" if part is None else f"{100 * part:.0f} %"


def figure() -> dict[Path, str]:
    """The figure's SVG file: a panel for each size of the weights, both axes logarithmic."""
    rows = measured()
    seconds = [value for row in rows for value in (row.round, row.busy)]
    low, high = floor(log10(min(seconds))), ceil(log10(max(seconds)))
    right = ceil(log10(max(row.workers for row in rows)))

    def x(panel: int, workers: float) -> float:
        return MARGIN + panel * (PANEL + MARGIN) + log10(workers) / right * PANEL

    def y(value: float) -> float:
        return MARGIN + (high - log10(value)) / (high - low) * HEIGHT

    parts = list[str]()
    for panel, payload in enumerate(_payloads()):
        left = x(panel, 1)
        parts.append(label(left, MARGIN - 16, f"weights of {_bytes(payload)}: seconds a round, by workers", INK, "bold"))
        for power in range(low, high + 1):
            parts.append(_line([(left, y(10.0**power)), (left + PANEL, y(10.0**power))], LINE))
            parts.append(label(left - 38, y(10.0**power) + 4, f"{10.0**power:g}", FAINT))
        for power in range(right + 1):
            parts.append(_line([(x(panel, 10**power), y(10.0**low)), (x(panel, 10**power), y(10.0**high))], LINE))
            parts.append(label(x(panel, 10**power) - 8, MARGIN + HEIGHT + 18, f"{10**power:,}", FAINT))
        for way, colour in WAYS.items():
            points = [(x(panel, row.workers), y(row.round)) for row in _chosen(way, payload)]
            parts += [_line(points, colour), *[f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{colour}"/>' for a, b in points]]
        busy = [(x(panel, row.workers), y(row.busy)) for row in _chosen(COLLECTOR, payload)]
        parts.append(_line(busy, WAYS[COLLECTOR], "2 4"))
    parts += _legend(MARGIN + HEIGHT + 44)
    width = MARGIN + len(_payloads()) * (PANEL + MARGIN)
    return {FIGURE: svg(width, MARGIN + HEIGHT + 60, "The overhead of a step by the number of workers", parts)}


def _legend(y: float) -> Iterator[str]:
    told = [*[(way, colour, "") for way, colour in WAYS.items()]]
    told.append(("processor time, one collector", WAYS[COLLECTOR], "2 4"))
    for i, (words, colour, dashes) in enumerate(told):
        left = MARGIN + i * LEGEND
        yield _line([(left, y), (left + 28, y)], colour, dashes)
        yield label(left + 34, y + 4, words, INK)


def _line(points: Iterable[tuple[float, float]], colour: str, dashes: str = "") -> str:
    path = " ".join([f"{a:.1f},{b:.1f}" for a, b in points])
    dotted = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"{dotted}/>'
