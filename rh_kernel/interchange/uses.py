"""How often a function uses each of its expressions."""

from collections import Counter
from collections.abc import Iterator

from rh_kernel.interchange.functions import ArrayFunction, Computed, Let, Line, Rounds
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.array_operators import Expr


def uses(function: ArrayFunction) -> Counter[int]:
    """Count the uses of each expression, by identity."""
    found: Counter[int] = Counter()
    todo = [*leaves(function.result), *[e for _, e in function.writes], *_in_lines(function.lines)]
    while todo:
        e = todo.pop()
        if not found[id(e)]:
            todo += e.args
        found[id(e)] += 1
    return found


def _in_lines(lines: tuple[Line, ...]) -> Iterator[Expr]:
    for line in lines:
        match line:
            case Computed():
                pass
            case Let(_, e):
                yield e
            case Rounds():
                yield from [e for _, e in (*line.carried, *line.rows)]
                yield from (*line.following, *line.emitted)
                yield from _in_lines(line.body)
