"""Calls of declared functions are inlined within a budget."""

import pytest

from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.calls import InliningBudget
from rh_kernel.ad.language.core import Constant, Program, Variable, add
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span

DOUBLE = Program("double", (("x", SCALAR),), SCALAR, add(Variable("x"), Variable("x")))
CALL = Span(Source("cell", "double(y)"), 0, 9)


def test_a_call_is_the_body_with_the_argument() -> None:
    """``double(y) = y + y``; an argument that is no variable is bound by ``let``."""
    budget = InliningBudget()
    assert budget.inline(DOUBLE, Variable("y"), Names(), CALL) == add(Variable("y"), Variable("y"))
    named = budget.inline(DOUBLE, Constant(2.0), Names(("x",)), CALL)
    assert count(named) == count(DOUBLE.body) + 2


def test_inlining_stops_at_the_budget() -> None:
    """Functions that call functions twice double the program: n of them need 2ⁿ nodes, which is refused in time."""
    budget = InliningBudget(left=2 * count(DOUBLE.body))
    for _ in range(2):
        budget.inline(DOUBLE, Variable("y"), Names(), CALL)
    with pytest.raises(Rejected) as refused:
        budget.inline(DOUBLE, Variable("y"), Names(), CALL)
    assert [(d.code, d.span) for d in refused.value.diagnostics] == [("RH206", CALL)]
