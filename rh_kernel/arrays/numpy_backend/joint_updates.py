"""Joint updates: ``w₁ += s g₁`` and ``w₂ += s g₂`` become one call if the contents w are adjacent in memory.

A step that adds a product to a content may write only the product and defer the addition, if no later step touches the content.
"""

from dataclasses import dataclass, replace
from math import prod
from operator import itemgetter
from typing import cast

from rh_kernel.arrays.arena import Contents
from rh_kernel.arrays.backend import ContentArrays
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.matrices import matrices
from rh_kernel.loops.ir import Content, Contract, Plan, View
from rh_kernel.syntax.core import Array

SMALL = 1 << 10
"""Largest contents, in entries, that are updated jointly; for larger ones the call costs less than the addition."""


@dataclass(frozen=True, slots=True)
class Update:
    """Step number ``step`` adds ``scale · product`` to the content in buffer number ``buffer``, of ``size`` entries"""

    step: int
    buffer: int
    size: int
    scale: float


def updates(plan: Plan) -> list[Update]:
    """Return the additions that can be deferred, in the order of the buffers."""
    left = {i: buffer.size for i, buffer in enumerate(plan.buffers) if isinstance(buffer, Content) and 0 < buffer.size <= SMALL}
    if len(left) < 2:
        return []
    found: list[Update] = []
    for k in reversed(range(len(plan.steps))):
        step = plan.steps[k]
        if isinstance(step, Contract) and step.accumulate and step.output.buffer in left:
            i = step.output.buffer
            if i not in (step.left.buffer, step.right.buffer) and _is_whole(step, left[i]):
                found.append(Update(k, i, left[i], step.scale))
        for view in (*writes(step), *reads(step)):
            left.pop(view.buffer, None)
        if not left:
            break
    return sorted(found, key=lambda update: update.buffer)


def rows(plan: Plan, memory: ContentArrays) -> list[tuple[list[Update], Array]]:
    """Return groups of two or more updates with one scale and adjacent contents, each with the array of these contents."""
    if not isinstance(memory, Contents):
        return []
    found: list[tuple[list[Update], int, int]] = []
    for start, update in sorted(_with_starts(plan, memory), key=itemgetter(0)):
        last = found[-1] if found else None
        if last and last[2] == start and last[0][0].scale == update.scale:
            last[0].append(update)
            found[-1] = (last[0], last[1], start + update.size)
        else:
            found.append(([update], start, start + update.size))
    return [(row, memory.whole[start:end]) for row, start, end in found if len(row) > 1]


def _with_starts(plan: Plan, memory: Contents) -> list[tuple[int, Update]]:
    """The updates, each with the index where its content begins."""
    found = updates(plan)
    return [(memory.start(cast(Content, plan.buffers[update.buffer]).location), update) for update in found]


def product_alone(step: Contract, buffer: int, start: int) -> Contract:
    """Return the step, writing only its product to a buffer, from index ``start`` on, laid out like the content."""
    z = step.output
    return replace(step, output=View(buffer, start, z.shape, z.strides), scale=1.0, accumulate=False)


def _is_whole(step: Contract, size: int) -> bool:
    """Whether the product covers the whole content and is a matrix product."""
    z = step.output
    if z.offset or prod([n for n, stride in zip(z.shape, z.strides, strict=True) if stride]) != size:
        return False
    found = matrices(product_alone(step, z.buffer, 0))
    return found.direct and not found.summed and len(found.product) == 2
