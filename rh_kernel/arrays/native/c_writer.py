"""Building blocks of generated C: addresses, loops and loop nests."""

from collections.abc import Sequence

from rh_kernel.arrays.native.axes import Axis


def place(pointer: str, moves: Sequence[tuple[str, int]], offset: int = 0) -> str:
    """Return ``pointer + i s + … + offset`` for the pairs (i, s), without zero terms.

    >>> place("p0", [("i0", 4), ("i1", 0), ("i2", 1)], 2)
    'p0 + i0 * 4L + i2 + 2'
    """
    terms = [i if s == 1 else f"{i} * {s}L" for i, s in moves if s]
    return " + ".join([pointer, *terms, *([str(offset)] if offset else [])])


def loop(index: str, extent: int) -> str:
    """Return the head of a loop, to be closed by a brace."""
    return f"for (long {index} = 0; {index} < {extent}; {index}++) {{"


def nest(found: Sequence[Axis], body: Sequence[str], prefix: str = "i", *, simd: bool = False) -> list[str]:
    """Return a loop nest around the body, with indices ``i0``, ``i1``, … from the outermost.

    ``simd`` asserts that the iterations of the innermost loop are independent.
    """
    lines: list[str] = []
    for depth, axis in enumerate(found):
        if simd and depth == len(found) - 1 and axis.extent > 1:
            lines.append("LIKELY_VECTORISED")
        lines.append(loop(f"{prefix}{depth}", axis.extent))
    return [*lines, *body, "}" * len(found)]


def moves(found: Sequence[Axis], view: int, prefix: str = "i") -> list[tuple[str, int]]:
    """Return the strides of a view along the indices of a nest."""
    return [(f"{prefix}{depth}", axis.strides[view]) for depth, axis in enumerate(found)]
