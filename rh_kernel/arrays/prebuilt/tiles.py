"""C for the tiles of contractions, of every size that fits the registers: text for the build, not used at run time."""

from collections.abc import Iterator, Sequence

from rh_kernel.arrays.prebuilt.levels import Level

ARGUMENTS = "const struct contraction *c, real *o, const real *l, const real *r, word right, int packed"
PLACES = (
    "const word *places = places_of(c);",
    "for (word t = 0; t < count; t++) {",
    "const real *x = l + places[2 * t], *y = packed ? r + t * depth * right : r + places[2 * t + 1];",
)


def tiles(level: Level, item: int) -> Iterator[str]:
    """Yield the functions, and the tables ``lanes[columns][rows]``, ``narrow[halvings][rows]`` and ``parts[columns][rows]``."""
    lanes = level.lanes(item)
    sizes = [(rows, columns) for columns in range(1, 5) for rows in range(1, 9) if level.has_tile(rows, columns)]
    halves = [lanes >> i for i in range(1, lanes.bit_length())]
    yield from (f"#define WIDE {lanes}", f"typedef V{lanes} WHOLE_VECTOR;", f"typedef U{lanes} VECTOR_IN_MEMORY;")
    for rows, columns in sizes:
        yield from lanes_tile(f"lanes{columns}_{rows}", lanes, rows, columns)
        yield from parts_tile(f"parts{columns}_{rows}", lanes, rows, columns)
    for width in halves:
        for rows, columns in sizes:
            if columns == 1:
                yield from lanes_tile(f"narrow{width}_{rows}", width, rows, 1)
    for kind in ("lanes", "parts"):
        yield _table(
            kind,
            [
                [f"{kind}{columns}_{rows}" if level.has_tile(rows, columns) else "0" for rows in range(9)]
                for columns in range(5)
            ],
        )
    yield _table("narrow", [[f"narrow{width}_{rows}" if rows else "0" for rows in range(9)] for width in halves])


def _table(name: str, rows: Sequence[Sequence[str]]) -> str:
    text = ", ".join([f"{{{', '.join(row)}}}" for row in rows])
    return f"static tile *const {name}[][9] = {{{text}}};"


def _split(sums: int) -> int:
    """Into how many partial sums each accumulator is split, to hide the latency of additions."""
    return 4 if sums <= 2 else 2 if sums <= 4 else 1


def lanes_tile(name: str, width: int, rows: int, columns: int) -> Iterator[str]:
    """Yield a function for a tile of so many rows, and columns of ``width`` adjacent outputs."""
    vector, packed = (f"V{width}", f"U{width}") if width > 1 else ("real", "real")
    ways = _split(rows * columns)
    sums = [[f"a{i}_{j}" for j in range(columns)] for i in range(rows)]
    yield f"static void {name}({ARGUMENTS}) {{"
    yield "const word row = c->m_left, left = c->k_left, depth = c->k, count = c->places;"
    yield "const struct finish f = finish_of(c);"
    yield from [f"{vector} {a}_{s} = {{0}};" for s in range(ways) for row in sums for a in row]
    yield from PLACES
    yield "word k = 0;"
    for some in dict.fromkeys((ways, 1)):
        yield f"for (; k + {some} <= depth; k += {some}) {{"
        for s in range(some):
            yield from [f"const {vector} y{j}_{s} = *(const {packed} *)(y + {j * width});" for j in range(columns)]
            for i, row in enumerate(sums):
                yield f"const real x{i}_{s} = x[{i} * row];"
                yield from [f"{a}_{s} += x{i}_{s} * y{j}_{s};" for j, a in enumerate(row)]
            yield "x += left; y += right;"
        yield "}"
    yield "}"
    places = [(f"o + {i} * f.m_out", j * width, _sum(a, ways)) for i, row in enumerate(sums) for j, a in enumerate(row)]
    if width == 1:
        yield from [f"put(f, {at}, {total});" for at, _, total in places]
    else:
        stored = [(f"*({packed} *)({at} + {j})", f"f.scale * ({total})") for at, j, total in places]
        yield "if (f.n_out != 1) {"
        yield f"{vector} e;"
        yield from [f"e = {total}; put_apart(f, {at} + {j} * f.n_out, (const real *)&e, {width});" for at, j, total in places]
        yield "} else if (f.accumulate) {"
        yield from [f"{place} += {value};" for place, value in stored]
        yield "} else {"
        yield from [f"{place} = {value};" for place, value in stored]
        yield "}"
    yield "}"


def parts_tile(name: str, lanes: int, rows: int, columns: int) -> Iterator[str]:
    """Yield a function for a tile of so many rows and columns, whose terms are added in parts, one per lane."""
    ways = _split(rows * columns)
    flat = [(i, j, f"a{i}_{j}") for i in range(rows) for j in range(columns)]
    yield f"static void {name}({ARGUMENTS}) {{"
    yield f"const word row = c->m_left, depth = c->k, whole = depth / {lanes} * {lanes}, count = c->places;"
    yield "const struct finish f = finish_of(c);"
    yield from [f"V{lanes} {a}_{s} = {{0}};" for s in range(ways) for _, _, a in flat]
    yield f"real e[{rows * columns}];"
    yield from PLACES
    yield "word k = 0;"
    for some in dict.fromkeys((ways, 1)):
        yield f"for (; k + {some * lanes} <= whole; k += {some * lanes}) {{"
        for s in range(some):
            yield from [
                f"const V{lanes} y{j}_{s} = *(const U{lanes} *)(y + k + {j} * right + {s * lanes});" for j in range(columns)
            ]
            for i in range(rows):
                yield f"const V{lanes} x{i}_{s} = *(const U{lanes} *)(x + k + {i} * row + {s * lanes});"
                yield from [f"a{i}_{j}_{s} += x{i}_{s} * y{j}_{s};" for j in range(columns)]
        yield "}"
    yield "}"
    done = len(flat) // 4 * 4
    for at in range(0, done, 4):
        yield f"totals{lanes}(e + {at}, {', '.join([_sum(a, ways) for _, _, a in flat[at : at + 4]])});"
    yield from [f"e[{at}] = total{lanes}({_sum(flat[at][2], ways)});" for at in range(done, len(flat))]
    yield "if (whole < depth)"
    yield from PLACES[1:]
    yield "for (word k = whole; k < depth; k++) {"
    yield from [f"e[{at}] += x[{i} * row + k] * y[{j} * right + k];" for at, (i, j, _) in enumerate(flat)]
    yield "} }"
    each = [f"put(f, o + {i} * f.m_out + {j} * f.n_out, e[{at}]);" for at, (i, j, _) in enumerate(flat)]
    if columns == 1 and done:
        # Adjacent outputs are stored together.
        yield "if (f.m_out == 1) {"
        yield from [f"put_four(f, o + {at}, e + {at});" for at in range(0, done, 4)]
        yield from [*each[done:], "return; }"]
    yield from [*each, "}"]


def _sum(accumulator: str, ways: int) -> str:
    return " + ".join([f"{accumulator}_{s}" for s in range(ways)])
