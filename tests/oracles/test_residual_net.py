"""A residual net of 1,000 blocks in five lines: it has the weights of backpropagation by hand in NumPy, and it learns."""

import numpy as np

from rh_kernel import Workspace
from rh_kernel.session.results import TrainingDone
from rh_kernel.syntax.core import Array
from rh_kernel.training.bundled import bundled

BLOCKS, WIDTH, STEPS, BATCH, RATE, STEP_SIZE = 1000, 8, 3, 20, 0.5, 0.001

NET = f"""
loc ws[{BLOCKS}] : Real({WIDTH}, {WIDTH}) = normal(0.3, seed=1)
net resnet[vs : Loc(d, d)[k]](x : Real(d)) : Real(d) =
  repeat i < k from s = x do
    let y <= FC[vs[i]](s) in
    return s + {STEP_SIZE} * tanh(y)
"""

PROGRAM = f"""
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
{NET}
loc out : Real(1, {WIDTH}) = glorot(seed=2)
net classifier(x : Real(2)) : Real =
  let s <= resnet[ws](concat(x, fill[{WIDTH - 2}](1))) in
  FC[out](s)
handler descend(rate : Real, t : Real(k)) : rev handler(Real(k)) = {{
  return y -> return rate * (y - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}}
handler infer = {{
  return y -> return y
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
}}
"""


def weights(workspace: Workspace) -> tuple[Array, Array]:
    """Return copies of the blocks' weights and of the last layer's."""
    heap = workspace.heap
    return np.array([heap[f"ws[{i}]"] for i in range(BLOCKS)]), np.array(heap["out"])


def by_hand(ws: Array, out: Array, x: Array, t: Array) -> tuple[Array, Array]:
    """Return the weights after a step of gradient descent on the mean of a batch."""
    states = [np.concatenate([x, np.ones((len(x), WIDTH - 2))], axis=1)]
    for w in ws:
        states.append(states[-1] + STEP_SIZE * np.tanh(states[-1] @ w.T))
    y = RATE * (states[-1] @ out.T - t) / len(x)
    new_out, cotangent, new_ws = out - y.T @ states[-1], y @ out, ws.copy()
    for i, w in reversed(list(enumerate(ws))):
        inner = STEP_SIZE * cotangent * (1 - np.tanh(states[i] @ w.T) ** 2)
        new_ws[i] -= inner.T @ states[i]
        cotangent = cotangent + inner @ w
    return new_ws, new_out


def test_the_net_takes_five_lines() -> None:
    assert len(NET.strip().splitlines()) == 5


def test_a_thousand_blocks_have_the_weights_of_backpropagation_by_hand() -> None:
    data, workspace = bundled("moons").arrays, Workspace()
    x, t = data["x"][: STEPS * BATCH], data["t"][: STEPS * BATCH]
    workspace.data("first", x=x, t=t)
    workspace.run(PROGRAM)
    ws, out = weights(workspace)
    for x_i, t_i in zip(np.split(x, STEPS), np.split(t, STEPS), strict=True):
        ws, out = by_hand(ws, out, x_i, t_i)
    workspace.run(f"""train rev handle (x) <u>. classifier(u) with descend({RATE}, t)
  for (x, t) in data("first") epochs 1 batch {BATCH}
""")
    np.testing.assert_allclose(weights(workspace)[0], ws, rtol=0, atol=1e-12)
    np.testing.assert_allclose(weights(workspace)[1], out, rtol=0, atol=1e-12)


def test_it_learns() -> None:
    """It puts most held-out points of the two half circles on the right side."""
    workspace = Workspace()
    workspace.run(PROGRAM)
    outcomes = workspace.run(f"""train rev handle (x) <u>. classifier(u) with descend({RATE}, t)
  for (x, t) in data("moons.train") epochs 30 batch 30 shuffle 0
  measure let y <= handle classifier(x) with infer in return step((y - 0.5) * (t - 0.5)) on data("moons.test")
""").outcomes
    (done,) = [outcome.result for outcome in outcomes]
    assert isinstance(done, TrainingDone)
    assert done.measures[0][1][-1] > 0.85
