"""A cache of lowered operators: applied to arrays with the same layouts, an operator has the same loops on other buffers.

Networks repeat their layers, so the loops of each operator are computed once instead of once per layer.
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
    """The loops of an operator, with buffers renumbered: those of the arguments first, then those that it allocates."""

    buffers: tuple[Buffer, ...]
    steps: tuple[Step, ...]
    result: Layout


@dataclass(slots=True)
class LoopCache:
    """The loops of the operators lowered so far."""

    known: dict[_Key, _Pattern] = field(default_factory=dict[_Key, _Pattern])

    def emit(self, loops: Loops, what: Hashable, arguments: Sequence[Layout], lower: Callable[[], Layout]) -> Layout:
        """Emit the loops of ``lower``, which if repeatable depend only on ``what`` and the layouts of the arguments."""
        own: dict[int, int] = {}
        layouts = tuple([(own.setdefault(x.buffer, len(own)), x.offset, x.axes) for x in arguments])
        pattern = self.known.get((what, layouts))
        if pattern is not None:
            return _replayed(pattern, own, loops)
        buffers, steps = len(loops.buffers), len(loops.steps)
        loops.repeatable = True
        result = lower()
        if loops.repeatable:
            self.known[what, layouts] = _pattern(own, loops, buffers, steps, result)
        return result


def _pattern(own: Mapping[int, int], loops: Loops, buffers: int, steps: int, result: Layout) -> _Pattern:
    """The loops emitted after the first ``steps`` steps and ``buffers`` buffers."""
    place = {**own, **{buffer: i for i, buffer in enumerate(range(buffers, len(loops.buffers)), start=len(own))}}
    made = tuple([_placed(step, place) for step in loops.steps[steps:]])
    return _Pattern(tuple(loops.buffers[buffers:]), made, Layout(place[result.buffer], result.offset, result.axes))


def _replayed(pattern: _Pattern, own: Mapping[int, int], loops: Loops) -> Layout:
    """Emit the loops of the pattern on the buffers of these arguments."""
    first = len(loops.buffers)
    loops.buffers += pattern.buffers
    place = [*own, *range(first, len(loops.buffers))]
    loops.steps += [_placed(step, place) for step in pattern.steps]
    result = pattern.result
    return Layout(place[result.buffer], result.offset, result.axes)


def _placed(step: Step, place: Sequence[int] | Mapping[int, int]) -> Step:
    return with_views(step, lambda view: View(place[view.buffer], view.offset, view.shape, view.strides))
