"""The nets of the library compute in other array languages what they compute here, and learn the same in three steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.arrays.options import DEFAULT
from rh_kernel.arrays.stacks import places
from rh_kernel.interchange.export import function_of_net
from rh_kernel.interchange.functions import ArrayFunction
from rh_kernel.session.results import ValueFound
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Array
from rh_kernel.typing.definitions import NetDefinition
from rh_kernel.workspace.workspace import Workspace
from tests.interchange.nets import ATTENTION, NETS, Net
from tests.interchange.running import (
    Call,
    arrays_of,
    assert_close,
    by_written_name,
    each,
    exported,
    module,
    stacked,
    target_named,
)
from tests.session.cells import codes, run

BATCH, STEPS, SEED = 3, 3, 7
HERE = Span(Source("a test", "x"), 0, 1)

# Tracing a long module for a `.pt2` file takes a minute, and it is the module that is tried as `torch`.
CASES = [
    pytest.param(net, *target.values, id=f"{net.name}-{target.values[0]}", marks=target.marks)
    for net in NETS
    for target in each()
    if target.values[0] != "pt2" or net.name in {"mlp", "choices", "dropout", "lenet", "vae"}
]


def started(net: Net, name: str, target: str, folder: Path) -> tuple[Session, ArrayFunction, Call]:
    """The session of a net, and one of its two functions, here and in the other language."""
    results, session = run(Session.start(folder), net.text)
    assert not codes(results)
    definition = session.definitions.get(name)
    assert isinstance(definition, NetDefinition)
    function = function_of_net(definition, DEFAULT, HERE)
    contents = {w.parameter.written: stacked(session, w.location) for w in function.weights}
    return session, function, exported(function, target_named(target), contents, folder)


@pytest.mark.parametrize(("net", "target"), CASES)
def test_a_net_computes_the_same(net: Net, target: str, tmp_path: Path) -> None:
    session, _, predict = started(net, "predict", target, tmp_path)
    x = net.samples(BATCH)
    found, writes = predict([x], {})
    assert not writes
    for i, sample in enumerate(x):
        results, _ = run(session, f"predict({sample.tolist()})")
        (shown,) = [r for r in results if isinstance(r, ValueFound)]
        for array, wanted in zip(found, arrays_of(shown.value), strict=True):
            assert_close(target, array[i], wanted, 1e-9)


@pytest.mark.parametrize(("net", "target"), CASES)
def test_a_net_learns_the_same_in_three_steps(net: Net, target: str, tmp_path: Path) -> None:
    before, function, step = started(net, "step", target, tmp_path)
    data: dict[str, Any] = {
        "x": net.samples(BATCH * STEPS),
        **({} if net.target is None else {"t": net.targets(BATCH * STEPS)}),
    }
    new: Mapping[str, Array] = {}
    for rows in np.split(np.arange(BATCH * STEPS), STEPS):
        _, new = step(inputs_of(function, data, rows.tolist()), new)
    found = by_written_name(function, new)

    np.savez(tmp_path / "samples.npz", **data)
    call, names = ("step(x)", "x") if net.target is None else ("step[t](x)", "x, t")
    text = f'%seed {SEED}\ntrain {call} for ({names}) in data("samples.npz") epochs 1 batch {BATCH}'
    results, after = run(before, text)
    assert not codes(results)
    for w, _ in function.writes:
        expected = stacked(after, w.location)
        assert_close(target, found[w.parameter.written], expected, 1e-9)
        assert np.abs(expected - stacked(before, w.location)).max() > 3 * target_named(target).tolerance
    changed = {at for at in before.heap if not np.array_equal(before.heap[at], after.heap[at])}
    assert changed <= {at for w, _ in function.writes for at in places(w.location)}


@pytest.mark.parametrize("target", each())
@pytest.mark.parametrize("result", ["1", "1 * Real(2, 0)"])
def test_a_net_without_numbers_in_its_result_can_be_called(result: str, target: str, tmp_path: Path) -> None:
    net = Net("unit", f"net step(x : Real(2)) : {result} = return 0", (2,), None)
    _, _, step = started(net, "step", target, tmp_path)
    found, new = step([net.samples(BATCH)], {})
    assert [array.shape for array in found] == [(BATCH, 0), (BATCH, 2, 0)][: len(found)]
    assert not new


def inputs_of(function: ArrayFunction, data: Mapping[str, Array], rows: Sequence[int]) -> list[Array]:
    """These rows of the arrays that are named by the parameters; the others are draws, in the order of their numbers."""
    drawn = [p for p in function.parameters if p.written not in data]
    found = {p.written: draws(p.written, p.shape, number, rows) for number, p in enumerate(drawn)}
    return [data[p.written][[*rows]] if p.written in data else found[p.written] for p in function.parameters]


def draws(name: str, shape: Sequence[int], number: int, rows: Sequence[int]) -> Array:
    """What samples draw in the first epoch (LANGUAGE §9)."""
    found = [np.random.Generator(np.random.Philox(key=[SEED, 0], counter=[0, number, row, 0])) for row in rows]
    return np.array([rng.standard_normal(shape) if name.startswith("normal") else rng.random(shape) for rng in found])


@pytest.mark.parametrize("target", each("numpy", "jax"))
def test_constants_are_not_among_the_weights(target: str, tmp_path: Path) -> None:
    """The weights are what a derivative is taken for; the mask of attention is none of them."""
    workspace = Workspace(tmp_path)
    workspace.run(ATTENTION.text)
    workspace.export("predict", tmp_path / "attention.py", target)
    found = module(tmp_path / "attention.py")
    assert set(found.WEIGHTS) == set(workspace.heap)
    assert [np.shape(array) for array in found.CONSTANTS.values()] == [(4, 4)]
