"""Modules of PyTorch as programs: they give the same numbers, learn the same, and read as a person writes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import Imported, import_torch
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.workspace.workspace import Workspace
from tests.interchange.programs import EXACT, largest_difference, net_name, results, started

torch: Any = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")

pytestmark = pytest.mark.slow
nn: Any = import_module("torch.nn")
F: Any = import_module("torch.nn.functional")


class Residual(nn.Module):
    """A block of a ResNet, and a classifier behind it."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        self.conv2, self.bn2 = nn.Conv2d(4, 3, 3, padding=1, bias=False), nn.BatchNorm2d(3)
        self.fc = nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        y = F.relu(self.bn1(self.conv1(x)), inplace=True)
        y = self.bn2(self.conv2(y))
        y += x
        return self.fc(torch.flatten(F.adaptive_avg_pool2d(F.relu(y), 1), 1))


class Words(nn.Module):
    """The mean of the vectors of words."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.scores = nn.Embedding(11, 4), nn.Linear(4, 3)

    def forward(self, words: Any) -> Any:
        return self.scores(self.table(words).mean(1))


class Recurrent(nn.Module):
    """A recurrent layer, and a score for its last state."""

    def __init__(self, layer: Any, size: int = 5) -> None:
        super().__init__()
        self.layer, self.scores = layer, nn.Linear(size, 2)

    def forward(self, x: Any) -> Any:
        return self.scores(self.layer(x)[0][:, -1])


class Positions(nn.Module):
    """Learned vectors that are added, a scale, and a normalisation of another epsilon."""

    def __init__(self) -> None:
        super().__init__()
        self.place, self.gain = nn.Parameter(torch.randn(1, 4, 6)), nn.Parameter(torch.tensor(1.5))
        self.norm = nn.LayerNorm(6, eps=1e-3)
        self.register_buffer("wave", torch.sin(torch.arange(24.0)).reshape(4, 6))

    def forward(self, x: Any) -> Any:
        return self.norm(self.gain * (x + self.place) - self.wave).sum(1)


class Parts(nn.Module):
    """Pieces, products and broadcasts."""

    def forward(self, x: Any, y: Any) -> Any:
        a, b = x.chunk(2, dim=-1)
        c = torch.cat([a * b, y], 1)[:, 1:4].transpose(1, 2)
        d = torch.softmax(c, dim=1) @ y[:, :3]
        return d.reshape(1, -1), torch.stack([a.mean(-1), b.amax(-1)], 2).squeeze(), (x[:, ::2] / 2).unsqueeze(1).sum((1, 3))


def _sequential(*layers: Any) -> Callable[[], Any]:
    return lambda: nn.Sequential(*[layer() for layer in layers])


def _conv(*sizes: Any, **options: Any) -> Callable[[], Any]:
    return lambda: nn.Conv2d(*sizes, **options)


def _linear(*sizes: int, **options: Any) -> Callable[[], Any]:
    return lambda: nn.Linear(*sizes, **options)


MLP = _sequential(_linear(3, 5), nn.SiLU, _linear(5, 4), nn.Dropout, nn.Tanh, _linear(4, 2))
LENET = _sequential(
    _conv(1, 3, 5, padding=2), nn.Tanh, lambda: nn.MaxPool2d(2), _conv(3, 4, 3), nn.Tanh, lambda: nn.AvgPool2d(2), nn.Flatten,
    _linear(16, 8), nn.ReLU, _linear(8, 4),
)  # fmt: skip
ACTIVATIONS = _sequential(
    _linear(3, 4), nn.ELU, nn.SELU, lambda: nn.LeakyReLU(0.2), nn.Hardswish, nn.Hardsigmoid, lambda: nn.GELU("tanh"),
    lambda: nn.Softplus(2.0), nn.ReLU6, lambda: nn.Hardtanh(-0.5, 0.7), nn.Mish, nn.Softsign, nn.LogSigmoid, nn.Sigmoid,
    lambda: nn.LogSoftmax(-1), lambda: nn.Softmax(-1),
)  # fmt: skip


def _encoder(**options: Any) -> Callable[[], Any]:
    return lambda: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True, **options), 3, enable_nested_tensor=False
    )


@dataclass(frozen=True)
class Case:
    """A module, and the shapes of its inputs for one sample; of whole numbers below ``below`` if that is not 0."""

    name: str
    module: Callable[[], Any]
    shapes: tuple[tuple[int, ...], ...]
    below: int = 0

    def __str__(self) -> str:
        return self.name

    def example(self, seed: int = 0) -> tuple[Any, ...]:
        rng = np.random.default_rng(seed)
        if self.below:
            return tuple(torch.tensor(rng.integers(self.below, size=(1, *shape))) for shape in self.shapes)
        return tuple(torch.tensor(rng.normal(size=(1, *shape))) for shape in self.shapes)

    def made(self) -> Any:
        torch.manual_seed(5)
        torch.set_num_threads(1)
        module = self.module().double()
        for name, buffer in module.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_()
            if name.endswith("running_var"):
                buffer.uniform_(0.5, 2.0)
        return module.eval()


class Tied(nn.Module):
    """A table whose rows are the weights of the last layer, too."""

    def __init__(self) -> None:
        super().__init__()
        self.table, self.scores = nn.Embedding(7, 4), nn.Linear(4, 7, bias=False)
        self.scores.weight = self.table.weight

    def forward(self, words: Any) -> Any:
        return self.scores(torch.tanh(self.table(words).mean(1)))


class Chosen(nn.Module):
    """Masks, and what is turned round."""

    def __init__(self) -> None:
        super().__init__()
        self.bent = nn.PReLU(3)

    def forward(self, x: Any) -> Any:
        mask = torch.ones(4, 4).tril()
        scores = (x.transpose(1, 2) @ x).masked_fill(mask == 0, float("-inf")).softmax(-1)
        chosen = torch.where(mask > 0, scores, 2.0).flip(1)
        return self.bent(x), torch.logsumexp(chosen, (1, 2)), torch.logsumexp(scores, 1)


class Looking(nn.Module):
    """Attention that also returns how much each row looks at each, and one with a causal mask."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x: Any) -> Any:
        y, weights = self.attention(x, x, x)
        z = F.scaled_dot_product_attention(y, x, x, is_causal=True)
        mask = torch.ones(5, 5, dtype=torch.bool).tril(1)
        return F.scaled_dot_product_attention(z, x, y, attn_mask=mask, scale=0.5), weights


