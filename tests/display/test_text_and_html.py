"""Documents as plain text, ANSI and HTML: all three have the same characters, and user text is escaped."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.html import escape, to_html
from rh_kernel.display.palette import BACKGROUNDS, COLOURS
from rh_kernel.display.text import to_ansi, to_text, visible
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Bound, Call, Defined, Operation, Perform, Scope
from rh_kernel.syntax.printing.doc import HARD, Annotated, Annotation, Doc, Mark, Role, Spanned, Text, Typed, concat, nest, role
from rh_kernel.syntax.printing.printer import command_doc, term_doc
from rh_kernel.syntax.signature import Family, Location
from rh_kernel.syntax.types import SCALAR

HOSTILE = st.one_of(
    st.text(),
    st.sampled_from(["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "&lt;b&gt;", "\x1b[31mred", "'onclick='"]),
)
ANNOTATIONS: st.SearchStrategy[Annotation] = st.one_of(
    st.sampled_from(list(Role)),
    st.sampled_from(list(BACKGROUNDS)).map(Mark),
    HOSTILE.map(Typed),
    HOSTILE.map(lambda text: Spanned(Span(Source("<b>", text), 0, 0))),
)
DOCS: st.SearchStrategy[Doc] = st.recursive(
    HOSTILE.map(Text),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: concat(*parts)),
        st.lists(inner, max_size=3).map(lambda parts: nest(HARD, *parts)),
        st.builds(Annotated, ANNOTATIONS, inner),
    ),
    max_leaves=12,
)


class Reader(HTMLParser):
    """Parses HTML as a browser does: the elements with their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(DOCS)
def test_html_reads_as_the_text(doc: Doc) -> None:
    assert Reader(to_html(doc)).text == to_text(doc)


@given(DOCS)
def test_html_has_our_elements_and_attributes_only(doc: Doc) -> None:
    for tag, attributes in Reader(to_html(doc)).elements:
        assert tag in {"pre", "span"}
        assert set(attributes) <= {"style", "title"}
        assert re.fullmatch(r"[\w\-:#;(), .]*", attributes.get("style") or "")


@given(DOCS)
def test_ansi_without_its_sequences_is_the_text(doc: Doc) -> None:
    assert re.sub(r"\x1b\[[0-9;]*m", "", to_ansi(doc)) == to_text(doc)


@given(HOSTILE)
def test_no_text_controls_a_terminal(text: str) -> None:
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]", to_ansi(Text(text)))
    assert visible("wᵀ ← [1.0]\n") == "wᵀ ← [1.0]\n"


@given(HOSTILE)
def test_an_escaped_text_is_itself_inside_an_attribute(text: str) -> None:
    reader = Reader(f'<span title="{escape(text)}">{escape(text)}</span>')
    assert reader.elements == [("span", {"title": visible(text)})]
    assert reader.text == visible(text)


@given(HOSTILE)
def test_hostile_names_stay_names(name: str) -> None:
    f = Defined(name, SCALAR, SCALAR, Scope((name,), Bound(0, name)), None)
    op = Operation(Family(name, (), SCALAR, SCALAR, ()), (Location(name, SCALAR.shape),), (), SCALAR, SCALAR)
    for doc in (term_doc(Call(f, Bound(0, name)), (name,)), command_doc(Perform(op, Bound(0)), (name,))):
        assert {tag for tag, _ in Reader(to_html(doc)).elements} <= {"pre", "span"}


def test_a_mark_has_a_background_and_a_role_a_colour() -> None:
    """On the background the role has no colour: the ink of the page is easier to read."""
    marked = Annotated(Mark("redex"), concat(role(Role.FUNCTION, "f"), "(x)"))
    doc = concat(role(Role.FUNCTION, "a"), " ", marked, Annotated(Typed("Real(2)"), Text("y")))
    assert to_html(doc) == (
        f'<pre style="margin:0;overflow:auto"><span style="color:{COLOURS[Role.FUNCTION]}">a</span> '
        f'<span style="background-color:{BACKGROUNDS["redex"]}">f</span>'
        f'<span style="background-color:{BACKGROUNDS["redex"]}">(x)</span>'
        '<span title="Real(2)">y</span></pre>'
    )
    assert to_ansi(doc) == "\x1b[34ma\x1b[0m \x1b[34;1;4mf\x1b[0m\x1b[1;4m(x)\x1b[0my"


def test_indentation_is_not_marked() -> None:
    doc = Annotated(Mark("focus"), concat("a", nest(HARD, "b")))
    assert to_ansi(doc) == "\x1b[7ma\x1b[0m\n  \x1b[7mb\x1b[0m"


@pytest.mark.parametrize("colour", COLOURS.values())
@pytest.mark.parametrize("background", ["#ffffff", "#111111"])
def test_every_colour_can_be_read_on_both_themes(colour: str, background: str) -> None:
    assert contrast(luminance(colour), luminance(background)) > 4.1


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: float, b: float) -> float:
    return (max(a, b) + 0.05) / (min(a, b) + 0.05)
