"""Code generation: the body of the CUDA function for a step, and the pointers it takes.

Steps that differ only in the offsets of their views share one body, so a chain of a thousand equal layers needs only a few
functions. ``THREADS`` divide the entries of the output by ``first`` and ``step``. ``BLOCKS`` divide them by ``block`` and
``blocks``, and the threads of a block cooperate on one entry.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from math import prod

from rh_kernel.arrays.c_expressions import literal, real, statements
from rh_kernel.loops.ir import Fold, Gather, GatherAt, Map, Precision, Reduce, ScatterAdd, View
from rh_kernel.loops.layouts import collapsed

LARGEST_INT = 1 << 30
"""Larger arrays are indexed with 64-bit integers."""


class Shares(Enum):
    """Whether threads or blocks divide the entries of the output."""

    THREADS = auto()
    BLOCKS = auto()


@dataclass(frozen=True, slots=True)
class Function:
    """The body of a function, in which pointer i is ``q[i]``; ``pointers`` are (buffer, offset).

    The first ``outputs`` pointers are written through. ``entries`` is the number of entries to divide.
    """

    body: str
    shares: Shares
    pointers: tuple[tuple[int, int], ...]
    outputs: int
    entries: int


@dataclass(frozen=True, slots=True)
class Width:
    """The launch configuration of a function: total threads, and blocks."""

    threads: int
    blocks: int

    def together(self, entries: int, terms: int) -> bool:
        """Whether a block should cooperate on each entry, given the numbers of entries and of terms per entry."""
        return -(-entries // self.blocks) * (terms // 256 + 64) < -(-entries // self.threads) * terms


def index(views: Sequence[View]) -> str:
    """Return the C type that indexes entries of the views."""
    reach = max([sum(abs(s) * (n - 1) for n, s in zip(v.shape, v.strides, strict=True)) for v in views], default=0)
    return "long long" if max([reach, *[prod(v.shape) for v in views]]) >= LARGEST_INT else "int"


def place(strides: Sequence[int], names: Sequence[str]) -> str:
    """``i0 * 5 + i1``"""
    terms = [name if s == 1 else f"{name} * {s}" for name, s in zip(names, strides, strict=True) if s]
    return " + ".join(terms) or "0"


def coordinates(kind: str, shape: Sequence[int], of: str, names: Sequence[str]) -> Iterator[str]:
    """Yield statements that compute the coordinates of an entry from its row-major number."""
    rest = of
    for k in range(len(shape) - 1, 0, -1):
        yield f"const {kind} {names[k]} = {rest} % {shape[k]};"
        yield f"const {kind} {names[k]}_ = {rest} / {shape[k]};"
        rest = f"{names[k]}_"
    if shape:
        yield f"const {kind} {names[0]} = {rest};"


def block(head: str, lines: Sequence[str]) -> list[str]:
    """``head { lines }``"""
    return [f"{head} {{", *[f"    {line}" for line in lines], "}"]


def shared_out(kind: str, entries: int, lines: Sequence[str]) -> list[str]:
    """The loop over the entries assigned to a thread."""
    return block(f"for ({kind} i = first; i < {entries}; i += step)", lines)


def map_function(step: Map, precision: Precision) -> Function:
    """One thread per entry."""
    views = collapsed([*step.arguments, *[store.view for store in step.stores]])
    shape, n = views[0].shape, len(step.arguments)
    names = [f"i{k}" for k in range(len(shape))]
    kind = index(views)
    pointers = list(dict.fromkeys([(v.buffer, v.offset) for v in (*views[n:], *views[:n])]))

    def entry(v: View) -> str:
        return f"p{pointers.index((v.buffer, v.offset))}[{place(v.strides, names)}]"

    lines = [*coordinates(kind, shape, "i", names)]
    lines += [f"const {real(precision)} v{k} = {entry(v)};" for k, v in enumerate(views[:n])]
    lines += statements(n, step.body, precision)
    for store, v in zip(step.stores, views[n:], strict=True):
        lines.append(f"{entry(v)} {'+=' if store.accumulate else '='} v{store.value};")
    entries = prod(shape)
    text = [f"{real(precision)}* const p{k} = q[{k}];" for k in range(len(pointers))]
    text += shared_out(kind, entries, lines)
    outputs = len({(v.buffer, v.offset) for v in views[n:]})
    return Function("\n".join(text), Shares.THREADS, tuple(pointers), outputs, entries)


def gather_function(step: Gather, table: tuple[int, int], precision: Precision) -> Function:
    """One thread per entry of the output; the ``int`` table is at the pointer ``table``."""
    shape, terms = step.output.shape, step.table.shape[1]
    names = [f"i{k}" for k in range(len(shape))]
    last, stride = names[-1], step.argument.strides[-1]
    kind = index([step.output, step.argument])
    kept = place(step.argument.strides[:-1], names[:-1])
    # A single column is copied; a sum starts from 0.0.
    start = "-0.0" if step.table.shape[1] == 1 else "0"
    lines = [*coordinates(kind, shape, "i", names), f"{real(precision)} s = {start};"]
    lines += block(
        f"for (int l = 0; l < {terms}; l++)",
        [f"const int at = table[{last} * {terms} + l];", f"if (at >= 0) s += p[{kept} + ({kind})at * {stride}];"],
    )
    lines.append(f"out[{place(step.output.strides, names)}] = s;")
    entries = prod(shape)
    text = [
        f"{real(precision)}* const out = q[0];",
        f"const {real(precision)}* const p = q[1];",
        "const int* const table = (const int*)q[2];",
        *shared_out(kind, entries, lines),
    ]
    pointers = ((step.output.buffer, step.output.offset), (step.argument.buffer, step.argument.offset), table)
    return Function("\n".join(text), Shares.THREADS, pointers, 1, entries)


def gather_at_function(step: GatherAt, precision: Precision) -> Function:
    """One thread per entry of the output."""
    shape, rows = step.output.shape, step.argument.shape[-1]
    names = [f"i{k}" for k in range(len(shape))]
    kind = index([step.output, step.argument, step.index])
    from_ = place(step.argument.strides[:-1], names)
    lines = [
        *coordinates(kind, shape, "i", names),
        *_row(kind, rows, f"at[{place(step.index.strides, names)}]", precision, "row"),
        f"out[{place(step.output.strides, names)}] = p[{from_} + row * {step.argument.strides[-1]}];",
    ]
    return _by_numbers(step, precision, prod(shape), lines)


def scatter_add_function(step: ScatterAdd, precision: Precision) -> Function:
    """One thread per entry of the output, which adds up what belongs there, so that the order of the sum is fixed."""
    shape, strides = step.argument.shape, step.output.strides[:-1]
    rows = step.output.shape[-1]
    names = [f"i{k}" for k in range(len(shape))]
    summed = [k for k, s in enumerate(strides) if not s]
    kept = [k for k, s in enumerate(strides) if s]
    kind = index([step.output, step.argument, step.index])
    added = [
        *_row(kind, rows, f"at[{place(step.index.strides, names)}]", precision, "there"),
        f"if (there == row) s += p[{place(step.argument.strides, names)}];",
    ]
    for k in reversed(summed):
        added = block(f"for ({kind} {names[k]} = 0; {names[k]} < {shape[k]}; {names[k]}++)", added)
    own = [*[names[k] for k in kept], "row"]
    extents = [*[shape[k] for k in kept], rows]
    lines = [*coordinates(kind, extents, "i", own), f"{real(precision)} s = 0;", *added]
    lines.append(f"out[{place([*[strides[k] for k in kept], step.output.strides[-1]], own)}] = s;")
    return _by_numbers(step, precision, prod(extents), lines)


def _row(kind: str, rows: int, entry: str, precision: Precision, name: str) -> tuple[str, str]:
    """The statements that compute the nearest row of an entry of an index."""
    rounded = f"const {real(precision)} number = {'rint' if precision == 'float64' else 'rintf'}({entry});"
    return rounded, f"const {kind} {name} = number > 0 ? number < {rows - 1} ? ({kind})number : {rows - 1} : 0;"


def _by_numbers(step: GatherAt | ScatterAdd, precision: Precision, entries: int, lines: Sequence[str]) -> Function:
    kind = index([step.output, step.argument, step.index])
    views = (step.output, step.argument, step.index)
    text = [
        f"{real(precision)}* const out = q[0];",
        f"const {real(precision)}* const p = q[1];",
        f"const {real(precision)}* const at = q[2];",
        *shared_out(kind, entries, lines),
    ]
    return Function("\n".join(text), Shares.THREADS, tuple([(v.buffer, v.offset) for v in views]), 1, entries)


def reduce_function(step: Reduce, precision: Precision, width: Width) -> Function:
    """One thread per entry of the output, or one block per entry if there are few entries with many terms each."""
    shape = step.output.shape
    folded, strides = step.argument.shape[len(shape) :], step.argument.strides[len(shape) :]
    (inner,) = collapsed([View(0, 0, folded, strides)])
    names = [f"i{k}" for k in range(len(shape))]
    inside = [f"j{k}" for k in range(len(inner.shape))]
    entries, terms = prod(shape), prod(folded)
    kind = index([step.output, step.argument])
    kept = place(step.argument.strides[: len(shape)], names)
    lines = [*coordinates(kind, shape, "i", names), f"const {real(precision)}* const from = p + ({kept});"]
    each = [*coordinates(kind, inner.shape, "j", inside), f"const {real(precision)} x = from[{place(inner.strides, inside)}];"]
    each += folding(step.fold, "x", "j")
    together = width.together(entries, terms)
    lines += beginning(step.fold, kind, precision)
    lines += block(
        f"for ({kind} j = threadIdx.x; j < {terms}; j += blockDim.x)" if together else f"for ({kind} j = 0; j < {terms}; j++)",
        each,
    )
    result = "(at < 0 ? 0 : at)" if step.fold is Fold.ARGMAX else "s"
    scaled = result if step.scale == 1.0 else f"{literal(step.scale, precision)} * {result}"
    written = [f"out[{place(step.output.strides, names)}] = {scaled};"]
    text = [f"{real(precision)}* const out = q[0];", f"const {real(precision)}* const p = q[1];"]
    pointers = ((step.output.buffer, step.output.offset), (step.argument.buffer, step.argument.offset))
    if together:
        lines += joined(step.fold, precision) + block("if (threadIdx.x == 0)", written)
        text += block(f"for ({kind} i = block; i < {entries}; i += blocks)", lines)
        return Function("\n".join(text), Shares.BLOCKS, pointers, 1, entries)
    text += shared_out(kind, entries, lines + written)
    return Function("\n".join(text), Shares.THREADS, pointers, 1, entries)


def beginning(fold: Fold, kind: str, precision: Precision) -> list[str]:
    """The initial value of a fold."""
    match fold:
        case Fold.SUM:
            return [f"{real(precision)} s = 0;"]
        case Fold.MAX:
            return [f"{real(precision)} s = {literal(float('-inf'), precision)};"]
        case Fold.ARGMAX:
            return [f"{real(precision)} s = {literal(float('-inf'), precision)};", f"{kind} at = -1;"]


def folding(fold: Fold, x: str, j: str) -> list[str]:
    """Fold in one more number, at position j; of two nans, or two equal numbers, the one at the earlier position stays."""
    match fold:
        case Fold.SUM:
            return [f"s += {x};"]
        case Fold.MAX:
            return [f"if ({x} > s || {x} != {x}) s = {x};"]
        case Fold.ARGMAX:
            first = f"at < 0 || ({x} == s || ({x} != {x} && s != s)) && {j} < at"
            return [f"if ({j} >= 0 && ({first} || ({x} > s && s == s) || ({x} != {x} && s == s))) {{ s = {x}; at = {j}; }}"]


def joined(fold: Fold, precision: Precision) -> list[str]:
    """Tree reduction over the threads of a block, in the shared arrays ``sums`` and ``places``; thread 0 has the result."""
    has_place = fold is Fold.ARGMAX
    kind = real(precision)
    keep = ["sums[threadIdx.x] = s;", *(["places[threadIdx.x] = at;"] if has_place else [])]
    take = [
        f"const {kind} x = sums[threadIdx.x + k];",
        *(["const long long y = places[threadIdx.x + k];"] if has_place else []),
    ]
    lines = [*keep, "__syncthreads();"]
    lines += block(
        "for (int k = blockDim.x / 2; k > 0; k /= 2)",
        [*block("if (threadIdx.x < k)", [*take, *folding(fold, "x", "y"), *keep]), "__syncthreads();"],
    )
    return lines
