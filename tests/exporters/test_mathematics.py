"""TeX as MathML: the output is always MathML, faithful for supported formulas, and unsupported ones are refused."""

from __future__ import annotations

import contextlib
import re
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.press.texts import FOLDER, Lesson
from rh_kernel.exporters.exporter import formula
from rh_kernel.exporters.mathematics import UnsupportedFormula, to_mathml
from rh_kernel.exporters.sanitizer import sanitize
from tests.exporters.reading import Page

LESSONS = sorted(FOLDER.glob("[0-9][0-9]-*.md"))
_COMMANDS = (
    "alpha partial sum int max sin leftarrow multimap quad , ! { } | \\ & text mathsf mathbf mathrm operatorname frac sqrt "
    "tfrac hat overline left right bigl middle not over begin{pmatrix} end{pmatrix} begin{aligned} end{aligned} begin{cases} "
    "end{cases} color style class href unicode hspace rule def newcommand verb sideset tag foo mathfoo limits"
)
PIECES = st.sampled_from([f"\\{name} " for name in _COMMANDS.split()]) | st.sampled_from(
    [*"{}^_&'()[]|<>abxyzΓ%~-:", "12", "1em", "$", '"', "{a}", "&#x3c;", "<b onclick=x>", "{x41}", '{" onload="x}']
)
FORMULAS = st.lists(PIECES, max_size=15).map("".join)
_ELEMENTS = (
    "math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd mstyle mpadded "
    "mphantom"
)
ELEMENTS = frozenset(_ELEMENTS.split())
_TABLES = (
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix cases aligned align align* eqnarray gathered gather split "
    "equation"
)
TEXTS = ["text", "textbf", "mathrm", "operatorname", "mathbf", "tag", "color", "href", "style"]
# Each command is twice the one before.
DOUBLED = r"\def\a{xx}" + "".join([rf"\def\{b}{{\{a}\{a}}}" for a, b in pairwise("abcdefghijklmnopqrstu")]) + r"\u"


def shape(source: str, *, display: bool = False) -> str:
    """The elements and symbols of a formula, without attributes and without rows of one element."""

    def written(element: ElementTree.Element) -> str:
        inner = (element.text or "") + "".join([written(child) for child in element])
        return inner if element.tag in {"math", "mrow", "mi", "mn", "mo", "mspace"} else f"{element.tag}({inner})"

    return written(ElementTree.fromstring(to_mathml(source, display=display)))


def assert_mathematics_alone(text: str) -> None:
    """Assert that there are only MathML elements, that no attribute contains text of the formula, and that parsers agree."""
    for element in ElementTree.fromstring(text).iter():
        assert element.tag in ELEMENTS
        for name, value in element.attrib.items():
            assert name not in {"href", "id", "style", "mathcolor"}
            assert not name.startswith("on")
            assert re.fullmatch(
                r"true|false|block|prefix|infix|postfix|normal|rh-(math|left|right)|[+-]?[0-9]*\.?[0-9]+[a-z]*", value
            )
    assert set(Page(text).tags) <= ELEMENTS
    assert sanitize(text) == text


@given(FORMULAS | st.text(max_size=40), st.booleans())
def test_there_is_nothing_but_mathematics(source: str, display: bool) -> None:
    with contextlib.suppress(UnsupportedFormula):
        assert_mathematics_alone(to_mathml(source, display=display))


@given(
    st.sampled_from(TEXTS),
    st.text(max_size=20),
)
def test_a_text_is_text(command: str, words: str) -> None:
    with contextlib.suppress(UnsupportedFormula):
        assert_mathematics_alone(to_mathml(f"\\{command}{{{words}}}x"))


