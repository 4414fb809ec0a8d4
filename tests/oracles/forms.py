"""A net for each of ``repeat``, ``if``, ``map`` and a truncated ``scan``, with the same loss written in PyTorch."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np

from rh_kernel import Workspace
from rh_kernel.syntax.core import Array
from rh_kernel.training.bundled import bundled
from tests.oracles.problems import STEPS, Weights, weights

Loss: TypeAlias = Callable[[Any, Mapping[str, Any], Any, Any], Any]
"""PyTorch's module, the weights by name, a batch x and t; the mean of the losses of its samples."""

BATCH = 20

PROLOGUE = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Weight[l : Loc(m, n)] : Real(0) -> Real(m, n)
op Carry : Real(h) -> Real(h)
loc rounds : Real = zeros
handler descend(rate : Real, window : Real) : rev handler(Real) = {
  return loss -> let _ <= Put[rounds](0) in return rate
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let now <= Get[l]() in
                   let _ <= Put[l](now - outer(y, x)) in
                   return w^T @ y
  Weight[l]() -> let w <= Get[l]() in return (w, ())
    | y, _ -> let now <= Get[l]() in
              let _ <= Put[l](now - y) in
              return ()
  Carry(s) -> return (s, ())
    | y, _ -> let done <= Get[rounds]() in
              let _ <= Put[rounds](done + 1) in
              if done + 1 < window then return y else return 0
}
fun cross_entropy(y : Real(k), t : Real(k)) : Real = -dot(t, log_softmax(y))
fun half_square(y : Real(k), t : Real(k)) : Real = 0.5 * dot(y - t, y - t)
"""


@dataclass(frozen=True, slots=True)
class Form:
    """A program with a net ``loss(x, t)``, the same loss in PyTorch, a data set, and how many rounds a cotangent goes back."""

    name: str
    text: str
    data: str
    rate: float
    loss: Loss
    window: int = 1000

    def __str__(self) -> str:
        return self.name


def _cross_entropy(torch: Any, y: Any, t: Any) -> Any:
    return torch.nn.functional.cross_entropy(y, t)


def _half_square(torch: Any, y: Any, t: Any) -> Any:
    return 0.5 * torch.nn.functional.mse_loss(y, t, reduction="sum") / len(y)


def _flow(torch: Any, w: Mapping[str, Any], x: Any, t: Any) -> Any:
    one = torch.ones(len(x), 1, dtype=x.dtype)
    for _ in range(50):
        x = x + torch.tanh(torch.cat([x, one], 1) @ w["p"].T) @ w["q"].T / 50
    return _half_square(torch, torch.cat([x, one], 1) @ w["out"].T, t)


def _blocks(torch: Any, w: Mapping[str, Any], x: Any, t: Any) -> Any:
    for i in range(6):
        x = x + 0.5 * torch.tanh(x @ w[f"ws[{i}]"].T)
    return _half_square(torch, x @ w["out"].T, t)


def _branches(torch: Any, w: Mapping[str, Any], x: Any, t: Any) -> Any:
    low = torch.tanh(x @ w["low"].T)
    high = (x @ w["high"].T) ** 2
    y = torch.where(x.sum(1, keepdim=True) < 0.7, low, high)
    bent = torch.where(y > 0.5, y * y, torch.where(y < -0.5, -y, 0.1 * y))
    return _half_square(torch, bent, t)


def _attention(torch: Any, w: Mapping[str, Any], x: Any, t: Any) -> Any:
    xs = x.reshape(-1, 8, 8)
    found = torch.nn.functional.scaled_dot_product_attention(xs @ w["wq"].T, xs @ w["wk"].T, xs @ w["wv"].T)
    return _cross_entropy(torch, found.sum(1) @ w["out"].T, t)


def _truncated(torch: Any, w: Mapping[str, Any], x: Any, t: Any) -> Any:
    s = torch.zeros(len(x), 6, dtype=x.dtype)
    for i, row in enumerate(x.reshape(-1, 8, 8).unbind(1)):
        s = s.detach() if i == 8 - 3 else s
        s = torch.tanh(row @ w["u"].T + s @ w["w"].T)
    return _cross_entropy(torch, s @ w["out"].T, t)


FORMS = (
    Form(
        "a flow of 50 steps",
        """
loc p : Real(5, 3) = glorot(seed=1)
loc q : Real(2, 5) = glorot(seed=2)
loc out : Real(1, 3) = glorot(seed=3)
net loss(x : Real(2), t : Real(1)) : Real =
  let s <= repeat i < 50 from s = x do
    let a <= FC[p](concat(s, [1])) in
    let v <= FC[q](tanh(a)) in
    return s + 0.02 * v
  in
  let y <= FC[out](concat(s, [1])) in
  return half_square(y, t)
