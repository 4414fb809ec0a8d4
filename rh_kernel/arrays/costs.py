"""Cost estimates: whether NumPy should interpret a program, and how long its runs will take.

They depend on the program alone, never on a clock, so the same run gives the same digits.
"""

from rh_kernel.arrays.program import Program

PER_EQUATION = 1.5e-6
PER_OPERATION = 2.5e-10
"""Rough costs of NumPy in seconds, per equation and per operation."""

MAX_INTERPRETED_RUNS = 4
"""A program that runs at most this often is interpreted, not planned."""

PLANNING = 10
"""How many times as long as interpreting a program without loops once, about, planning it takes."""

MAX_INTERPRETED_REALS = 1 << 20
"""Largest program, in computed reals, that is interpreted; a plan allocates its buffers only once."""


def should_interpret(program: Program, reals: int, runs: int | None) -> bool:
    """Whether NumPy should interpret a program that computes so many reals, without a plan; ``runs`` is how often, if known."""
    if runs is None or runs > MAX_INTERPRETED_RUNS or reals > MAX_INTERPRETED_REALS:
        return False
    return runs * program.executed <= PLANNING * program.count


def estimate(program: Program, runs: int, samples: int) -> float:
    """Estimate the seconds that NumPy takes for ``runs`` runs with ``samples`` samples in total."""
    once, each = program.costs
    return runs * (program.executed * PER_EQUATION + once * PER_OPERATION) + samples * each * PER_OPERATION
