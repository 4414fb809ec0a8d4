"""How fast this is: the numbers of ``releases.json`` as a table of the README and as two pictures."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import pairwise
from math import ceil, floor, log10
from pathlib import Path
from typing import Any

from lessons.reference.figures import PICTURES
from lessons.reference.markdown import table
from rh_kernel.source.records import frozen

FILE = Path(__file__).with_name("releases.json")
BARS, RELEASES = PICTURES / "speed.svg", PICTURES / "releases.svg"

LIBRARIES = ("rh_kernel", "PyTorch", "JAX")
WIDE = ("avx512", "avx2", "neon")
"""Of the machines on which a version was measured, the first of these is shown."""

STYLE = """\
text { fill: #1a202c } .faint { fill: #5a6472 } .line { stroke: #cbd5e0 }
.c0 { fill: #c05621; stroke: #c05621 } .c1 { fill: #8795a8; stroke: #8795a8 } .c2 { fill: #b3bfce; stroke: #b3bfce }
@media (prefers-color-scheme: dark) {
  text { fill: #e2e8f0 } .faint { fill: #a0aec0 } .line { stroke: #4a5568 }
  .c0 { fill: #ed8936; stroke: #ed8936 } .c1 { fill: #94a3b8; stroke: #94a3b8 } .c2 { fill: #64748b; stroke: #64748b }
}"""
"""Colours for pages that are light and for those that are dark."""

WIDTH, NAME, VALUE = 760, 84, 84
"""Width of the pictures, of the column of names and of that of values, in pixels."""
BAR, GROUP = 17, 34
"""Heights of a bar and of a title, in pixels."""

PANEL, LEFT, TOP, SPACE = 380, 56, 44, 14
"""Of the picture of releases: the height of a panel, the space left of it and above it, and the distance of labels."""


@frozen
class Headline:
    """A number that a user would ask for, by library; less is better."""

    title: str
    unit: str
    values: Mapping[str, float]

    def told(self, library: str) -> str:
        """The value with its unit."""
        return f"{_digits(self.values[library])} {self.unit}" if library in self.values else "–"


def _digits(value: float) -> str:
    """Three digits, and no exponent."""
    return f"{value:,.0f}" if value >= 100 else f"{value:#.3g}".rstrip(".")


@frozen
class Release:
    """A version on a kind of machine: what the machine was, the headlines, and ratios by workload and library."""

    version: str
    machine: Mapping[str, str]
    headlines: Sequence[Headline]
    ratios: Mapping[str, Mapping[str, float]]


@cache
def releases() -> Sequence[Release]:
    """Each version, the oldest first, on the widest of the machines on which the newest one was measured."""
    every: dict[str, dict[str, Any]] = json.loads(FILE.read_text(encoding="utf-8"))
    newest = next(iter(every.values()))
    machine = next(name for name in WIDE if name in newest)
    return tuple([_release(version, entry[machine]) for version, entry in reversed(every.items()) if machine in entry])


def _release(version: str, entry: Mapping[str, Any]) -> Release:
    headlines = tuple([Headline(**line) for line in entry["headlines"]])
    return Release(version, entry["machine"], headlines, entry["ratios"])


def files() -> dict[Path, str]:
    """The pictures."""
    return {BARS: bars(releases()[-1]), RELEASES: history(releases())}


# -- the table -----------------------------------------------------------------------------------------------------------------


def speed_part() -> str:
    """The five numbers, and what they were measured on."""
    newest = releases()[-1]
    body = [(line.title, *[line.told(library) for library in LIBRARIES]) for line in newest.headlines]
    machine = newest.machine
    versions = ", ".join([f"{name} {machine[key]}" for name, key in (("PyTorch", "torch"), ("JAX", "jax")) if key in machine])
    versions = f"Version {newest.version} with NumPy {machine['numpy']}, {versions}"
    return f"{table(('', *LIBRARIES), body)}\n\n{versions}; one thread, float64, {machine['processor']}."


# -- the bars ------------------------------------------------------------------------------------------------------------------


def bars(release: Release) -> str:
    """A group of bars for each headline, each with a scale of its own that begins at 0."""
    parts, y = list[str](), 6.0
    for line in release.headlines:
        parts.append(_text(0, y + 18, line.title, weight="bold"))
        y += GROUP - 8
        most = max(line.values.values())
        for i, library in enumerate(LIBRARIES):
            parts.append(_text(0, y + 12, library, "faint"))
            if library in line.values:
                length = max(1.5, line.values[library] / most * (WIDTH - NAME - VALUE))
                place = f'x="{NAME}" y="{y + 1:g}" width="{length:.1f}" height="{BAR - 5}"'
                parts.append(f'<rect class="c{i}" {place}/>')
                parts.append(_text(NAME + length + 6, y + 12, line.told(library)))
            y += BAR
        y += 8
    return _svg(WIDTH, y + 4, "Time or memory in rh_kernel, PyTorch and JAX: less is better", parts)


# -- the releases --------------------------------------------------------------------------------------------------------------


def history(every: Sequence[Release]) -> str:
    """How many times as fast as PyTorch and as JAX a step is, by version and workload; two panels, on logarithmic axes."""
    panel = (WIDTH - LEFT) / 2
    parts = list[str]()
    for i, library in enumerate(LIBRARIES[1:]):
        parts += _panel(every, library, LEFT + i * panel, panel)
    return _svg(WIDTH, TOP + PANEL + 40, "How many times as fast as other libraries, by version", parts)


def _panel(every: Sequence[Release], library: str, left: float, width: float) -> Iterator[str]:
    """The ratios to one library in float64."""
    names = [name for name in every[-1].ratios if name.endswith(" float64") and library in every[-1].ratios[name]]
    values = [release.ratios[name][library] for release in every for name in names if library in release.ratios.get(name, {})]
    low, high = floor(log10(min(values, default=1))), max(1, ceil(log10(max(values, default=10))))
    right = left + width - 186

    def x(version: int) -> float:
        return left + 20 + version * (right - left - 40) / max(1, len(every) - 1)

    def y(value: float) -> float:
        return TOP + (high - log10(value)) / (high - low) * PANEL

    yield _text(left - 8, 18, f"times as fast as {library}", weight="bold")
    for power in range(low, high + 1):
        yield f'<path class="line" d="M{left:g} {y(10.0**power):.1f} H{right:g}"/>'
        yield _text(left - 8, y(10.0**power) + 4, f"{10.0**power:,g}", "faint", anchor="end")
    for i, release in enumerate(every):
        yield _text(x(i), TOP + PANEL + 22, release.version, "faint", anchor="middle")
    places = _apart([y(every[-1].ratios[name][library]) for name in names])
    for name, place in zip(names, places, strict=True):
        ratios = [
            (i, release.ratios[name][library]) for i, release in enumerate(every) if library in release.ratios.get(name, {})
        ]
        points = [(x(i), y(ratio)) for i, ratio in ratios]
        path = " ".join([f"{a:.1f},{b:.1f}" for a, b in points])
        yield f'<polyline class="c0" points="{path}" style="fill: none" stroke-width="1.5"/>'
        yield from [f'<circle class="c0" cx="{a:.1f}" cy="{b:.1f}" r="3"/>' for a, b in points]
        end = points[-1]
        yield f'<path class="line" d="M{end[0] + 6:.1f} {end[1]:.1f} L{right + 6:g} {place:.1f}"/>'
        _, ratio = ratios[-1]
        yield _text(right + 10, place + 4, f"{name.removesuffix(' float64')}: {_digits(ratio)}")


def _apart(places: Sequence[float]) -> list[float]:
    """The places, moved down where they would be closer than a label is high, and back up from the lower edge."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found = list(places)
    for before, i in pairwise(order):
        found[i] = max(found[i], found[before] + SPACE)
    bottom = float(TOP + PANEL)
    for i in reversed(order):
        found[i] = min(found[i], bottom)
        bottom = found[i] - SPACE
    return found


# -- SVG -----------------------------------------------------------------------------------------------------------------------


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A file without a background, for pages of either kind."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" font-family="sans-serif" font-size="12"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>'
    return "\n".join([head, f"<title>{escape(title)}</title>", f"<style>{STYLE}</style>", *parts, "</svg>"]) + "\n"


def _text(x: float, y: float, text: str, kind: str = "", weight: str = "normal", anchor: str = "start") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" font-weight="{weight}" text-anchor="{anchor}">{escape(text)}</text>'
