"""Updates of several contents at once: ``w₁ += s g₁`` and ``w₂ += s g₂`` are one call where the w lie side by side.

A step that adds a product to a content may write the product alone, and leave the sum for later, if no step after it looks at
the content.
"""

from dataclasses import dataclass, replace
from math import prod
from operator import itemgetter
from typing import cast

from rh_kernel.arrays.backend import Places
from rh_kernel.arrays.contents import Contents
from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.arrays.planning.matrices import matrices
from rh_kernel.loops.ir import Content, Contract, Plan, View
from rh_kernel.syntax.core import Array

SMALL = 1 << 10
"""Contents of at most so many entries are updated together: what is larger takes longer than the call does."""


@dataclass(frozen=True, slots=True)
class Update:
    """Step number ``step`` adds ``scale · product`` to the content that is buffer number ``buffer``, of ``size`` entries"""

    step: int
    buffer: int
    size: int
    scale: float


def updates(plan: Plan) -> list[Update]:
    """What may be added later than it is, in the order of the buffers."""
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


def rows(plan: Plan, memory: Places) -> list[tuple[list[Update], Array]]:
    """The updates of one scale, two or more, whose contents lie side by side; and those contents as one array."""
    if not isinstance(memory, Contents):
        return []
    found: list[tuple[list[Update], int, int]] = []
    for start, update in sorted(_placed(plan, memory), key=itemgetter(0)):
        last = found[-1] if found else None
        if last and last[2] == start and last[0][0].scale == update.scale:
            last[0].append(update)
            found[-1] = (last[0], last[1], start + update.size)
        else:
            found.append(([update], start, start + update.size))
    return [(row, memory.whole[start:end]) for row, start, end in found if len(row) > 1]


def _placed(plan: Plan, memory: Contents) -> list[tuple[int, Update]]:
    """The updates, and where the contents begin."""
    found = updates(plan)
    return [(memory.start(cast(Content, plan.buffers[update.buffer]).location), update) for update in found]


def product_alone(step: Contract, buffer: int, start: int) -> Contract:
    """The step with its product written to a buffer, from an entry on, in the order in which the content lies."""
    z = step.output
    return replace(step, output=View(buffer, start, z.shape, z.strides), scale=1.0, accumulate=False)


def _is_whole(step: Contract, size: int) -> bool:
    """Whether the product has an entry for each of the content, and is one of matrices."""
    z = step.output
    if z.offset or prod([n for n, stride in zip(z.shape, z.strides, strict=True) if stride]) != size:
        return False
    found = matrices(product_alone(step, z.buffer, 0))
    return found.direct and not found.summed and len(found.product) == 2
