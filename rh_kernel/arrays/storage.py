"""Where each register of a program is kept: a cell is used again once its register has had its last use."""

from dataclasses import dataclass
from math import prod

from rh_kernel.arrays.program import Program, Register, leaves


@dataclass(frozen=True, slots=True)
class Cells:
    """The cell of each register, and how many there are. Constants have cells of their own."""

    of: tuple[int, ...]
    count: int


def allocate(program: Program) -> Cells:
    """A cell for each register, so that an array is let go as soon as nothing needs it any more."""
    last: dict[Register, int] = {}
    for i, equation in enumerate(program.equations):
        for r in equation.arguments:
            last[r] = i
    kept = {*leaves(program.result), *(r for _, r in program.writes), *(r for r, _ in program.constants)}
    given = [*leaves(program.inputs), *(r for r, _ in program.constants), *(r for r, _ in program.reads)]
    of = [0] * len(program.shapes)
    for cell, r in enumerate(given):
        of[r] = cell
    count = len(given)
    free: list[int] = []
    for i, equation in enumerate(program.equations):
        # A cell that falls free here may take the result at once: the arguments were fetched before.
        free += [of[r] for r in dict.fromkeys(equation.arguments) if last[r] == i and r not in kept]
        if free:
            of[equation.result] = free.pop()
        else:
            of[equation.result] = count
            count += 1
    return Cells(tuple(of), count)


def peak(program: Program, samples: int = 1) -> int:
    """The most reals that a run holds at any time, beside its inputs and what it reads from the heap."""
    cells = allocate(program).of
    sizes = [prod(shape) * (samples if b else 1) for shape, b in zip(program.shapes, program.batched, strict=True)]
    held = {cells[r]: sizes[r] for r, _ in program.constants}
    total = most = sum(held.values())
    for equation in program.equations:
        r = equation.result
        # The result is there before what its cell held is let go.
        most = max(most, total + sizes[r])
        total += sizes[r] - held.get(cells[r], 0)
        held[cells[r]] = sizes[r]
    return most