CASES = (
    Case("tied", Tied, ((5,),), below=7),
    Case("chosen", Chosen, ((3, 4),)),
    Case("looking", Looking, ((5, 8),)),
    Case("normalised behind", lambda: nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), ((5, 8),)),
    Case("mlp", MLP, ((3,),)),
    Case("lenet", LENET, ((1, 12, 12),)),
    Case("activations", ACTIVATIONS, ((3,),)),
    Case("residual", Residual, ((3, 6, 5),)),
    Case("words", Words, ((6,),), below=11),
    Case("lstm", lambda: Recurrent(nn.LSTM(3, 5, num_layers=2, batch_first=True)), ((4, 3),)),
    Case("gru", lambda: Recurrent(nn.GRU(3, 5, batch_first=True)), ((4, 3),)),
    Case("gru without bias", lambda: Recurrent(nn.GRU(3, 5, bias=False, batch_first=True)), ((4, 3),)),
    Case("elman", lambda: Recurrent(nn.RNN(3, 5, nonlinearity="relu", batch_first=True)), ((4, 3),)),
    Case("encoder", _encoder(), ((5, 8),)),
    Case("encoder with gelu", _encoder(activation=nn.GELU("tanh")), ((5, 8),)),
    Case("positions", Positions, ((4, 6),)),
    Case("parts", Parts, ((4, 6), (3, 3))),
    Case("rows", _sequential(_linear(3, 4, bias=False), nn.ReLU, _linear(4, 2)), ((5, 3),)),
    Case(
        "signals", _sequential(lambda: nn.Conv1d(2, 3, 3, padding=1), nn.ReLU, lambda: nn.AvgPool1d(2), nn.Flatten), ((2, 8),)
    ),
    Case("uneven", _sequential(_conv(1, 2, (2, 3), padding=(0, 1)), lambda: nn.AvgPool2d(2, ceil_mode=True)), ((1, 6, 5),)),
    Case("same", _sequential(_conv(1, 2, 4, padding="same"), lambda: nn.MaxPool2d(3, ceil_mode=True)), ((1, 7, 7),)),
    Case("batch norm alone", _sequential(lambda: nn.BatchNorm2d(3), nn.ReLU), ((3, 4, 4),)),
    Case("batch norm of a layer", _sequential(_linear(3, 4), lambda: nn.BatchNorm1d(4)), ((3,),)),
)
BY_NAME = {case.name: case for case in CASES}


