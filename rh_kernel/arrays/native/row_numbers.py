"""C for ``GatherAt``, ``ScatterAdd`` and ``IndexCheck``, which notes the first wrong number, to be reported after the run."""

from collections.abc import Sequence

from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.native.c_writer import moves, nest, place
from rh_kernel.loops.ir import GatherAt, IndexCheck, ScatterAdd, View

OUT, FROM, INDEX = 0, 1, 2


def gather_at_kernel(step: GatherAt) -> list[str]:
    """Return the body of a kernel on the output, the argument and the index."""
    found = axes(step.output.shape, [step.output, _but_last(step.argument), step.index])
    outer, inner = _split(found, [axis for axis in found if axis.strides[INDEX]])
    lines = [
        *_row(outer, step.argument.shape[-1]),
        f"const real *from = {place('p1', [*moves(outer, FROM), ('row', step.argument.strides[-1])])};",
        f"real *to = {place('p0', moves(outer, OUT))};",
        *nest(
            inner, [f"*({place('to', moves(inner, OUT, 'j'))}) = *({place('from', moves(inner, FROM, 'j'))});"], "j", simd=True
        ),
    ]
    return [*_HEAD, *nest(outer, lines)]


def scatter_add_kernel(step: ScatterAdd) -> list[str]:
    """Return the body of a kernel on the output, the argument and the index."""
    found = axes(step.argument.shape, [_but_last(step.output), step.argument, step.index])
    # Along the other axes, the entries of the output are distinct.
    outer, inner = _split(found, [axis for axis in found if axis.strides[INDEX] or not axis.strides[OUT]])
    lines = [
        *_row(outer, step.output.shape[-1]),
        f"const real *from = {place('p1', moves(outer, FROM))};",
        f"real *to = {place('p0', [*moves(outer, OUT), ('row', step.output.strides[-1])])};",
        *nest(
            inner, [f"*({place('to', moves(inner, OUT, 'j'))}) += *({place('from', moves(inner, FROM, 'j'))});"], "j", simd=True
        ),
    ]
    own = [(n, s) for n, s in zip(step.output.shape, step.output.strides, strict=True) if s]
    whole = axes([n for n, _ in own], [View(0, 0, tuple([n for n, _ in own]), tuple([s for _, s in own]))])
    zeros = nest(whole, [f"*({place('p0', moves(whole, 0, 'z'))}) = 0;"], "z", simd=True)
    return [*_HEAD, *zeros, *nest(outer, lines)]


def index_check_kernel(step: IndexCheck, number: int) -> list[str]:
    """Return the body of a kernel on the index and the status, where it notes check number ``number`` and the wrong entry."""
    found = axes(step.index.shape, [step.index])
    right = f"x >= 0 && x < {step.rows} && x == RINT(x)"
    lines = [
        f"real x = *({place('p0', moves(found, 0))});",
        f"if (!({right}) && p1[0] == 0) {{ p1[0] = {number}; p1[1] = x; }}",
    ]
    return ["const real *p0 = array[0];", "real *p1 = array[1];", *nest(found, lines)]


_HEAD = ("real *restrict p0 = array[0];", "const real *p1 = array[1];", "const real *p2 = array[2];")


def _row(outer: Sequence[Axis], rows: int) -> tuple[str, str]:
    number = f"real number = RINT(*({place('p2', moves(outer, INDEX))}));"
    return number, f"long row = number > 0 ? number < {rows - 1} ? (long)number : {rows - 1} : 0;"


def _split(found: Sequence[Axis], outer: Sequence[Axis]) -> tuple[list[Axis], list[Axis]]:
    return [*outer], [axis for axis in found if axis not in outer]


def _but_last(view: View) -> View:
    return View(view.buffer, view.offset, view.shape[:-1], view.strides[:-1])