""",
        "moons",
        0.5,
        _flow,
    ),
    Form(
        "six blocks",
        """
loc ws[6] : Real(2, 2) = glorot(seed=1)
loc out : Real(1, 2) = glorot(seed=2)
net loss(x : Real(2), t : Real(1)) : Real =
  let s <= repeat i < 6 from s = x do let y <= FC[ws[i]](s) in return s + 0.5 * tanh(y) in
  let y <= FC[out](s) in
  return half_square(y, t)
""",
        "moons",
        0.1,
        _blocks,
    ),
    Form(
        "two branches",
        """
loc low : Real(1, 2) = [[1.2, -0.7]]
loc high : Real(1, 2) = [[-0.9, 0.4]]
fun bent(y : Real) : Real = if y > 0.5 then y * y else if y < -0.5 then -y else 0.1 * y
net loss(x : Real(2), t : Real(1)) : Real =
  let y <= if sum(x) < 0.7
    then let y <= FC[low](x) in return tanh(y)
    else let y <= FC[high](x) in return y * y
  in return half_square(bent(y), t)
""",
        "moons",
        0.5,
        _branches,
    ),
    Form(
        "attention",
        """
loc wq : Real(4, 8) = glorot(seed=1)
loc wk : Real(4, 8) = glorot(seed=2)
loc wv : Real(5, 8) = glorot(seed=3)
loc out : Real(10, 5) = glorot(seed=4)
net loss(x : Real(64), t : Real(10)) : Real =
  let xs <- reshape[8, 8](x) in
  let wq <= Weight[wq]() in
  let wk <= Weight[wk]() in
  let wv <= Weight[wv]() in
  let ks <- map (x in xs) do wk @ x in
  let vs <- map (x in xs) do wv @ x in
  let found <- map (x in xs) do vs^T @ softmax(0.5 * (ks @ (wq @ x))) in
  let y <= FC[out](sum_rows(found)) in
  return cross_entropy(y, t)
""",
        "digits",
        0.3,
        _attention,
    ),
    Form(
        "a window of three rounds",
        """
loc u : Real(6, 8) = glorot(seed=1)
loc w : Real(6, 6) = glorot(seed=2)
loc out : Real(10, 6) = glorot(seed=3)
net loss(x : Real(64), t : Real(10)) : Real =
  let (_, s) <= scan (x in reshape[8, 8](x)) from s = fill[6](0) do
    let s <= Carry(s) in
    let a <= FC[u](x) in
    let b <= FC[w](s) in
    return ((), tanh(a + b))
  in
  let y <= FC[out](s) in
  return cross_entropy(y, t)
""",
        "digits",
        0.3,
        _truncated,
        window=3,
    ),
)


def samples(form: Form) -> tuple[Array, Array]:
    """Return the first batches of the form's data set."""
    arrays = bundled(form.data).arrays
    return arrays["x"][: BATCH * STEPS], arrays["t"][: BATCH * STEPS]


def _started(form: Form) -> Workspace:
    workspace, (x, t) = Workspace(), samples(form)
    workspace.data("first", x=x, t=t)
    workspace.run(PROLOGUE + form.text)
    return workspace


def _learnt(workspace: Workspace) -> Weights:
    return {name: content for name, content in weights(workspace).items() if name != "rounds"}


def trained(form: Form) -> Weights:
    """Return the weights after ``STEPS`` batches, by ``train``."""
    workspace = _started(form)
    workspace.run(f"""train rev handle (x, t) <x, t>. loss(x, t) with descend({form.rate}, {form.window})
  for (x, t) in data("first") epochs 1 batch {BATCH}
""")
    return _learnt(workspace)


def trained_by_pytorch(form: Form) -> Weights:
    """Return the weights after ``STEPS`` batches of plain gradient descent in float64."""
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    parameters = {name: torch.tensor(w, requires_grad=True) for name, w in _learnt(_started(form)).items()}
    optimiser = torch.optim.SGD([*parameters.values()], lr=form.rate)
    x, t = samples(form)
    for rows, targets in zip(np.split(x, STEPS), np.split(t, STEPS), strict=True):
        optimiser.zero_grad()
        form.loss(torch, parameters, torch.tensor(rows), torch.tensor(targets)).backward()
        optimiser.step()
    return {name: w.detach().numpy() for name, w in parameters.items()}
