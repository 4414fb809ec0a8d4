"""``%sees``: the values and cotangents of a net's boxes for the first samples, as pictures, and its filters."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.display.gradients.passes import annotated
from rh_kernel.display.live import sees as live_sees
from rh_kernel.display.live.sees import SeesView
from rh_kernel.display.predictions.filters import filters
from rh_kernel.display.registry import bundle, live_view, records, text
from rh_kernel.session.predictions import SeenShown
from rh_kernel.session.session import Session
from rh_kernel.syntax.core import Array
from tests.session.cells import codes, run

CNN = """include "sgd.rh"
loc c0 : Real(2, 1, 3, 3) = glorot(seed=1)
loc b0 : Real(2) = zeros
loc c1 : Real(10, 72) = glorot(seed=2)
net cnn(x : Real(64)) : Real(10) =
  let z <= Conv2D[c0, b0](reshape[1, 8, 8](x)) in
  FC[c1](reshape[72](tanh(z)))
net loss(x : Real(64), t : Real(10)) : Real = let y <= cnn(x) in return 0.5 * dot(y - t, y - t)
"""
SEES = '%sees rev handle (x) <u>. loss(u, t) with descend(1) for (x, t) in data("digits.test")'


def seen(program: str, session: Session | None = None) -> SeenShown:
    found, _ = run(session or Session.start(Path()), program)
    assert isinstance(found[-1], SeenShown), found[-1]
    return found[-1]


def test_the_cotangent_of_the_input_is_the_gradient_of_the_loss() -> None:
    shown = seen(CNN + SEES)
    assert len(shown.samples) == 6
    _, session = run(Session.start(Path()), CNN)
    heap = {at.name: array for at, array in session.heap.items()}
    sample = shown.samples[1]
    x, t = sample.components["x"], sample.components["t"]

    def loss(x: Array) -> float:
        windows = np.lib.stride_tricks.sliding_window_view(x.reshape(8, 8), (3, 3))
        z = np.tensordot(heap["c0"][:, 0], windows, ((1, 2), (2, 3)))
        y = heap["c1"] @ np.tanh(z).reshape(72)
        return 0.5 * float((y - t) @ (y - t))

    steps = 1e-6 * np.eye(64)
    wanted = np.array([(loss(x + step) - loss(x - step)) / 2e-6 for step in steps])
    first = annotated(sample.made).rows[0]
    np.testing.assert_array_equal(first.value, x)
    (found,) = first.pulled
    np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_it_is_shown_as_text_as_html_and_as_a_record() -> None:
    shown = seen(CNN + SEES)
    words = text(shown)
    assert "sample 1" in words
    assert "z ← Conv2D[c0, b0]" in words
    html = bundle(shown)["text/html"]
    assert html.count('alt="the cotangent of u in sample') == 6
    assert "2 filters of 3 × 3" in html
    (record,) = records(1, shown)
    assert isinstance(record["samples"], list)
    assert len(record["samples"]) == 6


def test_samples_are_chosen_by_their_numbers() -> None:
    first, chosen = seen(CNN + SEES), seen(CNN + SEES + " samples 40, 3, 40")
    assert [one.number for one in chosen.samples] == [40, 3]
    np.testing.assert_array_equal(chosen.samples[1].components["x"], first.samples[3].components["x"])
    assert text(chosen).startswith('data("digits.test"): samples 40, 3 of 360')


@pytest.mark.parametrize(
    ("samples", "code", "words"),
    [
        ("samples 360", "RH042", "there are 360 samples, counted from 0"),
        (f"samples {'9' * 5000}", "RH042", "there are 360 samples"),
        (f"samples {', '.join(map(str, range(25)))}", "RH042", "at most 24 samples"),
        ("samples", "RH005", "the number of a sample"),
        ("samples 1.5", "RH004", "the number of a sample"),
        ("samples 1,", "RH005", "the number of a sample"),
    ],
)
def test_other_numbers_of_samples_are_errors(samples: str, code: str, words: str) -> None:
    found, _ = run(Session.start(Path()), f"{CNN}{SEES} {samples}")
    assert codes(found) == [code]
    assert words in text(found[-1])


def test_the_page_has_the_pictures_and_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    view = live_view(seen(CNN + SEES + " samples 40, 3"))
    assert isinstance(view, SeesView)
    shown: Any = json.loads(json.dumps(view.opening(), allow_nan=False))
    assert [sample["number"] for sample in shown["samples"]] == [40, 3]
    assert all(len(sample["cells"]) == len(shown["boxes"]) for sample in shown["samples"])
    (cotangent,) = shown["samples"][0]["cells"][0]["cotangents"]
    assert np.array(cotangent["numbers"]).shape == (8, 8)
    assert shown["filters"][0]["note"] == "2 filters of 3 × 3"
    monkeypatch.setattr(live_sees, "MOST_NUMBERS", 100)
    fewer: Any = view.opening()
    arrays = [
        array for sample in fewer["samples"] for cell in sample["cells"] for array in (cell["value"], *cell["cotangents"])
    ]
    assert sum([len(row) for array in arrays for row in array["numbers"] or []]) <= 100
    assert any(array["numbers"] is None for array in arrays)


def test_the_heap_remains_as_it_is() -> None:
    _, session = run(Session.start(Path()), CNN)
    _, after = run(session, SEES)
    assert dict(after.heap) == dict(session.heap)


def test_without_a_reverse_handler_there_are_values_only() -> None:
    shown = seen(CNN + '%sees handle cnn(x) with infer for x in data("digits")')
    html = bundle(shown)["text/html"]
    assert "the value of" in html
    assert "the cotangent of" not in html


def test_an_operation_without_a_handler_is_an_error_at_the_command() -> None:
    found, _ = run(Session.start(Path()), CNN + '%sees cnn(x) for x in data("digits")')
    assert codes(found) == ["RH201"]


@pytest.mark.parametrize(
    ("shape", "count"), [((4, 1, 3, 3), 4), ((4, 2, 3, 5), 8), ((7, 64), 7), ((7, 63), None), ((7, 16), None), ((64,), None)]
)
def test_filters_are_those_of_convolutions_and_rows_that_are_pictures(shape: tuple[int, ...], count: int | None) -> None:
    found = filters(np.zeros(shape))
    assert (None if found is None else len(found[0])) == count
