"""C for ``Contract``: sums of products, with as few axes as possible, in the cheapest schedule."""

from math import prod

from rh_kernel.arrays.native.axes import Axis, entangled, merged
from rh_kernel.arrays.native.c_writer import moves, nest, place
from rh_kernel.arrays.native.schedule import OUT, Machine, canonical, schedule
from rh_kernel.arrays.native.tiles import tiled
from rh_kernel.loops.ir import Contract


def contract_kernel(step: Contract, machine: Machine) -> tuple[list[str], int]:
    """Return the body of a kernel on output, left, right and workspace, and the size of the workspace in numbers."""
    found = canonical(step)
    head = ["real *restrict o = array[0];", "const real *l = array[1], *r = array[2];"]
    if prod(step.extents) == 0:
        return [*head, *([] if step.accumulate else _cleared(found))], 0
    s = schedule(found, machine)
    # If the output overlaps itself, each term is added to memory, which has to be cleared first.
    again = bool(entangled(found, OUT))
    body = tiled(s, machine, step.scale, accumulate=step.accumulate or again)
    clear = _cleared(found) if again and not step.accumulate else []
    workspace = prod(axis.extent for axis in s.sums) * s.columns * s.lanes if s.packed is not None else 0
    return [*head, *(["real *restrict w = array[3];"] if workspace else []), *clear, *body], workspace


def _cleared(found: tuple[Axis, ...]) -> list[str]:
    output = merged([Axis(axis.extent, axis.strides[:1]) for axis in found if axis.strides[OUT]])
    return nest(output, [f"*({place('o', moves(output, 0))}) = 0;"])
