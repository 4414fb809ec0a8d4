"""C for ``Reduce``: vectorised across outputs where they are adjacent, otherwise along the reduced axes."""

from rh_kernel.arrays.native.axes import Axis, axes
from rh_kernel.arrays.native.c_writer import moves, nest, place
from rh_kernel.arrays.native.scalars import literal
from rh_kernel.loops.ir import Fold, Reduce, View

FEW = 16
"""Up to this many terms are unrolled."""


def reduce_kernel(step: Reduce) -> list[str]:
    """Return the body of a kernel on the output and the argument."""
    n = len(step.output.shape)
    kept = View(0, 0, step.argument.shape[:n], step.argument.strides[:n])
    rest = View(0, 0, step.argument.shape[n:], step.argument.strides[n:])
    outer = axes(step.output.shape, [step.output, kept])
    inner = axes(rest.shape, [rest])
    scale = "" if step.scale == 1 else f" * {literal(step.scale)}"
    head = ["real *p0 = array[0];", "const real *p1 = array[1];"]
    match step.fold:
        case Fold.ARGMAX:
            # Positions are counted in row-major order, so keep the axes as they are.
            plain = tuple([Axis(extent, (stride,)) for extent, stride in zip(rest.shape, rest.strides, strict=True)])
            return [*head, *nest(outer, _argmax(outer, plain, scale))]
        case Fold.SUM | Fold.MAX:
            terms = _offsets(inner)
            if terms is not None:
                return [*head, *nest(outer, _few(step.fold, outer, terms, scale), simd=True)]
            beside = bool(outer) and abs(outer[-1].strides[1]) == 1 and not (inner and abs(inner[-1].strides[0]) == 1)
            if beside:
                return [*head, *_beside(step.fold, outer, inner, scale)]
            return [*head, *nest(outer, _along(step.fold, outer, inner, scale))]


def _offsets(inner: tuple[Axis, ...]) -> list[int] | None:
    """The offsets of the terms of one entry, if they are few."""
    found = [0]
    for axis in inner:
        found = [at + i * axis.strides[0] for at in found for i in range(axis.extent)]
        if len(found) > FEW:
            return None
    return found


def _start(fold: Fold) -> str:
    return "0" if fold is Fold.SUM else literal(float("-inf"))


def _joined(fold: Fold, a: str, b: str) -> str:
    return f"{a} + {b}" if fold is Fold.SUM else f"largest({b}, {a})"


def _few(fold: Fold, outer: tuple[Axis, ...], terms: list[int], scale: str) -> list[str]:
    lines = [f"const real *from = {place('p1', moves(outer, 1))};"]
    lines += [f"real m = {_start(fold)};"]
    lines += [f"m = {_joined(fold, 'm', f'from[{at}]')};" for at in terms]
    return [*lines, f"*({place('p0', moves(outer, 0))}) = m{scale};"]


def _beside(fold: Fold, outer: tuple[Axis, ...], inner: tuple[Axis, ...], scale: str) -> list[str]:
    """Reduce a row of outputs together, reading the argument row by row."""
    *rows, row = outer
    rows = tuple(rows)
    at = ("j", row.strides[0]), ("j", row.strides[1])
    lines = [f"real *to = {place('p0', moves(rows, 0))};", f"const real *from = {place('p1', moves(rows, 1))};"]
    each = ["LIKELY_VECTORISED", f"for (long j = 0; j < {row.extent}; j++)"]
    lines += [*each, f"*({place('to', [at[0]])}) = {_start(fold)};"]
    source = place("from", [*moves(inner, 0, "k"), at[1]])
    body = [*each, "{", f"real *m = {place('to', [at[0]])};", f"*m = {_joined(fold, '*m', f'*({source})')};", "}"]
    lines += nest(inner, body, prefix="k")
    lines += [*each, f"*({place('to', [at[0]])}) *= {scale.removeprefix(' * ')};"] if scale else []
    return nest(rows, lines)


def _along(fold: Fold, outer: tuple[Axis, ...], inner: tuple[Axis, ...], scale: str) -> list[str]:
    """Reduce with eight accumulators, so that additions do not wait for each other."""
    *rows, last = inner
    rows, eighth = tuple(rows), last.extent // 8
    source = place("from", moves(rows, 0, "k"))
    step = last.strides[0]
    lines = [f"const real *from = {place('p1', moves(outer, 1))};", f"real m[8] = {{{', '.join([_start(fold)] * 8)}}};"]
    body = [f"const real *row = {source};"]
    if eighth:
        body += [f"for (long j = 0; j < {eighth}; j++) {{", "LIKELY_VECTORISED", "for (long e = 0; e < 8; e++)"]
        body += [f"m[e] = {_joined(fold, 'm[e]', f'row[(8 * j + e) * {step}L]')};", "}"]
    body += [
        f"m[{e - 8 * eighth}] = {_joined(fold, f'm[{e - 8 * eighth}]', f'row[{e * step}L]')};"
        for e in range(8 * eighth, last.extent)
    ]
    lines += nest(rows, body, prefix="k")
    for half in (4, 2, 1):
        lines += [f"m[{e}] = {_joined(fold, f'm[{e}]', f'm[{e + half}]')};" for e in range(half)]
    return [*lines, f"*({place('p0', moves(outer, 0))}) = m[0]{scale};"]


def _argmax(outer: tuple[Axis, ...], inner: tuple[Axis, ...], scale: str) -> list[str]:
    lines = [f"const real *from = {place('p1', moves(outer, 1))};", f"real m = {literal(float('-inf'))};"]
    lines += ["long best = -1, count = 0;"]
    body = ["AS_WRITTEN", f"real x = *({place('from', moves(inner, 0, 'k'))});"]
    body += ["if (best < 0 || (m == m && !(x <= m))) { m = x; best = count; }", "count++;"]
    return [*lines, *nest(inner, body, prefix="k"), f"*({place('p0', moves(outer, 0))}) = best{scale};"]
