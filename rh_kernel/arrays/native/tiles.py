"""C for a scheduled ``Contract``: tiles of sums with accumulators in registers."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.native.axes import Axis
from rh_kernel.arrays.native.c_writer import loop, moves, place
from rh_kernel.arrays.native.scalars import literal
from rh_kernel.arrays.native.schedule import LEFT, OUT, RIGHT, Form, Machine, Schedule, split, widths

NAMES = ("o", "l", "r")
UNMASKED = Machine(1, 1)


@dataclass(frozen=True, slots=True)
class Column:
    """``width`` lanes of a tile, from lane ``start`` on"""

    start: int
    width: int


def columns_of(extent: int, machine: Machine, lanes: int) -> list[Column]:
    """Return the vectors that so many numbers fill."""
    found: list[Column] = []
    for width in widths(extent, machine, lanes):
        found.append(Column(found[-1].start + found[-1].width if found else 0, width))
    return found


def tiled(s: Schedule, machine: Machine, scale: float, *, accumulate: bool) -> list[str]:
    """Return the loops of a contraction on the arrays ``o``, ``l`` and ``r``, and ``w`` if factors are packed."""
    lines = [loop(f"z{i}", axis.extent) for i, axis in enumerate(s.outer)]
    lines += _declare("0", [("", moves(s.outer, v, "z")) for v in (OUT, LEFT, RIGHT)])
    match s.form:
        case Form.LANES:
            lines += _lanes(s, machine, scale, accumulate=accumulate)
        case Form.PARTS:
            lines += _parts(s, machine, scale, accumulate=accumulate)
    # Compilers have been seen to reorder overlapping vector stores across iterations.
    return [*lines, *(["BARRIER"] if s.outer else []), "}" * len(s.outer)]


def _declare(level: str, by: Sequence[tuple[str, Sequence[tuple[str, int]]]]) -> list[str]:
    """Declare the pointers of a loop level, each relative to a pointer of an outer level."""
    return [
        f"{'' if v == OUT else 'const '}real *{NAMES[v]}{level} = {place(NAMES[v] + before, steps)};"
        for v, (before, steps) in enumerate(by)
    ]


def _blocks(index: str, axis: Axis, size: int) -> list[tuple[str, int, int]]:
    """The loops over an axis by blocks: (head, first index as text, size)."""
    whole, left = divmod(axis.extent, size)
    found = [(loop(index, whole), 0, size)] if whole else []
    return [*found, *([(f"{{ const long {index} = 0;", whole * size, left)] if left else [])]


def _moved(level: str, before: str, index: str, axis: Axis, start: int, size: int) -> list[str]:
    """The pointers of a block of an axis."""
    steps = [(before, [(f"({start} + {index} * {size})", axis.strides[v])]) for v in (OUT, LEFT, RIGHT)]
    return _declare(level, steps)


# -------------------------------------------------------------------------------------------- lanes


def _lanes(s: Schedule, machine: Machine, scale: float, *, accumulate: bool) -> list[str]:
    lines = _copied_rows(s, machine)
    for head, start, width in _blocks("v", s.vector, s.columns * s.lanes):
        lines += [head, *_moved("1", "0", "v", s.vector, start, width), *_copied(s, columns_of(width, machine, s.lanes))]
        for inner, first, height in _blocks("u", s.first, s.rows):
            lines += [inner, *_moved("2", "1", "u", s.first, first, s.rows), *_rows(s, f"({first} + u * {s.rows})")]
            lines += [*_tile(s, height, columns_of(width, machine, s.lanes), scale, accumulate=accumulate), "}"]
        lines.append("}")
    return lines


def _copied(s: Schedule, columns: list[Column]) -> list[str]:
    """Pack the lanes of a block of the packed factor: a row of ``width`` numbers for each index of the sum."""
    if s.packed is None:
        return []
    stride, width = s.vector.strides[s.packed], columns[-1].start + columns[-1].width
    lines = ["{ real *q = w;", *[loop(f"k{i}", axis.extent) for i, axis in enumerate(s.sums)]]
    lines += [f"const real *from = {place(NAMES[s.packed] + '1', moves(s.sums, s.packed, 'k'))};"]
    if stride == 1:
        for c in columns:
            lines += stored(f"q + {c.start}", loaded(f"from + {c.start}", c.width), c.width, 1, 1.0, accumulate=False)
    else:
        lines += [f"q[{j}] = from[{j * stride}L];" for j in range(width)]
    return [*lines, f"q += {width};", "}" * len(s.sums), "}"]


def _rows(s: Schedule, start: str) -> list[str]:
    """The packed rows of a tile that begins with that row."""
    return [f"real *p = w + {s.panel} + {start} * {s.terms}L;"] if s.packed_rows is not None else []


def _copied_rows(s: Schedule, machine: Machine) -> list[str]:
    """Pack the numbers of the rows: for each tile, those of all rows for each index of the sum."""
    if s.packed_rows is None:
        return []
    name, stride = NAMES[s.packed_rows], s.first.strides[s.packed_rows]
    lines: list[str] = []
    for head, first, height in _blocks("u", s.first, s.rows):
        start = f"({first} + u * {s.rows})"
        lines += [head, *_rows(s, start), *[loop(f"k{i}", axis.extent) for i, axis in enumerate(s.sums)]]
        lines.append(f"const real *from = {place(f'{name}0', [(start, stride), *moves(s.sums, s.packed_rows, 'k')])};")
        if stride == 1:
            for c in columns_of(height, machine, s.lanes):
                lines += stored(f"p + {c.start}", loaded(f"from + {c.start}", c.width), c.width, 1, 1.0, accumulate=False)
        else:
            lines += [f"p[{j}] = from[{j * stride}L];" for j in range(height)]
        lines += [f"p += {height};", "}" * len(s.sums), "}"]
    return lines


def _tile(s: Schedule, height: int, columns: list[Column], scale: float, *, accumulate: bool) -> list[str]:
    """One tile: declare the accumulators, sum, store."""
    *around, inner = s.sums or (Axis(1, (0, 0, 0)),)
    ways = min(split(height * len(columns), prod(axis.extent for axis in s.sums)), max(1, inner.extent // 2))
    width = columns[-1].start + columns[-1].width
    lines = [
        f"{vector(c.width)} c{w}_{i}_{j}{_start(c.width)};"
        for w in range(ways)
        for i in range(height)
        for j, c in enumerate(columns)
    ]
    lines += ["const real *q = w;"] if s.packed is not None else []
    lines += [loop(f"k{i}", axis.extent) for i, axis in enumerate(around)]
    lines += _declare("3", [("2", moves(around, v, "k")) for v in (OUT, LEFT, RIGHT)])
    count, left = divmod(inner.extent, ways)
    steps = [(f"k * {ways} + {w}" if ways > 1 else "k", w) for w in range(ways)]
    if inner.extent > 1:
        lines += ["UNROLLED"] if height * len(columns) * ways <= 8 or inner.extent <= 4 else []
        lines += [loop("k", count)]
    else:
        lines += ["{ const long k = 0;"]
    for k, w in steps:
        lines += _products(s, inner, height, columns, f"({k})", w, w * width)
    lines += [*_passed(s, ways, height, width), "}"]
    for w in range(left):
        lines += _products(s, inner, height, columns, str(count * ways + w), w, w * width)
    lines += _passed(s, left, height, width) if left else []
    lines += ["}" * len(around)]
    for i in range(height):
        for j, c in enumerate(columns):
            total = " + ".join(f"c{w}_{i}_{j}" for w in range(ways))
            to = place("o2", [(str(i), s.first.strides[OUT]), (str(c.start), s.vector.strides[OUT])])
            lines += stored(to, total, c.width, s.vector.strides[OUT], scale, accumulate=accumulate)
    return lines


def _passed(s: Schedule, terms: int, height: int, width: int) -> list[str]:
    """Move the pointers to what is packed past so many terms."""
    lines = [f"q += {terms * width};"] if s.packed is not None else []
    return [*lines, f"p += {terms * height};"] if s.packed_rows is not None else lines


def _products(s: Schedule, inner: Axis, height: int, columns: list[Column], k: str, way: int, at: int) -> list[str]:
    """Add one term to each accumulator of a tile; what does not depend on the row is loaded once."""
    lines = ["{", "AS_WRITTEN"]
    for row in range(height):
        for v in (LEFT, RIGHT):
            by_row, by_lane = s.first.strides[v] != 0, s.vector.strides[v] != 0
            if row and not by_row:
                continue
            if s.packed == v:
                base = f"q + {at}"
            elif s.packed_rows == v:
                base = f"p + {way * height + row}"
            else:
                base = place(f"{NAMES[v]}3", [(k, inner.strides[v]), (str(row), s.first.strides[v])])
            for j, c in enumerate(columns) if by_lane else ((0, Column(0, 1)),):
                name = f"{NAMES[v]}_{row if by_row else 0}_{j}"
                start = f"{base} + {c.start}" if s.packed == v or s.vector.strides[v] == 1 else base
                lines.append(f"{vector(c.width)} {name} = {loaded(start, c.width)};")
                lines += [f"HOLD({name})"] if c.width > 2 and height > 1 and not by_row else []
        for j in range(len(columns)):
            factors = [
                f"{NAMES[v]}_{row if s.first.strides[v] else 0}_{j if s.vector.strides[v] else 0}" for v in (LEFT, RIGHT)
            ]
            lines.append(f"c{way}_{row}_{j} += {factors[0]} * {factors[1]};")
    return [*lines, "}"]


def vector(width: int) -> str:
    """Return the C type of that many lanes; if not a power of two, they are the first lanes of a full vector."""
    return "real" if width == 1 else f"V{width}" if _is_whole(width) else "WHOLE"


def _is_whole(width: int) -> bool:
    return width & (width - 1) == 0


def _start(width: int) -> str:
    """The initializer of an accumulator."""
    return " = 0" if width == 1 else " = {0}"


def loaded(at: str, width: int) -> str:
    """Return an expression that loads adjacent numbers."""
    if width == 1:
        return f"*({at})"
    return f"*(const U{width} *)({at})" if _is_whole(width) else f"FIRST({width}, {at})"


def stored(to: str, value: str, width: int, stride: int, scale: float, *, accumulate: bool) -> list[str]:
    """Return statements that store a vector of sums, lane by lane if the outputs are not adjacent."""
    value = value if scale == 1 else f"{literal(scale)} * ({value})"
    sign = "+=" if accumulate else "="
    if width == 1:
        return [f"*({to}) {sign} {value};"]
    if stride == 1 and not _is_whole(width):
        return [f"PUT_FIRST({width}, {to}, {f'FIRST({width}, {to}) + ' if accumulate else ''}{value});"]
    if stride == 1:
        return [f"*(U{width} *)({to}) {sign} {value};"]
    lines = [f"{{ union {{ {vector(width)} v; real t[sizeof({vector(width)}) / sizeof(real)]; }} s = {{{value}}}; UNROLLED"]
    return [*lines, loop("e", width), f"AS_WRITTEN *({to} + e * {stride}L) {sign} s.t[e];", "} }"]


# -------------------------------------------------------------------------------------------- parts


def _parts(s: Schedule, machine: Machine, scale: float, *, accumulate: bool) -> list[str]:
    lines: list[str] = []
    rows, columns = ("u", s.first, s.rows), ("v", s.second, s.columns)
    longer, shorter = (columns, rows) if s.first.extent < s.second.extent else (rows, columns)
    for head, start, outside in _blocks(*longer):
        lines += [head, *_moved("1", "0", longer[0], longer[1], start, longer[2])]
        for inner, first, inside in _blocks(*shorter):
            lines += [inner, *_moved("2", "1", shorter[0], shorter[1], first, shorter[2])]
            height, width = (inside, outside) if longer is columns else (outside, inside)
            lines += [*_inner(s, machine, height, width), *_added(s, height, width, scale, accumulate=accumulate), "}"]
        lines.append("}")
    return lines


def _inner(s: Schedule, machine: Machine, height: int, width: int) -> list[str]:
    """The partial sums of one tile: ``c0_i_j`` has those of row i and column j."""
    blocks, tail = divmod(s.vector.extent, s.lanes)
    ways = min(split(height * width, blocks), max(1, blocks))
    each = [(w, i, j) for w in range(ways) for i in range(height) for j in range(width)]
    lines = [f"{vector(s.lanes)} c{w}_{i}_{j}{_start(s.lanes)};" for w, i, j in each]
    lines += [loop(f"k{i}", axis.extent) for i, axis in enumerate(s.sums)]
    lines += _declare("3", [("2", moves(s.sums, v, "k")) for v in (OUT, LEFT, RIGHT)])
    count, left = divmod(blocks, ways)
    if count:
        lines += ["UNROLLED", loop("k", count)] if height * width * ways <= 8 and count > 1 else [loop("k", count)]
        for w in range(ways):
            lines += _terms(s, machine, height, width, w, f"(k * {ways} + {w}) * {s.lanes}", s.lanes)
        lines.append("}")
    for w in range(left):
        lines += _terms(s, machine, height, width, w, str((count * ways + w) * s.lanes), s.lanes)
    if tail:
        lines += _terms(s, machine, height, width, 0, str(blocks * s.lanes), tail)
    lines.append("}" * len(s.sums))
    lines += [f"c0_{i}_{j} += c{w}_{i}_{j};" for w, i, j in each if w]
    return lines


def _terms(s: Schedule, machine: Machine, height: int, width: int, way: int, k: str, count: int) -> list[str]:
    lines = ["{", "AS_WRITTEN"]
    loaded: set[str] = set()
    for i in range(height):
        for j in range(width):
            names: list[str] = []
            for v in (LEFT, RIGHT):
                row, column = (i if s.first.strides[v] else 0), (j if s.second.strides[v] else 0)
                names.append(f"{NAMES[v]}_{row}_{column}")
                if names[-1] in loaded:
                    continue
                loaded.add(names[-1])
                steps = [(k, s.vector.strides[v]), (str(row), s.first.strides[v]), (str(column), s.second.strides[v])]
                lines.append(f"{vector(s.lanes)} {names[-1]} = {_some(place(f'{NAMES[v]}3', steps), s, machine, v, count)};")
                # A row's value is reused for each column, and vice versa.
                again = (1 if s.first.strides[v] else height) * (1 if s.second.strides[v] else width)
                lines += [f"HOLD({names[-1]})"] if again > 1 and s.lanes > 2 else []
            lines.append(f"c{way}_{i}_{j} += {names[0]} * {names[1]};")
    return [*lines, "}"]


def _some(at: str, s: Schedule, machine: Machine, v: int, count: int) -> str:
    """The next ``count`` numbers, with 0 in the remaining lanes."""
    if s.vector.strides[v] == 1 and count == s.lanes:
        return loaded(at, s.lanes)
    if s.vector.strides[v] == 1 and machine.masked and s.lanes == machine.lanes:
        return f"FIRST({count}, {at})"
    numbers = [f"({at})[{e * s.vector.strides[v]}]" if e < count else "0" for e in range(s.lanes)]
    return numbers[0] if s.lanes == 1 else f"{{{', '.join(numbers)}}}"


def _added(s: Schedule, height: int, width: int, scale: float, *, accumulate: bool) -> list[str]:
    """Add up the partial sums, several sums at a time, and store them."""
    lines: list[str] = []
    stride = s.second.strides[OUT]
    for i in range(height):
        for c in columns_of(width, UNMASKED, s.lanes):
            names = [f"c0_{i}_{c.start + e}" for e in range(c.width)]
            more, total = folded(names, s.lanes, f"t{i}_{c.start}")
            to = place("o2", [(str(i), s.first.strides[OUT]), (str(c.start), stride)])
            lines += [*more, *stored(to, total, c.width, stride, scale, accumulate=accumulate)]
    return lines


def folded(names: list[str], lanes: int, prefix: str) -> tuple[list[str], str]:
    """Reduce each of several vectors to the sum of its lanes, and return these sums as the lanes of one vector.

    Pairs of vectors are added into one until one is left; then its upper half is added to its lower half.
    """
    lines: list[str] = []
    height, count = 1, len(names)
    while len(names) > 1:
        pairs = list(zip(names[::2], names[1::2], strict=True))
        low = [x + t for t in range(0, lanes, 2 * height) for x in (*range(height), *range(lanes, lanes + height))]
        high = [x + height for x in low]
        names = [f"{prefix}_{height}_{n}" for n in range(len(pairs))]
        for name, (x, y) in zip(names, pairs, strict=True):
            lines.append(f"V{lanes} {name} = {_picked(lanes, x, y, low)} + {_picked(lanes, x, y, high)};")
        height *= 2
    (name,) = names
    while lanes > count:
        lanes //= 2
        halves = [_half(lanes, name, start) for start in (0, lanes)]
        lines.append(f"{vector(lanes)} {prefix}_f{lanes} = {halves[0]} + {halves[1]};")
        name = f"{prefix}_f{lanes}"
    return lines, name


def _picked(lanes: int, x: str, y: str, indices: list[int]) -> str:
    return f"PICK(M{lanes}, {x}, {y}, {', '.join(map(str, indices))})"


def _half(lanes: int, x: str, start: int) -> str:
    lanes_of = [f"{x}[{start + e}]" for e in range(lanes)]
    return lanes_of[0] if lanes == 1 else f"(V{lanes}){{{', '.join(lanes_of)}}}"
