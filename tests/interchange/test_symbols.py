"""Every function symbol computes in other array languages what it computes here, for one sample and for a batch."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.syntax.core import Primitive
from tests.interchange.running import assert_close, available, results_of, symbol_function, target_named
from tests.primitives.instances import FAMILIES, INSTANCES, arrays, label, shapes, smooth_point

BATCH = 3
TRANSLATED = [f for f in INSTANCES if SYMBOLS[f.name].decomposition is None]


@pytest.mark.parametrize("name", SYMBOLS)
def test_every_symbol_has_a_translation_or_a_decomposition(name: str) -> None:
    assert (SYMBOLS[name].translation is None) != (SYMBOLS[name].decomposition is None)


# JAX may compile each function, which takes long; what PyTorch exports is its module, which is tried here.
CASES = [
    pytest.param(target, f, id=f"{target}-{label(f)}", marks=[] if target == "numpy" else [pytest.mark.slow])
    for target in available()
    if target != "pt2"
    for f in (FAMILIES if target == "jax" else TRANSLATED)
    if f in TRANSLATED
]


@pytest.mark.parametrize(("target", "f"), CASES)
def test_a_symbol_computes_what_its_kernel_does(target: str, f: Primitive, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    points = [arrays(smooth_point(rng, f)) for _ in range(BATCH)]
    whole = kernel(f, np)
    for batched in product([False, True], repeat=len(points[0])):
        inputs = [np.stack(each) if flag else each[0] for each, flag in zip(zip(*points, strict=True), batched, strict=True)]
        function = symbol_function(SYMBOLS[f.name].translation, f, shapes(f.domain), batched)
        (found,), _ = results_of(function, target_named(target), {}, inputs, tmp_path)
        samples = range(BATCH) if any(batched) else range(1)
        expected = [whole(*[x[i] if flag else x for x, flag in zip(inputs, batched, strict=True)]) for i in samples]
        wanted = np.stack(expected) if any(batched) else expected[0]
        assert_close(target, found, wanted)
