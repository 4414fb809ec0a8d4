"""Slices: the plane keeps the most of the movement that a plane can, and the averages on it are those of its heaps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.results import Notice
from rh_kernel.session.session import Session
from rh_kernel.training.slices import FAR, axes, kept
from tests.session.cells import run
from tests.tiers import law

VALLEY = """
include "backprop.rh"
loc place : Real(2) = [-2, 1.5]
op Here[l : Loc(n)] : 1 -> Real(n)
net height(u : 1) : Real = let p <= Here[place]() in return 0.05 * dot(p * [1, 20], p)
handler slope : rev handler(Real) = {
  return h -> return 1
  Here[l](u) -> let p <= Get[l]() in return (p, ())
    | g, _ -> let _ <= Update[l](g) in return 0
}
%race train handle (rev handle (()) <u>. height(u) with slope) with gradient_descent(0.9), gradient_descent(0.1)
  for x in data("xor") epochs 5 batch 4
  measure let p <= Get[place]() in return 0.05 * dot(p * [1, 20], p)
"""


@law(30)
@given(st.integers(3, 9), st.integers(0, 99))
def test_the_directions_are_orthonormal_and_no_plane_keeps_more(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    paths = [np.concatenate([np.zeros((1, size)), rng.standard_normal((4, size)).cumsum(axis=0)]) for _ in range(2)]
    found = axes(paths)
    assert found is not None
    directions, share = found
    assert directions @ directions.T == pytest.approx(np.eye(2), abs=1e-9)
    rows = np.concatenate(paths)
    best = np.sum(np.linalg.svd(rows, compute_uv=False)[:2] ** 2) / np.sum(rows**2)
    assert share == pytest.approx(best)
    assert np.sum((rows @ directions.T) ** 2) / np.sum(rows**2) == pytest.approx(share)
    assert np.all(directions @ np.sum([path[-1] for path in paths], axis=0) >= 0)


def test_paths_that_do_not_move_or_stay_on_a_line_have_no_plane() -> None:
    assert axes([np.zeros((3, 4))]) is None
    assert axes([np.outer(np.arange(3.0), [1, 2, 3])]) is None
    assert axes([np.outer(np.arange(3.0), [1.0])]) is None


def test_a_path_ends_before_it_is_far_away_or_not_finite() -> None:
    near, wild = np.outer(np.arange(4.0), [1, 0]), np.array([[0, 0], [0, 1], [0, 40 * FAR], [np.nan, 0]])
    assert [len(path) for path in kept([near, near, wild])] == [4, 4, 2]


def test_the_averages_on_the_plane_of_two_weights_are_those_of_its_points(tmp_path: Path) -> None:
    found, _ = run(Session.start(tmp_path), VALLEY)
    (done,) = [one for one in found if isinstance(one, RaceDone)]
    s = done.slice
    assert s is not None
    assert (s.entries, s.share, s.samples) == (("place[0]", "place[1]"), 1.0, 4)
    x, y = np.meshgrid(s.xs, s.ys)
    assert np.array(s.values) == pytest.approx(0.05 * (x**2 + 20 * y**2))
    fast, slow = s.paths
    assert fast[0] == slow[0] == (-2, 1.5)
    assert np.array(fast) == pytest.approx(np.array([(-2 * 0.91**k, 1.5 * (-0.8) ** k) for k in range(6)]))
    assert not [one for one in found if isinstance(one, Notice) and "race" in one.text]
