"""Listing 4.6: the order in which stateful reverse mode writes cells, step by step in the reducer."""

from rh_kernel.ad.eff.core import Literal
from rh_kernel.ad.eff.reduction.reducer import run, steps
from rh_kernel.ad.eff.reduction.rules import Rule
from tests.ad.handlers.programs import computation, library
from tests.ad.handlers.test_oracles import TERM

Z, Y, ONE, SQUARE, CUBE, Y_SQUARE, MINUS, SUM, RESULT = range(9)
"""The cells in the order in which they are made: z, and r1 to r8."""


def test_o4_the_reverse_pass() -> None:
    """O4: which cells are written, in which order, and what they hold in the end; that of y is ∂/∂y"""
    program = computation(f"handle grad {TERM} 2 with evaluate")
    taken = list(steps(program, library()))
    written = [step.change.number for step in taken if step.rule is Rule.WRITE and step.change]
    assert written == [RESULT, ONE, SUM, CUBE, MINUS, Y_SQUARE, Y, Y, SQUARE, Z, Z, Z]
    assert sum(step.rule is Rule.NEW for step in taken) == 9
    held = run(program, library()).cells
    assert list(held) == [Literal(float(x)) for x in (12, -8, 1, 2, 1, -1, 1, 1, 1)]
