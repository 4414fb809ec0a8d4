"""The picture of the size of the cotangent by round, on a logarithmic scale."""

import math
from collections.abc import Iterator, Sequence

from rh_kernel.display.data import Record
from rh_kernel.display.gradients.sizes import Sizes
from rh_kernel.display.html import escape
from rh_kernel.display.palette import BACKWARD, NO_NUMBER
from rh_kernel.display.pictures import polyline
from rh_kernel.display.training.curves import chart, chart_source, epoch_ticks, grid_line, sampled, tick_text

WIDTH, HEIGHT = 520, 210
"""The size in pixels."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 14, 24, 36
_LOWEST = 1e-300


def sizes_image(found: Sizes) -> str:
    """An ``<img>`` of the norms: round 0, the first state, is on the left, so the way back goes from right to left.

    Where the cotangent is 0 there is a pale dot at the bottom, where it is not finite a cross at the top; the line has a gap.
    """
    return chart(_parts(found), WIDTH, HEIGHT, words(found))


def sizes_record(found: Sizes) -> Record:
    """The picture for a page that marks a round in it: its source and words, and where its axis begins and ends."""
    return {
        "source": chart_source(_parts(found), WIDTH, HEIGHT),
        "words": words(found),
        "width": WIDTH,
        "left": _LEFT,
        "right": WIDTH - _RIGHT,
        "rounds": found.rounds,
        "loop": found.loop,
        "back": found.back,
    }


def _parts(found: Sizes) -> list[str]:
    """The elements of the picture."""
    low, high = _ends(found.norms)
    across, down = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM

    def x(k: float) -> float:
        return _LEFT + across * k / max(found.rounds, 1)

    def y(power: float) -> float:
        return _TOP + down * (high - power) / (high - low)

    right = WIDTH - _RIGHT
    powers = range(low, high + 1, max(1, math.ceil((high - low) / 5)))
    parts = [grid_line(_LEFT, right, y(p), tick_text(10.0**p)) for p in powers]
    ticks = [0, *[k + 1 for k in epoch_ticks(found.rounds)]] if found.rounds else [0]
    parts += [f'<text x="{x(k):.1f}" y="{HEIGHT - 20}" text-anchor="middle">{k}</text>' for k in _apart(ticks, found.rounds)]
    title = f"size of the cotangent of the state, {escape(found.title)}{_around(found)}"
    middle, below = (_LEFT + right) / 2, "after this many rounds; the way back ←"
    parts += [
        f'<text x="{_LEFT}" y="13">{title}</text>',
        f'<text x="{middle:.0f}" y="{HEIGHT - 5}" text-anchor="middle">{below}</text>',
    ]
    shown = [*sampled(found.norms)]
    points = [(x(k), y(math.log10(v))) if _is_shown(v) else None for k, v in shown]
    parts.append(f'<path d="{polyline(points)}" fill="none" stroke="{BACKWARD}" stroke-width="1.8" stroke-linejoin="round"/>')
    if len(shown) <= 40:
        parts += [f'<circle cx="{p[0]:.1f}" cy="{p[1]:.1f}" r="2.2" fill="{BACKWARD}"/>' for p in points if p is not None]
    parts += _outside([(x(k), v) for k, v in shown if not _is_shown(v)])
    return parts


def words(found: Sizes) -> str:
    """The sizes in one sentence: from the last state back to the first."""
    first, last = found.norms[0], found.norms[-1]
    zeros, others = sum(v == 0 for v in found.norms), sum(not math.isfinite(v) for v in found.norms)
    text = f"{found.title}{_around(found)}: the cotangent of the state has the size {last:.3g} after the last round"
    text += f" and {first:.3g} before the first one"
    if _is_shown(first) and _is_shown(last) and found.rounds:
        text += f", a factor of {math.exp((math.log(first) - math.log(last)) / found.rounds):.3g} in each round"
    text += f"; it is 0 after {_counted(zeros)}" if zeros else ""
    return text + (f"; it is not finite after {_counted(others)}" if others else "")


def _counted(n: int) -> str:
    return "1 round" if n == 1 else f"{n} rounds"


def _around(found: Sizes) -> str:
    return f", in round {'.'.join(map(str, found.around))}" if found.around else ""


def _is_shown(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _ends(norms: Sequence[float]) -> tuple[int, int]:
    """Return the powers of ten at the bottom and at the top."""
    powers = [math.log10(max(v, _LOWEST)) for v in norms if _is_shown(v)] or [0.0]
    low, high = math.floor(min(powers)), math.ceil(max(powers))
    return (low - 1, high + 1) if high - low < 1 else (low, high)


def _apart(ticks: Sequence[int], rounds: int) -> list[int]:
    """Drop ticks that are too close to the one before."""
    found: list[int] = []
    for k in ticks:
        if not found or (k - found[-1]) * 20 >= rounds or k == rounds:
            found.append(k)
    return found


def _outside(points: Sequence[tuple[float, float]]) -> Iterator[str]:
    """Yield the marks of zeros and of norms that are not finite."""
    for x, value in points:
        if value == 0:
            yield f'<circle cx="{x:.1f}" cy="{HEIGHT - _BOTTOM}" r="3" fill="{NO_NUMBER}" fill-opacity=".5"/>'
        else:
            yield f'<path d="M{x - 3:.1f} {_TOP - 3}l6 6m0 -6l-6 6" stroke="{NO_NUMBER}" fill="none"/>'
