"""Comparisons, choices and numbers of rows of other libraries as programs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.imported import Imported, import_jax, import_onnx, import_torch
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from tests.interchange import models
from tests.interchange.programs import EXACT, SINGLE, largest_difference, results, started
from tests.tiers import law

jax: Any = pytest.importorskip("jax", reason="JAX is in the extra interchange")
onnx: Any = pytest.importorskip("onnx", reason="ONNX is in the extra interchange")

pytestmark = pytest.mark.slow
jnp: Any = import_module("jax.numpy")
lax: Any = import_module("jax.lax")

SIGNS = {"Greater": np.greater, "GreaterOrEqual": np.greater_equal, "Less": np.less, "LessOrEqual": np.less_equal}


@pytest.fixture(autouse=True)
def _double() -> Any:
    with jax.enable_x64(True):
        yield


def _agree(found: Imported, folder: Path, x: Array, wanted: Array, tolerance: float = EXACT) -> None:
    assert largest_difference(results(started(found, folder), found, [x]), [wanted]) < tolerance


@law(12)
@given(sign=st.sampled_from(sorted(SIGNS)), is_negated=st.booleans(), is_number=st.booleans(), seed=st.integers(0, 9))
def test_comparisons_of_onnx(
    tmp_path_factory: pytest.TempPathFactory, sign: str, is_negated: bool, is_number: bool, seed: int
) -> None:
    """Of whole numbers, so that some are equal."""
    folder = tmp_path_factory.mktemp("where")
    nodes = [models.node("Neg", ["x"], ["y"]), models.node(sign, ["x", "y"], ["c"])]
    nodes += [models.node("Not", ["c"], ["d"])] * is_negated
    condition = "d" if is_negated else "c"
    if is_number:
        nodes.append(models.node("Cast", [condition], ["z"], to=1))
    else:
        nodes += [models.node("Exp", ["x"], ["e"]), models.node("Where", [condition, "e", "x"], ["z"])]
    model = models.model(nodes, [models.value("x", [2, 3])], [models.value("z", [2, 3])])
    found = import_onnx(models.saved(model, folder / "m.onnx"), batch=False)
    x = np.random.default_rng(seed).integers(-1, 2, (2, 3)).astype(np.float32)
    c = SIGNS[sign](x, -x) ^ is_negated
    _agree(found, folder, x, c.astype(float) if is_number else np.where(c, np.exp(x), x), SINGLE)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "entries": lambda x: jnp.where(x > 0, x, 0.1 * x),
    "limits": lambda x: jnp.where((x > -0.5) & ~(x >= 0.5) | (x < -2), jnp.sin(x), 7.0),
    "one for all": lambda x: jnp.where(x.sum() <= 0, jnp.exp(x), x),
    "a row for all": lambda x: jnp.where(x[:1] > x[1:2], x, -x),
    "numbers": lambda x: (x > 0.2) * x + (x < 0).astype(int),
    "above": lambda x: jnp.where(x.sum() > 1, 2 * x, x),
    "not above": lambda x: jnp.where(x.sum() <= 1, 2 * x, x),
    "large": lambda x: jnp.where(x > 0, x, jnp.exp(1e3 * x)),
    "infinity": lambda x: jax.nn.softmax(jnp.where(x > -1.5, x, -jnp.inf)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_choices_of_jax(name: str, tmp_path: Path) -> None:
    function = FUNCTIONS[name]
    x = jnp.asarray(np.random.default_rng(1).normal(size=(3, 4)))
    found = import_jax(function, x, batch=False)
    other = np.random.default_rng(2).normal(size=(3, 4))
    _agree(found, tmp_path, other, np.asarray(function(jnp.asarray(other))))


def test_a_choice_reads_as_a_person_writes(tmp_path: Path) -> None:
    found = import_jax(FUNCTIONS["above"], jnp.ones((1, 3)))
    assert "select(sum(x) - 1, 2 * x, x)" in found.text
    turned = import_jax(FUNCTIONS["not above"], jnp.ones((1, 3)))
    assert "select(sum(x) - 1, x, 2 * x)" in turned.text
    started(found, tmp_path)


def test_nothing_of_the_other_branch_is_left(tmp_path: Path) -> None:
    """The other branch may be infinite."""
    found = import_jax(FUNCTIONS["large"], jnp.full((1, 3), 0.1))
    _agree(found, tmp_path, np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))


def test_rows_of_jax_by_real_numbers(tmp_path: Path) -> None:
    table = jnp.asarray(np.random.default_rng(0).normal(size=(5, 2)))

    def rows(x: Any) -> Any:
        return table[x.astype(jnp.int32)]

    found = import_jax(rows, jnp.array([[1.0, 4.0]]))
    assert "Embed[table](x)" in found.text
    _agree(found, tmp_path, np.array([3.0, 0.0]), np.asarray(table)[[3, 0]])


NO_CHOICES: tuple[tuple[Callable[[Any], Any], str], ...] = (
    (lambda x: x.astype(int) + x, "it rounds to whole numbers"),
    (lambda x: x.astype(bool) * x, "it makes truth values of numbers"),
    (lambda x: lax.select_n(x.astype(int), x, -x, 2 * x), "it chooses between more than two"),
    (lambda x: jnp.where(x == 0, 1, x), "it depends on whether values are equal"),
)


@pytest.mark.parametrize(("function", "why"), NO_CHOICES)
def test_what_is_no_choice_is_refused(function: Callable[[Any], Any], why: str) -> None:
    with pytest.raises(Rejected, match=why):
        import_jax(function, jnp.ones((1, 3)))


def test_whole_numbers_of_onnx_that_number_no_rows_are_refused(tmp_path: Path) -> None:
    nodes = [models.node("Cast", ["x"], ["i"], to=7, name="here"), models.node("Cast", ["i"], ["y"], to=1)]
    model = models.model(nodes, [models.value("x", ["n", 3])], [models.value("y", ["n", 3])])
    with pytest.raises(Rejected) as raised:
        import_onnx(models.saved(model, tmp_path / "m.onnx"))
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.message == "Cast cannot be imported: it rounds to whole numbers (here)"


def test_numbers_of_rows_of_onnx_are_drawn_as_whole_numbers(tmp_path: Path) -> None:
    nodes = [models.node("Cast", ["x"], ["i"], to=7), models.node("Gather", ["table", "i"], ["y"])]
    table = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    model = models.model(
        nodes, [models.value("x", ["n", 3])], [models.value("y", ["n", 3, 2])], [models.tensor("table", table)]
    )
    found = import_onnx(models.saved(model, tmp_path / "m.onnx"))
    assert "Embed[table](x)" in found.text
    _agree(found, tmp_path, np.array([4.0, 0.0, 2.0]), table[[4, 0, 2]], SINGLE)


def _module(forward: Callable[[Any, Any], Any]) -> tuple[Any, Any]:
    """A module of PyTorch with a table, and an example."""
    torch: Any = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Parameter(torch.linspace(0, 1, 12, dtype=torch.float64).reshape(4, 3))

        def forward(self, x: Any) -> Any:
            return forward(self, x)

    return Net().eval(), torch.tensor([[1.0, 0.0, 3.0]], dtype=torch.float64)


MODULES: dict[str, Callable[[Any, Any], Any]] = {
    "where": lambda m, x: x.where(x > 1, 3 - x),
    "a number": lambda m, x: (x >= 1).to(x.dtype) * x + (x.sum() < 3).double(),
    "a mask": lambda m, x: x.masked_fill((x < 1) | ~(x <= 2), -7.0),
    "rows": lambda m, x: m.table[x.long()],
    "rows at places": lambda m, x: (x @ m.table[:3])[:, [2, 0, -1]],
}


@pytest.mark.parametrize("name", MODULES)
def test_choices_of_pytorch(name: str, tmp_path: Path) -> None:
    module, x = _module(MODULES[name])
    found = import_torch(module, x)
    other = x.flip(1) * (x > 0)
    _agree(found, tmp_path, other[0].numpy(), module(other)[0].detach().numpy())


NO_MODULES: tuple[tuple[Callable[[Any, Any], Any], str], ...] = (
    (lambda m, x: x.long().double(), "it rounds to whole numbers"),
    (lambda m, x: x.bool() * x, "it makes truth values of numbers"),
    (lambda m, x: ((x > 0) + (x > 1)) * x, "it adds truth values"),
    (lambda m, x: m.table[x.long(), (x > 9).long()], "it has places along several axes"),
)


@pytest.mark.parametrize(("forward", "why"), NO_MODULES)
def test_what_is_no_choice_of_pytorch_is_refused(forward: Callable[[Any, Any], Any], why: str) -> None:
    with pytest.raises(Rejected, match=why):
        import_torch(*_module(forward))