def _read(case: Case) -> tuple[Any, Imported]:
    module = case.made()
    return module, import_torch(module, case.example())


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_module_gives_the_same_numbers(case: Case, tmp_path: Path) -> None:
    module, found = _read(case)
    workspace = started(found, tmp_path)
    for seed in (0, 1, 2):
        example = case.example(seed)
        # Without gradients, PyTorch's encoder takes another path, in which each gelu is the one with the error function.
        expected = module(*example)
        leaves = [x.detach().numpy() for x in (expected if isinstance(expected, tuple) else (expected,))]
        given = results(workspace, found, [x.numpy()[0] for x in example])
        assert largest_difference(given, leaves) < EXACT


@pytest.mark.parametrize("name", ["mlp", "lenet", "words", "tied", "gru", "lstm", "encoder", "positions", "signals"])
def test_three_steps_of_training_equal_those_of_pytorch(name: str, tmp_path: Path) -> None:
    """Plain gradient descent on the sum of squares, or the entropy, of a module of several results."""
    case = BY_NAME[name]
    module, found = _read(case)
    workspace = started(found, tmp_path)
    optimiser = torch.optim.SGD(module.parameters(), lr=0.1)
    net = net_name(found)
    result = module(*case.example())
    is_vector = result.dim() == 2
    target = np.eye(result.shape[-1])[1]
    workspace.const("target", target)
    for seed in range(3):
        example = case.example(seed)
        optimiser.zero_grad()
        y = module(*example)
        loss = F.cross_entropy(y, torch.tensor(target)[None]) if is_vector else (y**2).mean()
        loss.backward()
        optimiser.step()
        workspace.const("sample", example[0].numpy()[0].astype(float))
        scores = "cross_entropy(y, target)" if is_vector else "mean(y * y)"
        workspace.run(f"rev handle (sample) <x>. let y <= {net}(x) in return {scores} with descend(0.1)")
    learned = {name: p.detach().numpy() for name, p in module.named_parameters()}
    contents = {
        name: content for name, content in workspace.heap.items() if not name.startswith(("example", "expected", "wave"))
    }
    assert sum(c.size for c in contents.values()) == sum(p.size for p in learned.values())
    for expected in learned.values():
        differences = [np.max(np.abs(np.ravel(c) - np.ravel(expected))) for c in contents.values() if c.size == expected.size]
        assert min(differences) < EXACT


@pytest.mark.parametrize("name", ["mlp", "lenet", "words", "encoder"])
def test_an_optimiser_further_out_makes_the_same_step(name: str, tmp_path: Path) -> None:
    """``backprop`` with ``gradient_descent``, and ``descend``."""
    case = BY_NAME[name]
    _, found = _read(case)
    sample, net = case.example(1)[0].numpy()[0].astype(float), net_name(found)
    heaps: list[dict[str, Any]] = []
    for way in (
        "rev handle (sample) <x>. {} with descend(0.1)",
        "handle (rev handle (sample) <x>. {} with backprop) with gradient_descent(0.1)",
    ):
        workspace = started(found, tmp_path)
        workspace.const("sample", sample)
        workspace.run('include "backprop.rh"')
        workspace.run(way.format(f"let y <= {net}(x) in return mean(y * y)"))
        heaps.append(dict(workspace.heap))
    assert all(np.allclose(heaps[0][name], heaps[1][name], rtol=0, atol=EXACT) for name in heaps[0])


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
@pytest.mark.parametrize("name", ["mlp", "gru", "rows", "encoder"])
def test_all_evaluators_run_the_file(name: str, evaluator: str, tmp_path: Path) -> None:
    _, found = _read(BY_NAME[name])
    file = found.save(tmp_path / "net.rh")
    workspace = Workspace(tmp_path)
    workspace.run(f"%evaluator {evaluator}\n{file.read_text(encoding='utf-8')}")


