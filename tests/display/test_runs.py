"""Rendering of training runs: complete, without changes of layout during a run, and valid for any numbers."""

import math
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.pictures import TILE_CELLS, averaged_pages, extremes, tiles_image
from rh_kernel.display.training.curves import sparkline
from rh_kernel.display.training.runs import duration, progress_html, progress_text, run_html, run_text
from rh_kernel.display.training.weights import (
    CARDS,
    ENTRIES_WHILE_RUNNING,
    MOST_CARDS,
    gallery,
    moved,
    passing_gallery,
    side_of_images,
)
from rh_kernel.session.results import Change, TrainingDone
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location
from rh_kernel.training import loop
from rh_kernel.training.events import Progress
from tests.display.pages import Page, assert_harmless
from tests.training.programs import elaborated, mlp, reports

STRANGE = (0.0, -0.0, 1.0, -2.5, 1 / 3, 1e-300, 1.7e308, -1.7e308, math.nan, math.inf, -math.inf)


def change(name: str, *shape: int, before: float = 0.0, after: float = 0.5) -> Change:
    """A location all of whose entries change to ``after``."""
    return Change(Location(name, ()), np.full(shape, before), np.full(shape, after))


def of_shapes(*shapes: tuple[int, ...]) -> list[Change]:
    return [change(f"w{i}", *shape) for i, shape in enumerate(shapes)]


def images(page: Page) -> list[dict[str, str | None]]:
    return [attributes for tag, attributes in page.elements if tag == "img"]


def progress(changes: Sequence[Change], fraction: float = 0.5, seconds: float = 2.0) -> Progress:
    now = {c.location: c.after for c in changes}
    start = {c.location: c.before for c in changes if c.before is not None}
    return Progress(5, 10, fraction, ((0.5, 0.25),), 1e4, now, seconds, ("loss",), start)


# -- when it is done -----------------------------------------------------------------------------------------------------------


def test_a_run_tells_its_end_and_what_it_changed() -> None:
    small = Change(Location("w", (), 0), np.zeros(2), np.array([3.0, 4.0]))
    large = change("v", 8, 8)
    done = TrainingDone(10, 4, (("loss", (0.5, 0.25)),), 2.0, (small, large))
    text = run_text(done)
    assert text.splitlines() == [
        "10 epochs of 4 samples · 2 s · 20 samples/s",
        f"0.5 → 0.25  {sparkline((0.5, 0.25))}  loss",
        "w : Real(2)  ‖Δ‖ = 5  [0.0, 0.0] → [3.0, 4.0]",
        "v : Real(8, 8)  ‖Δ‖ = 4  [0, 0] → [0.5, 0.5]",
    ]
    page = assert_harmless(run_html(done))
    assert [re.split("[,:]", image["alt"] or "")[0] for image in images(page)] == ["loss over the epochs", "a heat map of v"]
    for words in ("20 samples/s", "0.5 → 0.25", "‖Δ‖ = 5", "‖Δ‖ = 4", "‖w‖ = 5", "‖v‖ = 4", "[0.0, 0.0] → [3.0, 4.0]"):
        assert words in page.text


def test_a_run_that_was_stopped_says_so() -> None:
    done = TrainingDone(3, 4, (), 0.0, (), stopped=True)
    assert run_text(done).startswith("stopped after 3 epochs")
    assert "stopped after 3 epochs" in Page.of(run_html(done)).text


def test_one_epoch_of_one_sample() -> None:
    assert run_text(TrainingDone(1, 1, (), 2.0, ())).startswith("1 epoch of 1 sample · 2 s")


def test_content_that_is_not_finite_is_counted() -> None:
    bad = np.zeros(20)
    bad[3] = np.nan
    done = TrainingDone(1, 1, (("loss", (math.nan,)),), 1.0, (Change(Location("w", (), 0), np.zeros(20), bad),))
    assert "1 not finite" in run_text(done)
    assert "1 not finite" in assert_harmless(run_html(done)).text


# -- while it goes on ----------------------------------------------------------------------------------------------------------


def digits_run(monkeypatch: pytest.MonkeyPatch) -> list[Progress]:
    """The progress of a run on images of 8 × 8 pixels."""
    monkeypatch.setattr(loop, "BETWEEN_EVENTS", -1.0)
    rng = np.random.default_rng(1)
    given = {"mine": {"x": rng.random((8, 64)), "t": rng.random((8, 10))}}
    measure = "measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)"
    train = f'train rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("mine") epochs 6 batch 4 {measure}'
    run = elaborated(f"{mlp(64, 12, 10)}\n{train}", given)
    return reports(run.events(run.weights()))


