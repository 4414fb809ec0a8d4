"""A convolutional net (RH Ex. 4.4, E.3) compiled: against differences of its loss, and in batches."""

import numpy as np
import pytest

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.execution import prepare, run
from rh_kernel.arrays.program import MeanOverBatch, ProductMean
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import real
from tests.arrays.test_batch import samples_one_by_one
from tests.arrays.validation import validate
from tests.arrays.written import Written, close, drawn

CNN = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Conv1D[l : Loc(d, c, k)] : Real(c, n) -> Real(d, n - k + 1)
op Conv2D[l : Loc(d, c, p, q)] : Real(c, h, w) -> Real(d, h - p + 1, w - q + 1)
op MaxPool1D[p : Dim] : Real(c, n) -> Real(c, ceil(n / p))
handler cnn(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
  Conv1D[l](x) -> let w <= Get[l]() in return (conv1d(x, w), (w, x))
    | y, z -> let (w, x) <- z in let (x', w') <- rd[conv1d](y, (x, w)) in let _ <= Put[l](w - w') in return x'
  Conv2D[l](x) -> let w <= Get[l]() in return (conv2d(x, w), (w, x))
    | y, z -> let (w, x) <- z in let (x', w') <- rd[conv2d](y, (x, w)) in let _ <= Put[l](w - w') in return x'
  MaxPool1D[p](x) -> return (maxpool1d[p](x), x) | y, z -> return rd[maxpool1d[p]](y, z)
}
handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
  Conv1D[l](x), k -> let w <= Get[l]() in k(conv1d(x, w))
  Conv2D[l](x), k -> let w <= Get[l]() in k(conv2d(x, w))
  MaxPool1D[p](x), k -> k(maxpool1d[p](x))
}
loc f1 : Real(3, 2, 3) = zeros
loc f2 : Real(2, 3, 2) = zeros
loc w0 : Real(2, 6) = zeros
net signal(x : Real(2, 12)) : Real(2) =
  let y <= Conv1D[f1](x) in
  let y <= MaxPool1D[2](swish(y)) in
  let y <= Conv1D[f2](pad1d[7](y)) in
  let y <= MaxPool1D[4](concat(y, slice[0, 1](upscale1d[6](y)))) in
  FC[w0](reshape[6](y))
loc g1 : Real(3, 1, 2, 3) = zeros
loc w1 : Real(2, 12) = zeros
net image(x : Real(1, 6, 7)) : Real(2) =
  let y <= Conv2D[g1](x) in
  let z <- maxpool2d[2](slice[0, 2](y)) in
  FC[w1](reshape[12](concat(avgpool2d[3](swish(slice[1, 3](y))), avgpool2d[2](slice[0, 1](z) * slice[1, 2](z)))))
"""
WORLD = Written(CNN)
INPUTS = {"signal": (2, 12), "image": (1, 6, 7)}
CONTENTS = {"f1": (3, 2, 3), "f2": (2, 3, 2), "w0": (2, 6), "g1": (3, 1, 2, 3), "w1": (2, 12)}
LOCATIONS = {"signal": ("f1", "f2", "w0"), "image": ("g1", "w1")}

each_net = pytest.mark.parametrize("net", INPUTS)


def contents(net: str) -> dict[str, Array]:
    return {l: drawn(i, *CONTENTS[l]) for i, l in enumerate(LOCATIONS[net], start=3)}


def loss(net: str, x: Array, t: Array, heap: dict[str, Array]) -> float:
    """``½ |net(x) − t|²``"""
    y, _ = WORLD.run(WORLD.program(f"handle {net}(x) with infer", x=real(*INPUTS[net])), x, **heap)
    return float(np.sum((np.asarray(y) - t) ** 2)) / 2


@each_net
def test_one_pass_is_a_step_down_the_slope_of_the_loss(net: str) -> None:
    """The result is the gradient in the input, and each location loses its gradient."""
    program = WORLD.program(f"rev handle (x) <u>. {net}(u) with cnn(1, t)", x=real(*INPUTS[net]), t=real(2))
    x, t, heap = drawn(1, *INPUTS[net]), drawn(2, 2), contents(net)
    gradient, after = WORLD.run(program, x, t, **heap)
    d, h = drawn(9, *INPUTS[net]), 1e-6
    slope = (loss(net, x + h * d, t, heap) - loss(net, x - h * d, t, heap)) / (2 * h)
    assert np.sum(np.asarray(gradient) * d) == pytest.approx(slope, rel=1e-5)
    for l, content in heap.items():
        d = drawn(8, *content.shape)
        ahead, behind = ({**heap, l: content + step * d} for step in (h, -h))
        slope = (loss(net, x, t, ahead) - loss(net, x, t, behind)) / (2 * h)
        assert np.sum((content - after[l]) * d) == pytest.approx(slope, rel=1e-5), l


@each_net
@pytest.mark.parametrize("b", [1, 3])
def test_a_batch_changes_the_filters_by_the_mean_of_the_changes(net: str, b: int) -> None:
    program = WORLD.program(f"rev handle (x) <u>. {net}(u) with cnn(0.1, t)", x=real(*INPUTS[net]), t=real(2))
    together = validate(batched(program, (True, True)))
    inputs, heap = [drawn(1, b, *INPUTS[net]), drawn(2, b, 2)], WORLD.heap(**contents(net))
    results, after = samples_one_by_one(program, inputs, heap)
    found, changes = run(together, inputs, heap)
    close(found, results[0], 1e-9)
    for at in heap:
        close(changes[at], after[at], 1e-9)


@each_net
def test_no_sample_has_filters_of_its_own(net: str) -> None:
    """What differs between samples is as large as a sample or its windows; a gradient is one product of matrices for all."""
    program = WORLD.program(f"rev handle (x) <u>. {net}(u) with cnn(0.1, t)", x=real(*INPUTS[net]), t=real(2))
    together = batched(program, (True, True))
    filters = [CONTENTS[l] for l in LOCATIONS[net] if len(CONTENTS[l]) > 2]
    assert not any(together.shapes[e.result] in filters and together.batched[e.result] for e in together.equations)
    kinds = [type(e.operator) for e in together.equations]
    assert kinds.count(ProductMean) == len(filters)
    assert MeanOverBatch not in kinds


def test_single_precision_stays_single() -> None:
    program = WORLD.program("rev handle (x) <u>. image(u) with cnn(0.1, t)", x=real(*INPUTS["image"]), t=real(2))
    heap = {at: a.astype(np.float32) for at, a in WORLD.heap(**contents("image")).items()}
    value, changes = prepare(program, "float32")([drawn(1, 1, 6, 7).astype(np.float32), drawn(2, 2).astype(np.float32)], heap)
    assert np.asarray(value).dtype == np.float32
    for array in changes.values():
        np.testing.assert_array_equal(array, array.astype(np.float32))