def test_the_text_of_an_mlp_is_what_a_person_writes() -> None:
    module, example = BY_NAME["mlp"].made(), torch.tensor([[0.5, -1.0, 2.0]], dtype=torch.float64)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(0)
    assert import_torch(module, example).text == MLP_TEXT


MLP_TEXT = """\
# The module Sequential of PyTorch, for one sample. The weights are in sequential.safetensors.
#
#   include "sequential.rh"
#   handle sequential(input) with infer
#   rev handle (input) <input>. let y <= sequential(input) in return cross_entropy(y, t) with descend(0.1)

include "sgd.rh"

loc layer0_weight : Real(5, 3) = load("sequential.safetensors")
loc layer0_bias : Real(5) = load("sequential.safetensors")
loc layer2_weight : Real(4, 5) = load("sequential.safetensors")
loc layer2_bias : Real(4) = load("sequential.safetensors")
loc layer5_weight : Real(2, 4) = load("sequential.safetensors")
loc layer5_bias : Real(2) = load("sequential.safetensors")
const example : Real(3) = [0.5, -1, 2]
const expected : Real(2) = [0, 0]

net sequential(input : Real(3)) : Real(2) =
  let x <= Affine[layer0_weight, layer0_bias](input) in
  let x <= Affine[layer2_weight, layer2_bias](swish(x)) in
  Affine[layer5_weight, layer5_bias](tanh(x))

check handle sequential(example) with infer == expected within 1e-09
"""


def test_blocks_that_are_alike_are_rounds_of_a_loop(tmp_path: Path) -> None:
    _, found = _read(BY_NAME["encoder"])
    assert "repeat i < 3 from x = src do" in found.text
    assert 'loc layers_linear1_weight[3] : Real(16, 8) = load("' in found.text
    assert {f"layers_norm1_bias[{i}]" for i in range(3)} <= set(found.weights)
    started(found, tmp_path)


def test_blocks_that_make_another_shape_are_not(tmp_path: Path) -> None:
    blocks = [layer for _ in range(3) for layer in (nn.Conv2d(2, 2, 1, padding=1), nn.SiLU())]
    found = import_torch(nn.Sequential(*blocks).double().eval(), torch.ones(1, 2, 4, 4, dtype=torch.float64))
    assert "repeat" not in found.text
    started(found, tmp_path)


def test_blocks_with_one_weight_in_common_are_not(tmp_path: Path) -> None:
    shared = nn.Linear(3, 3)
    module = nn.Sequential(shared, nn.Tanh(), nn.Linear(3, 3), nn.Tanh(), shared).double().eval()
    found = import_torch(module, torch.ones(1, 3, dtype=torch.float64))
    assert "repeat" not in found.text
    assert len([line for line in found.text.splitlines() if line.startswith("loc ")]) == 4
    started(found, tmp_path)