@given(FORMULAS, st.booleans())
def test_what_is_not_read_is_shown_as_it_is_written(source: str, display: bool) -> None:
    page = Page(formula(source, display=display))
    try:
        to_mathml(source, display=display)
    except UnsupportedFormula:
        assert page.tags == ["pre" if display else "code"]
        assert page.text == source.strip()
    else:
        assert page.tags[0] == "math"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (r"x\cdot\sigma(x)", "x·σ(x)"),
        (r"\tfrac12", "mstyle(mfrac(12))"),
        (r"x^23", "msup(x2)3"),
        (r"x_{ij}^2", "msubsup(xij2)"),
        ("x''", "msup(x′′)"),
        ("x'''", "msup(x′′′)"),
        ("f'^2", "msup(f′2)"),
        ("f'_i", "msubsup(fi′)"),
        (r"x^{\mathsf T}", "msup(x𝖳)"),
        (r"\mathbb{R}\mathbb N \mathcal B \mathcal{A} \mathfrak C \mathbf{v1}", "ℝℕℬ𝒜ℭ𝐯𝟏"),
        (r"\lVert x \rVert", "‖x‖"),
        (r"\partial L/\partial w", "∂L/∂w"),
        (r"\sum_{i=1}^n i", "munderover(∑i=1n)i"),
        (r"\bigotimes_i A", "munder(⨂i)A"),
        (r"\int_0^1", "msubsup(∫01)"),
        (r"\max_x f", "munder(maxx)f"),
        (r"\operatorname*{argmax}_x f", "munder(argmaxx)f"),
        (r"\operatorname{softmax}_i", "msub(softmaxi)"),
        (r"\sqrt[3]{x} \sqrt y", "mroot(x3)msqrt(y)"),
        (r"\left( \frac{a}{b} \right.", "(mfrac(ab)"),
        (r"\bigl\langle a \bigr\rangle", "⟨a⟩"),
        (r"\begin{pmatrix}1&2\\[2pt]3&4\\\end{pmatrix}", "(mtable(mtr(mtd(1)mtd(2))mtr(mtd(3)mtd(4))))"),
        (r"\begin{cases}a\\b\end{cases}", "{mtable(mtr(mtd(a))mtr(mtd(b)))"),
        (r"\begin{array}{rl}a&b\end{array}", "mtable(mtr(mtd(a)mtd(b)))"),
        (r"\begin{alignat}{2}a&b\end{alignat}", "mtable(mtr(mtd(a)mtd(b)))"),
        (r"\Gamma \vdash M : A \multimap B", "Γ⊢M:A⊸B"),
        (r"a \not= b \not\in c", "a≠b∉c"),
        (r"\hat{x} \overline{ab} \widehat{ab}", "mover(x^)mover(ab―)mover(ab\u0302)"),
        (r"\text{if } x", "mtext(if\u00a0)x"),
        (r"\text{a<b&c}", "mtext(a<b&c)"),
        (r"a - b * c % no more", "a−b∗c"),
        (r"\{ x \mid x < 1 \}", "{x∣x<1}"),
    ],
)
def test_what_is_written_is_what_is_drawn(source: str, wanted: str) -> None:
    assert shape(source) == shape(source, display=True) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (r"\mathrm{d}", '<mi mathvariant="normal">d</mi>'),
        (r"\Gamma : A", '<mo lspace="0.2778em" rspace="0.2778em">:</mo>'),
        (r"\sin x", '<mo form="prefix" lspace="0" rspace="0.1667em">sin</mo>'),
        (r"a\!b", '<mspace width="-0.167em"></mspace>'),
        (r"\lVert x", '<mo stretchy="false" lspace="0" rspace="0">‖</mo>'),
        (r"\begin{aligned}a&=b\end{aligned}", '<mtd class="rh-right"><mi>a</mi></mtd><mtd class="rh-left">'),
    ],
)
def test_browsers_are_told_what_they_do_not_do_by_themselves(source: str, wanted: str) -> None:
    assert wanted in to_mathml(source)


@pytest.mark.parametrize(
    "source",
    [
        r"\foo",
        r"\foo{x}",
        r"\mathfoo{x}",
        r"\newcommand{\foo}{x}\foo",
        r"\def\foo{x}\foo",
        r"\boxed{x}",
        r"\verb|x|",
        "x^",
        "x^{",
        "}",
        "a & b",
        r"a \\ b",
        r"\frac1",
        r"\left( x",
        r"\begin{tikzpicture}\end{tikzpicture}",
        r"\begin{matrix}",
        "x^1^2",
        r"\not x",
        r"\unicode{1b}\x",
        "\x00",
    ],
)
def test_what_cannot_be_read_is_refused(source: str) -> None:
    with pytest.raises(UnsupportedFormula):
        to_mathml(source)


@pytest.mark.parametrize(
    "source",
    [
        "{" * 5000 + "}" * 5000,
        r"\frac" * 4000,
        "x^" * 5000 + "x",
        r"\sqrt[" * 3000,
        "x" * 100_000,
        r"\sideset{_1}{_2}{" * 60 + "x" + "}" * 60,
        DOUBLED,
    ],
)
def test_what_would_take_too_long_is_refused(source: str) -> None:
    with pytest.raises(UnsupportedFormula):
        to_mathml(source)


@pytest.mark.parametrize("name", _TABLES.split())
def test_every_environment_is_a_table(name: str) -> None:
    assert "mtr(mtd(a)mtd(b))" in shape(rf"\begin{{{name}}}a&b\end{{{name}}}")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_the_mathematics_of_the_lessons_is_read(lesson: Path) -> None:
    cells = [cell.source for cell in Lesson(lesson).notebook().cells if cell.cell_type == "markdown"]
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", "\n".join(cells), flags=re.DOTALL)
    for displayed, inline in re.findall(r"\$\$(.+?)\$\$|\$(.+?)\$", prose, re.DOTALL):
        assert_mathematics_alone(to_mathml(displayed or inline, display=bool(displayed)))
