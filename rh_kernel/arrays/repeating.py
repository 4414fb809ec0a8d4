"""Loops written again: where an operator meets arrays that lie as some did before, its loops are those, on other buffers.

A net repeats its layers, and so the loops of each operator are worked out once and not once for each layer.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.arrays.planning.dependence import with_views
from rh_kernel.loops.builder import Loops
from rh_kernel.loops.ir import Buffer, Step, View
from rh_kernel.loops.layouts import Axis, Layout
from rh_kernel.source.records import frozen

_Key: TypeAlias = tuple[Hashable, tuple[tuple[int, int, tuple[Axis, ...]], ...]]


@frozen
class _Pattern:
    """What an operator becomes. Its buffers are numbered anew: those of the arguments first, then those that it makes."""

    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    result: Layout


@dataclass(slots=True)
class Patterns:
    """The loops of operators so far."""

    known: dict[_Key, _Pattern] = field(default_factory=dict[_Key, _Pattern])

    def write(self, loops: Loops, what: Hashable, arguments: Sequence[Layout], lower: Callable[[], Layout]) -> Layout:
        """Writes the loops of ``lower``, which depend on ``what`` and the layouts of the arguments if they are repeatable."""
        own: dict[int, int] = {}
        lie = tuple([(own.setdefault(x.buffer, len(own)), x.offset, x.axes) for x in arguments])
        pattern = self.known.get((what, lie))
        if pattern is not None:
            return _again(pattern, own, loops)
        buffers, steps = len(loops.buffers), len(loops.steps)
        loops.repeatable = True
        result = lower()
        if loops.repeatable:
            self.known[what, lie] = _pattern(own, loops, buffers, steps, result)
        return result


def _pattern(own: Mapping[int, int], loops: Loops, buffers: int, steps: int, result: Layout) -> _Pattern:
    """The loops after the first so many steps, with the buffers after the first so many."""
    place = {**own, **{buffer: i for i, buffer in enumerate(range(buffers, len(loops.buffers)), start=len(own))}}
    made = tuple([_placed(step, place) for step in loops.steps[steps:]])
    return _Pattern(tuple(loops.buffers[buffers:]), made, Layout(place[result.buffer], result.offset, result.axes))


def _again(pattern: _Pattern, own: Mapping[int, int], loops: Loops) -> Layout:
    """The loops once more, on those arguments' buffers."""
    first = len(loops.buffers)
    loops.buffers += pattern.buffers
    place = [*own, *range(first, len(loops.buffers))]
    loops.steps += [_placed(step, place) for step in pattern.steps]
    result = pattern.result
    return Layout(place[result.buffer], result.offset, result.axes)


def _placed(step: Step, place: Sequence[int] | Mapping[int, int]) -> Step:
    return with_views(step, lambda view: View(place[view.buffer], view.offset, view.shape, view.strides))
