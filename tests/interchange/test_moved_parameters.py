"""Parameters whose entries a model moves, copies or leaves out before it uses them learn as the model says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.imported import Imported, import_jax, import_onnx, import_torch
from tests.interchange import models
from tests.interchange.programs import EXACT, SINGLE, net_name, results, started
from tests.interchange.running import each
from tests.tiers import law

Move: TypeAlias = tuple[str, Any]
"""``permute`` with an order, ``reshape`` or ``expand`` with a shape, ``take`` with an axis and places, ``cut`` with ends."""
Array: TypeAlias = "np.ndarray[Any, Any]"

pytestmark = pytest.mark.slow


def moved(array: Array, moves: Sequence[Move]) -> Array:
    """What NumPy makes of an array."""
    for name, how in moves:
        match name:
            case "permute":
                array = array.transpose(how)
            case "reshape":
                array = array.reshape(how)
            case "expand":
                array = np.broadcast_to(array, how)
            case "take":
                array = array.take(how[1], how[0])
            case _:
                array = array[how[0] : how[1]]
    return array


@st.composite
def parameters(draw: st.DrawFn) -> tuple[tuple[int, ...], list[Move]]:
    """The shape of a parameter, and what is done with it."""
    # A number by itself is a constant in a model of ONNX.
    first = (draw(st.integers(2, 3)), *draw(st.lists(st.integers(1, 3), max_size=2)))
    moves: list[Move] = []
    for _ in range(draw(st.integers(1, 4))):
        shape = moved(np.zeros(first), moves).shape
        match draw(st.sampled_from(["permute", "reshape", "expand", "take", "cut"])):
            case "permute":
                moves.append(("permute", draw(st.permutations(range(len(shape))).map(tuple))))
            case "reshape":
                n = int(np.prod(shape))
                moves.append(("reshape", draw(st.sampled_from([(n,), (n, 1), (1, n), (*shape[::-1],)]))))
            case "expand" if len(shape) < 3:
                front = draw(st.integers(1, 3))
                moves.append(("expand", (front, *[draw(st.integers(1, 3)) if n == 1 else n for n in shape])))
            case "take":
                axis = draw(st.integers(0, len(shape) - 1))
                places = draw(st.lists(st.integers(0, shape[axis] - 1), min_size=1, max_size=4))
                moves.append(("take", (axis, np.array(places))))
            case _:
                low = draw(st.integers(0, shape[0] - 1))
                moves.append(("cut", (low, draw(st.integers(low + 1, shape[0])))))
    return first, moves


def by_torch(p: Array, moves: Sequence[Move], x: Array, folder: Path) -> Imported:
    del folder
    torch: Any = import_module("torch")

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.p = torch.nn.Parameter(torch.from_numpy(p))

        def forward(self, x: Any) -> Any:
            q: Any = self.p
            for name, how in moves:
                match name:
                    case "permute" | "reshape" | "expand":
                        q = getattr(q, name)(how)
                    case "take":
                        q = q[(slice(None),) * how[0] + (torch.from_numpy(how[1]),)]
                    case _:
                        q = q[how[0] : how[1]]
            return x * q + q

    return import_torch(Model(), torch.from_numpy(x))


def by_jax(p: Array, moves: Sequence[Move], x: Array, folder: Path) -> Imported:
    del folder
    jax: Any = import_module("jax")
    jnp: Any = import_module("jax.numpy")

    def model(params: Any, x: Any) -> Any:
        q = params["p"]
        for name, how in moves:
            match name:
                case "permute":
                    q = jnp.transpose(q, how)
                case "reshape":
                    q = jnp.reshape(q, how)
                case "expand":
                    q = jnp.broadcast_to(q, how)
                case "take":
                    q = q[(slice(None),) * how[0] + (how[1],)]
                case _:
                    q = q[how[0] : how[1]]
        return x * q + q

    with jax.enable_x64(True):
        return import_jax(model, jnp.asarray(x), {"p": jnp.asarray(p)})


def by_onnx(p: Array, moves: Sequence[Move], x: Array, folder: Path) -> Imported:
    nodes: list[Any] = []
    arrays: list[Any] = [models.tensor("p", p.astype(np.float32))]
    last = "p"
    for k, (name, how) in enumerate(moves):
        given = [
            np.array(n, np.int64) for n in ([[how[0]], [how[1]]] if name == "cut" else [how[-1] if name == "take" else how])
        ]
        names = [f"given{k}_{j}" for j in range(len(given))] if name != "permute" else []
        arrays += [models.tensor(n, array) for n, array in zip(names, given, strict=False)]
        operator = {"permute": "Transpose", "reshape": "Reshape", "expand": "Expand", "take": "Gather", "cut": "Slice"}[name]
        options = {"perm": how} if name == "permute" else {"axis": how[0]} if name == "take" else {}
        nodes.append(models.node(operator, [last, *names], [f"moved{k}"], **options))
        last = f"moved{k}"
    nodes += [models.node("Mul", ["x", last], ["product"]), models.node("Add", ["product", last], ["y"])]
    model = models.model(nodes, [models.value("x", x.shape)], [models.value("y", x.shape)], arrays)
    return import_onnx(models.saved(model, folder / "moved.onnx"), {"x": x.astype(np.float32)})


READERS: dict[str, Callable[[Array, Sequence[Move], Array, Path], Imported]] = {
    "torch": by_torch,
    "jax": by_jax,
    "onnx": by_onnx,
}


@pytest.mark.parametrize("source", each("torch", "jax", "onnx"))
@law(40)
@given(parameters(), st.integers(0, 2**16))
def test_a_parameter_learns_from_all_its_copies(source: str, parameter: tuple[tuple[int, ...], list[Move]], seed: int) -> None:
    """One step for ``x q + q``, where q is made of the parameter p, changes each entry of p by what its copies in q get."""
    shape, moves = parameter
    rng = np.random.default_rng(seed)
    p = rng.integers(-9, 9, shape) / 8
    places = moved(np.arange(p.size).reshape(shape), moves)
    x, other = rng.normal(size=(2, 1, *places.shape)).round(2)
    q = p.reshape(-1)[places]
    gradient = 2 * (x[0] * q + q) * (x[0] + 1) / q.size
    learned = p.reshape(-1) - 0.1 * np.bincount(places.reshape(-1), gradient.reshape(-1), p.size)
    with tempfile.TemporaryDirectory() as folder:
        found = READERS[source](p, moves, x, Path(folder))
        workspace = started(found, Path(folder))
        workspace.const("sample", x[0])
        workspace.run(f"rev handle (sample) <x>. let y <= {net_name(found)}(x) in return mean(y * y) with descend(0.1)")
        (given_,) = results(workspace, found, [other[0]])
    wanted = other[0] * learned[places] + learned[places]
    assert np.max(np.abs(given_ - wanted.reshape(given_.shape))) < (SINGLE if source == "onnx" else EXACT)
