"""Rendering of values: small ones read back exactly, large ones are summarised, and pictures show the entries."""

import base64
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.palette import ABOVE, BELOW, NO_NUMBER, triple
from rh_kernel.display.pictures import curve, heat_map, strengths
from rh_kernel.display.values import MOST_ENTRIES, array_html, changes_html, changes_text, summary, value_html, value_text
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array, Bound, Const, Term, Tuple, Zero
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.types import SCALAR, product, real
from rh_kernel.syntax.values import UNIT_VALUE, constant
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.items import ClosedTerm, elaborate_evaluation

ELEMENTS = {"table", "tr", "td", "span", "div", "img", "b", "br"}
ATTRIBUTES = {"style", "title", "src", "width", "height", "alt"}
STRANGE = (0.0, -0.0, 1.0, -2.5, 1 / 3, 1e-7, 1.7e308, -1.7e308, 5e-324, np.nan, np.inf, -np.inf)


def arrays(most_axes: int, longest: int, pool: tuple[float, ...] = STRANGE) -> st.SearchStrategy[Array]:
    """Arrays with entries from a pool."""

    def drawn(shape: list[int], seed: int) -> Array:
        return np.random.default_rng(seed).choice(pool, size=shape)

    return st.builds(drawn, st.lists(st.integers(1, longest), min_size=1, max_size=most_axes), st.integers(0, 2**32))


ANY = arrays(3, 40)
FINITE = arrays(3, 4, STRANGE[:-3])


def ramp(*shape: int) -> Array:
    return np.linspace(-1.0, 2.0, int(np.prod(shape))).reshape(shape)


def values() -> st.SearchStrategy[Term]:
    leaves = st.one_of(FINITE.map(Const), st.just(UNIT_VALUE))
    return st.recursive(leaves, lambda inner: st.lists(inner, min_size=2, max_size=3).map(lambda items: Tuple(tuple(items))))


@given(values(), st.sampled_from([10, 80, 10**9]))
def test_the_text_of_a_small_value_reads_back(V: Term, width: int) -> None:
    found = elaborate_evaluation(BUILT_IN, parse_expression(Source("shown", value_text(V, width))))
    assert isinstance(found, ClosedTerm)
    assert found.term == V


@pytest.mark.parametrize(
    ("V", "text"),
    [
        (constant(0.5), "0.5"),
        (UNIT_VALUE, "()"),
        (Zero(product((real(2), SCALAR))), "⟨[0.0, 0.0], 0.0⟩"),
        (constant([0.1 + 0.2, np.nan, -np.inf]), "[0.30000000000000004, nan, -inf]"),
        (Const(np.array([0.1], dtype=np.float32)), "0.1"),
        (Const(ramp(64, 10)), "‹Real(64, 10)› 640 entries from -1 to 2, mean 0.5"),
        (Tuple((constant(1), Const(ramp(200)))), "⟨1.0, ‹Real(200)› 200 entries from -1 to 2, mean 0.5⟩"),
    ],
)
def test_values_as_text(V: Term, text: str) -> None:
    assert value_text(V) == text


def test_the_text_does_not_depend_on_settings_of_numpy() -> None:
    with np.printoptions(precision=2, suppress=True, threshold=2, linewidth=10):
        assert value_text(constant([1 / 3] * 4), 1000) == f"[{', '.join(['0.3333333333333333'] * 4)}]"


def test_what_is_not_finite_is_counted_apart() -> None:
    assert summary(np.array([1.0, np.nan, 3.0, np.inf])) == "4 entries from 1 to 3, mean 2, 2 not finite"
    assert summary(np.array([np.nan])) == "1 entry, 1 not finite"


def test_an_open_term_is_no_value() -> None:
    with pytest.raises(KernelBug):
        value_text(Bound(0))


