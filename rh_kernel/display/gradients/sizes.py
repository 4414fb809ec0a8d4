"""The size of the cotangent by round: how fast it vanishes or explodes on the way back through a loop.

``norms[k]`` is the Euclidean norm of the cotangent of the state after k rounds, so ``norms[0]`` is that of the first state, and
the last one is where the way back begins.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from rh_kernel.denotational.recording import belonging
from rh_kernel.display.contents import norm
from rh_kernel.display.gradients.passes import AnnotatedPass
from rh_kernel.display.gradients.schedule import Loop
from rh_kernel.syntax.core import Array


@dataclass(frozen=True, slots=True)
class Sizes:
    """The norms of the cotangent of the state of one loop; ``around`` are the rounds of the loops around it.

    ``loop`` and ``back`` are the numbers of the boxes for the rounds forward and back.
    """

    title: str
    loop: int
    back: int
    around: tuple[int, ...]
    norms: tuple[float, ...]

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len(self.norms) - 1


def sizes(p: AnnotatedPass) -> tuple[Sizes, ...]:
    """Return the sizes for each loop that a pass goes back through, in the order in which it ran."""
    of = belonging(p.made.arrow)
    loops = p.schedule.loops
    written: dict[tuple[int, tuple[int, ...]], Array] = {}
    for step in p.schedule.steps:
        for w, array in step.run.writes:
            written[w, step.run.rounds] = array
    written |= {(w, ()): array for w, array in enumerate(p.made.recording.values)}
    found: list[Sizes] = []
    for number, loop in loops.items():
        back = _partner(loop, loops, of)
        if back is not None and not loop.is_backward:
            found += _sizes(number, loop, back, p, written)
    return tuple(found)


def _partner(loop: Loop, loops: Mapping[int, Loop], of: Mapping[int, int]) -> Loop | None:
    """Return the loop that goes back through the rounds of this one: it makes the cotangents of its state."""
    states = {c.state for c in loop.nest.round}
    backward = [other for other in loops.values() if other is not loop]
    return next((other for other in backward if any(of.get(c.after) in states for c in other.nest.round)), None)


def _sizes(
    number: int, loop: Loop, back: Loop, p: AnnotatedPass, written: Mapping[tuple[int, tuple[int, ...]], Array]
) -> Iterator[Sizes]:
    states = {c.state for c in loop.nest.round}
    of = belonging(p.made.arrow)
    coming = [c for c in back.nest.round if of.get(c.after) in states]
    inside = [rounds for w, rounds in written if w == coming[0].state]
    for around in dict.fromkeys(sorted([rounds[:-1] for rounds in inside])):
        n = sum(rounds[:-1] == around for rounds in inside)
        # What the way back makes in round k is the cotangent of the state before it; it begins with that of the last state.
        arrays = [[written.get((c.after, (*around, k))) for c in coming] for k in range(1, n + 1)]
        arrays.append([written.get((c.state, (*around, n))) for c in coming])
        norms = [_norm([array for array in step if array is not None]) for step in arrays]
        yield Sizes(p.sketch.every[number].figure.text, number, back.node.number, around, tuple(norms))


def _norm(arrays: list[Array]) -> float:
    return norm(np.concatenate([array.ravel() for array in arrays])) if arrays else 0.0
