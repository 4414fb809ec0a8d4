"""The transformers of the library learn what PyTorch's do, and the causal mask hides the future."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel import Workspace
from rh_kernel.session.included_files import LIBRARY
from rh_kernel.syntax.core import Array

Tensor = Any
"""An array of PyTorch, which need not be installed."""

RATE, BATCH, STEPS = 0.1, 4, 3
BLOCK = """include "attention.rh"
loc g : Real(8) = ones
loc s : Real(8) = zeros
loc l : Real(24, 8) = glorot(seed=1)
loc b : Real(24) = normal(0.1, seed=2)
loc mix : Real(8, 8) = glorot(seed=3)
loc c : Real(8) = zeros
loc g2 : Real(8) = normal(1, seed=4)
loc s2 : Real(8) = zeros
loc up : Real(12, 8) = glorot(seed=5)
loc up_b : Real(12) = zeros
loc down : Real(8, 12) = glorot(seed=6)
loc down_b : Real(8) = zeros
net loss(x : Real(6, 8), t : Real(6, 8)) : Real =
  let y <= block[2, g, s, l, b, mix, c, g2, s2, up, up_b, down, down_b](x, MASK) in
  return mean((y - t) * (y - t))
"""
DIGIT = "net loss(x : Real(tokens * token), t : Real(10)) : Real = let y <= digit(x) in return cross_entropy(y, t)\n"
TEXT = "net loss(x : Real(window + 1)) : Real = surprise(x)\n"


ROWS = """include "sgd.rh"
loc table : Real(3, 2) = [[1, 0], [-1, 2], [3, 1]]
loc g : Real(2) = [1, -2]
loc s : Real(2) = [0.5, 0]
loc w : Real(1, 2) = [[1, 3]]
loc b : Real(1) = [0.25]
net loss(i : Real(3)) : Real =
  let x <= Embed[table](i) in
  let y <= LayerNorm[g, s](x) in
  let y <= Dense[w, b](x + tanh(y)) in
  return dot(y, y)
"""


@dataclass(frozen=True)
class Problem:
    """A file of the library in certain sizes, or a program, and samples."""

    file: str
    sizes: tuple[tuple[str, int], ...]
    text: str
    samples: Callable[[int], Mapping[str, Array]]

    def start(self, folder: Path) -> Workspace:
        """Return a workspace with the program, and with samples for the three steps."""
        text = (LIBRARY / self.file).read_text(encoding="utf-8") if self.file else ""
        for name, number in self.sizes:
            (line,) = [line for line in text.splitlines() if line.startswith(f"dim {name} = ")]
            text = text.replace(line, f"dim {name} = {number}")
        workspace = Workspace(folder)
        workspace.run(text + self.text)
        workspace.data("mine", **self.samples(BATCH * STEPS))
        return workspace

    def names(self) -> str:
        return ", ".join(self.samples(1))


def rows(n: int) -> Mapping[str, Array]:
    draws = np.random.default_rng(3)
    return {"x": draws.standard_normal((n, 6, 8)), "t": draws.standard_normal((n, 6, 8))}


def pictures(pixels: int) -> Callable[[int], Mapping[str, Array]]:
    def samples(n: int) -> Mapping[str, Array]:
        draws = np.random.default_rng(4)
        return {"x": draws.random((n, pixels)), "t": np.eye(10)[draws.integers(10, size=n)]}

    return samples


def pieces(length: int, letters: int) -> Callable[[int], Mapping[str, Array]]:
    return lambda n: {"x": np.random.default_rng(5).integers(letters, size=(n, length)).astype(float)}


TINY_DIGIT = (("tokens", 2), ("token", 2), ("heads", 2), ("width", 4), ("inner", 3), ("blocks", 1))
TINY_TEXT = (
    *(("letters", 3), ("window", 3)),
    *(("text_heads", 2), ("text_width", 4), ("text_inner", 3), ("text_blocks", 1)),
)
PROBLEMS = {
    "block": Problem("", (), BLOCK.replace("MASK", "0"), rows),
    "causal block": Problem("", (), BLOCK.replace("MASK", "causal(fill[6](1))"), rows),
    "digits": Problem("transformer.rh", (), DIGIT, pictures(64)),
    "text": Problem("characters.rh", (), TEXT, pieces(33, 28)),
    "tiny digits": Problem("transformer.rh", TINY_DIGIT, DIGIT, pictures(4)),
    "tiny text": Problem("characters.rh", TINY_TEXT, TEXT, pieces(4, 3)),
}


def weights(workspace: Workspace) -> dict[str, Array]:
    return {name: np.array(array) for name, array in workspace.heap.items()}


def first_sample(problem: Problem) -> str:
    return ", ".join(str(array[0].tolist()) for array in problem.samples(1).values())


def assert_same(found: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    assert found.keys() == expected.keys()
    for location, array in found.items():
        np.testing.assert_allclose(array, expected[location], rtol=1e-12, atol=1e-12, err_msg=location)


def attend(w: Mapping[str, Tensor], names: tuple[str, ...], x: Tensor, heads: int, *, causal: bool) -> Tensor:
    """A block of PyTorch's functions, with the weights of these names."""
    f = pytest.importorskip("torch.nn.functional")
    g1, s1, l, b, mix, c, g2, s2, up, up_b, down, down_b = (w[name] for name in names)
    samples, r, width = x.shape
    y = f.linear(f.layer_norm(x, (width,), g1, s1), l, b)
    q, k, v = (part.reshape(samples, r, heads, -1).transpose(1, 2) for part in y.split(width, dim=2))
    y = f.scaled_dot_product_attention(q, k, v, is_causal=causal)
    x = x + f.linear(y.transpose(1, 2).reshape(samples, r, width), mix, c)
    y = f.linear(f.layer_norm(x, (width,), g2, s2), up, up_b)
    return x + f.linear(f.relu(y), down, down_b)


