"""Code generation for ``Contract``: which thread computes which entry of the output, and which products go to cuBLAS."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from rh_kernel.arrays.c_expressions import literal, real
from rh_kernel.arrays.cuda.functions import Function, Shares, Width, block, coordinates, index, joined, place, shared_out
from rh_kernel.loops.ir import Contract, Fold, Precision, View
from rh_kernel.loops.layouts import collapsed


@dataclass(frozen=True, slots=True)
class Group:
    """Axes of the output that overlap in memory: entry u is ``i + Σ q j`` for the first of them and each of the others.

    ``size`` is the number of distinct entries, ``stride`` their distance, and ``others`` are the further axes with their q.
    """

    first: int
    stride: int
    size: int
    others: tuple[tuple[int, int], ...] = ()


def upright(views: Sequence[View]) -> list[View]:
    """Reverse axes so that the first view has no negative strides; the sums stay the same."""
    reversed_axes = [n > 1 and s < 0 for n, s in zip(views[0].shape, views[0].strides, strict=True)]
    found: list[View] = []
    for v in views:
        axes = list(zip(v.shape, v.strides, reversed_axes, strict=True))
        offset = v.offset + sum((n - 1) * s for n, s, turn in axes if turn)
        found.append(View(v.buffer, offset, v.shape, tuple([-s if turn else s for _, s, turn in axes])))
    return found


def groups(output: View) -> list[Group] | None:
    """The distinct entries of the output, innermost axes last, or ``None`` if they overlap in some other way."""
    axes = [(s, k) for k, (n, s) in enumerate(zip(output.shape, output.strides, strict=True)) if s and n > 1]
    found: list[Group] = []
    span = 1
    for stride, k in sorted(axes):
        n, last = output.shape[k], found[-1] if found else None
        if stride >= span:
            found.append(Group(k, stride, n))
            span += stride * (n - 1)
        elif last is not None and stride % last.stride == 0 and stride // last.stride <= last.size:
            q = stride // last.stride
            found[-1] = Group(last.first, last.stride, last.size + q * (n - 1), (*last.others, (k, q)))
            span += stride * (n - 1)
        else:
            return None
    return found[::-1]


def contract_function(step: Contract, precision: Precision, width: Width) -> Function:
    """One thread per entry of the output, or one block per entry if there are few entries with many terms each."""
    views = upright(collapsed([step.output, step.left, step.right]))
    output, left, right = views
    shape = output.shape
    found = groups(output)
    names = [f"i{k}" for k in range(len(shape))]
    if found is None:
        return _sequential(step, views, names, precision)
    free = [g.first for g in found]
    overlapping = [k for g in found for k, _ in g.others]
    summed = [k for k in range(len(shape)) if k not in free and k not in overlapping]
    kind = index([*views, View(0, 0, shape, (0,) * len(shape))])
    entries = prod([g.size for g in found])
    inner = [*summed, *overlapping]
    terms = prod([shape[k] for k in inner])
    wholes = [f"u{g.first}" if g.others else names[g.first] for g in found]
    together = width.together(entries, terms)
    is_tiled = not together and _is_tiled(found, (left, right))
    head = _tiled(kind, found, wholes) if is_tiled else [*coordinates(kind, [g.size for g in found], "i", wholes)]
    # Add the offsets that do not depend on the summed indices once.
    fixed = [g.first for g in found if not g.others]
    at = [names[k] for k in fixed]
    for name, pointer, v in (("a", "left", left), ("b", "right", right)):
        head.append(f"const {real(precision)}* const {name} = {pointer} + ({place([v.strides[k] for k in fixed], at)});")
    moving = [*inner, *[g.first for g in found if g.others]]
    factors = [
        f"{name}[{place([v.strides[k] for k in moving], [names[k] for k in moving])}]"
        for name, v in (("a", left), ("b", right))
    ]
    body = [*_overlap_index(kind, found, shape, names), f"s += {factors[0]} * {factors[1]};"]
    result = "s" if step.scale == 1.0 else f"{literal(step.scale, precision)} * s"
    written = f"out[{place([g.stride for g in found], wholes)}] {'+=' if step.accumulate else '='} {result};"
    text = [f"{real(precision)}* const out = q[0];"]
    text += [f"const {real(precision)}* const {name} = q[{k}];" for k, name in ((1, "left"), (2, "right"))]
    pointers = tuple([(v.buffer, v.offset) for v in views])
    head.append(f"{real(precision)} s = 0;")
    if together:
        each = [*coordinates(kind, [shape[k] for k in inner], "j", [names[k] for k in inner]), *body]
        lines = [*head, *block(f"for ({kind} j = threadIdx.x; j < {terms}; j += blockDim.x)", each)]
        lines += joined(Fold.SUM, precision) + block("if (threadIdx.x == 0)", [written])
        text += block(f"for ({kind} i = block; i < {entries}; i += blocks)", lines)
        return Function("\n".join(text), Shares.BLOCKS, pointers, 1, entries)
    for k in reversed(inner):
        body = block(f"for ({kind} {names[k]} = 0; {names[k]} < {shape[k]}; {names[k]}++)", body)
        if k == inner[-1]:
            body.insert(0, "#pragma unroll 4")
    text += shared_out(kind, entries, [*head, *body, written])
    return Function("\n".join(text), Shares.THREADS, pointers, 1, entries)


TILE = (4, 8)
"""The tile of the output, rows by columns, that a warp computes if a single row would need strided reads."""


def _is_tiled(found: Sequence[Group], factors: Sequence[View]) -> bool:
    """Whether adjacent entries of the output need strided entries of a factor."""
    if len(found) < len(TILE) or any(g.others or g.size % n for g, n in zip(found[-2:], TILE, strict=True)):
        return False
    return any(abs(v.strides[found[-1].first]) > 1 for v in factors)


def _tiled(kind: str, found: Sequence[Group], wholes: Sequence[str]) -> list[str]:
    """Statements for the coordinates of entry ``i`` if the last two axes are traversed in tiles."""
    rows, columns = TILE
    *others, m, n = [g.size for g in found]
    names = [*wholes[:-2], "row", "column", "down", "across"]
    return [
        *coordinates(kind, [*others, m // rows, n // columns, rows, columns], "i", names),
        f"const {kind} {wholes[-2]} = row * {rows} + down;",
        f"const {kind} {wholes[-1]} = column * {columns} + across;",
    ]


def _overlap_index(kind: str, found: Sequence[Group], shape: Sequence[int], names: Sequence[str]) -> list[str]:
    """Statements for the index along the first of overlapping axes; skips it if it is out of range."""
    lines: list[str] = []
    for g in found:
        if g.others:
            i, away = names[g.first], place([q for _, q in g.others], [names[k] for k, _ in g.others])
            lines += [f"const {kind} {i} = u{g.first} - ({away});", f"if ({i} < 0 || {i} >= {shape[g.first]}) continue;"]
    return lines


def _sequential(step: Contract, views: Sequence[View], names: Sequence[str], precision: Precision) -> Function:
    """A single thread that does all the work, for outputs that overlap in a way that cannot be split among threads."""
    kind, shape = index(views), views[0].shape
    entries = [f"{name}[{place(v.strides, names)}]" for name, v in zip(("out", "left", "right"), views, strict=True)]

    def everywhere(line: str) -> list[str]:
        lines = [line]
        for name, n in zip(reversed(names), reversed(shape), strict=True):
            lines = block(f"for ({kind} {name} = 0; {name} < {n}; {name}++)", lines)
        return lines

    lines = [] if step.accumulate else everywhere(f"{entries[0]} = 0;")
    lines += everywhere(f"{entries[0]} += {literal(step.scale, precision)} * {entries[1]} * {entries[2]};")
    text = [f"{real(precision)}* const {name} = q[{k}];" for k, name in enumerate(("out", "left", "right"))]
    text += block("if (first == 0)", lines)
    return Function("\n".join(text), Shares.THREADS, tuple([(v.buffer, v.offset) for v in views]), 1, 1)


# ---------------------------------------------------------------------------------------- matrix products


@dataclass(frozen=True, slots=True)
class Matrix:
    """A column-major matrix (row-major if ``is_transposed``): its leading dimension, and ``apart``, the stride of a batch."""

    view: View
    leading: int
    apart: int
    is_transposed: bool


@dataclass(frozen=True, slots=True)
class Product:
    """``C ← alpha A B + beta C`` in BLAS's conventions: C (m × n) is column-major; a batch of ``samples`` products."""

    m: int
    n: int
    k: int
    samples: int
    A: Matrix
    B: Matrix
    C: Matrix
    alpha: float
    beta: float


