"""Curves of counts: all points and labels are drawn, labels do not overlap, and the axis fits the growth."""

import base64
import re

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.growth import Curve, Growth
from rh_kernel.display.lambda_cells.growth import growth_html, growth_image, growth_text

SIZES = st.lists(st.integers(1, 50), min_size=1, max_size=6, unique=True).map(lambda many: tuple(sorted(many)))
VALUES = st.one_of(st.none(), st.integers(0, 10**6))


@st.composite
def growths(draw: st.DrawFn) -> Growth:
    sizes = draw(SIZES)
    values = st.lists(VALUES, min_size=len(sizes), max_size=len(sizes)).map(tuple)
    curves = draw(st.lists(values, min_size=1, max_size=7))
    return Growth(sizes, tuple(Curve(f"system-{i} operations", each) for i, each in enumerate(curves)))


def drawing(growth: Growth) -> str:
    [data] = re.findall(r"base64,([^\"]+)", growth_image(growth))
    return base64.b64decode(data).decode()


@given(growths())
def test_every_count_is_in_the_table(growth: Growth):
    lines = growth_text(growth).splitlines()
    assert [line.split()[0] for line in lines[1:]] == [f"{n:,}" for n in growth.sizes]
    for i, line in enumerate(lines[1:]):
        shown = [curve.values[i] for curve in growth.curves]
        assert line.split()[1:] == ["–" if v is None else f"{v:,}" for v in shown]


@given(growths())
def test_names_do_not_lie_on_each_other(growth: Growth):
    places = [float(y) for y in re.findall(r'y="([\d.-]+)" fill="#\w+">system', drawing(growth))]
    assert all(abs(a - b) >= 13.9 for i, a in enumerate(places) for b in places[:i])


def test_every_point_is_drawn():
    growth = Growth((1, 2, 4), (Curve("a", (3, 5, 9)), Curve("b", (1, None, 2))))
    assert drawing(growth).count("<circle") == 5


def test_the_axis_is_logarithmic_for_what_grows_faster_than_a_cube():
    """Then the ticks are powers of ten."""
    sizes = tuple(range(1, 11))
    exponential = drawing(Growth(sizes, (Curve("a", tuple(2**n for n in sizes)),)))
    assert ">10<" in exponential
    assert ">100<" in exponential
    quadratic = drawing(Growth(sizes, (Curve("a", tuple(5 * n * n for n in sizes)),)))
    assert ">200<" in quadratic


def test_nothing_measured_is_an_empty_table():
    assert "<img" not in growth_html(Growth((), (Curve("a", ()),)))


def test_a_name_is_text():
    assert "&lt;b&gt;" in growth_html(Growth((1,), (Curve("<b>", (1,)),)))
