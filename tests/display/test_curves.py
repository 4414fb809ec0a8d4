"""Curves: every value is on the axis, ticks are few and round, and any numbers give a valid drawing."""

import base64
import math
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.training.curves import BLOCKS, MOST_POINTS, Scale, curve_image, scale, sparkline, tick_text
from tests.display.pages import assert_harmless

NUMBERS = st.lists(st.floats(), max_size=40)
FINITE = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=40)


def drawing(image: str) -> ElementTree.Element:
    (source,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', image)
    return ElementTree.fromstring(base64.b64decode(source))


def line(values: list[float], epochs: int = 0) -> str:
    """The path of the curve."""
    return next(
        e.get("d") or "" for e in drawing(curve_image(values, "", epochs).html).iter() if e.get("stroke-width") == "1.8"
    )


# -- axes ----------------------------------------------------------------------------------------------------------------------


@given(FINITE)
def test_every_value_finds_a_place(values: list[float]) -> None:
    s = scale(values)
    assert all(-1e-9 <= s(v) <= 1 + 1e-9 for v in values)
    assert all(s.low <= tick <= s.high for tick in s.ticks)
    assert 2 <= len(s.ticks) <= 8
    assert [*s.ticks] == sorted(set(s.ticks))


@given(st.floats(0.001, 1000), st.floats(0.001, 1000))
def test_ticks_are_round(a: float, b: float) -> None:
    s = scale([a, b])
    steps = np.diff(s.ticks)
    if s.logarithmic:
        assert all(math.log10(tick) == pytest.approx(round(math.log10(tick))) for tick in s.ticks)
    elif a != b:
        mantissas = {float(f"{step:.3g}".split("e")[0].replace("0", "").replace(".", "") or 1) for step in steps}
        assert mantissas <= {1, 2, 5}


@pytest.mark.parametrize(
    ("values", "ticks", "logarithmic"),
    [
        ((0.6, 0.02), (0, 0.2, 0.4, 0.6), False),
        ((1.0, 0.001), (0.001, 0.01, 0.1, 1), True),
        ((90.0, 97.0), (90, 92, 94, 96, 98), False),
        ((0.0, 1.0), (0, 0.5, 1), False),
        ((-1.0, 1.0), (-1, -0.5, 0, 0.5, 1), False),
    ],
)
def test_axes_as_one_would_draw_them(values: tuple[float, ...], ticks: tuple[float, ...], logarithmic: bool) -> None:
    s = scale(values)
    assert s.ticks == pytest.approx(ticks)
    assert s.logarithmic == logarithmic


def test_a_constant_stands_in_the_middle() -> None:
    assert scale([3.0, 3.0])(3.0) == pytest.approx(0.5)


def test_ticks_are_written_briefly() -> None:
    assert [tick_text(x) for x in (0.0, 0.1, 100.0, 1e-7, 2e9)] == ["0", "0.1", "100", "1e-7", "2e9"]


# -- drawings ------------------------------------------------------------------------------------------------------------------


@given(NUMBERS)
def test_no_number_breaks_a_drawing(values: list[float]) -> None:
    for epochs in (0, 50):
        image = curve_image(values, "label", epochs).html
        assert_harmless(image)
        words = "".join([value for element in drawing(image).iter() for value in element.attrib.values()])
        assert "nan" not in words
        assert "inf" not in words


def test_a_gap_is_a_gap() -> None:
    assert line([1.0, 2.0, math.nan, 3.0, 4.0]).count("M") == 2


def test_a_long_run_is_thinned_but_for_its_ends() -> None:
    values = [math.exp(-i / 1000) for i in range(10_000)]
    assert len(re.findall("[ML]", line(values))) == MOST_POINTS
    assert len(curve_image(values, "label").html) < 20_000


def test_the_axis_counts_epochs() -> None:
    words = [element.text for element in drawing(curve_image([0.5] * 200, "").html).iter() if element.tag.endswith("text")]
    assert [word for word in words if word in {"1", "50", "100", "150", "200"}][-5:] == ["1", "50", "100", "150", "200"]


@pytest.mark.parametrize("epochs", [1, 2, 30, 20_000, 100_000_000])
def test_the_label_of_the_last_epoch_is_inside(epochs: int) -> None:
    picture = drawing(curve_image([1.0, 2.0], "", epochs).html)
    width = float(picture.attrib["viewBox"].split()[2])
    labels = [t for t in picture.iter() if t.attrib.get("text-anchor") == "middle"]
    *numbers, title = labels
    assert (numbers[-1].text, title.text) == (str(max(epochs, 2)), "epoch")
    for label in numbers:
        assert float(label.attrib["x"]) + 3.5 * len(label.text or "") <= width + 0.1


def test_a_curve_grows_along_the_axis_of_all_epochs() -> None:
    """Existing points do not move when others are added."""
    ends = [line([1.0, 0.0, *[0.5] * n], epochs=20).split("L") for n in range(19)]
    assert all(points == ends[-1][: len(points)] for points in ends)
    assert ends[-1][-1].startswith(line([1.0, 0.0]).split("L")[1].split()[0])


# -- block characters ----------------------------------------------------------------------------------------------------------


@given(NUMBERS, st.integers(1, 60))
def test_a_sparkline_has_a_sign_for_each_value(values: list[float], width: int) -> None:
    line = sparkline(values, width)
    assert len(line) == min(len(values), width)
    assert set(line) <= {*BLOCKS, "·"}


def test_a_sparkline_falls_as_the_values_do() -> None:
    assert sparkline([8, 7, 6, 5, 4, 3, 2, 1]) == "█▇▆▅▄▃▂▁"
    signs = sparkline([math.exp(-i / 10) for i in range(100)])
    assert [BLOCKS.index(sign) for sign in signs] == sorted([BLOCKS.index(sign) for sign in signs], reverse=True)


def test_a_scale_is_what_it_says() -> None:
    assert Scale(0.0, 4.0, ())(1.0) == 0.25
    assert Scale(0.01, 100.0, (), logarithmic=True)(1.0) == pytest.approx(0.5)
