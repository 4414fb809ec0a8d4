"""What the views of ``%sees`` share: the boxes of a pass, and their values and cotangents as pictures.

The values and cotangents are those of ``%gradient``, from the recorded pass (RH Def. 7.13).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.display.contents import norm
from rh_kernel.display.gradients.passes import AnnotatedPass, Role, Row, annotated
from rh_kernel.display.gradients.text import row_text
from rh_kernel.display.pictures import TILES_ACROSS, Image, matrix_image, tiles_image
from rh_kernel.display.thumbnails import SIDE, pictures, thumbnail
from rh_kernel.display.values import content_text, short
from rh_kernel.session.predictions import Seen, SeenShown
from rh_kernel.syntax.core import Array

MOST_BOXES = 10
"""The most boxes whose values are shown."""

MOST_CHANNELS = 16
"""The most channels of a value that are shown."""

TILE = 30
"""The width of a channel in CSS pixels."""

ACROSS = 8
"""A vector that is no picture is shown in rows of so many entries."""


@dataclass(frozen=True, slots=True)
class SeenArray:
    """A value or a cotangent: a picture of about ``width`` pixels with a ``note`` on its scale, or the number as the note.

    The picture of a sample itself is grey; its ``note`` is empty.
    """

    array: Array
    picture: Image | None
    width: int
    note: str

    @property
    def is_sample(self) -> bool:
        """Whether it is the sample itself."""
        return self.picture is not None and not self.note


@dataclass(frozen=True, slots=True)
class SeenPass:
    """The pass of one sample, and the rows of its table that are shown."""

    seen: Seen
    made: AnnotatedPass
    rows: Sequence[Row]


def passes(shown: SeenShown) -> list[SeenPass]:
    """The passes, without the rows of constants and of contents of locations, which are the same in each sample."""
    found = [(seen, annotated(seen.made)) for seen in shown.samples]
    return [SeenPass(seen, made, [row for row in made.rows if _is_shown(row, made)]) for seen, made in found]


def _is_shown(row: Row, made: AnnotatedPass) -> bool:
    wire = made.wires.get(row.wire)
    return bool(row.pulled) or not (row.label.startswith("‹") or (wire is not None and wire.role is Role.PARAMETER))


def read(passes: Sequence[SeenPass]) -> Mapping[str, Array]:
    """What the first pass reads, by the names of the locations."""
    found: dict[str, Array] = {}
    for _, name, use in passes[0].made.uses() if passes else ():
        found.setdefault(name, use.after if use.before is None else use.before)
    return found


def value(row: Row, seen: Seen, shown: SeenShown) -> SeenArray:
    """The value of a box: as a grey picture if it is the sample itself, else signed."""
    label = f"the value of {row_text(row)} in sample {seen.number}"
    for name, component in seen.components.items():
        found = pictures(component[None])
        if found is not None and np.array_equal(component.ravel(), row.value.ravel()):
            low, high = shown.ranges[name]
            made = thumbnail(found[0], low, high)
            return SeenArray(row.value, Image(made.source, made.width, made.height, label), made.width, "")
    return _signed(row.value, label)


def pulled(row: Row, seen: Seen) -> list[SeenArray]:
    """The cotangents of a box."""
    return [_signed(one, f"the cotangent of {row_text(row)} in sample {seen.number}") for one in row.pulled]


def _signed(values: Array, label: str) -> SeenArray:
    """A picture of signed numbers, scaled to the largest absolute value."""
    if values.size == 1:
        return SeenArray(values, None, 0, content_text(values))
    finite = np.abs(values[np.isfinite(values)])
    across = min(len(values), TILES_ACROSS, MOST_CHANNELS) * TILE if _has_channels(values) else SIDE
    return SeenArray(values, _drawn(values, f"{label}: {words(values)}"), across, f"±{short(float(finite.max(initial=0.0)))}")


def words(values: Array) -> str:
    """The entries if they are few, else their number, range and norm."""
    if values.size <= 4:
        return content_text(values)
    finite = values[np.isfinite(values)]
    if not finite.size:
        return f"{values.size:,} numbers, not finite"
    ends = f"[{short(float(finite.min()))}, {short(float(finite.max()))}]"
    return f"{values.size:,} numbers in {ends}, norm {short(norm(values))}"


def _has_channels(values: Array) -> bool:
    return values.ndim == 3 and len(values) > 1


def _drawn(values: Array, label: str) -> Image:
    found = pictures(values[None])
    if _has_channels(values):
        return tiles_image(values[:MOST_CHANNELS], label)
    if found is not None and found.shape[3] == 1:
        return matrix_image(found[0, ..., 0], label)
    return matrix_image(in_rows(values, np.float64(0)), label)


def in_rows(values: Array, filling: np.float64) -> Array:
    """The numbers as a matrix: a long vector in rows of ``ACROSS``, the last one filled up."""
    if values.ndim == 1 and values.size > ACROSS:
        rows = -(-values.size // ACROSS)
        padded = np.full(rows * ACROSS, filling)
        padded[: values.size] = values
        return padded.reshape(rows, ACROSS)
    return values.reshape(1, -1) if values.ndim <= 1 else values.reshape(-1, values.shape[-1])


def head(shown: SeenShown) -> str:
    """``data("digits.test"): the first 6 samples of 360``, or ``data("digits.test"): samples 12, 40 of 360``"""
    numbers = [seen.number for seen in shown.samples]
    count = len(numbers)
    if numbers == [*range(count)]:
        which = "the first sample" if count == 1 else f"the first {count} samples"
    else:
        which = f"sample{'' if count == 1 else 's'} {', '.join(map(str, numbers))}"
    return f'data("{shown.data}"): {which} of {shown.size:,}'
