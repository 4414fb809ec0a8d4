"""The table and the pictures of speed tell what was measured: all of it, in proportion, and no label on another one."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.reference import speed
from lessons.reference.speed import SPACE, Headline, Release, bars, history, speed_part

SVG = "{http://www.w3.org/2000/svg}"


def _release(version: str, ratios: Mapping[str, Mapping[str, float]]) -> Release:
    return Release(version, {}, (Headline("A step", "ms", {"rh_kernel": 2.0, "JAX": 8.0}),), ratios)


def _texts(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]


def test_bars_are_as_long_as_what_they_show_is_large() -> None:
    picture = bars(_release("1", {}))
    short, long = [float(bar.attrib["width"]) for bar in ET.fromstring(picture).iter(f"{SVG}rect")]
    assert long == pytest.approx(4 * short, rel=1e-2)
    assert _texts(picture) == ["A step", "rh_kernel", "2.00 ms", "PyTorch", "JAX", "8.00 ms"]


def test_the_chart_has_a_line_for_each_workload_and_a_point_for_each_version_that_has_it() -> None:
    old = _release("1", {"a float64": {"PyTorch": 2.0}, "a float32": {"PyTorch": 2.0}})
    new = _release("2", {"a float64": {"PyTorch": 1234.0, "JAX": 3.0}, "b float64": {"PyTorch": 2.5}})
    picture = history([old, new])
    lines = [line.attrib["points"].split() for line in ET.fromstring(picture).iter(f"{SVG}polyline")]
    assert [len(points) for points in lines] == [2, 1, 1]
    assert {"a: 1,234", "b: 2.50", "a: 3.00", "1", "2"} <= set(_texts(picture))


def test_a_loss_of_speed_goes_down() -> None:
    slower = [_release("1", {"a float64": {"PyTorch": 5.0}}), _release("2", {"a float64": {"PyTorch": 2.0}})]
    (line,) = [e.attrib["points"] for e in ET.fromstring(history(slower)).iter(f"{SVG}polyline")]
    first, second = [float(point.split(",")[1]) for point in line.split()]
    assert second > first, "y grows downwards"


@given(st.lists(st.floats(speed.TOP, speed.TOP + speed.PANEL), max_size=20))
def test_labels_are_apart_and_above_the_lower_edge(places: Sequence[float]) -> None:
    found = sorted(speed._apart(places))
    assert len(found) == len(places)
    assert all(b - a >= SPACE - 1e-6 for a, b in pairwise(found))
    assert all(place <= speed.TOP + speed.PANEL for place in found)


def test_the_table_has_every_headline() -> None:
    body = speed_part().splitlines()[2:]
    for row, line in zip(body, speed.releases()[-1].headlines, strict=False):
        assert row.startswith(f"| {line.title} | ")
        assert len(re.findall(line.unit, row.removeprefix(f"| {line.title}"))) == len(line.values)
