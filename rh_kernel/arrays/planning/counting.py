"""What a step costs, counted: the operations that it does, and the entries that it reads and writes."""

from math import prod

import numpy as np

from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.loops.ir import Call, Check, Contract, Gather, Instruction, Map, Reduce, Step, View
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.table import cost


def operations(step: Step) -> int:
    """One for each instruction of a loop at each entry, two for each product that is added, one for each addend of a sum.

    A literal costs nothing, nor does what only moves entries, or checks them.
    """
    match step:
        case Map(shape, _, body, stores):
            lines = sum(isinstance(line, Instruction) for line in body) + sum(store.accumulate for store in stores)
            return prod(shape) * lines
        case Contract(extents, output, _, _, _, accumulate):
            return prod(extents) * (2 if accumulate or entries(output) < prod(extents) else 1)
        case Reduce(_, _, argument):
            return prod(argument.shape)
        case Gather(output, _, table):
            rows = prod(output.shape[:-1])
            return rows * int(np.maximum(np.count_nonzero(table >= 0, axis=-1) - 1, 0).sum())
        case Call(f, output):
            one = prod(extent(f.codomain))
            return cost(f) * (prod(output.shape) // one) if one else 0
        case Check():
            return 0


def moved(step: Step) -> int:
    """How many entries the step reads and writes. One that it needs more than once is counted once."""
    return sum(map(entries, {*reads(step)})) + sum(map(entries, {*writes(step)}))


def entries(view: View) -> int:
    """How many places the view has: what is repeated along an axis is one place, and windows share theirs."""
    if 0 in view.shape:
        return 0
    own = [(n, abs(stride)) for n, stride in zip(view.shape, view.strides, strict=True) if stride]
    return min(prod([n for n, _ in own]), 1 + sum([(n - 1) * stride for n, stride in own]))
