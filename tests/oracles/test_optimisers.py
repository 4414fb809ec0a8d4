"""The optimisers of the library take the steps of PyTorch's, in batches and in all three evaluators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

BATCH, STEPS = 4, 3
NET = """
loc first : Real(3, 5) = glorot(seed=1)
loc first_b : Real(3) = [0.1, -0.2, 0.3]
loc ws[4] : Real(3, 3) = glorot(seed=2)
loc last : Real(2, 3) = glorot(seed=3)
net error(x : Real(5), t : Real(2)) : Real =
  let h <= Affine[first, first_b](x) in
  let h <= repeat i < 4 from h = tanh(h) do (let h <= FC[ws[i]](h) in return tanh(h)) in
  let y <= FC[last](h) in
  return 0.5 * dot(y - t, y - t)
"""
OWN = ("first", "first_b", "ws[0]", "ws[1]", "ws[2]", "ws[3]", "last")

Step = Callable[[Sequence[Any], int], None]
"""``weights, number ↦ ()``: takes the step of that number from the gradients of PyTorch's weights."""


def stepped(optimiser: Any, *, clip: float = 0.0, schedule: Any = None) -> Step:
    """The steps of an optimiser of PyTorch."""

    def step(weights: Sequence[Any], number: int) -> None:
        for w in weights if clip else ():
            w.grad *= clip / max(float(w.grad.norm()), clip)
        optimiser.step()
        if schedule is not None:
            schedule.step()

    return step


def momentum(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.SGD(w, lr=0.1, momentum=0.9))


def adam(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.Adam(w, lr=0.05))


def decay(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.SGD(w, lr=0.1, momentum=0.9, weight_decay=0.2))


def decayed_adam(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.Adam(w, lr=0.05, weight_decay=0.2))


def clip(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.SGD(w, lr=0.5), clip=0.3)


def cosine(torch: Any, w: Sequence[Any]) -> Step:
    optimiser = torch.optim.SGD(w, lr=0.5)
    return stepped(optimiser, schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, T_max=4))


def plain(torch: Any, w: Sequence[Any]) -> Step:
    return stepped(torch.optim.SGD(w, lr=0.5))


Handled = Callable[[str], str]
"""``P ↦ handle P with …``"""
CASES: Mapping[str, tuple[str, Handled, Callable[[Any, Sequence[Any]], Step]]] = {
    "plain": ("backprop", lambda P: f"handle ({P}) with gradient_descent(0.5)", plain),
    "momentum": ("momentum", lambda P: f"handle ({P}) with momentum(0.1, 0.9)", momentum),
    "adam": ("adam", lambda P: f"handle ({P}) with adam(0.05)", adam),
    "decay": ("decay momentum", lambda P: f"handle (handle ({P}) with decay(0.2)) with momentum(0.1, 0.9)", decay),
    "decay and adam": ("decay adam", lambda P: f"handle (handle ({P}) with decay(0.2)) with adam(0.05)", decayed_adam),
    "clip": ("clip backprop", lambda P: f"handle (handle ({P}) with clip(0.3)) with gradient_descent(0.5)", clip),
    "cosine": ("cosine", lambda P: f"handle ({P}) with cosine(0.5, 4)", cosine),
}


def started(folder: Path, files: str) -> Session:
    rng = np.random.default_rng(5)
    np.savez(folder / "mine.npz", x=rng.normal(size=(BATCH * STEPS, 5)), t=rng.normal(size=(BATCH * STEPS, 2)))
    includes = "".join([f'include "{file}.rh"\n' for file in files.split()])
    results, session = run(Session.start(folder), f"{includes}{NET}")
    assert not codes(results), codes(results)
    return session


def contents(session: Session) -> dict[str, Array]:
    return {location.name: array for location, array in session.heap.items()}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_three_batches_give_the_weights_of_pytorch(case: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    files, handled, made = CASES[case]
    session = started(tmp_path, files)
    before = contents(session)
    weights = {name: torch.tensor(before[name], requires_grad=True) for name in OWN}
    data = np.load(tmp_path / "mine.npz")
    step = made(torch, [*weights.values()])
    for number in range(STEPS):
        rows = slice(number * BATCH, (number + 1) * BATCH)
        x, t = torch.tensor(data["x"][rows]), torch.tensor(data["t"][rows])
        h = torch.tanh(x @ weights["first"].T + weights["first_b"])
        for i in range(4):
            h = torch.tanh(h @ weights[f"ws[{i}]"].T)
        loss = 0.5 * ((h @ weights["last"].T - t) ** 2).sum(1).mean()
        for w in weights.values():
            w.grad = None
        loss.backward()
        step([*weights.values()], number)
    P = handled("rev handle (x, t) <x, t>. error(x, t) with backprop")
    results, after = run(session, f'train {P} for (x, t) in data("mine.npz") epochs 1 batch {BATCH}')
    assert not codes(results), codes(results)
    found = contents(after)
    for name, w in weights.items():
        assert np.abs(found[name] - before[name]).max() > 1e-3
        np.testing.assert_allclose(found[name], w.detach().numpy(), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_each_evaluator_takes_the_steps_of_the_compiled_program(case: str, tmp_path: Path) -> None:
    files, handled, _ = CASES[case]
    session = started(tmp_path, files)
    P = handled("rev handle ([0.2, 0.9, -0.4, 1, 0], [1, -1]) <x, t>. error(x, t) with backprop")

    def after(evaluator: str) -> Mapping[str, Array]:
        results, found = run(session, f"%evaluator {evaluator}\n{P}\n{P}")
        assert not codes(results), codes(results)
        return contents(found)

    expected = after("compiled")
    assert not np.array_equal(expected["ws[2]"], contents(session)["ws[2]"])
    for evaluator in ("stepped", "denoted"):
        found = after(evaluator)
        assert found.keys() == expected.keys()
        for name, array in found.items():
            np.testing.assert_allclose(array, expected[name], rtol=1e-12, atol=1e-12, err_msg=name)
