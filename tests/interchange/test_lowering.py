"""What the readers build from: operations on axes that give what NumPy gives, and loops that change no number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.model import Input, Model, Output, Repeat, variables
from rh_kernel.interchange.sources import layers, moves, tensors
from rh_kernel.interchange.sources.builder import Builder, Known, Tensor, Typed
from rh_kernel.interchange.sources.shapes import inferred, merged, without
from rh_kernel.interchange.sources.simplify import pruned, simplified
from rh_kernel.interchange.sources.writer import write
from rh_kernel.workspace.workspace import Workspace
from tests.tiers import law

Shapes: TypeAlias = tuple[int, ...]
Build: TypeAlias = Callable[[Builder, Typed], Typed]
shapes = st.lists(st.integers(1, 3), min_size=1, max_size=4).map(tuple)


def built(shape: Shapes, build: Build) -> Model:
    """Return the model of a function of one array."""
    b = Builder()
    x = b.variable(shape)
    done = build(b, Typed(x, shape))
    example = np.arange(1.0, prod(shape) + 1).reshape(shape)
    output = Output(done.term, done.shape, np.zeros(done.shape))
    return Model("f", "A test", (Input("x", x, shape, example),), tuple(b.nodes), (output,), 1e-9)


def value(model: Model) -> np.ndarray[Any, Any]:
    """Return what a model gives for its example."""
    written = write(model, "weights.npz")
    text = "\n".join([line for line in written.text.splitlines() if not line.startswith("check")])
    workspace = Workspace(Path.cwd())
    workspace.run(text.replace('load("weights.npz")', "zeros"))
    for name, content in written.contents.items():
        if name not in ("example", "expected"):
            workspace.const(f"content_{name.replace('[', '_').replace(']', '')}", np.asarray(content, float))
            workspace.run(f"Put[{name}](content_{name.replace('[', '_').replace(']', '')})")
    workspace.const("given", model.inputs[0].example)
    return np.asarray(workspace.run(f"handle {written.name}(given) with infer").value)


def agrees(model: Model, expected: np.ndarray[Any, Any]) -> bool:
    found = value(simplified(model))
    return found.shape == (expected.shape or (1,)) and np.allclose(found, expected, rtol=0, atol=1e-12)


@law(200)
@given(shapes, st.randoms())
def test_a_merged_order_exchanges_the_same_entries(shape: Shapes, random: Any) -> None:
    order = list(range(len(shape)))
    random.shuffle(order)
    sizes, small = merged(shape, order)
    x = np.arange(prod(shape))
    assert np.array_equal(x.reshape(sizes).transpose(small).ravel(), x.reshape(shape).transpose(order).ravel())


@law(40)
@given(shapes, st.randoms())
def test_axes_are_exchanged(shape: Shapes, random: Any) -> None:
    order = list(range(len(shape)))
    random.shuffle(order)
    model = built(shape, lambda b, x: moves.permuted(b, x, order))
    assert agrees(model, model.inputs[0].example.transpose(order))


@law(40)
@given(shapes, st.lists(st.booleans(), min_size=4, max_size=4), st.integers(0, 2))
def test_an_array_is_broadcast(shape: Shapes, copied: Sequence[bool], front: int) -> None:
    small = tuple([1 if once else n for n, once in zip(shape, copied, strict=False)])
    target = ((2, 3)[:front] + shape)[-4:]
    model = built(small, lambda b, x: moves.spread(b, x, target))
    assert agrees(model, np.broadcast_to(model.inputs[0].example, target))


@law(40)
@given(shapes, st.sets(st.integers(0, 3)), st.sampled_from(["sum", "mean", "max"]))
def test_axes_are_summed_over(shape: Shapes, chosen: set[int], how: str) -> None:
    axes = sorted([axis for axis in chosen if axis < len(shape)])

    def build(b: Builder, x: Typed) -> Typed:
        return tensors.reduce(b, how, Tensor(x.term, x.shape, None), axes, keeps=False).typed

    model = built(shape, build)
    expected = getattr(np, how)(model.inputs[0].example, axis=tuple(axes)) if axes else model.inputs[0].example
    assert agrees(model, expected)


@law(40)
@given(shapes, st.integers(0, 3), st.integers(0, 2), st.integers(1, 3), st.sampled_from([1, 2]))
def test_parts_are_cut_and_joined(shape: Shapes, axis: int, low: int, size: int, step: int) -> None:
    axis %= len(shape)
    low = min(low, shape[axis] - 1)
    high = min(low + size, shape[axis])

    def build(b: Builder, x: Typed) -> Typed:
        t = Tensor(x.term, x.shape, None)
        return tensors.concat(b, [tensors.cut(b, t, axis, low, high, step), t], axis).typed

    model = built(shape, build)
    x = model.inputs[0].example
    places = [slice(None)] * axis + [slice(low, high, step)]
    assert agrees(model, np.concatenate([x[tuple(places)], x], axis))


@law(60)
@given(shapes, st.integers(0, 3))
def test_the_axis_of_samples_makes_no_difference(shape: Shapes, batch: int) -> None:
    """Whether it is left out or not, sums, products and exchanges give the same."""
    batch %= len(shape) + 1
    whole = (*shape[:batch], 1, *shape[batch:])
    order = list(reversed(range(len(whole))))
    weight = Known(np.arange(1.0, whole[-1] + 1), "w", is_learned=False)

    def build(axis: int | None) -> Build:
        def f(b: Builder, x: Typed) -> Typed:
            t = Tensor(b.reshape(x, without(whole, axis)).term, whole, axis)
            y = tensors.permute(b, tensors.binary(b, "*", tensors.binary(b, "+", t, t), weight), order)
            return b.reshape(tensors.whole(b, y).typed, tuple(reversed(whole)))

        return f

    models = [built(shape, build(axis)) for axis in (None, batch)]
    x = models[0].inputs[0].example.reshape(whole)
    expected = ((x + x) * weight.array).transpose(order)
    assert all(agrees(model, expected) for model in models)


@law(100)
@given(shapes, shapes)
def test_an_inferred_size_keeps_the_entries(shape: Shapes, sizes: Shapes) -> None:
    found = inferred(shape, (*sizes, -1))
    assert found is None or prod(found) == prod(shape)
    assert found is not None or prod(shape) % prod(sizes)


@law(30)
@given(
    st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=7),
    st.lists(st.integers(0, 3), min_size=7, max_size=7),
    st.booleans(),
)
def test_a_loop_for_blocks_that_are_alike_changes_no_number(
    blocks: Sequence[str],
    owners: Sequence[int],
    skips: bool,
) -> None:
    """Whichever blocks follow each other, and whichever share their weights."""
    rng = np.random.default_rng(0)
    matrices = [Known(rng.normal(size=(3, 3)), f"layers.{k}.weight", is_learned=True) for k in range(4)]
    bias = Known(rng.normal(size=3), "bias", is_learned=True)

    def build(b: Builder, x: Typed) -> Typed:
        t = Tensor(x.term, x.shape, None)
        for kind, owner in zip(blocks, owners, strict=False):
            y = layers.linear(b, t, matrices[owner], bias if kind == "b" else None)
            y = tensors.entrywise(b, "tanh" if kind == "a" else "sigmoid", y)
            t = tensors.binary(b, "+", y, t) if skips else y
        return t.typed

    model = built((3,), build)
    wanted = [v for output in model.outputs for v in variables(output.term)]
    straight = value(replace(model, nodes=pruned(model.nodes, wanted)))
    assert np.array_equal(value(simplified(model)), straight)


def test_a_run_of_equal_blocks_is_one_loop() -> None:
    """Five layers with weights of their own."""
    matrices = [Known(np.eye(3) * k, f"layers.{k}.weight", is_learned=True) for k in range(5)]

    def build(b: Builder, x: Typed) -> Typed:
        t = Tensor(x.term, x.shape, None)
        for matrix in matrices:
            t = tensors.entrywise(b, "tanh", layers.linear(b, t, matrix, None))
        return t.typed

    (loop,) = simplified(built((3,), build)).nodes
    assert isinstance(loop, Repeat)
    assert loop.count == len(matrices)
