"""Loops compute in other array languages what they compute here, in both directions and inside each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.options import DEFAULT
from rh_kernel.interchange.export import function_of_net
from rh_kernel.session.results import ValueFound
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source, Span
from rh_kernel.typing.definitions import NetDefinition
from tests.interchange.running import arrays_of, assert_close, each, results_of, target_named
from tests.session.cells import codes, run

SAMPLES = 3
HERE = Span(Source("a test", "x"), 0, 1)
LOOPS = {
    "rows of a vector": "net f(x : Real(40)) : Real(40, 1) = return map (i in x) do sin(i) * i",
    "sums": "net f(x : Real(40)) : Real(40, 1) * Real = scan (i in x) from s = 0 do return (s, s + i)",
    "shared": "net f(x : Real(40, 2)) : Real(40, 2) = let m <- sum_rows(x) in return map (r in x) do r - 0.1 * m",
    "unbatched rows": f"""
const c : Real(30, 2) = {np.sin(np.arange(60)).reshape(30, 2).tolist()}
net f(x : Real(2)) : Real(30, 2) * Real(2) = scan (r in c) from s = x do let s <- tanh(s + 0.1 * r) in return (0.1 * r, s)""",
    "no rows": "net f(x : Real(2)) : Real(2) = repeat i < 50 from s = x do return s + 0.1 * sin(s)",
    "no rounds": "net f(x : Real(2)) : Real(2) = repeat i < 0 from s = x do return s + 0.1 * sin(s)",
    "a state that stays": """
net f(x : Real(40, 2)) : Real(40, 2) * (Real(2) * Real(2)) =
  scan (r in x) from (s, k) = (fill[2](0), fill[2](3)) do return (s * k, (r, k))""",
    "a state that changes places": """
net f(x : Real(40, 2)) : Real(40, 2) * (Real(2) * Real(2)) =
  scan (r in x) from (s, k) = (fill[2](0), fill[2](3)) do return (s, (k, s + r))""",
    "nested": """
net f(x : Real(30, 40)) : Real(30, 1) * Real =
  scan (r in x) from s = 1 do
    let (_, q) <= scan (i in r) from q = s do return ((), 0.5 * q + i * s) in
    return (q, 0.5 * s + 0.01 * q)""",
    "nested rows": "net f(x : Real(30, 40)) : Real(30, 40, 1) = return map (r in x) do map (i in r) do i * sum(r)",
    "backward": """
fun last(x : Real(40, 2), w : Real(2)) : Real =
  sum(tanh(sum_rows(map (r in x) do exp(0.1 * r) * w)))
fun g(x : Real(40, 2)) : Real(40, 2) = let (y, _) <- rd[last](1, (x, [1, 2])) in y
net f(x : Real(40, 2)) : Real(40, 2) = return g(x)""",
    "backward through a scan": """
op Step : Real(2) * Real(2) -> Real(2)
net run(x : Real(40, 2)) : Real = let (_, s) <= scan (r in x) from s = fill[2](0.5) do
  let s <= Step((s, r)) in return ((), s) in return sum(s)
fun step(s : Real(2), r : Real(2)) : Real(2) = tanh(s + [[0.5, 0.1], [0.3, -0.2]] @ s + r)
handler back : rev handler(Real) = {
  return l -> return 1
  Step(s, r) -> return (step(s, r), (s, r)) | y, z -> return rd[step](y, z)
}
net f(x : Real(40, 2)) : Real(40, 2) = rev handle (x) <x>. run(x) with back""",
}


# A `.pt2` file has each of the 1,200 rounds of the nested scans, which takes more than a minute to trace.
CASES = [
    pytest.param(text, *target.values, id=f"{name}-{target.values[0]}", marks=target.marks)
    for name, text in LOOPS.items()
    for target in each()
    if (name, target.values[0]) != ("nested", "pt2")
]


@pytest.mark.parametrize(("text", "target"), CASES)
def test_a_loop_computes_the_same(text: str, target: str, tmp_path: Path) -> None:
    results, session = run(Session.start(tmp_path), text)
    assert not codes(results), results
    net = session.definitions.get("f")
    assert isinstance(net, NetDefinition)
    function = function_of_net(net, DEFAULT, HERE)
    (parameter,) = function.parameters
    x = np.random.default_rng(1).normal(size=(SAMPLES, *parameter.shape)).round(3)
    found, _ = results_of(function, target_named(target), {}, [x], tmp_path)
    for i, sample in enumerate(x):
        results, _ = run(session, f"f({sample.tolist()})")
        (shown,) = [r for r in results if isinstance(r, ValueFound)]
        for array, wanted in zip(found, arrays_of(shown.value), strict=True):
            assert_close(target, array[i], wanted, 1e-9)
