"""Every function symbol computes in other array languages what it computes here, for one sample and for a batch."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.arrays.compile import translate_term
from rh_kernel.interchange.functions import function_of
from rh_kernel.primitives.symbol import Family
from rh_kernel.primitives.table import FAMILIES as TABLE
from rh_kernel.primitives.table import SYMBOLS, kernel
from rh_kernel.syntax.core import Array, Bound, Call, Primitive, Tuple
from tests.interchange.running import assert_close, available, each, results_of, symbol_function, target_named
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


@pytest.mark.parametrize("target", each())
@pytest.mark.parametrize("family", TABLE, ids=[family.title for family in TABLE])
def test_a_family_computes_what_its_kernels_do(family: Family, target: str, tmp_path: Path) -> None:
    """All symbols of a family in one function, at one size each, also where they are not smooth, or infinite."""
    names = {symbol.name for symbol in family.symbols}
    symbols = [f for f in FAMILIES if f.name in names]
    calls = [Call(f, Bound(len(symbols) - 1 - i, "x")) for i, f in enumerate(symbols)]
    function = function_of("f", translate_term(Tuple(tuple(calls)), tuple([f.domain for f in symbols])), ())
    rng = np.random.default_rng(2)
    points = [[*[arrays(smooth_point(rng, f)) for _ in range(BATCH)], *[kink(rng, f) for _ in range(BATCH)]] for f in symbols]
    inputs = [np.stack(samples) for each_point in points for samples in zip(*each_point, strict=True)]
    with np.errstate(all="ignore"):
        found, _ = results_of(function, target_named(target), {}, inputs, tmp_path)
        wanted = [np.stack([kernel(f, np)(*x) for x in each_point]) for f, each_point in zip(symbols, points, strict=True)]
    for f, array, expected in zip(symbols, found, wanted, strict=True):
        assert array.shape == expected.shape, f
        assert_close(target, array, expected)


def kink(rng: np.random.Generator, f: Primitive) -> tuple[Array, ...]:
    """A point of whole numbers, many of them equal or 0; rows keep their numbers."""
    numbers = SYMBOLS[f.name].row_numbers
    given = arrays(smooth_point(rng, f))
    at = None if numbers is None else numbers.argument
    return tuple([x if i == at else rng.integers(-1, 2, x.shape).astype(np.float64) for i, x in enumerate(given)])
