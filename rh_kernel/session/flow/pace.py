"""When to record during a training run, so that recording takes a bounded share of the time and of the memory."""

import math

SHARE = 0.15
"""The share of the time of training that recording may take."""

FEWEST_FRAMES = 8
"""So many frames are recorded even if that takes a larger share; of one sample each, unless passes are quick."""

QUICK = 0.0005
"""Seconds: if passes take no longer, each frame has all its samples even if that takes a larger share."""

SLOW = 0.025
"""Seconds: of passes that take longer, only the first and the last are recorded in any case."""

SLOWEST = 3
"""A pass counts as so many of the quickest one, at most."""

MOST_FRAMES = 120
"""The most frames of a recording."""

ENOUGH_FRAMES = 40
"""With fewer frames, each is of one sample only."""

MOST_SAMPLES = 4
"""The most samples of a frame."""

MOST_SIZES = 100_000
"""The most sizes that are kept, three for each box in each frame."""


def most_frames(boxes: int) -> int:
    """Return how many frames of so many boxes are kept, at most; at least two, the first and the last."""
    return max(2, min(MOST_FRAMES, MOST_SIZES // (3 * max(boxes, 1))))


class Pace:
    """Plans the next frame: ``due`` is the number of batches after which it is to be recorded.

    The first and the last batch are always recorded. Between them as many frames are evenly spaced as there is time for, in the
    share of the time that all of the training is expected to take.
    """

    def __init__(self, batches: int) -> None:
        self.due = 0
        self._batches = batches
        self.spent = 0.0
        self._passes = 0
        self._cost = 0.0
        self._most = MOST_FRAMES
        self._frames = 0

    def limit(self, boxes: int, prepared: float) -> None:
        """Plan for a net of so many boxes, whose diagram took so many seconds."""
        self._most = most_frames(boxes)
        self.spent = prepared

    def allows(self, batch: int, trained: float) -> bool:
        """Whether there is time for a frame now, after so many batches and seconds of training."""
        is_behind = self._frames * self._batches < FEWEST_FRAMES * batch
        if batch in (0, self._batches) or (is_behind and self._cost <= SLOW):
            return True
        return self.left(self._expected(batch, trained)) >= self._cost

    def samples(self, batch: int, trained: float) -> int:
        """Return how many samples the current frame is to have, by what is known of passes; at least one."""
        if self._passes and self._cost <= QUICK:
            return MOST_SAMPLES
        if not self._passes or not batch:
            return 1
        affordable = int(self.left(self._expected(batch, trained)) / self._cost)
        frames = max(1, min(ENOUGH_FRAMES, self._batches) - self._frames)
        return max(1, min(MOST_SAMPLES, affordable // frames))

    def passed(self, seconds: float) -> None:
        """Account for a pass that took so long; one that waited for other programs counts in part."""
        self._cost = min(seconds, self._cost) if self._passes else seconds
        self.spent += min(seconds, SLOWEST * self._cost)
        self._passes += 1

    def record(self) -> None:
        """Account for a frame."""
        self._frames += 1

    def plan(self, batch: int, trained: float) -> None:
        """Choose the next frame, after so many batches and seconds of training."""
        rest = self._batches - batch
        if rest <= 0:
            self.due = self._batches + 1
            return
        frames = self._most - 1 - self._frames
        if batch and self._cost:
            each = self._cost * self.samples(batch, trained)
            frames = min(frames, math.floor(self.left(self._expected(batch, trained)) / each))
        if frames < 1 or not batch:
            # Too little time is expected, or nothing is known of it: try again soon.
            frames = self._most - 1
        step = min(-(-rest // frames), self._batches // FEWEST_FRAMES)
        self.due = min(batch + max(1, step), self._batches)

    def _expected(self, batch: int, trained: float) -> float:
        """The seconds that all of the training is expected to take."""
        return trained * self._batches / batch if batch else trained

    def left(self, trained: float) -> float:
        """Seconds left for recording after so many of training."""
        return SHARE * trained - self.spent
