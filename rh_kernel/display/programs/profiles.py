"""Profiles of plans (``arrays.planning.profiling``): predicted and measured time of each step."""

from collections.abc import Sequence

from rh_kernel.arrays.planning.profiling import Measured, Profile
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, box, code, span, table
from rh_kernel.display.programs.listings import MOST
from rh_kernel.display.programs.passes import shortened
from rh_kernel.display.tables import columns

HEADING = ("step", "operations", "bytes", "predicted µs", "measured µs", "share")
WIDTH = 72
"""The most columns of a step in text."""


def profile_text(profile: Profile, place: str, samples: int | None = None, *, whole: bool = False) -> str:
    """The table of steps, the totals, and the cost model; of many steps the slowest ones unless ``whole``."""
    total = profile.seconds
    steps, others = (profile.steps, ()) if whole else _longest(profile)
    rows: list[tuple[str, ...]] = [(_cut(step.line.text), *_cells(step, total)) for step in steps]
    if others:
        rows.append(_others(others, total))
    return "\n".join(
        [*columns([HEADING, *rows, _totals(profile)], "lrrrrr"), *(f"# {line}" for line in remarks(profile, place, samples))]
    )


def profile_html(profile: Profile, place: str, samples: int | None = None) -> str:
    """The profile as HTML, with a bar for each share."""
    total = profile.seconds
    rows: list[list[str]] = []
    steps, others = _longest(profile)
    for step in steps:
        *counts, measured, _ = _cells(step, total)
        faint = [code(count, style=FAINT) for count in counts]
        rows.append([code(shortened(step.line.text)), *faint, code(measured), _bar(step, total)])
    if others:
        rows.append([code(cell, style=FAINT) for cell in _others(others, total)])
    name, *totals, _ = _totals(profile)
    rows.append([span("font-weight:bold", name), *(code(cell, style="font-weight:bold") for cell in totals), ""])
    return table(rows, [*HEADING], "wrrrrl") + "".join(
        [box(f"{FAINT};font-size:85%", escape(line)) for line in remarks(profile, place, samples)]
    )


def remarks(profile: Profile, place: str, samples: int | None) -> list[str]:
    """The time of a whole run, of a batch if ``samples`` is given, the constants of the cost model, and the choices."""
    model = profile.model
    batch = "" if samples is None else f" of a batch of {samples:,}"
    return [
        f"a run{batch} takes {_micro(profile.whole)} µs on {place}",
        f"predicted: {model.call * 1e6:.2g} µs a call, and {model.bandwidth / 1e9:.3g} GB/s or {model.rate / 1e9:.3g} Gflop/s, "
        "whichever takes longer",
        *profile.choices,
    ]


def _longest(profile: Profile) -> tuple[Sequence[Measured], Sequence[Measured]]:
    """Split the steps into the ``MOST`` slowest ones and the others, each in order of execution."""
    if len(profile.steps) <= MOST:
        return profile.steps, ()
    longest = {*sorted(range(len(profile.steps)), key=lambda n: -_taken(profile.steps[n]))[:MOST]}
    shown = [step for n, step in enumerate(profile.steps) if n in longest]
    return shown, [step for n, step in enumerate(profile.steps) if n not in longest]


def _taken(step: Measured) -> float:
    return step.predicted if step.seconds is None else step.seconds


def _others(steps: Sequence[Measured], total: float) -> tuple[str, ...]:
    """Return the row with the sums of the omitted steps."""
    name = f"⋮ {len(steps):,} shorter steps; `rh compile --profile FILE` prints all of them"
    operations, moved = sum(step.line.operations for step in steps), sum(step.bytes for step in steps)
    measured = [step.seconds for step in steps if step.seconds is not None]
    share = sum(measured) / total if total else 0
    predicted = _micro(sum(step.predicted for step in steps))
    return name, f"{operations:,}", f"{moved:,}", predicted, _micro(sum(measured)) if measured else "–", f"{share:.0%}"


def _totals(profile: Profile) -> tuple[str, ...]:
    operations = sum(step.line.operations for step in profile.steps)
    moved = sum(step.bytes for step in profile.steps)
    return ("all", f"{operations:,}", f"{moved:,}", _micro(profile.predicted), _micro(profile.seconds), "")


def _cells(step: Measured, total: float) -> tuple[str, ...]:
    measured = "–" if step.seconds is None else _micro(step.seconds)
    share = f"{_share(step, total):.0%}"
    return (f"{step.line.operations:,}", f"{step.bytes:,}", _micro(step.predicted), measured, share)


def _share(step: Measured, total: float) -> float:
    return 0.0 if step.seconds is None or not total else step.seconds / total


def _bar(step: Measured, total: float) -> str:
    share = _share(step, total)
    bar = f"display:inline-block;width:{max(share * 6, 0.05):.2f}em;height:0.7em;background:currentColor;opacity:0.35"
    return f'<span style="{bar}"></span> {code(f"{share:.0%}", style=FAINT)}'


def _micro(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:,.0f}" if micro >= 100 else f"{micro:.1f}" if micro >= 10 else f"{micro:.2f}"


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
