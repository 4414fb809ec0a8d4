"""The nets of the library learn what PyTorch's do, and the examples at the head of their files do what they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from rh_kernel.__main__ import main
from rh_kernel.session.included_files import LIBRARY
from rh_kernel.session.results import TrainingDone
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

BATCH, STEPS, SEED = 4, 3, 7

Weights: TypeAlias = Mapping[str, Any]
Loss: TypeAlias = Callable[[Any, Weights, Any, Any, Array], Any]
"""From PyTorch, the weights, the samples of a batch, their classes and their numbers to their losses."""


@dataclass(frozen=True, slots=True)
class Net:
    """A file of the library: a command for its loss, the same loss in PyTorch, its samples and the rate of a step,
    smaller sizes, and between which values its measure is after the example."""

    file: str
    command: str
    loss: Loss
    x: tuple[int, ...]
    rate: float
    tiny: Mapping[str, int]
    tiny_x: tuple[int, ...]
    learnt: tuple[float, float]

    def __str__(self) -> str:
        return self.file


def classified(scores: Any, t: Any, torch: Any) -> Any:
    return torch.nn.functional.cross_entropy(scores, t, reduction="none")


def of_lenet(torch: Any, w: Weights, x: Any, t: Any, _rows: Array) -> Any:
    F = torch.nn.functional
    for conv in ("conv1", "conv2"):
        x = F.avg_pool2d(torch.tanh(F.conv2d(x, w[f"{conv}_w"], w[f"{conv}_b"])), 2)
    x = torch.tanh(F.linear(x.flatten(1), w["wide_w"], w["wide_b"]))
    x = torch.tanh(F.linear(x, w["narrow_w"], w["narrow_b"]))
    return classified(F.linear(x, w["classes_w"], w["classes_b"]), t, torch)


def of_lstm(torch: Any, w: Weights, x: Any, t: Any, _rows: Array) -> Any:
    """PyTorch's own cell: it keeps the gates one below the other, and has a second bias, which stays 0."""
    whole = torch.cat([w[f"lstm_w[{i}]"] for i in range(4)])
    b = torch.cat([w[f"lstm_b[{i}]"] for i in range(4)])
    units = len(b) // 4
    cell = torch.nn.LSTMCell(8, units, dtype=torch.float64)
    parameters = {"weight_ih": whole[:, :8], "weight_hh": whole[:, 8:], "bias_ih": b, "bias_hh": torch.zeros_like(b)}
    state = (torch.zeros(len(x), units, dtype=torch.float64),) * 2
    for row in x.reshape(-1, 8, 8).unbind(1):
        state = torch.func.functional_call(cell, parameters, (row, state))
    return classified(torch.nn.functional.linear(state[0], w["lstm_classes_w"], w["lstm_classes_b"]), t, torch)


def of_gru(torch: Any, w: Weights, x: Any, t: Any, _rows: Array) -> Any:
    linear = torch.nn.functional.linear
    s = torch.zeros(len(x), len(w["gru_b[0]"]), dtype=torch.float64)
    for row in x.reshape(-1, 8, 8).unbind(1):
        use, keep = [torch.sigmoid(linear(torch.cat([row, s], 1), w[f"gru_w[{i}]"], w[f"gru_b[{i}]"])) for i in range(2)]
        candidate = torch.tanh(linear(torch.cat([row, use * s], 1), w["gru_w[2]"], w["gru_b[2]"]))
        s = keep * s + (1 - keep) * candidate
    return classified(linear(s, w["gru_classes_w"], w["gru_classes_b"]), t, torch)


def of_unet(torch: Any, w: Weights, x: Any, _t: Any, rows: Array) -> Any:
    F = torch.nn.functional
    noise = np.array([drawn(sample, x.shape[1:]) for sample in rows])

    def block(name: str, x: Any) -> Any:
        return F.relu(F.conv2d(x, w[f"{name}_w"], w[f"{name}_b"], padding=1))

    down = block("fine", x + 0.3 * torch.tensor(noise))
    further = block("middle", F.max_pool2d(down, 2))
    bottom = block("coarse", F.max_pool2d(further, 2))
    up = block("up_middle", torch.cat([further, F.interpolate(bottom, scale_factor=2)], 1))
    up = block("up_fine", torch.cat([down, F.interpolate(up, scale_factor=2)], 1))
    return F.mse_loss(F.conv2d(up, w["clean_w"], w["clean_b"]), x, reduction="none").mean((1, 2, 3))


def drawn(sample: int, shape: tuple[int, ...]) -> Array:
    """The noise that a sample gets in the first epoch."""
    bits = np.random.Philox(key=[SEED, 0], counter=[0, 0, sample, 0])
    return np.random.Generator(bits).standard_normal(shape)