def test_nothing_jumps_while_the_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the weights are known, pictures keep their sizes, and no elements come or go except for the first curve."""
    # How many reports there are depends on the time that batches take.
    shown = [report for report in digits_run(monkeypatch) if report.start]
    pages = [assert_harmless(progress_html(report)) for report in shown]
    sizes = [[(i["width"], i["height"]) for i in images(page)] for page in pages]
    known = [page for page, report in zip(pages, shown, strict=True) if report.epoch >= 2]
    assert len(known) >= 5
    assert all(page.tags == known[0].tags for page in known)
    assert {tuple(s[-4:]) for s in sizes} == {tuple(sizes[0])}, "the pictures of the weights"
    assert sizes[-1][0] == ("580", "220")
    assert all("height:220px;line-height:220px" in str(page.elements) for page in pages if len(images(page)) == 4)
    assert {len(s) for s in sizes} == {4, 5}


def test_the_run_shows_its_weights_and_the_rows_of_the_first_layer_as_images(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_, last = digits_run(monkeypatch)
    assert not first.start
    assert "epoch 0 of 6" in assert_harmless(progress_html(first)).text
    page = assert_harmless(progress_html(last))
    alts = [(image["alt"] or "").split(",")[0].split(":")[0] for image in images(page)]
    assert alts[1:] == ["a heat map of w0", "w0", "a heat map of b0", "a heat map of w1"]
    assert "its rows as images of 8 × 8" in page.text
    for words in ("100%", "epoch 6 of 6", "samples/s", "‖w0‖ = ", "‖Δ‖ = ", "Real(12, 64)", "below zero"):
        assert words in page.text
    assert "dot(y - t, y - t)" in page.text


@given(
    st.lists(st.tuples(st.lists(st.integers(1, 40), min_size=1, max_size=3), st.integers(0, 2**32)), max_size=9),
    st.lists(st.lists(st.floats(), max_size=5).map(tuple), max_size=2).map(tuple),
    st.text(max_size=20),
    st.floats(),
    st.floats(),
)
def test_no_weights_break_the_page(
    shapes: list[tuple[list[int], int]], measures: tuple[tuple[float, ...], ...], text: str, fraction: float, seconds: float
) -> None:
    changes = [
        Change(Location(f"<b>{i}", ()), *np.random.default_rng(seed).choice(STRANGE, size=(2, *shape)))
        for i, (shape, seed) in enumerate(shapes)
    ]
    now, start = ({c.location: a for c in changes if (a := getattr(c, of)) is not None} for of in ("after", "before"))
    fraction = fraction if math.isfinite(fraction) else 0.0
    p = Progress(1, 9, fraction, measures, 1.0, now, seconds, (text,) * len(measures), start)
    for page in (assert_harmless(progress_html(p)), assert_harmless(gallery(changes))):
        assert all(image["alt"] for image in images(page))
    assert "\n" not in progress_text(p)


def test_many_locations_are_folded() -> None:
    many = [change(f"w{i}", 4, 5) for i in range(CARDS + 3)]
    page = assert_harmless(gallery(many))
    assert page.tags.count("details") == 1
    assert len(images(page)) == len(many)
    passing = assert_harmless(passing_gallery(many))
    assert len(images(passing)) == CARDS
    for part in (page, passing):
        assert f"and 3 more: w{CARDS}, w{CARDS + 1}, w{CARDS + 2}" in part.text
    assert len(images(assert_harmless(gallery([change(f"w{i}", 13) for i in range(MOST_CARDS + 5)])))) == MOST_CARDS


def test_what_is_too_large_to_be_drawn_in_passing_is_named() -> None:
    side = math.isqrt(ENTRIES_WHILE_RUNNING) + 1
    page = assert_harmless(progress_html(progress([change("huge", side, side), change("small", 4, 4)])))
    assert "and 1 more: huge" in page.text
    assert "‖small‖" in page.text
    assert "‖huge‖" not in page.text


def test_a_page_of_large_weights_is_small() -> None:
    rng = np.random.default_rng(0)
    large = [Change(Location("w", ()), np.zeros((512, 784)), rng.normal(size=(512, 784)))]
    assert len(progress_html(progress(large))) < 100_000
    assert "the first 16 of its 512 rows as images of 28 × 28, averaged" in Page.of(progress_html(progress(large))).text


# -- small things --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shapes", "which", "side"),
    [
        (((32, 64), (10, 32)), 0, 8),
        (((128, 784), (10, 128)), 0, 28),
        (((64, 784), (10, 64)), 1, 0),
        (((32, 64), (64, 32)), 0, 8),
        (((64, 64), (64, 64)), 0, 8),
        (((64, 64), (64, 64)), 1, 0),
        (((32, 63),), 0, 0),
        (((3, 4), (2, 16)), 0, 0),
        (((64,),), 0, 0),
        (((0, 64),), 0, 0),
    ],
)
def test_a_matrix_that_reads_an_image_is_found(shapes: tuple[tuple[int, ...], ...], which: int, side: int) -> None:
    assert side_of_images(of_shapes(*shapes), which) == side


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "0.0 s"),
        (3.21, "3.2 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (185, "3 min 5 s"),
        (7800, "2 h 10 min"),
        (math.inf, ""),
        (math.nan, ""),
    ],
)
def test_durations_are_written_briefly(seconds: float, words: str) -> None:
    assert duration(seconds) == words


@pytest.mark.parametrize(("fraction", "seconds", "left"), [(0.25, 10, "30 s"), (0.5, 90, "1 min 30 s"), (0.8, 2, "0.5 s")])
def test_what_is_left_is_told_as_if_it_went_on_like_this(fraction: float, seconds: float, left: str) -> None:
    run = progress([], fraction, seconds)
    assert f"{duration(seconds)}about {left} left" in Page.of(progress_html(run)).text
    assert progress_text(run).endswith(f" · {left} left")


def test_at_first_and_at_the_end_nothing_is_guessed() -> None:
    for fraction, seconds in ((0.0, 1.0), (0.5, 0.1), (1.0, 5.0)):
        run = progress([], fraction, seconds)
        assert "left" not in Page.of(progress_html(run)).text
        assert "left" not in progress_text(run)


@given(st.floats(-1e150, 1e150), st.sampled_from([1e-150, 1.0, 1e150]))
def test_how_far_something_moved_is_the_euclidean_distance(x: float, scale: float) -> None:
    before, after = np.array([x, 0.0, 0.0]), np.array([x, 3.0, 4.0])
    assert moved(Change(Location("w", ()), before, after)) == "‖Δ‖ = 5"
    assert moved(Change(Location("w", ()), scale * before[1:], scale * after[1:])) == f"‖Δ‖ = {5 * scale:.4g}"


def test_what_had_no_content_of_this_shape_is_new() -> None:
    assert moved(Change(Location("w", ()), None, np.zeros(3))) == "new"
    assert moved(Change(Location("w", ()), np.zeros(2), np.zeros(3))) == "new"


@given(st.lists(st.sampled_from(STRANGE), max_size=8))
def test_extremes_are_those_of_the_finite_entries(entries: list[float]) -> None:
    finite = [x for x in entries if math.isfinite(x)]
    expected = (min(finite), max(finite)) if finite else (0.0, 0.0)
    assert extremes(np.array(entries)) == (*expected, len(entries) - len(finite))


@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (28, 28), (5, 30), (30, 5), (15, 14)])
def test_pages_are_averaged_each_for_itself(rows: int, columns: int) -> None:
    pages = np.random.default_rng(0).normal(size=(3, rows, columns))
    small = averaged_pages(pages)
    assert small.shape == (3, min(rows, TILE_CELLS), min(columns, TILE_CELLS))
    for page, one in zip(pages, small, strict=True):
        np.testing.assert_allclose(averaged_pages(page[None])[0], one)
    flat = averaged_pages(np.ones((2, rows, columns)) * np.array([1.0, 2.0])[:, None, None])
    np.testing.assert_allclose(flat, np.ones(flat.shape) * np.array([1.0, 2.0])[:, None, None])


@pytest.mark.parametrize("count", [1, 7, 8, 9, 32])
def test_tiles_stand_eight_in_a_row(count: int) -> None:
    (image,) = images(assert_harmless(tiles_image(numbered(count), "rows").html))
    width, height = (int(image[side] or 0) for side in ("width", "height"))
    assert (width, height) == (min(count, 8) * 9 * 5, -(-count // 8) * 9 * 5)


def numbered(count: int) -> Array:
    return np.arange(count * 64, dtype=np.float64).reshape(count, 8, 8)
