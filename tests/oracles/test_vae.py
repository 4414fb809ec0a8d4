"""The variational autoencoder of the library learns what PyTorch's does, from the same draws."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.session.included_files import LIBRARY
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

RATE, BATCH, STEPS, SEED = 0.05, 4, 3, 7
SIZES = {"digits": (64, 32, 2), "tiny": (3, 2, 1)}
TRAIN = f"""%seed {SEED}
train rev handle (x) <x>. elbo(x) with descend({RATE}) for (x) in data("mine.npz") epochs 1 batch {BATCH}"""


def started(size: str, folder: Path, pictures: Array) -> Session:
    """A session with the net in these sizes, and the pictures as data."""
    text = (LIBRARY / "vae.rh").read_text(encoding="utf-8")
    for name, number in zip(("pixels", "hidden", "latent"), SIZES[size], strict=True):
        (line,) = [line for line in text.splitlines() if line.startswith(f"dim {name} = ")]
        text = text.replace(line, f"dim {name} = {number}")
    (folder / "vae.rh").write_text(text, encoding="utf-8")
    np.savez(folder / "mine.npz", x=pictures)
    results, session = run(Session.start(folder), 'include "vae.rh"')
    assert not codes(results)
    return session


def pictures(size: str) -> Array:
    return np.random.default_rng(3).random((BATCH * STEPS, SIZES[size][0]))


def weights(session: Session) -> dict[str, Array]:
    return {location.name: array for location, array in session.heap.items()}


def noise(size: str, sample: int) -> Array:
    """What sample ``sample`` draws in the first epoch."""
    bits = np.random.Philox(key=[SEED, 0], counter=[0, 0, sample, 0])
    return np.random.Generator(bits).standard_normal(SIZES[size][2])


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_three_batches_give_the_weights_of_pytorch(size: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    x = pictures(size)
    session = started(size, tmp_path, x)
    w = {name: torch.tensor(array, requires_grad=True) for name, array in weights(session).items()}
    for step in range(STEPS):
        rows = range(step * BATCH, (step + 1) * BATCH)
        batch, e = torch.tensor(x[list(rows)]), torch.tensor(np.array([noise(size, i) for i in rows]))
        h = torch.tanh(batch @ w["encoder_w"].T + w["encoder_b"])
        m, v = h @ w["mean_w"].T + w["mean_b"], h @ w["spread_w"].T + w["spread_b"]
        h = torch.tanh((m + torch.exp(0.5 * v) * e) @ w["decoder_w"].T + w["decoder_b"])
        y = h @ w["pixels_w"].T + w["pixels_b"]
        apart = 10 * torch.nn.functional.mse_loss(torch.sigmoid(y), batch, reduction="none").sum(1)
        loss = (apart + 0.5 * (torch.exp(v) + m * m - v).sum(1)).mean()
        grads = torch.autograd.grad(loss, list(w.values()))
        w = {name: (a - RATE * g).detach().requires_grad_() for (name, a), g in zip(w.items(), grads, strict=True)}
    results, after = run(session, TRAIN)
    assert not codes(results), codes(results)
    found = weights(after)
    for name, array in w.items():
        assert np.abs(found[name] - weights(session)[name]).max() > 1e-4
        np.testing.assert_allclose(found[name], array.detach().numpy(), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
def test_each_evaluator_takes_the_step_of_the_compiled_program(evaluator: str, tmp_path: Path) -> None:
    session = started("tiny", tmp_path, pictures("tiny"))
    step = "rev handle ([0.2, 0.9, 0.4]) <x>. elbo(x) with descend(0.05)"

    def after(evaluator: str) -> Mapping[str, Array]:
        results, found = run(session, f"%evaluator {evaluator}\n%seed 4\n{step}\n{step}")
        assert not codes(results), codes(results)
        return weights(found)

    expected = after("compiled")
    for name, array in after(evaluator).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-12, atol=1e-12, err_msg=name)