class Elements(HTMLParser):
    """Parses HTML into elements with attributes and text, and checks that elements are closed correctly."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def check(html: str) -> Elements:
    elements = Elements(html)
    for tag, attributes in elements.found:
        assert tag in ELEMENTS
        assert set(attributes) <= ATTRIBUTES
        assert re.fullmatch(r"[\w\-:;(), .%]*", attributes.get("style") or "")
    return elements


def pictures(html: str) -> Iterator[ElementTree.Element]:
    for tag, attributes in Elements(html).found:
        if tag == "img":
            head, data = (attributes["src"] or "").split(",", 1)
            assert head == "data:image/svg+xml;base64"
            yield ElementTree.fromstring(base64.b64decode(data))


@given(ANY)
def test_html_of_any_array_is_sound(array: Array) -> None:
    html = array_html(array)
    check(html)
    for svg in pictures(html):
        assert svg.tag == "{http://www.w3.org/2000/svg}svg"
        assert "nan" not in ElementTree.tostring(svg, encoding="unicode")
    assert len(html) < 70_000


@given(values())
def test_every_number_of_a_small_value_is_in_its_html(V: Term) -> None:
    titles = {attributes["title"] for _, attributes in check(value_html(V)).found if "title" in attributes}
    assert titles == {str(x) for array in leaves(V) if array.ndim <= 2 for x in array.flat}


def leaves(V: Term) -> Iterator[Array]:
    match V:
        case Const(array):
            yield array
        case Tuple(items):
            for W in items:
                yield from leaves(W)
        case _:
            raise AssertionError


def test_a_small_matrix_is_a_table_with_shades() -> None:
    elements = check(array_html(np.array([[0.5, -1.0], [0.0, np.nan]])))
    shades = [re.sub(".*background-color:", "", a["style"] or "") for tag, a in elements.found if tag == "td"]
    assert shades == [
        f"rgba({triple(ABOVE)}, 0.23)",
        f"rgba({triple(BELOW)}, 0.45)",
        f"rgba({triple(ABOVE)}, 0.00)",
        "rgba(128, 128, 128, 0.4)",
    ]


def test_large_arrays_are_pictures() -> None:
    for array in (ramp(17), ramp(1000), ramp(17, 2), ramp(64, 64), ramp(3, 4, 5)):
        assert len(list(pictures(array_html(array)))) == 1
    for array in (ramp(16), ramp(16, 16), ramp(1)):
        assert not list(pictures(array_html(array)))


@given(ANY)
def test_strengths_are_between_minus_one_and_one(array: Array) -> None:
    found = strengths(array)
    known = found[~np.isnan(array)]
    assert np.all(np.abs(known) <= 1)
    assert np.all(np.sign(known) * np.sign(array[~np.isnan(array)]) >= 0)
    assert np.array_equal(np.isnan(found), np.isnan(array))


def test_a_heat_map_has_a_path_for_each_colour() -> None:
    (svg,) = pictures(heat_map(np.array([[1.0, 1.0, -0.5], [0.0, -1.0, np.nan]]), "m"))
    paths = {(p.get("fill"), p.get("fill-opacity")): p.get("d") for p in svg if p.get("fill") != "none"}
    assert paths == {
        (ABOVE, "1.0"): "M0 0h2v1H0z",
        (BELOW, "0.5"): "M2 0h1v1H2z",
        (BELOW, "1.0"): "M1 1h1v1H1z",
        (NO_NUMBER, "1.0"): "M2 1h1v1H2z",
    }


def test_a_large_heat_map_is_averaged() -> None:
    array = np.zeros((100, 640))
    array[:50] = 4.0
    array[::2] += 1.0
    array[1::2] -= 1.0
    (svg,) = pictures(heat_map(array, "m"))
    assert svg.get("viewBox") == "0 0 32 32"


def test_a_curve_has_a_gap_where_there_is_no_number() -> None:
    (svg,) = pictures(curve(np.array([0.0, 1.0, np.nan, 2.0, 0.0]), "v"))
    assert svg[1].get("d") == "M0.0 32.0L45.0 16.0M135.0 0.0L180.0 32.0"


def test_changes_as_text() -> None:
    changes = {
        "w0": (np.array([[1.0, 2.0]]), np.array([[1.0, 2.5]])),
        "b": (None, np.array([0.0])),
        "c": (np.array([1.0]), np.array([1.0])),
        "w1": (ramp(20, 20), ramp(20, 20) * 2),
    }
    assert changes_text(changes) == (
        "w0 : Real(1, 2) changed by at most 0.5\n"
        "  before [[1.0, 2.0]]\n"
        "  after  [[1.0, 2.5]]\n"
        "b : Real(1) is new\n"
        "  0.0\n"
        "w1 : Real(20, 20) changed by at most 2\n"
        "  before ‹Real(20, 20)› 400 entries from -1 to 2, mean 0.5\n"
        "  after  ‹Real(20, 20)› 400 entries from -2 to 4, mean 1\n"
        "c : Real(1) is as it was"
    )
    assert changes_text({}) == ""
    assert changes_html({}) == ""


@pytest.mark.parametrize("many", [14, 1000])
def test_of_many_changes_each_is_told_of_on_one_line_and_of_what_is_as_it_was_the_names(many: int) -> None:
    changes = {f"w{n}": (np.zeros(2), np.array([0.0, n])) for n in range(many)}
    lines = changes_text(changes).splitlines()
    assert lines[:2] == ["w1 : Real(2) changed by at most 1", "w2 : Real(2) changed by at most 2"]
    assert len(lines) == (14 if many == 14 else 52)
    assert lines[-1] == "w0 : Real(2) is as it was"
    assert lines[-2] == (
        "w13 : Real(2) changed by at most 13" if many == 14 else "… and 949 more; `%heap` shows what they hold"
    )
    check(changes_html(changes))
    assert len(changes_html(changes)) < 5_000


def test_of_a_thousand_contents_that_are_as_they_were_some_names_are_told() -> None:
    text = changes_text({f"w{n}": (np.zeros(2), np.zeros(2)) for n in range(1000)})
    assert text.startswith("w0 : Real(2), w1 : Real(2), ")
    assert text.endswith(", and 950 more are as they were")


@given(arrays(2, 40, (*STRANGE[:-3], np.nan, np.inf)))
def test_a_summary_in_parts_is_that_of_the_whole(array: Array) -> None:
    whole = summary(array)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rh_kernel.display.values.PART", 7)
        parts = summary(array)
    assert parts.split(", mean")[0] == whole.split(", mean")[0]


@given(st.text(), arrays(2, 3), arrays(2, 3))
def test_changes_as_html_are_sound(name: str, before: Array, after: Array) -> None:
    check(changes_html({name: (before, after), name + "<i>": (None, after), "s": (before, np.zeros((4, 4)))}))


def test_text_writes_out_up_to_its_limit() -> None:
    assert "‹" not in value_text(Const(ramp(MOST_ENTRIES)))
    assert "‹" in value_text(Const(ramp(MOST_ENTRIES + 1)))
