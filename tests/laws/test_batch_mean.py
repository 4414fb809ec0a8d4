"""``BatchMean``: what the samples of a batch have in common, in training, and of one sample alone."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import translate
from rh_kernel.arrays.execution import prepare
from rh_kernel.arrays.optimise import optimise
from rh_kernel.loops.trees import leaves
from rh_kernel.session.results import TrainingDone
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.types import real
from rh_kernel.training import batches
from tests.arrays.written import Written, close, command
from tests.session.cells import codes, run
from tests.tiers import law

COUNTED = """
loc total : Real(2) = zeros
loc seen : Real(3, 2) = zeros
loc ws[3] : Real(2) = ones
"""
STEPS: Mapping[str, str] = {
    "not linear": "let m <= BatchMean(x) in Put[total](exp(m) * m)",
    "of a product": "let m <= BatchMean(outer([1, 2, 3], x * x)) in Put[seen](m * m)",
    "twice": "let m <= BatchMean(x) in let v <= BatchMean((x - m) * (x - m)) in Put[total]((x - m) / sqrt(v + fill[2](1)))",
    "in rounds": "repeat i < 3 from s = x do let w <= Get[ws[i]]() in let m <= BatchMean(w * s) in "
    "let u <= Put[ws[i]](m * m) in return tanh(s + m)",
    "in scanned rows": "let (ys, z) <= scan (r in stack(x, 2 * x)) from s = x do let m <= BatchMean(r * s) in "
    "return (m * m, s + m) in Put[total](sum_rows(ys) + z)",
}


def meant(name: str, x: Array, old: Mapping[str, Array]) -> Mapping[str, Array]:
    """The new contents by NumPy, from the samples ``x`` (samples × 2)."""
    match name:
        case "not linear":
            m = x.mean(0)
            return {"total": np.exp(m) * m}
        case "of a product":
            m = np.mean([np.outer([1, 2, 3], z * z) for z in x], 0)
            return {"seen": m * m}
        case "twice":
            m = x.mean(0)
            return {"total": ((x - m) / np.sqrt(((x - m) ** 2).mean(0) + 1)).mean(0)}
        case "in rounds":
            s, new = x, dict[str, Array]()
            for i in range(3):
                m = (old[f"ws[{i}]"] * s).mean(0)
                new[f"ws[{i}]"] = m * m
                s = np.tanh(s + m)
            return new
        case _:
            s, rows = x, []
            for r in (x, 2 * x):
                m = (r * s).mean(0)
                rows.append(m * m)
                s = s + m
            return {"total": (rows[0] + rows[1] + s).mean(0)}


@pytest.mark.parametrize("name", STEPS)
@law(6)
@given(st.integers(1, 9), st.integers(0, 2**16))
def test_a_step_from_a_batch_is_by_the_means(name: str, samples: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(samples, 2))
    written = Written(COUNTED)
    old = {"total": np.zeros(2), "seen": np.zeros((3, 2)), **{f"ws[{i}]": rng.normal(size=2) for i in range(3)}}
    heap = {location: old[place] for place, location in written.known.locations().items()}
    P = command(written.known, STEPS[name], {"x": real(2)})
    translated = translate(P, (real(2),), ("x",))
    assert translated.joins_batch
    _, found = prepare(batched(translated))([x], heap)
    new = {location.name: array for location, array in found.items()}
    for place, array in meant(name, x, old).items():
        close(new[place], array, 1e-9)
    # Of one sample by itself there is nothing to take the mean of, nor if the samples do not run together.
    alone = optimise(translated)
    assert not alone.joins_batch
    apart = batched(replace(translated, writes=()), together=False)
    assert not apart.joins_batch
    value, _ = prepare(apart)([x], heap)
    for i, sample in enumerate(x):
        single, changed = prepare(alone)([sample], heap)
        for one, all_samples in zip(leaves(single), leaves(value), strict=True):
            close(all_samples[i], one, 1e-9)
        for place, array in meant(name, sample[None], old).items():
            close({location.name: content for location, content in changed.items()}[place], array, 1e-9)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    rng = np.random.default_rng(4)
    np.savez(tmp_path / "mine.npz", x=rng.normal(size=(12, 3)), t=rng.normal(size=(12, 2)))
    text = """
include "adam.rh"
loc w : Real(2, 3) = glorot(seed=1)
net error(x : Real(3), t : Real(2)) : Real = let y <= FC[w](x) in return dot(y - t, y - t)
"""
    results, session = run(Session.start(tmp_path), text)
    assert not codes(results), codes(results)
    return session


TRAIN = (
    'train handle (rev handle (x, t) <x, t>. error(x, t) with backprop) with adam(0.1) for (x, t) in data("mine.npz") epochs 2'
)


def trained(session: Session, how: str) -> tuple[dict[str, Array], TrainingDone]:
    results, after = run(session, f"{TRAIN} {how}")
    assert not codes(results), codes(results)
    (done,) = [result for result in results if isinstance(result, TrainingDone)]
    return {location.name: array for location, array in after.heap.items()}, done


def test_a_batch_whose_samples_meet_runs_at_once(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, _ = trained(session, "batch 6")
    monkeypatch.setattr(batches, "LARGEST", 60)
    found, _ = trained(session, "batch 6")
    assert found.keys() == expected.keys()
    for name, array in found.items():
        np.testing.assert_array_equal(array, expected[name])


def test_a_measure_is_of_each_sample(session: Session) -> None:
    """Whatever samples happen to be measured together."""
    P = "let y <= BatchMean(x) in return sum(y * y)"
    _, done = trained(session, f"batch 6 measure {P}")
    x = np.load(session.folder / "mine.npz")["x"]
    (curve,) = done.measures
    np.testing.assert_allclose(curve[1], [np.mean(np.sum(x * x, 1))] * 2)


def test_a_batch_is_not_computed_in_pieces(session: Session) -> None:
    results, _ = run(session, f"{TRAIN} batch 6 pieces 2")
    assert codes(results) == ["RH313"]
