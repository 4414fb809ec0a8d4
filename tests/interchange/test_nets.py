"""The nets of the library compute in other array languages what they compute here, and learn the same in three steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.options import DEFAULT
from rh_kernel.interchange.export import function_of_net
from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import ValueFound
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source, Span
from rh_kernel.typing.definitions import NetDefinition
from tests.interchange.nets import NETS, Net
from tests.interchange.running import assert_close, by_written_name, each, results_of, stacked, target_named
from tests.session.cells import codes, run

BATCH = 3
HERE = Span(Source("a test", "x"), 0, 1)


def text_of(array: np.ndarray) -> str:
    """An array as a literal."""
    return repr(array.tolist())


# Tracing a long module for a `.pt2` file takes a minute, and it is the module that is tried as `torch`.
CASES = [
    pytest.param(net, *target.values, id=f"{net.name}-{target.values[0]}", marks=target.marks)
    for net in NETS
    for target in each()
    if target.values[0] != "pt2" or net.name in {"mlp", "choices", "lenet"}
]


@pytest.mark.parametrize(("net", "target"), CASES)
def test_a_net_computes_the_same(net: Net, target: str, tmp_path: Path) -> None:
    results, session = run(Session.start(tmp_path), net.text)
    assert not codes(results)
    definition = session.definitions.get("predict")
    assert isinstance(definition, NetDefinition)
    function = function_of_net(definition, DEFAULT, HERE)
    contents = {w.parameter.written: stacked(session, w.location) for w in function.weights}
    x = net.samples(BATCH)
    (found,), writes = results_of(function, target_named(target), contents, [x], tmp_path)
    assert not writes
    for array, sample in zip(found, x, strict=True):
        results, _ = run(session, f"predict({text_of(sample)})")
        (shown,) = [r for r in results if isinstance(r, ValueFound)]
        assert_close(target, array, to_array(shown.value), 1e-9)


@pytest.mark.parametrize(("net", "target"), CASES)
def test_a_net_learns_the_same_in_three_steps(net: Net, target: str, tmp_path: Path) -> None:
    results, session = run(Session.start(tmp_path), net.text)
    assert not codes(results)
    definition = session.definitions.get("step")
    assert isinstance(definition, NetDefinition)
    function = function_of_net(definition, DEFAULT, HERE)
    contents = {w.parameter.written: stacked(session, w.location) for w in function.weights}
    x, t = net.samples(BATCH), net.targets(BATCH)
    np.savez(tmp_path / "samples.npz", x=x, t=t)
    names = {p.name for p in function.parameters}
    inputs = [{"x": x, "t": t}[p.name] for p in function.parameters]
    assert names <= {"x", "t"}
    for _ in range(3):
        _, writes = results_of(function, target_named(target), contents, inputs, tmp_path)
        contents |= by_written_name(function, writes)
    results, after = run(session, f'train step[t](x) for (x, t) in data("samples.npz") epochs 3 batch {BATCH}')
    assert not codes(results)
    for w in function.weights:
        found = contents[w.parameter.written]
        assert_close(target, found, stacked(after, w.location), 1e-9)
        if any(w is written for written, _ in function.writes):
            assert np.abs(found - stacked(session, w.location)).max() > 0