REFUSED = (
    (_conv(1, 2, 3, stride=2), (1, 8, 8), "its stride is 2"),
    (_conv(1, 2, 3, dilation=2), (1, 8, 8), "its dilation is 2"),
    (_conv(2, 2, 3, groups=2), (2, 8, 8), "it has 2 groups"),
    (lambda: nn.MaxPool2d(3, stride=2), (1, 8, 8), "its windows are 3 and its stride 2"),
    (lambda: nn.MaxPool2d(3), (1, 8, 8), "a window of 3 does not divide 8"),
    (lambda: nn.AvgPool2d(2, padding=1), (1, 8, 8), "it has padding"),
    (lambda: nn.MaxPool2d((2, 4)), (1, 8, 8), "its windows are 2 × 4"),
    (nn.GELU, (3,), "it needs the error function"),
    (lambda: nn.BatchNorm2d(2).train(), (2, 8, 8), "it takes the statistics of the batch"),
    (lambda: nn.Dropout(0.5).train(), (3,), "it drops entries"),
    (lambda: nn.LSTM(3, 4, bidirectional=True, batch_first=True), (5, 3), "it goes in both directions"),
    (lambda: nn.ConvTranspose2d(1, 2, 3), (1, 8, 8), "there is no transposed convolution"),
    (lambda: nn.GroupNorm(1, 2), (2, 8, 8), "there is no normalisation of groups"),
    (lambda: nn.Softmax(0), (3,), "it goes along the axis of samples"),
)


@pytest.mark.parametrize(("module", "shape", "why"), REFUSED, ids=[case[2] for case in REFUSED])
def test_what_has_no_counterpart_is_refused(module: Callable[[], Any], shape: tuple[int, ...], why: str) -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(module(), torch.ones(1, *shape))
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, why in diagnostic.message) == ("RH371", True), diagnostic.message
    assert diagnostic.hint


def test_all_that_is_refused_is_named_at_once() -> None:
    module = nn.Sequential(
        nn.Conv2d(1, 2, 3, stride=2),
        nn.GELU(),
        nn.Conv2d(2, 2, 1, stride=2),
        nn.Flatten(),
        nn.GELU(),
        nn.Linear(8, 2),
        nn.Dropout(),
    )
    with pytest.raises(Rejected) as raised:
        import_torch(module, torch.ones(1, 1, 8, 8))
    found = [(d.message.split()[0], d.message.split("(")[-1]) for d in raised.value.diagnostics]
    assert found == [("conv2d", "0, 2)"), ("gelu", "1, 4)"), ("dropout", "6)")]


@pytest.mark.parametrize("shape", [(3,), (4, 3), (0, 3)])
def test_an_example_has_an_axis_of_one_sample(shape: tuple[int, ...]) -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(nn.Linear(3, 2), torch.ones(*shape))
    assert [d.code for d in raised.value.diagnostics] == ["RH373"]


def test_a_module_that_takes_a_sample_as_such(tmp_path: Path) -> None:
    found = import_torch(nn.Linear(3, 2).double(), torch.ones(3, dtype=torch.float64), batch=False)
    started(found, tmp_path)


@pytest.mark.parametrize(("module", "example"), [(len, torch.ones(1, 3)), (nn.Linear(3, 2), [1.0]), (nn.Linear(3, 2), ())])
def test_what_is_no_module_or_no_example_is_refused(module: Any, example: Any) -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(module, example)
    assert [d.code for d in raised.value.diagnostics] == ["RH372"]


@pytest.mark.parametrize("suffix", [".pt", ".safetensors"])
def test_weights_of_a_file(suffix: str, tmp_path: Path) -> None:
    module, other = nn.Linear(3, 2), nn.Linear(3, 2)
    file = tmp_path / f"weights{suffix}"
    if suffix == ".pt":
        torch.save(other.state_dict(), file)
    else:
        import_module("safetensors.torch").save_file(other.state_dict(), file)
    before = module.weight.detach().clone()
    found = import_torch(module, torch.ones(1, 3), state_dict=file)
    assert np.array_equal(found.weights["weight"], other.weight.detach().numpy())
    assert torch.equal(module.weight, before)
    started(found, tmp_path)


