"""What a recording shows that one should look at: units that are always 0, and cotangents that vanish, explode or never arrive.

A finding is about the end of the recording, and says since when it is so.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from rh_kernel.session.flow.records import QUANTITIES, Finding, FlowBox, FlowMade, Quantity
from rh_kernel.syntax.core import Array

VANISHED = 1e-4
"""How small a cotangent is, compared with the largest one of the same pass, to have vanished; its inverse is an explosion."""

GROWN = 1e3
"""How many times as large as at the start a cotangent is to have exploded over the batches."""

LATEST = 5
"""So many of the last frames have to agree."""

SEEN = 32
"""A unit is dead if it was 0 on so many different samples, at least, since some frame; on all of them if there are fewer."""

Mask = npt.NDArray[np.bool_]


def findings(made: FlowMade, alive: Mapping[int, Array], samples: int, confirmed: int) -> tuple[Finding, ...]:
    """Return the findings.

    ``alive`` has for each watched box the last frame in which each unit was not 0, or -1. The data has so many ``samples``, and
    after the last frame so many ``confirmed`` this.
    """
    boxes = made.boxes
    cotangents = made.sizes[:, QUANTITIES.index(Quantity.COTANGENT), :]
    with np.errstate(all="ignore"):
        return (
            *_not_finite(made, boxes),
            *_dead(made, boxes, alive, samples, confirmed),
            *_never(made, boxes, cotangents),
            *_vanished(made, boxes, cotangents),
            *_exploded(made, boxes, cotangents),
        )


def _not_finite(made: FlowMade, boxes: tuple[FlowBox, ...]) -> Iterator[Finding]:
    for quantity, what in ((Quantity.VALUE, "value"), (Quantity.COTANGENT, "cotangent")):
        found = made.sizes[:, QUANTITIES.index(quantity), :]
        known = np.isfinite(found[0])
        wrong = known & ~np.isfinite(found)
        if wrong[-1].any():
            frame = _since(wrong.any(axis=1), 1) or 0
            at = np.flatnonzero(wrong[-1])
            text = f"the {what} of {_names(boxes, at)} is not finite {_from(made, frame)}: the step is too large"
            yield Finding(text, tuple(at.tolist()), frame, quantity, *_LAYERS)


def _dead(
    made: FlowMade, boxes: tuple[FlowBox, ...], alive: Mapping[int, Array], samples: int, confirmed: int
) -> Iterator[Finding]:
    found: dict[int, tuple[int, int]] = {}
    for i, last in alive.items():
        frames = [at for at in last.tolist() if _seen(made, at + 1) + confirmed >= min(SEEN, samples)]
        if frames:
            found[i] = len(frames), max(frames) + 1
    numbers = {box.number: i for i, box in enumerate(boxes)}
    for i, (count, frame) in found.items():
        box = boxes[i]
        if any(numbers.get(number) in found and found[numbers[number]][0] == count for number in box.reads):
            continue  # The box that this one reads has the same dead units.
        all_of = "all" if count == box.units else f"{count} of"
        one = "unit" if box.units == 1 else "units"
        verb = "has" if count == 1 else "have"
        what = f"{all_of} {box.units} {one} of {box.label} {verb} been 0 on every recorded sample {_from(made, frame)}"
        text = f"{what}: where the slope is 0 nothing comes back, so a dead unit does not recover by itself"
        yield Finding(text, (i,), frame, Quantity.VALUE, *_KINKS)


def _seen(made: FlowMade, first: int) -> int:
    """How many different samples the frames from this one on are of."""
    return len({sample for frame in made.frames[first:] for sample in frame.samples})


def _never(made: FlowMade, boxes: tuple[FlowBox, ...], cotangents: Array) -> Iterator[Finding]:
    """The boxes with weights to which the cotangent 0, or none, comes back in all frames."""
    others = np.nan_to_num(cotangents).max(axis=1, initial=0.0) > 0
    if not others.all():
        return
    nothing = (np.nan_to_num(cotangents) == 0).all(axis=0)
    at = np.array([i for i, box in enumerate(boxes) if box.locations and nothing[i]], int)
    if len(at):
        text = f"nothing comes back to {_names(boxes, at)}: its cotangent is 0 in all recorded passes"
        yield Finding(text, tuple(at.tolist()), 0, Quantity.COTANGENT, *_STAIRCASE)


def _vanished(made: FlowMade, boxes: tuple[FlowBox, ...], cotangents: Array) -> Iterator[Finding]:
    finite = np.where(np.isfinite(cotangents), cotangents, 0.0)
    largest = finite.max(axis=1, initial=0.0, keepdims=True)
    small = (cotangents > 0) & (cotangents < VANISHED * largest) & _with_weights(boxes)
    if (frame := _since(small.any(axis=1))) is None:
        return
    at = np.flatnonzero(small[-1])
    i = int(at[np.argmin(cotangents[-1, at])])
    top = int(finite[-1].argmax())
    ratio = f"{float(cotangents[-1, i] / cotangents[-1, top]):.1g}"
    more = f", and {len(at) - 1} more" if len(at) > 1 else ""
    text = f"the cotangent vanishes on its way back: at {boxes[i].label}{more} it is {ratio} of that at {boxes[top].label}"
    yield Finding(f"{text} {_from(made, frame)}", tuple(at.tolist()), frame, Quantity.COTANGENT, *_depth(boxes[i]))


def _exploded(made: FlowMade, boxes: tuple[FlowBox, ...], cotangents: Array) -> Iterator[Finding]:
    start = np.where(np.isfinite(cotangents[:3]), cotangents[:3], 0.0).max(axis=0, initial=0.0)
    large = np.isfinite(cotangents) & (start > 0) & (cotangents > GROWN * start)
    if (frame := _since(large.any(axis=1))) is None:
        return
    at = np.flatnonzero(large[-1])
    i = int(at[np.argmax(cotangents[-1, at])])
    times = f"{float(cotangents[-1, i] / start[i]):.2g}"
    text = f"the cotangent explodes: at {boxes[i].label} it is {times} times what it was at the start"
    yield Finding(f"{text} {_from(made, frame)}", tuple(at.tolist()), frame, Quantity.COTANGENT, *_depth(boxes[i]))


def _with_weights(boxes: tuple[FlowBox, ...]) -> Mask:
    return np.array([bool(box.locations) for box in boxes])


def _since(found: npt.ArrayLike, latest: int = LATEST) -> int | None:
    """The frame since which it holds, up to the last one; ``None`` if that is for fewer than the ``latest`` frames."""
    holds: Mask = np.asarray(found, bool)
    if not holds[-min(len(holds), latest) :].all():
        return None
    return int(np.flatnonzero(~holds)[-1]) + 1 if not holds.all() else 0


def _from(made: FlowMade, frame: int) -> str:
    batch = made.frames[frame].batch
    return f"since batch {batch:,}" if batch else "from the start"


def _names(boxes: tuple[FlowBox, ...], at: npt.NDArray[np.intp]) -> str:
    names = [boxes[int(i)].label for i in at]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more boxes" if len(names) > 3 else "")


_LAYERS = ("07-residual-nets-and-diagrams", 5)
_KINKS = ("09-convolution-and-pooling", 5)
_STAIRCASE = ("11-quantised-training", 2)
_ROUNDS = ("14-a-net-that-reads", 4)


def _depth(box: FlowBox) -> tuple[str, int]:
    """Where it is explained what many layers, or many rounds, do to a cotangent."""
    return _ROUNDS if box.in_loop else _LAYERS
