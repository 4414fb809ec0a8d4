"""C for ``Contract``: sums of products, with as few axes as possible, in the cheapest schedule or by calls of a BLAS."""

from math import prod

from rh_kernel.arrays.native.axes import Axis, entangled, merged
from rh_kernel.arrays.native.c_writer import moves, nest, place
from rh_kernel.arrays.native.gemm import Gemm, gemm_lines
from rh_kernel.arrays.native.schedule import OUT, Machine, canonical, schedule
from rh_kernel.arrays.native.tiles import tiled
from rh_kernel.loops.ir import Contract


def contract_kernel(step: Contract, machine: Machine, product: Gemm | None = None) -> tuple[list[str], int]:
    """Return the body of a kernel on output, left, right and workspace, and the size of the workspace in numbers.

    Given the contraction as a ``product``, the kernel takes two more arrays, the function of the BLAS and a number, and calls
    the function unless the number is 0.
    """
    head = ["real *restrict o = array[0];", "const real *l = array[1], *r = array[2];"]
    own, workspace = _generated(step, machine)
    if workspace:
        head.append("real *restrict w = array[3];")
    if product is None:
        return [*head, *own], workspace
    at = 4 if workspace else 3
    head += [f"gemm *const blas = (gemm *)array[{at}];", f"const real *by_blas = array[{at + 1}];"]
    return [*head, "if (*by_blas) {", *gemm_lines(product), "} else {", *own, "}"], workspace


def _generated(step: Contract, machine: Machine) -> tuple[list[str], int]:
    """Return C on the arrays ``o``, ``l``, ``r`` and ``w``, and the size of the workspace ``w`` in numbers."""
    found = canonical(step)
    if prod(step.extents) == 0:
        return ([] if step.accumulate else _cleared(found)), 0
    s = schedule(found, machine)
    # If the output overlaps itself, each term is added to memory, which has to be cleared first.
    again = bool(entangled(found, OUT))
    body = tiled(s, machine, step.scale, accumulate=step.accumulate or again)
    clear = _cleared(found) if again and not step.accumulate else []
    return [*clear, *body], s.workspace


def _cleared(found: tuple[Axis, ...]) -> list[str]:
    output = merged([Axis(axis.extent, axis.strides[:1]) for axis in found if axis.strides[OUT]])
    return nest(output, [f"*({place('o', moves(output, 0))}) = 0;"])