class Harmful:
    """What an attacker pickles: reading it writes a file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.touch, (self.place,)


def test_a_file_of_weights_executes_nothing(tmp_path: Path) -> None:
    torch.save({"weight": Harmful(tmp_path / "written")}, tmp_path / "weights.pt")
    (tmp_path / "text.pt").write_text("no weights", encoding="utf-8")
    torch.save(nn.Linear(4, 4).state_dict(), tmp_path / "other.pt")
    for name in ("weights.pt", "text.pt", "other.pt"):
        with pytest.raises(Rejected) as raised:
            import_torch(nn.Linear(3, 2), torch.ones(1, 3), state_dict=tmp_path / name)
        assert [d.code for d in raised.value.diagnostics] == ["RH372"]
    assert not (tmp_path / "written").exists()
    with pytest.raises(Rejected) as raised:
        import_torch(nn.Linear(3, 2), torch.ones(1, 3), state_dict=tmp_path / "nowhere.pt")
    assert [d.code for d in raised.value.diagnostics] == ["RH302"]


class Branches(nn.Module):
    def forward(self, x: Any) -> Any:
        return x if x.sum() > 0 else -x


def test_half_precision_is_read(tmp_path: Path) -> None:
    found = import_torch(nn.Linear(3, 2).bfloat16(), torch.ones(1, 3, dtype=torch.bfloat16))
    assert {str(array.dtype) for array in found.weights.values()} == {"float32"}
    assert "within 5e-02" in found.text
    started(found, tmp_path)


class Nothing(nn.Module):
    def forward(self, x: Any) -> Any:
        return x.shape[1]


def test_a_module_without_results_is_refused() -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(Nothing(), torch.ones(1, 3))
    assert [d.code for d in raised.value.diagnostics] == ["RH372"]


class Unusual(nn.Module):
    """Operations in forms that are not read."""

    def forward(self, x: Any) -> Any:
        a = torch.einsum("bi,bj->bij", x, x)
        b = torch.where(x > 0, x, -x).cumsum(1)
        return a, b, x.clamp(min=x.mean()), x.argmax(1), x.norm(dim=1), x.std(1)


def test_operations_in_unusual_forms_are_refused() -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(Unusual(), torch.ones(1, 3))
    assert {d.code for d in raised.value.diagnostics} == {"RH371"}
    assert "argmax" in [d.message.split()[0] for d in raised.value.diagnostics]


def test_a_module_that_looks_at_values_is_refused() -> None:
    with pytest.raises(Rejected) as raised:
        import_torch(Branches(), torch.ones(1, 3))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "RH372"
    assert "torch.export fails" in diagnostic.message


class Fixed(nn.Module):
    """A convolution and a product whose weights are not parameters; one of their biases is one."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(3))
        for name, shape in (("filters", (2, 1, 2, 2)), ("shifts", (2,)), ("matrix", (3, 18))):
            self.register_buffer(name, torch.randn(shape))

    def forward(self, x: Any) -> Any:
        return F.linear(F.conv2d(x, self.filters, self.shifts).flatten(1), self.matrix, self.bias)


class FixedWords(nn.Module):
    """Rows of a table that is no parameter, and a shift."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.randn(3))
        self.register_buffer("table", torch.randn(4, 3))

    def forward(self, i: Any) -> Any:
        return F.embedding(i, self.table).sum(1) + self.bias


@pytest.mark.parametrize(
    ("made", "example"), [(Fixed, torch.ones(1, 1, 4, 4, dtype=torch.float64)), (FixedWords, torch.tensor([[1, 3]]))]
)
def test_layers_of_constants_do_not_learn(made: Any, example: Any, tmp_path: Path) -> None:
    torch.manual_seed(0)
    module = made().double().eval()
    found = import_torch(module, example)
    workspace = started(found, tmp_path)
    before = dict(workspace.heap)
    workspace.const("sample", example.numpy()[0].astype(float))
    workspace.run(f"rev handle (sample) <x>. let y <= {net_name(found)}(x) in return mean(y * y) with descend(0.1)")
    (module(example) ** 2).mean().backward()
    changed = {n: content for n, content in workspace.heap.items() if not np.array_equal(content, before[n])}
    assert list(changed) == ["bias"]
    learned = module.bias.detach() - 0.1 * module.bias.grad
    assert np.max(np.abs(np.ravel(changed["bias"]) - learned.numpy())) < EXACT