def stack(w: Mapping[str, Tensor], prefix: str, x: Tensor, heads: int, *, causal: bool) -> Tensor:
    kinds = ("gain1", "shift1", "qkv", "qkv_b", "mix", "mix_b", "gain2", "shift2", "up", "up_b", "down", "down_b")
    for i in range(sum(name.startswith(f"{prefix}gain1[") for name in w)):
        x = attend(w, tuple(f"{prefix}{kind}[{i}]" for kind in kinds), x, heads, causal=causal)
    return x


def loss_of_pytorch(name: str, w: Mapping[str, Tensor], batch: Mapping[str, Tensor]) -> Tensor:
    """The mean loss of a batch."""
    f = pytest.importorskip("torch.nn.functional")
    x, heads = batch["x"], 2 if "tiny" in name else 4
    if "block" in name:
        order = ("g", "s", "l", "b", "mix", "c", "g2", "s2", "up", "up_b", "down", "down_b")
        y = attend(w, order, x, 2, causal=name == "causal block")
        return f.mse_loss(y, batch["t"])
    if "digits" in name:
        tokens, width = w["place"].shape
        x = f.linear(x.reshape(len(x), tokens, -1), w["row_w"], w["row_b"]) + w["place"]
        x = f.layer_norm(stack(w, "", x, heads, causal=False), (width,), w["last_gain"], w["last_shift"])
        return f.cross_entropy(f.linear(x.mean(1), w["class_w"], w["class_b"]), batch["t"])
    letters = x.long()
    x = f.embedding(letters[:, :-1], w["letter"]) + w["letter_place"]
    x = f.layer_norm(stack(w, "text_", x, heads, causal=True), x.shape[2:], w["text_gain"], w["text_shift"])
    return f.cross_entropy(f.linear(x, w["next_w"], w["next_b"]).transpose(1, 2), letters[:, 1:])


@pytest.mark.slow
@pytest.mark.parametrize("name", PROBLEMS)
def test_three_batches_give_the_weights_of_pytorch(name: str, tmp_path: Path) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")
    problem = PROBLEMS[name]
    workspace = problem.start(tmp_path)
    before, samples = weights(workspace), problem.samples(BATCH * STEPS)
    w = {location: torch.tensor(array, requires_grad=True) for location, array in before.items()}
    for step in range(STEPS):
        batch = {key: torch.tensor(array[step * BATCH : (step + 1) * BATCH]) for key, array in samples.items()}
        grads = torch.autograd.grad(loss_of_pytorch(name, w, batch), list(w.values()))
        w = {key: (a - RATE * g).detach().requires_grad_() for (key, a), g in zip(w.items(), grads, strict=True)}
    names = problem.names()
    workspace.run(f"""train rev handle ({names}) <{names}>. loss({names}) with descend({RATE})
  for ({names}) in data("mine") epochs 1 batch {BATCH}""")
    found = weights(workspace)
    assert_same(found, {location: array.detach().numpy() for location, array in w.items()})
    for location, array in found.items():
        assert np.abs(array - before[location]).max() > 1e-5, location