def product(step: Contract) -> Product | None:
    """Express the contraction as a matrix product, if it is one and each matrix is contiguous in one direction."""
    output, left, right = upright(collapsed([step.output, step.left, step.right]))
    found = groups(output)
    if found is None or any(g.others for g in found):
        return None
    roles: dict[tuple[bool, bool, bool], int] = {}
    for axis in range(len(output.shape)):
        role = (output.strides[axis] != 0, left.strides[axis] != 0, right.strides[axis] != 0)
        if role in roles:
            return None
        roles[role] = axis
    sample, rows, columns, inner = (
        roles.pop(role, None) for role in ((True, True, True), (True, True, False), (True, False, True), (False, True, True))
    )
    if roles:
        return None

    def matrix(v: View, down: int | None, across: int | None) -> Matrix | None:
        return _matrix(v, _axis(v, down), _axis(v, across), 0 if sample is None else v.strides[sample])

    A, B, C = matrix(left, rows, inner), matrix(right, inner, columns), matrix(output, rows, columns)
    if A is None or B is None or C is None:
        return None
    sizes = [1 if axis is None else output.shape[axis] for axis in (rows, columns, inner, sample)]
    m, n, k, samples = sizes
    beta = 1.0 if step.accumulate else 0.0
    if C.is_transposed:
        A, B, C, m, n = _transposed(B), _transposed(A), _transposed(C), n, m
    return Product(m, n, k, samples, A, B, C, step.scale, beta)


def _axis(v: View, axis: int | None) -> tuple[int, int]:
    """Size and stride; a missing axis has size and stride 1."""
    return (1, 1) if axis is None else (v.shape[axis], v.strides[axis])


def _matrix(v: View, down: tuple[int, int], across: tuple[int, int], apart: int) -> Matrix | None:
    (m, row), (n, column) = down, across
    if min(row, column, apart) < 0:
        return None
    if row == 1 and (column >= m or n == 1):
        return Matrix(v, max(column, m), apart, is_transposed=False)
    if column == 1 and (row >= n or m == 1):
        return Matrix(v, max(row, n), apart, is_transposed=True)
    return None


def _transposed(x: Matrix) -> Matrix:
    return replace(x, is_transposed=not x.is_transposed)
