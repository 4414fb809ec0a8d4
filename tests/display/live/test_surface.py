"""The live view of surfaces: the states of a training run with their epochs, and the results at each point."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rh_kernel.display.live import surface as live_surface
from rh_kernel.display.live.surface import SurfaceView
from rh_kernel.display.live.view import Unanswerable
from rh_kernel.display.registry import live_view
from rh_kernel.session.predictions import SurfaceShown
from rh_kernel.session.results import TrainingDone
from rh_kernel.training.samples import data_set
from rh_kernel.training.surfaces import GRID, Surface, plane
from tests.display.every_view import every_view


def trained() -> TrainingDone:
    found = every_view()["training with surfaces: TrainingDone"]
    assert isinstance(found, TrainingDone)
    return found


def opening(view: SurfaceView) -> Any:
    return json.loads(json.dumps(view.opening(), allow_nan=False))


def test_a_run_has_the_states_that_were_kept_and_the_last_one() -> None:
    done = trained()
    shown = opening(SurfaceView(done))
    (kept,), (drawn,) = done.surfaces, shown["surfaces"]
    assert shown["epochs"] == [epoch for epoch, _ in kept.frames]
    assert (shown["epochs"][0], shown["epochs"][-1]) == (0, 60)
    assert len(drawn["states"]) == len(shown["epochs"])
    for state in drawn["states"]:
        assert sum(state["shares"]) == pytest.approx(1)
    assert drawn["states"][0]["pixels"] != drawn["states"][-1]["pixels"]
    np.testing.assert_allclose(drawn["states"][-1]["values"], kept.values, rtol=5e-3, atol=1e-12)


def test_a_run_that_was_stopped_ends_with_its_last_state() -> None:
    done = trained()
    (kept,) = done.surfaces
    stopped = replace(done, epochs=7, stopped=True, surfaces=(replace(kept, frames=kept.frames[:3]),))
    assert opening(SurfaceView(stopped))["epochs"] == [*[epoch for epoch, _ in kept.frames[:3]], 7]


def test_results_of_earlier_states_are_left_out_if_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_surface, "MOST_NUMBERS", 10_000)
    states = opening(SurfaceView(trained()))["surfaces"][0]["states"]
    assert [state["values"] is None for state in states] == [True] * (len(states) - 1) + [False]


def test_a_run_without_surfaces_has_no_live_view() -> None:
    assert live_view(replace(trained(), surfaces=())) is None
    assert isinstance(live_view(trained()), SurfaceView)


def test_a_surface_that_is_not_finite_is_strict_json() -> None:
    on = plane(data_set("d", {"x": np.eye(2), "t": np.eye(2)}), ["x", "t"], {"x"}, "t")
    values = np.full((GRID * GRID, 2), np.nan)
    (drawn,) = opening(SurfaceView(SurfaceShown(Surface("P\u202e", on, values))))["surfaces"]
    assert drawn["states"][0]["values"][0] == ["nan", "nan"]
    assert "\u202e" not in drawn["title"]


def test_the_page_asks_nothing() -> None:
    with pytest.raises(Unanswerable):
        SurfaceView(trained()).answer({"ask": "point"})