# The stepper takes the derivative of each let twice (Fig. 6), so that of attention is long.
@pytest.mark.parametrize("evaluator", [pytest.param("stepped", marks=pytest.mark.slow), "denoted"])
@pytest.mark.parametrize("name", ["tiny digits", "tiny text"])
def test_each_evaluator_takes_the_step_of_the_compiled_program(name: str, evaluator: str, tmp_path: Path) -> None:
    problem = PROBLEMS[name]
    arguments, names = first_sample(problem), problem.names()

    def after(evaluator: str) -> dict[str, Array]:
        workspace = problem.start(tmp_path)
        workspace.run(f"%evaluator {evaluator}\nrev handle ({arguments}) <{names}>. loss({names}) with descend({RATE})")
        return weights(workspace)

    assert_same(after(evaluator), after("compiled"))


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
@pytest.mark.parametrize("name", ["tiny digits", "tiny text"])
def test_each_evaluator_finds_the_loss_of_the_compiled_program(name: str, evaluator: str, tmp_path: Path) -> None:
    problem = PROBLEMS[name]

    def loss(evaluator: str) -> Array:
        workspace = problem.start(tmp_path)
        return np.array(workspace.run(f"%evaluator {evaluator}\nhandle loss({first_sample(problem)}) with infer").value)

    assert loss(evaluator) == pytest.approx(loss("compiled"), rel=1e-12)


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
def test_each_evaluator_takes_a_step_of_the_layers_of_rows(evaluator: str, tmp_path: Path) -> None:
    def after(evaluator: str) -> dict[str, Array]:
        workspace = Workspace(tmp_path)
        workspace.run(f"{ROWS}\n%evaluator {evaluator}\nrev handle ([2, 0, 2]) <i>. loss(i) with descend(0.1)")
        return weights(workspace)

    found = after(evaluator)
    assert_same(found, after("compiled"))
    # Row 1 of the table has no part in the loss, and row 2 has two.
    assert np.array_equal(found["table"][1], [-1, 2])
    assert (found["table"] != [[1, 0], [-1, 2], [3, 1]]).any(axis=1).tolist() == [True, False, True]


def test_a_step_is_the_same_where_functions_must_be_smooth(tmp_path: Path) -> None:
    problem = PROBLEMS["tiny text"]

    def after(strict: str) -> dict[str, Array]:
        workspace = problem.start(tmp_path)
        workspace.run(f"%strict {strict}\nrev handle ({first_sample(problem)}) <x>. loss(x) with descend({RATE})")
        return weights(workspace)

    assert_same(after("on"), after("off"))


@pytest.mark.parametrize("place", [1, 7, 31])
def test_a_later_letter_changes_nothing_before_it(place: int, tmp_path: Path) -> None:
    workspace = PROBLEMS["text"].start(tmp_path)
    text = pieces(32, 28)(1)["x"][0]
    other = text.copy()
    other[place] = (text[place] + 1) % 28

    def guesses(text: Array) -> Array:
        return np.array(workspace.run(f"handle guesses({text.tolist()}) with infer").value)

    one, another = guesses(text), guesses(other)
    assert np.array_equal(one[:place], another[:place])
    assert (one[place:] != another[place:]).any(axis=1).all()


@pytest.mark.parametrize("mask", ["0", "causal(fill[5](1))"])
def test_each_row_of_weights_sums_to_1(mask: str, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    draws = np.random.default_rng(6)
    for name in ("q", "key"):
        workspace.const(name, 3 * draws.standard_normal((5, 4)))
    workspace.run('include "attention.rh"')
    found = np.array(workspace.run(f"weights(q, key, {mask})").value)
    np.testing.assert_allclose(found.sum(axis=1), 1, rtol=1e-14)
    seen = np.tri(5) if mask != "0" else np.ones((5, 5))
    assert np.array_equal(found > 0, seen > 0)


def test_looks_are_the_weights_of_attention(tmp_path: Path) -> None:
    workspace = PROBLEMS["block"].start(tmp_path)
    x = rows(1)["x"][0]
    workspace.const("rows", x)
    found = np.array(workspace.run("handle looks[2, l, b](rows, causal(fill[6](1))) with infer").value)
    y = x @ workspace.heap["l"].T + workspace.heap["b"]
    for head, shown in enumerate(found):
        q, k = (y[:, at + 4 * head : at + 4 * head + 4] for at in (0, 8))
        powers = np.exp(q @ k.T / 2) * np.tri(6)
        np.testing.assert_allclose(shown, powers / powers.sum(axis=1, keepdims=True), rtol=1e-12, atol=0)
