"""The architectures of torchvision: those without strides are read, and of the others all reasons are named."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.interchange.sources.imported import import_torch
from rh_kernel.source.diagnostic import Rejected
from tests.interchange.programs import EXACT, largest_difference, results, started

torch: Any = pytest.importorskip("torch", reason="PyTorch is in the extra oracles")

pytestmark = pytest.mark.slow
try:
    models: Any = import_module("torchvision.models")
except (ImportError, RuntimeError):  # the latter where it was built for another PyTorch
    pytest.skip("torchvision is not in an extra", allow_module_level=True)

REFUSED = {
    "alexnet": {"its stride is 4", "its windows are 3 and its stride 2"},
    "mobilenet_v2": {"its stride is 2", "it has 32 groups"},
    "resnet18": {"its stride is 2", "its windows are 3 and its stride 2"},
    "squeezenet1_1": {"its stride is 2", "its windows are 3 and its stride 2"},
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_counterpart_is_named(name: str) -> None:
    module = getattr(models, name)(weights=None).eval()
    with pytest.raises(Rejected) as raised:
        import_torch(module, torch.zeros(1, 3, 64, 64))
    assert {d.code for d in raised.value.diagnostics} == {"RH371"}
    messages = " ".join([d.message for d in raised.value.diagnostics])
    assert all(why in messages for why in REFUSED[name]), messages


def test_the_convolutions_of_a_vgg_give_the_same_numbers(tmp_path: Path) -> None:
    torch.manual_seed(1)
    features = models.vgg11_bn(weights=None).features.double().eval()
    found = import_torch(features, torch.zeros(1, 3, 32, 32, dtype=torch.float64))
    workspace = started(found, tmp_path)
    x = import_module("numpy.random").default_rng(0).normal(size=(1, 3, 32, 32))
    expected = features(torch.tensor(x)).detach().numpy()
    assert largest_difference(results(workspace, found, [np.asarray(x[0])]), [expected]) < EXACT
