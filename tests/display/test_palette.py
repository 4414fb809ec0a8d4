"""Colours: text is readable on white and on dark, and colours that carry meaning differ for colour-blind readers too.

Colour blindness is simulated with the matrices of G. M. Machado, M. M. Oliveira and
L. A. F. Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE Transactions on
Visualization and Computer Graphics 15(6), 2009, for a severity of 1, on linear sRGB. Distances are those of CIELAB (1976),
where 2.3 is just noticeable; contrast is that of WCAG 2.
"""

from itertools import combinations, pairwise

import numpy as np
import pytest

from rh_kernel.display.palette import (
    ABOVE,
    BACKGROUNDS,
    BACKWARD,
    BELOW,
    COLOURS,
    FRAMES,
    MARKS,
    NEUTRAL,
    NO_NUMBER,
    PAPER,
    SEQUENCE,
    blend,
    tint,
    triple,
)
from rh_kernel.display.sweeps.heat_map import BLACK, LIGHT
from rh_kernel.display.traces.panes import COLOURS as OF_PANES
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.printing.doc import MarkKind, Role

SIGHT = {
    "all cones": np.eye(3),
    "protan": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deutan": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritan": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}
TO_XYZ = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]])

WHITE, DARK = np.full(3, 255.0), np.full(3, 17.0)
GREY = "#808080"

each_sight = pytest.mark.parametrize("sight", SIGHT)
each_paper = pytest.mark.parametrize("paper", [WHITE, DARK], ids=["white", "dark"])


def parts(colour: str) -> Array:
    return np.array([float(part) for part in (triple(colour) if colour.startswith("#") else colour).split(",")])


def over(colour: str, opacity: float, paper: Array) -> Array:
    """A translucent colour on a background."""
    return opacity * parts(colour) + (1 - opacity) * paper


def linear(colour: Array) -> Array:
    c = colour / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(colour: Array, sight: str) -> Array:
    seen = np.clip(SIGHT[sight] @ linear(colour), 0, 1)
    t = TO_XYZ @ seen / TO_XYZ.sum(axis=1)
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def distance(one: Array, other: Array, sight: str) -> float:
    return float(np.linalg.norm(lab(one, sight) - lab(other, sight)))


def contrast(one: Array, other: Array) -> float:
    darker, lighter = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def test_distance_and_contrast_are_those_of_the_standards() -> None:
    assert contrast(WHITE, np.zeros(3)) == pytest.approx(21)
    assert contrast(parts("#777777"), WHITE) == pytest.approx(4.48, abs=0.01)
    assert lab(parts("#ff0000"), "all cones") == pytest.approx([53.24, 80.09, 67.20], abs=0.05)
    # A red and a green that somebody without the middle cones takes for nearly the same, and others do not.
    red, green = parts("#c00000"), parts("#7b6500")
    assert distance(red, green, "all cones") > 4 * distance(red, green, "deutan")


@pytest.mark.parametrize("role", Role)
def test_letters_can_be_read(role: Role) -> None:
    """The contrast on white is that of WCAG for small text; on dark, 4.1 is nearly the most that is then possible."""
    assert contrast(parts(COLOURS[role]), WHITE) >= 4.5
    assert contrast(parts(COLOURS[role]), DARK) >= 4.1


@pytest.mark.parametrize("colour", [BACKWARD, NEUTRAL, BELOW, ABOVE, NO_NUMBER])
def test_lines_that_are_letters_elsewhere_can_be_read(colour: str) -> None:
    assert contrast(parts(colour), WHITE) >= 4.5
    assert contrast(parts(colour), DARK) >= 4.1


@each_paper
@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("kind", BACKGROUNDS)
def test_text_on_a_translucent_background_is_readable(kind: MarkKind, role: Role, paper: Array) -> None:
    assert contrast(parts(COLOURS[role]), over(MARKS[kind], 0.2, paper)) >= 2.8


@each_sight
@pytest.mark.parametrize(
    "colours",
    [
        (BELOW, ABOVE, NO_NUMBER, GREY),
        (COLOURS[Role.FUNCTION], COLOURS[Role.OPERATION], COLOURS[Role.CONSTANT], GREY),
        (f"{MARKS['forward']}", f"{MARKS['backward']}", GREY),
    ],
    ids=["entries of an array", "boxes of a diagram", "forward and backward pass"],
)
def test_what_stands_side_by_side_differs(colours: tuple[str, ...], sight: str) -> None:
    for one, other in combinations(colours, 2):
        if {one, other} != {NO_NUMBER, GREY}:
            assert distance(parts(one), parts(other), sight) >= 15


@each_sight
@each_paper
@pytest.mark.parametrize("opacity", [0.2, 0.3, 0.32])
def test_backgrounds_that_stand_side_by_side_differ(opacity: float, sight: str, paper: Array) -> None:
    """Redex against contractum, redex against grey, and each of them against the background."""
    redex, contractum, grey = (over(c, opacity, paper) for c in (MARKS["redex"], MARKS["contractum"], triple(GREY)))
    assert distance(redex, contractum, sight) >= 18
    for one, other in ((redex, grey), (contractum, grey), (redex, paper), (contractum, paper)):
        assert distance(one, other, sight) >= 7


@each_sight
@each_paper
@pytest.mark.parametrize(("inner", "outer"), [("focus", "redex"), ("changed", "contractum")])
def test_a_mark_in_a_mark_stands_out(inner: MarkKind, outer: MarkKind, sight: str, paper: Array) -> None:
    around = over(MARKS[outer], 0.14, paper)
    assert distance(over(MARKS[inner], 0.3, around), around, sight) >= 10


@each_paper
@pytest.mark.parametrize("kind", ["forward", "backward"])
def test_lines_below_a_contractum_can_be_seen(kind: MarkKind, paper: Array) -> None:
    around = over(MARKS["contractum"], 0.14, paper)
    assert contrast(over(MARKS[kind], 0.9, around), around) >= 2.9


@each_sight
def test_frames_on_white_differ(sight: str) -> None:
    for one, other in combinations(FRAMES.values(), 2):
        assert distance(parts(one), parts(other), sight) >= 10


@each_sight
def test_a_scale_becomes_lighter_for_everybody(sight: str) -> None:
    seen = [lab(parts(blend(SEQUENCE, share)), sight) for share in np.linspace(0, 1, 21)]
    lightness = [float(colour[0]) for colour in seen]
    assert all(later - earlier > 2 for earlier, later in pairwise(lightness))
    for share in np.linspace(0, 1, 101):
        assert contrast(parts(BLACK if share > LIGHT else PAPER), parts(blend(SEQUENCE, share))) >= 4.5


def test_there_is_one_palette() -> None:
    assert OF_PANES is MARKS


def test_a_tint_goes_from_white_to_the_colour() -> None:
    assert tint("#0d76db", 0) == "#ffffff"
    assert tint("#0d76db", 1) == "#0d76db"
    assert tint("#000000", 0.5) == "#808080"
    assert triple("#0d76db") == "13,118,219"