NETS = (
    Net(
        file="lenet",
        command="let y <= lenet(x) in return cross_entropy(y, t)",
        loss=of_lenet,
        x=(1, 28, 28),
        rate=0.1,
        tiny={"side": 7, "window": 2, "maps": 2, "more_maps": 2, "wide": 3, "narrow": 3, "classes": 2},
        tiny_x=(1, 7, 7),
        learnt=(0.97, 1),
    ),
    Net(
        file="lstm",
        command="let y <= lstm_digit(x) in return cross_entropy(y, t)",
        loss=of_lstm,
        x=(64,),
        rate=0.5,
        tiny={"lstm_units": 2},
        tiny_x=(64,),
        learnt=(0.94, 1),
    ),
    Net(
        file="gru",
        command="let y <= gru_digit(x) in return cross_entropy(y, t)",
        loss=of_gru,
        x=(64,),
        rate=0.5,
        tiny={"gru_units": 2},
        tiny_x=(64,),
        learnt=(0.94, 1),
    ),
    # The noise alone has the mean square 0.09.
    Net(
        file="unet",
        command="denoising(x)",
        loss=of_unet,
        x=(1, 8, 8),
        rate=0.2,
        tiny={"side": 4, "fine": 1, "middle": 2, "coarse": 2},
        tiny_x=(1, 4, 4),
        learnt=(0, 0.09 / 3.5),
    ),
)
each = pytest.mark.parametrize("net", NETS, ids=str)


def started(net: Net, folder: Path, sizes: Mapping[str, int]) -> Session:
    """A session with the net in these sizes; those that are not named are as in the file."""
    text = (LIBRARY / f"{net.file}.rh").read_text(encoding="utf-8")
    for name, number in sizes.items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"dim {name} = ")]
        text = text.replace(line, f"dim {name} = {number}")
    (folder / f"{net.file}.rh").write_text(text, encoding="utf-8")
    results, session = run(Session.start(folder), f'include "{net.file}.rh"')
    assert not codes(results), codes(results)
    return session


def weights(session: Session) -> dict[str, Array]:
    return {location.name: array for location, array in session.heap.items()}


@pytest.mark.slow
@each
def test_three_batches_give_the_weights_of_pytorch(net: Net, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    rng = np.random.default_rng(3)
    x = rng.random((BATCH * STEPS, *net.x))
    classes = rng.integers(0, 10, len(x))
    np.savez(tmp_path / "mine.npz", x=x, t=np.eye(10)[classes])
    session = started(net, tmp_path, {})
    w = {name: torch.tensor(array, requires_grad=True) for name, array in weights(session).items()}
    for rows in np.split(np.arange(len(x)), STEPS):
        loss = net.loss(torch, w, torch.tensor(x[rows]), torch.tensor(classes[rows]), rows).mean()
        grads = torch.autograd.grad(loss, list(w.values()))
        w = {name: (a - net.rate * g).detach().requires_grad_() for (name, a), g in zip(w.items(), grads, strict=True)}
    train = f"""%seed {SEED}
train rev handle (x) <x>. {net.command} with descend({net.rate}) for (x, t) in data("mine.npz") epochs 1 batch {BATCH}"""
    results, after = run(session, train)
    assert not codes(results), codes(results)
    found = weights(after)
    for name, array in w.items():
        assert np.abs(found[name] - weights(session)[name]).max() > 1e-6, name
        np.testing.assert_allclose(found[name], array.detach().numpy(), rtol=1e-12, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
@each
def test_each_evaluator_takes_the_step_of_the_compiled_program(net: Net, evaluator: str, tmp_path: Path) -> None:
    session = started(net, tmp_path, net.tiny)
    x = np.random.default_rng(3).random(net.tiny_x).round(2).tolist()
    classes = net.tiny.get("classes", 10)
    text = f"const t : Real({classes}) = {np.eye(classes)[1].tolist()}\nrev handle ({x}) <x>. {net.command} with descend(0.5)"

    def after(evaluator: str) -> Mapping[str, Array]:
        results, found = run(session, f"%evaluator {evaluator}\n%seed 4\n{text}")
        assert not codes(results), codes(results)
        return weights(found)

    expected = after("compiled")
    for name, array in after(evaluator).items():
        np.testing.assert_allclose(array, expected[name], rtol=1e-12, atol=1e-12, err_msg=name)


def example(file: str) -> str:
    """The indented lines of the comment at the head of a file."""
    head = (LIBRARY / f"{file}.rh").read_text(encoding="utf-8").partition("\n\n")[0]
    return "\n".join([line.removeprefix("#   ") for line in head.splitlines() if line.startswith("#   ")])


FILES = sorted(path.stem for path in LIBRARY.glob("*.rh"))
WITH_EXAMPLES = [file for file in FILES if example(file)]


def test_nets_have_examples() -> None:
    assert {net.file for net in NETS} <= set(WITH_EXAMPLES)


@pytest.mark.parametrize("file", WITH_EXAMPLES)
def test_an_example_is_a_program(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "example.rh").write_text(example(file), encoding="utf-8")
    np.save(tmp_path / "pieces.npy", np.zeros((4, 33)))
    assert main(["check", str(tmp_path / "example.rh")]) == 0, capsys.readouterr().out
    *_, last = example(file).splitlines()
    said = capsys.readouterr().out
    assert "a training run on" in said or f"{last} : Real" in said


@pytest.mark.slow
@each
def test_the_example_learns(net: Net, tmp_path: Path) -> None:
    results, _ = run(Session.start(tmp_path), example(net.file))
    assert not codes(results), codes(results)
    (done,) = [result for result in results if isinstance(result, TrainingDone)]
    ((_, measured),) = done.measures
    least, most = net.learnt
    assert least < measured[-1] < most, measured
