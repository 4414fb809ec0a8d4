"""The cost of a step: its operations, and the entries that it reads and writes."""

from math import prod

import numpy as np

from rh_kernel.arrays.planning.dependence import reads, writes
from rh_kernel.loops.ir import (
    Call,
    Check,
    Contract,
    Gather,
    GatherAt,
    IndexCheck,
    Instruction,
    Loop,
    Map,
    Reduce,
    ScatterAdd,
    Step,
    View,
)
from rh_kernel.primitives.schemes import extent
from rh_kernel.primitives.table import cost


def operations(step: Step) -> int:
    """Count one operation per instruction and entry of a loop, two per accumulated product, one per addend of a sum.

    Literals are free, and so are steps that only move or check entries.
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
        case ScatterAdd(_, argument):
            return prod(argument.shape)
        case GatherAt() | Check() | IndexCheck():
            return 0
        case Loop(rounds, _, steps):
            return rounds * sum(map(operations, steps))


def moved(step: Step) -> int:
    """Return how many entries the step reads and writes, each counted once; in a loop, once in each round."""
    if isinstance(step, Loop):
        return step.rounds * sum(map(moved, step.steps))
    return sum(map(entries, {*reads(step)})) + sum(map(entries, {*writes(step)}))


def entries(view: View) -> int:
    """Return how many memory locations the view covers; repeated axes and overlapping windows are not counted twice."""
    if 0 in view.shape:
        return 0
    own = [(n, abs(stride)) for n, stride in zip(view.shape, view.strides, strict=True) if stride]
    return min(prod([n for n, _ in own]), 1 + sum([(n - 1) * stride for n, stride in own]))
