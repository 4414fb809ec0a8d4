"""What the views of a training run share: its summary, and the curve of a measure."""

from collections.abc import Sequence

from rh_kernel.display.pictures import Image
from rh_kernel.display.training.curves import curve_image, sparkline
from rh_kernel.display.values import short
from rh_kernel.session.results import TrainingDone


def head(done: TrainingDone) -> str:
    """``12 epochs of 300 samples · 0.4 s · 9,000 samples/s``"""
    rate = speed(done.epochs * done.samples / done.seconds) if done.seconds > 0 else ""
    epochs = f"{done.epochs} epoch{'' if done.epochs == 1 else 's'}"
    samples = f"{done.samples:,} sample{'' if done.samples == 1 else 's'}"
    parts = [f"{'stopped after ' if done.stopped else ''}{epochs} of {samples}", f"{done.seconds:.3g} s", rate]
    return " · ".join([part for part in parts if part])


def ends(values: Sequence[float]) -> str:
    """The first value and the last."""
    return short(values[-1]) if len(values) == 1 else f"{short(values[0])} → {short(values[-1])}"


def curve_picture(text: str, values: Sequence[float], epochs: int = 0) -> Image:
    """The curve of the measure ``text`` over ``epochs``, or over as many as there are values."""
    return curve_image(values, f"{text or 'the measure'} over the epochs: {sparkline(values)}", epochs)


def speed(samples_per_second: float) -> str:
    """``9,000 samples/s``; empty for a number that is no measurement"""
    return f"{samples_per_second:,.0f} samples/s" if samples_per_second < 1e15 else ""
