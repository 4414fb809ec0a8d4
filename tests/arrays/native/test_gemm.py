"""Matrix products by the BLAS = those by generated kernels; which of the two is measured once, and can be asked for."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.blas_threads import blas_threads, with_blas_threads
from rh_kernel.arrays.native import Native, available, compile_cache, gemm, kernel_choice
from rh_kernel.arrays.native.blas import blas
from rh_kernel.arrays.native.compiled import NativeRunner
from rh_kernel.arrays.native.kernel_choice import Times
from rh_kernel.loops.ir import Contract, Kept, Plan, Precision, View
from rh_kernel.syntax.core import Array
from tests.arrays.native import plans
from tests.arrays.native.test_steps import WHOLE, agree, compare
from tests.arrays.plans import interpret
from tests.tiers import law

pytestmark = [
    pytest.mark.skipif(not available(), reason="there is no C compiler"),
    pytest.mark.skipif(blas() is None, reason="NumPy does not carry an OpenBLAS"),
]
PRECISIONS: tuple[Precision, ...] = ("float64", "float32")


def product(
    m: int, n: int, k: int, layout: str = "nn", precision: Precision = "float64", *, accumulate: bool = False
) -> tuple[Plan, Array]:
    """Return C = A B, or C += A B; ``n`` in the layout means that a factor is row-major, ``t`` that it is column-major."""
    shape = (m, n, k)
    left = (k, 0, 1) if layout[0] == "n" else (1, 0, m)
    right = (0, 1, n) if layout[1] == "n" else (0, k, 1)
    rng = np.random.default_rng(m * n * k)
    kept = Kept(rng.normal(size=m * n))
    output = View(0, 0, shape, (n, 1, 0))
    step = Contract(shape, output, View(1, 0, shape, left), View(2, 0, shape, right), accumulate=accumulate)
    factors = [Kept(rng.normal(size=size)) for size in (m * k, k * n)]
    plan = Plan(precision, None, (), (kept, *factors), 0, (step,), View(0, 0, (m, n), (n, 1)), ())
    return plan, np.zeros(0)


def run(plan: Plan) -> NativeRunner:
    """Run the plan once."""
    runner = Native().runner(plan, {})
    assert isinstance(runner, NativeRunner)
    runner.step()
    return runner


@pytest.fixture
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder, and nothing that is known of this machine from before."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kernel_choice.measured_times.cache_clear()
    return compile_cache.folder()


def stacked(d: plans.Drawing) -> None:
    """Stacks of matrix products, some of them added up; each matrix is row-major or column-major, and rows may have gaps."""
    sides = m, n, k = d.between(2, 24), d.between(2, 24), d.between(2, 24)
    stack = [d.between(2, 3) for _ in range(d.between(0, 2))]
    is_summed = [bool(d.between(0, 1)) for _ in stack]
    views: list[View] = []
    for v, (rows, columns) in enumerate(((0, 1), (0, 2), (2, 1))):
        along = [0, 0, 0]
        inner, outer = (columns, rows) if d.between(0, 1) else (rows, columns)
        along[inner], along[outer] = 1, sides[inner] + d.between(0, 2)
        step = along[outer] * sides[outer]
        strides: list[int] = []
        for extent, summed in zip(stack, is_summed, strict=True):
            strides.append(0 if v == 0 and summed else step)
            step *= extent
        make = d.output if v == 0 else d.argument
        views.append(make((*stack, m, n, k), (*strides, *along)))
    scale = d.among((1.0, 1.0, -0.25, 3.0))
    d.steps.append(Contract((*stack, m, n, k), views[0], views[1], views[2], scale, bool(d.between(0, 1))))


@pytest.mark.parametrize("precision", PRECISIONS)
def test_products_by_the_blas_do_what_their_definition_says(precision: Precision, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gemm, "CONTESTED", 1)
    monkeypatch.setattr(gemm, "NARROW", 1)
    monkeypatch.setenv("RH_GEMM", "blas")

    @law(25, phases=WHOLE)
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        plan, x = data.draw(plans.plans(stacked, precision))
        runner = Native().runner(plan, {})
        assert isinstance(runner, NativeRunner)
        # Some overlap or merge with others to another form, but never all of them.
        assert any(product.by_blas for product in runner.products)
        agree(plan, x)

    holds()


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("accumulate", [False, True])
def test_both_kernels_compute_the_product(
    layout: str, precision: Precision, accumulate: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, _ = product(64, 72, 80, layout, precision, accumulate=accumulate)
    expected, _ = interpret(plan, {}, [])
    for choice in ("own", "blas"):
        monkeypatch.setenv("RH_GEMM", choice)
        runner = run(plan)
        assert [one.by_blas for one in runner.products] == ([] if choice == "own" else [True])
        compare(runner.result(), expected, 1e-9 if precision == "float64" else 1e-3)


def test_a_small_or_narrow_product_is_never_contested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_GEMM", "blas")
    for shape in ((16, 16, 16), (1, 1024, 1024), (1024, 1, 1024), (4, 4096, 4096)):
        assert run(product(*shape)[0]).products == ()


def test_a_product_is_measured_once_and_its_times_are_kept(cache: Path) -> None:
    plan, _ = product(64, 72, 80)
    (first,) = run(plan).products
    assert first.spent > 0
    assert first.times is not None
    assert first.by_blas == first.times.favour_blas
    kernel_choice.measured_times.cache_clear()
    (second,) = run(plan).products
    assert second == replace(first, spent=0.0)
    (file,) = cache.glob("products-*.json")
    assert list(json.loads(file.read_text()).values()) == [[first.times.own, first.times.blas]]


@pytest.mark.parametrize("by_blas", [False, True])
def test_what_the_file_says_is_done(cache: Path, by_blas: bool) -> None:
    plan, _ = product(64, 72, 80)
    run(plan)
    (file,) = cache.glob("products-*.json")
    known = json.loads(file.read_text())
    file.write_text(json.dumps({key: [2.0, 1.0] if by_blas else [1.0, 2.0] for key in known}))
    kernel_choice.measured_times.cache_clear()
    (found,) = run(plan).products
    assert found.by_blas == by_blas
    assert found.times == (Times(2.0, 1.0) if by_blas else Times(1.0, 2.0))


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', "\udcff", '{"a": [1]}'])
def test_an_unreadable_file_is_written_again(cache: Path, text: str) -> None:
    plan, _ = product(64, 72, 80)
    run(plan)
    (file,) = cache.glob("products-*.json")
    file.write_bytes(text.encode(errors="surrogateescape"))
    kernel_choice.measured_times.cache_clear()
    (found,) = run(plan).products
    assert found.spent > 0
    assert len(json.loads(file.read_text())) == 1


def test_without_a_cache_generated_kernels_run(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_CACHE_BYTES", "0")
    (found,) = run(product(64, 72, 80)[0]).products
    assert (found.by_blas, found.times) == (False, None)
    assert not list(cache.glob("products*"))


@pytest.mark.parametrize("times", ["[1.0, 0.0]", "[NaN, 1.0]", "[1.0, -1.0]", "[Infinity, 1.0]", "[1.0, 1" + 400 * "0" + "]"])
def test_impossible_times_are_measured_again(cache: Path, times: str) -> None:
    plan, _ = product(64, 72, 80)
    run(plan)
    (file,) = cache.glob("products-*.json")
    (key,) = json.loads(file.read_text())
    file.write_text(f"{{{json.dumps(key)}: {times}}}")
    kernel_choice.measured_times.cache_clear()
    (found,) = run(plan).products
    assert found.spent > 0
    assert str(found)


@pytest.mark.parametrize("count", [1, 2])
def test_the_digits_do_not_depend_on_the_threads_of_numpy_which_keeps_them(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RH_GEMM", "blas")
    plan, _ = product(700, 304, 700)
    alone = run(plan).result()
    with with_blas_threads(count):
        found = run(plan).result()
        assert blas_threads() == count
    assert isinstance(found, np.ndarray)
    assert isinstance(alone, np.ndarray)
    assert found.tobytes() == alone.tobytes()


@pytest.mark.parametrize("scale", [1.0, 0.0, 1e-50])
def test_infinities_and_nans_go_through_a_product(scale: float, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, _ = product(64, 72, 80, precision="float32" if scale == 1e-50 else "float64")
    (c, a, b), (step,) = plan.buffers, plan.steps
    assert isinstance(a, Kept)
    assert isinstance(step, Contract)
    special = a.array.copy()
    special[:3] = [np.inf, np.nan, -np.inf]
    plan = replace(plan, buffers=(c, Kept(special), b), steps=(replace(step, scale=scale),))
    results = []
    for choice in ("own", "blas"):
        monkeypatch.setenv("RH_GEMM", choice)
        results.append(run(plan).result())
    tolerance = 1e-9 if plan.precision == "float64" else 1e-4
    np.testing.assert_allclose(results[0], results[1], rtol=tolerance, atol=tolerance)


def test_an_empty_sum_of_products_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    extents = (0, 64, 64, 64)
    output, left, right = [
        View(i, 0, extents, strides) for i, strides in enumerate(((0, 64, 1, 0), (64, 64, 0, 1), (64, 0, 1, 64)))
    ]
    kept = tuple([Kept(np.full(4096, 7.0)) for _ in range(3)])
    plan = Plan("float64", None, (), kept, 0, (Contract(extents, output, left, right),), View(0, 0, (4096,), (1,)), ())
    for choice in ("own", "blas"):
        monkeypatch.setenv("RH_GEMM", choice)
        np.testing.assert_array_equal(np.asarray(run(plan).result()), np.zeros(4096))
