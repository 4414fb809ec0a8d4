"""Any array program is in other array languages the function that its kernels are, with the means of the new contents."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.interchange.functions import function_of
from rh_kernel.loops.trees import leaves
from tests.arrays.test_random_programs import by_kernels, drawn
from tests.interchange.running import each, results_of, target_named
from tests.tiers import law

SAMPLES = 3
MODEST = 1e3
"""Results beyond it come from intermediate values whose last digits decide too much for float32."""


@pytest.mark.parametrize("target", each("numpy", "onnx"))
@law(200)
@given(st.integers(0, 2**32))
def test_any_program_computes_what_its_kernels_do(target: str, seed: int) -> None:
    program = drawn(random.Random(seed))
    function = function_of("f", program, program.names)
    # ONNX Runtime does not take a model without outputs.
    assume(function.result or function.writes)
    rng = np.random.default_rng(seed)
    heap = {location: 0.7 * rng.normal(size=program.shapes[r]) for r, location in program.reads}
    inputs = [rng.normal(size=(SAMPLES, *program.shapes[r])) for tree in program.inputs for r in leaves(tree)]
    runs = [by_kernels(program, sample, heap) for sample in zip(*inputs, strict=True)]
    contents = {location.name: array for location, array in heap.items()}
    with TemporaryDirectory() as folder, np.errstate(all="ignore"):
        found, writes = results_of(function, target_named(target), contents, inputs, Path(folder))
    expected = [np.stack(parts) for parts in zip(*(values for values, _ in runs), strict=True)]
    expected += [np.mean([changes[location] for _, changes in runs], axis=0) for location in runs[0][1]]
    # What turns out to stay as it is need not be written.
    found += [(contents | dict(writes))[location.name] for location in runs[0][1]]
    tolerance = 10 * max(target_named(target).tolerance, 1e-9)
    for array, wanted in zip(found, expected, strict=True):
        assert array.shape == wanted.shape
        if not np.isfinite(wanted).all() or np.abs(wanted).max(initial=0) > MODEST:
            return
        np.testing.assert_allclose(array, wanted, rtol=tolerance, atol=tolerance)
