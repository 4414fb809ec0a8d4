"""Rows of type ``Real(n)`` at n = 0: they are units, but stack to ``Real(k, 0)``, as a clause for all n expects."""

from pathlib import Path

import pytest

from rh_kernel.session.results import TraceMade, ValueFound
from rh_kernel.session.session import Session
from tests.session.cells import run

DECLARED = """op Layer : Real(n) -> Real(n)
handler h = {
  return x -> return x
  Layer(x), k -> let (bs, s) <= scan (b in map (a in [[1, 2]]) do x) from s = x do return (b, b) in k(s)
}
"""


@pytest.mark.parametrize("size", ["[1, 2]", "()"])
@pytest.mark.parametrize("before", ["%trace ", "%evaluator denoted\n"])
def test_a_clause_stacks_its_argument_whatever_its_size(before: str, size: str) -> None:
    results, _ = run(Session.start(Path()), f"{DECLARED}{before}handle Layer({size}) with h")
    assert isinstance(results[-1], TraceMade | ValueFound)
