"""What the views of ``%confusion`` share: its heading, the most frequent confusions, and the samples of a cell, shown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rh_kernel.display.thumbnails import Thumbnail, numbers, pictures, thumbnail
from rh_kernel.loops.ir import Integers
from rh_kernel.session.predictions import NONE, ConfusionShown

MOST_CLASSES = 24
"""The most classes of a matrix that is shown; of more there are only the most frequent confusions."""

MOST_PAIRS = 10
"""How many of the most frequent confusions are listed."""

SIDE = 48
"""The width of the picture of a sample, about, in CSS pixels."""


@dataclass(frozen=True, slots=True)
class Pair:
    """So many samples of class ``target`` have the predicted class ``predicted``, another one."""

    target: int
    predicted: int
    count: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Sample ``number`` with its class and its predicted class: a picture, or else numbers."""

    number: int
    target: int
    predicted: int
    picture: Thumbnail | None
    numbers: str

    @property
    def is_right(self) -> bool:
        """Whether both classes are the same."""
        return self.target == self.predicted

    @property
    def label(self) -> str:
        """``sample 17: 9, taken for 3``"""
        return f"sample {self.number}: {self.target}" + ("" if self.is_right else f", taken for {name_of(self.predicted)}")


def head(shown: ConfusionShown) -> str:
    """``data("digits.test"): 340 of 360 samples right (94.4 %), 20 wrong``"""
    wrong = shown.size - shown.right
    share = f"{100 * shown.right / shown.size:.1f} %"
    return f'data("{shown.data}"): {shown.right:,} of {shown.size:,} samples right ({share}), {wrong:,} wrong'


def name_of(predicted: int) -> str:
    """The name of a predicted class; ``none`` if an output is not finite."""
    return "none" if predicted == NONE else str(predicted)


def columns_of(shown: ConfusionShown) -> list[int]:
    """The predicted classes in the order of the columns, with ``NONE`` if some sample has none."""
    return [*range(shown.classes), *([NONE] if shown.counts[:, -1].any() else [])]


def pairs(shown: ConfusionShown) -> list[Pair]:
    """The most frequent confusions, at most ``MOST_PAIRS`` of them."""
    counts = shown.counts
    places = np.argwhere(counts).tolist()
    found = [Pair(i, NONE if j == shown.classes else j, int(counts[i, j])) for i, j in places if i != j]
    return sorted(found, key=lambda pair: -pair.count)[:MOST_PAIRS]


def samples(shown: ConfusionShown, chosen: Integers) -> Iterator[Sample]:
    """Yield samples, with the first component that has the shape of pictures, or the numbers of the first one."""
    picture: Sequence[Thumbnail] | None = None
    words: list[str] = [""] * len(chosen)
    for n, component in enumerate(shown.inputs.values()):
        taken = component.source.take(chosen)
        found = pictures(taken)
        if found is not None:
            picture = [thumbnail(values, component.low, component.high, SIDE) for values in found]
            break
        if n == 0:
            words = [numbers(sample) for sample in taken]
    for n, i in enumerate(chosen.tolist()):
        target, predicted = int(shown.targets[i]), int(shown.predicted[i])
        yield Sample(i, target, predicted, None if picture is None else picture[n], words[n])
