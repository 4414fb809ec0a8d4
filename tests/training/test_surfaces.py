"""Surfaces of a net with two inputs: on a plane around the data, while it learns and after that."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rh_kernel.display.contours import contour
from rh_kernel.display.registry import bundle, records, text
from rh_kernel.display.training.runs import progress
from rh_kernel.display.training.surfaces import label
from rh_kernel.session.predictions import SurfaceShown
from rh_kernel.session.results import TrainingDone
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.training.events import Progress
from rh_kernel.training.samples import data_set
from rh_kernel.training.surfaces import GRID, Surface, plane
from tests.session.cells import codes, run
from tests.tiers import law

NET = """include "sgd.rh"
loc v0 : Real(8, 2) = normal(1, seed=1)
loc v1 : Real({k}, 8) = glorot(seed=2)
net small(x : Real(2)) : Real({k}) = let z <= FC[v0](x) in let h <= return tanh(z) in FC[v1](h)
"""
TRAIN = """train rev handle (x) <u>. small(u) with sgd(0.1, t)
  for (x, t) in data("{data}") epochs 12 batch 10 shuffle 0"""
SURFACE = "\n  surface handle small(x) with infer"
DIRECTIVE = '\n%surface handle small(x) with infer for (x, t) in data("{data}")'


@law(60)
@given(
    arrays(np.float64, 3, elements=st.floats(-5, 5).map(lambda x: round(x, 3))),
    st.integers(2, 7),
    st.integers(2, 7),
)
def test_the_zero_lines_of_a_linear_function_lie_on_its_line(parts: npt.NDArray[np.float64], rows: int, columns: int) -> None:
    a, b, c = parts.tolist()
    y, x = np.mgrid[:rows, :columns]
    field = a * x + b * y + c
    found = [*contour(field, 0.0)]
    for ends in found:
        for u, v in ends:
            assert a * u + b * v + c == pytest.approx(0, abs=1e-9)
            assert 0 <= u <= columns - 1
            assert 0 <= v <= rows - 1
    below = field < 0
    assert bool(found) == (below.any() and not below.all())


def test_a_saddle_has_two_lines_and_what_is_not_finite_has_none() -> None:
    saddle = np.array([[1.0, -1.0], [-1.0, 1.0]])
    assert len([*contour(saddle, 0.0)]) == 2
    assert [*contour(np.array([[1.0, -1.0], [np.nan, 1.0]]), 0.0)] == []


@pytest.mark.parametrize(("data", "k"), [("moons", 1), ("spiral", 3)])
def test_the_last_surface_of_a_run_is_that_of_the_directive(data: str, k: int) -> None:
    program = NET.format(k=k) + TRAIN.format(data=data)
    drawn, after = run(Session.start(Path()), program + SURFACE + DIRECTIVE.format(data=data))
    *_, done, shown = drawn
    assert isinstance(done, TrainingDone)
    assert isinstance(shown, SurfaceShown)
    (surface,) = done.surfaces
    assert surface.values.shape == (GRID * GRID, k)
    np.testing.assert_allclose(surface.values, shown.surface.values)
    epochs = [epoch for epoch, _ in surface.frames]
    assert epochs[0] == 0
    assert epochs[-1] == 12
    assert epochs == sorted({*epochs})
    np.testing.assert_array_equal(surface.frames[-1][1], surface.values)
    assert np.abs(surface.frames[0][1] - surface.values).max() > 0.1
    # Drawing does not change what is learnt.
    _, plain = run(Session.start(Path()), program)
    for location, content in plain.heap.items():
        np.testing.assert_array_equal(content, after.heap[location])


def test_it_is_drawn_as_text_as_a_picture_and_as_a_record() -> None:
    found, _ = run(Session.start(Path()), '%surface x.1 for (x, t) in data("xor")'.replace("x.1", "slice[0, 1](x)"))
    (shown,) = found
    assert isinstance(shown, SurfaceShown)
    lines = text(shown).splitlines()
    assert len(lines) == 18
    assert lines[1][0] == " "
    assert lines[1][-1] == "█"
    assert label(shown.surface).endswith("below 0.5 on 50%; above 0.5 on 50%")
    html = bundle(shown)["text/html"]
    assert html.count("data:image/svg+xml;base64,") == 1
    (record,) = records(1, shown)
    assert record["kind"] == "surface"
    assert isinstance(record["values"], list)
    assert len(record["values"]) == GRID


def test_the_progress_of_a_run_shows_its_surface() -> None:
    program = NET.format(k=1) + TRAIN.format(data="moons").replace("epochs 12", "epochs 40") + SURFACE
    events = [e for e in execute(Session.start(Path()), Source("cell", program)) if isinstance(e, Progress)]
    assert "data:image/svg+xml" not in progress(events[0])["text/html"] or events[0].surfaces
    assert len(events[-1].surfaces) == 1
    assert "surface over x[0]" in progress(events[-1])["text/html"]


def test_two_components_of_one_number_are_a_plane() -> None:
    made = data_set("d", {"a": np.array([0.0, 2.0]), "b": np.array([5.0, 5.0]), "t": np.array([0.0, 1.0])})
    found = plane(made, ["a", "b", "t"], {"a", "b"}, "t")
    assert found.axes == ("a", "b")
    assert (found.low < [0, 5]).all()
    assert (found.high > [2, 5]).all()
    assert found.grid.size == GRID * GRID
    grid = found.grid.arrays
    assert (grid["a"][0, 0], grid["b"][0, 0]) == (found.low[0], found.high[1])


def test_results_that_are_not_finite_are_drawn() -> None:
    made = data_set("d", {"x": np.eye(2), "t": np.eye(2)})
    on = plane(made, ["x", "t"], {"x"}, "t")
    for values in (np.full((GRID * GRID, 2), np.nan), np.full((GRID * GRID, 1), np.inf), np.zeros((GRID * GRID, 2))):
        shown = SurfaceShown(Surface("P", on, values))
        assert bundle(shown)["text/html"]
        assert len(text(shown).splitlines()) == 18


@pytest.mark.parametrize(
    "program",
    [
        '%surface x for x in data("iris")',
        '%surface [1, 2] for x in data("xor")',
        '%surface return (x, x) for x in data("xor")',
        'train return x for x in data("iris") surface return x',
        'train return x for (x, t) in data("xor") surface return t',
    ],
)
def test_what_has_no_surface_is_refused(program: str) -> None:
    found, _ = run(Session.start(Path()), program)
    assert codes(found) == ["RH046"]
