"""Both branches of a conditional command run, and the rest behind them only once, unless a continuation leads out of one."""

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.display.registry import records
from rh_kernel.session.results import Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source

DECLARED = """
op A : Real -> Real
op Stop : Real -> Real
loc w : Real = [0.5]
handler back : rev handler(Real) = {
  return x -> return 1
  A(x) -> let v <= Get[w]() in let _ <= Put[w](v + 1) in return (x * x, x)
    | y, z -> if y > 2 then let _ <= Put[w](z) in return 2 * (z * y) else return 2 * (z * y)
}
handler twice : Real => Real = {
  return x -> return x + 1
  A(x), k -> let a <= k(x) in let b <= k(2 * x) in return a + b
  Stop(x), k -> return x
}
net g(x : Real) =
  let a <= A(x) in
  let b <= if a > 2 then let c <= A(a) in let d <= Put[w](c) in return c + x else if a < 1 then Stop(a) else return a in
  let c <= if b < 3 then A(b) else let q <= Get[w]() in return q in
  return a * b + c
"""


def shown(text: str) -> list[dict[str, object]]:
    """What the last item of a program shows, as the records of ``--json``."""
    found: list[Shown] = []
    for event in execute(Session.start(Path()), Source("program", DECLARED + text)):
        found += [event] if isinstance(event, Shown) else []
    return [dict(record) for record in records(1, found[-1].result)]


def chain(n: int) -> str:
    """A net of n conditionals in a row, each with an operation in one branch."""
    lines = [f"let y{i + 1} <= if y{i} > {i} then A(y{i}) else return y{i} in " for i in range(n)]
    return f"net f(y0 : Real) = {''.join(lines)}return y{n}\n"


def test_the_program_grows_with_the_chain_not_with_its_paths() -> None:
    run = "%compile let x <= Get[w]() in rev handle (x) <x>. f(x) with back"
    short, long = [shown(chain(n) + run)[0]["equations"] for n in (8, 16)]
    assert isinstance(short, int)
    assert isinstance(long, int)
    assert long < 3 * short


@pytest.mark.parametrize("x", ["0.4", "1", "2"])
@pytest.mark.parametrize("form", ["handle g({x}) with twice", "rev handle ({x}) <x>. f(x) with back"])
def test_all_evaluators_agree(form: str, x: str) -> None:
    """A continuation that is used twice or not at all, and a backward pass through branches that write to the heap."""
    texts = [f"{chain(5)}%evaluator {name}\n{form.format(x=x)}" for name in ("compiled", "stepped", "denoted")]
    values = [np.concatenate([np.ravel(np.asarray(x)) for x in numbers(shown(text)[0])]) for text in texts]
    np.testing.assert_allclose(values[0], values[1], rtol=1e-12)
    np.testing.assert_allclose(values[2], values[1], rtol=1e-12)


def numbers(record: dict[str, object]) -> list[object]:
    """The value of a command, and the new contents of the locations."""
    heap = record["heap"]
    assert isinstance(heap, dict)
    return [record["value"], *heap.values()]
