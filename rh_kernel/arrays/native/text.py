"""C as lines: what every kernel is written with."""

from collections.abc import Sequence

from rh_kernel.arrays.native.axes import Axis


def place(pointer: str, moves: Sequence[tuple[str, int]], offset: int = 0) -> str:
    """``pointer + i s + … + offset`` for the pairs (i, s); what is 0 is left out.

    >>> place("p0", [("i0", 4), ("i1", 0), ("i2", 1)], 2)
    'p0 + i0 * 4L + i2 + 2'
    """
    terms = [i if s == 1 else f"{i} * {s}L" for i, s in moves if s]
    return " + ".join([pointer, *terms, *([str(offset)] if offset else [])])


def loop(index: str, extent: int) -> str:
    """The head of a loop; the loop ends with a brace."""
    return f"for (long {index} = 0; {index} < {extent}; {index}++) {{"


def nest(found: Sequence[Axis], body: Sequence[str], prefix: str = "i", *, simd: bool = False) -> list[str]:
    """The body for each index into the axes, called ``i0``, ``i1``, … from the outermost.

    ``simd`` promises that the steps of the innermost loop do not depend on each other.
    """
    lines: list[str] = []
    for depth, axis in enumerate(found):
        if simd and depth == len(found) - 1 and axis.extent > 1:
            lines.append("LIKELY_VECTORISED")
        lines.append(loop(f"{prefix}{depth}", axis.extent))
    return [*lines, *body, "}" * len(found)]


def moves(found: Sequence[Axis], view: int, prefix: str = "i") -> list[tuple[str, int]]:
    """How far the indices of a nest move a view."""
    return [(f"{prefix}{depth}", axis.strides[view]) for depth, axis in enumerate(found)]
