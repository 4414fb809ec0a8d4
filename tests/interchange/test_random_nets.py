"""Random nets of PyTorch: the program gives the same numbers, and learns the same."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.interchange.sources.imported import import_torch
from tests.interchange.programs import EXACT, largest_difference, net_name, results, started
from tests.tiers import law

torch: Any = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")

pytestmark = pytest.mark.slow
nn: Any = import_module("torch.nn")

ACTIVATIONS = (nn.Tanh, nn.Sigmoid, nn.SiLU, nn.Softplus, nn.ELU)
"""Smooth ones, so that a step of training is the same however numbers are rounded."""


@st.composite
def nets(draw: st.DrawFn) -> tuple[Any, tuple[int, ...]]:
    """A stack of convolutions, pools, normalisations and activations, then of linear layers, and the shape of a sample."""
    channels, side = draw(st.integers(1, 3)), draw(st.integers(4, 9))
    shape = (channels, side, side)
    layers: list[Any] = []
    for _ in range(draw(st.integers(0, 4))):
        match draw(st.sampled_from(["convolution", "max", "mean", "norm", "activation"])):
            case "convolution":
                filters, window, zeros = draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 2))
                if side + 2 * zeros < window:
                    continue
                layers.append(nn.Conv2d(channels, filters, window, padding=zeros))
                channels, side = filters, side + 2 * zeros - window + 1
            case "max" | "mean" as how:
                window = draw(st.integers(2, 3))
                layers.append((nn.MaxPool2d if how == "max" else nn.AvgPool2d)(window, ceil_mode=True))
                side = -(-side // window)
            case "norm":
                layers.append(nn.BatchNorm2d(channels, affine=draw(st.booleans())))
            case _:
                layers.append(draw(st.sampled_from(ACTIVATIONS))())
    size = channels * side * side
    layers.append(nn.Flatten())
    for _ in range(draw(st.integers(0, 4))):
        width = draw(st.sampled_from([3, size if size < 20 else 3]))
        layers.append(nn.Linear(size, width, bias=draw(st.booleans())))
        layers.append(draw(st.sampled_from(ACTIVATIONS))())
        size = width
    return nn.Sequential(*layers), shape


@law(60)
@given(nets(), st.integers(0, 2**16))
def test_a_random_net_gives_the_same_numbers(net: tuple[Any, tuple[int, ...]], seed: int) -> None:
    module, shape = net
    torch.manual_seed(seed)
    module = module.double().eval()
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    for name, buffer in module.named_buffers():
        if "running" in name:
            buffer.uniform_(0.5, 1.5)
    x = torch.randn(1, *shape, dtype=torch.float64)
    found = import_torch(module, torch.zeros_like(x))
    with tempfile.TemporaryDirectory() as folder:
        workspace = started(found, Path(folder))
        expected = module(x)
        assert largest_difference(results(workspace, found, [x.numpy()[0]]), [expected.detach().numpy()]) < EXACT
        if any(isinstance(layer, nn.BatchNorm2d) for layer in module):
            return
        loss = (expected**2).mean()
        if not loss.requires_grad:
            return
        loss.backward()
        with torch.no_grad():
            learned = [p - 0.1 * p.grad for p in module.parameters()]
        workspace.const("sample", x.numpy()[0])
        workspace.run(f"rev handle (sample) <x>. let y <= {net_name(found)}(x) in return mean(y * y) with descend(0.1)")
        contents = [c for n, c in workspace.heap.items() if not n.startswith(("example", "expected"))]
        for p in learned:
            same = [np.max(np.abs(np.ravel(c) - np.ravel(p.numpy()))) for c in contents if c.size == p.numel()]
            assert min(same) < EXACT
