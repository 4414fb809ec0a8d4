"""The profile of a plan (``arrays.profiling``): what each step takes, predicted and measured."""

from rh_kernel.arrays.planning.profiling import Measured, Profile
from rh_kernel.display.markup import FAINT, MONOSPACE, box, span, table
from rh_kernel.display.programs.passes import columns

HEADING = ("step", "operations", "bytes", "predicted µs", "measured µs", "share")
WIDTH = 72
"""A longer step is cut in a terminal."""


def profile_text(profile: Profile, place: str, samples: int | None = None) -> str:
    """The steps as a table, the totals, and the model."""
    total = profile.seconds
    rows = [(_cut(step.line.text), *_cells(step, total)) for step in profile.steps]
    return "\n".join(
        [*columns([HEADING, *rows, _totals(profile)], "lrrrrr"), *(f"# {line}" for line in said(profile, place, samples))]
    )


def profile_html(profile: Profile, place: str, samples: int | None = None) -> str:
    """The same, with a bar for each share."""
    total = profile.seconds
    rows: list[list[str]] = []
    for step in profile.steps:
        *counts, measured, _ = _cells(step, total)
        faint = [span(f"{MONOSPACE};{FAINT}", count) for count in counts]
        rows.append([span(MONOSPACE, step.line.text), *faint, span(MONOSPACE, measured), _bar(step, total)])
    name, *totals, _ = _totals(profile)
    rows.append([span("font-weight:bold", name), *(span(f"{MONOSPACE};font-weight:bold", cell) for cell in totals), ""])
    return table(rows, [*HEADING], "wrrrrl") + "".join(
        [box(f"{FAINT};font-size:85%", line) for line in said(profile, place, samples)]
    )


def said(profile: Profile, place: str, samples: int | None) -> list[str]:
    """The model with its constants, and what a whole run takes, of so many samples if it is one of a batch."""
    model = profile.model
    batch = "" if samples is None else f" of a batch of {samples:,}"
    return [
        f"a run{batch} takes {_micro(profile.whole)} µs on {place}",
        f"predicted: {model.call * 1e6:.2g} µs a call, and {model.bandwidth / 1e9:.3g} GB/s or {model.rate / 1e9:.3g} Gflop/s, "
        "whichever takes longer",
    ]


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
    return f'<span style="{bar}"></span> {span(f"{MONOSPACE};{FAINT}", f"{share:.0%}")}'


def _micro(seconds: float) -> str:
    micro = seconds * 1e6
    return f"{micro:,.0f}" if micro >= 100 else f"{micro:.1f}" if micro >= 10 else f"{micro:.2f}"


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1]}…"
