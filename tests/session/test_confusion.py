"""``%confusion``: classes by the target and by the net, as text, as HTML with pictures, as a record, and in a page."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rh_kernel.display.live.confusion import ANY, ConfusionView
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.registry import bundle, records, text
from rh_kernel.session.predictions import NONE, ConfusionShown, excess
from rh_kernel.session.session import Session
from tests.session.cells import codes, run
from tests.tiers import law

NET = """include "sgd.rh"
loc w : Real(10, 64) = glorot(seed=1)
net digits(x : Real(64)) : Real(10) = FC[w](x)
train rev handle (x) <u>. digits(u) with sgd(0.02, t) for (x, t) in data("digits.train") epochs 2 batch 8
"""


def confusion(program: str) -> ConfusionShown:
    found, _ = run(Session.start(Path()), program)
    assert isinstance(found[-1], ConfusionShown), found[-1]
    return found[-1]


def digits() -> ConfusionShown:
    return confusion(NET + '%confusion handle digits(x) with infer for (x, t) in data("digits.test")')


RESULTS = st.integers(2, 5).flatmap(
    lambda k: st.tuples(
        arrays(np.float64, st.tuples(st.integers(1, 12), st.just(k)), elements=st.floats(-9, 9) | st.just(float("nan"))),
        st.integers(0, 1 << 30),
    )
)


@law(60)
@given(RESULTS)
def test_the_cells_partition_the_samples_and_the_wrong_ones_come_first(drawn: tuple[npt.NDArray[np.float64], int]) -> None:
    results, seed = drawn
    n, k = results.shape
    targets = np.random.default_rng(seed).integers(0, k, n)
    finite = np.isfinite(results).all(axis=1)
    predicted = np.where(finite, np.where(np.isnan(results), -np.inf, results).argmax(axis=1), NONE)
    shown = ConfusionShown("P", "d", k, targets, predicted, excess(results, targets), {})
    counts = shown.counts
    assert counts.sum() == n
    assert int(np.trace(counts[:, :k])) == shown.right
    cells = [shown.chosen(i, j) for i in range(k) for j in (*range(k), NONE)]
    assert sorted(np.concatenate(cells).tolist()) == [*range(n)]
    assert [len(cell) for cell in cells] == counts.reshape(-1).tolist()
    # A tie with the class of the target is in no order.
    order = [i for i in shown.chosen(None, None).tolist() if shown.excess[i] != 0]
    wrong = [bool(targets[i] != predicted[i]) for i in order]
    assert wrong == sorted(wrong, reverse=True)


def test_the_matrix_agrees_with_the_measure() -> None:
    measured = """train return x for (x, t) in data("digits.test")
  measure let y <= handle digits(x) with infer in return same_argmax(y, t)"""
    found, _ = run(
        Session.start(Path()), NET + '%confusion handle digits(x) with infer for (x, t) in data("digits.test")\n' + measured
    )
    *_, shown, trained = found
    assert isinstance(shown, ConfusionShown)
    (_, (accuracy,)) = trained.measures[0]  # pyright: ignore[reportAttributeAccessIssue]
    assert shown.right == round(360 * accuracy)
    assert 0 < shown.right < 360


def test_it_is_shown_as_text_as_html_and_as_a_record() -> None:
    shown = digits()
    wrong = shown.size - shown.right
    lines = text(shown).splitlines()
    assert lines[0].startswith(f'data("digits.test"): {shown.right} of 360 samples right')
    assert len(lines) == 13
    html = bundle(shown)["text/html"]
    assert len(re.findall('<img src="data:image/png;base64,', html)) == min(24, wrong)
    (record,) = records(1, shown)
    assert (record["kind"], record["samples"], record["right"]) == ("confusion", 360, shown.right)
    assert np.asarray(record["counts"]).trace() == shown.right
    assert isinstance(record["wrong"], list)
    assert len(record["wrong"]) == min(100, wrong)


def test_the_heap_remains_as_it_is() -> None:
    _, session = run(Session.start(Path()), NET)
    _, after = run(session, '%confusion handle digits(x) with infer for (x, t) in data("digits.test")')
    assert dict(after.heap) == dict(session.heap)


def test_a_page_asks_for_the_samples_of_a_cell() -> None:
    shown = digits()
    view = ConfusionView(shown)
    opening = view.opening()
    assert opening["wrong"] == shown.size - shown.right
    every = view.answer({"ask": "samples", "target": ANY, "predicted": ANY})
    assert every["count"] == 360
    assert isinstance(every["samples"], list)
    assert len(every["samples"]) == 48
    row = [view.answer({"ask": "samples", "target": 3, "predicted": j})["count"] for j in range(10)]
    assert row == shown.counts[3, :10].tolist()
    last = view.answer({"ask": "samples", "target": ANY, "predicted": ANY, "from": 350})
    assert isinstance(last["samples"], list)
    assert len(last["samples"]) == 10


@pytest.mark.parametrize(
    "question",
    [
        {"ask": "what"},
        {"ask": "samples"},
        {"ask": "samples", "target": 10, "predicted": 0},
        {"ask": "samples", "target": 0, "predicted": "x"},
    ],
)
def test_other_questions_are_refused(question: dict[str, str | int]) -> None:
    with pytest.raises(Unanswerable):
        ConfusionView(digits()).answer({**question})


def test_a_net_that_has_diverged_takes_samples_for_no_class() -> None:
    shown = confusion('%confusion (1 / sum(x - x)) * [1, 2, 3] for (x, t) in data("iris")')
    assert shown.right == 0
    assert "none" in text(shown)
    assert "none" in bundle(shown)["text/html"]


def test_a_target_that_is_not_one_hot_is_refused() -> None:
    session = replace(Session.start(Path()), given={"soft": {"x": np.ones((3, 2)), "t": np.full((3, 2), 0.5)}})
    found, _ = run(session, '%confusion x for (x, t) in data("soft")')
    assert codes(found) == ["RH046"]
