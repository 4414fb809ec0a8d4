"""TeX as MathML: well-formed, faithful for what is read, and refused for what is not."""

from __future__ import annotations

import contextlib
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.export.cleaning import cleaned
from rh_kernel.export.mathematics import Unreadable, to_mathml
from rh_kernel.export.symbols import ACCENTS, ALPHABETS, FUNCTIONS, INTEGRALS, LARGE, LETTERS, OPERATORS, SPACES, TABLES

COMMANDS = sorted(
    {*LETTERS, *OPERATORS, *LARGE, *INTEGRALS, *FUNCTIONS, *SPACES, *ACCENTS, *ALPHABETS, "frac", "sqrt", "left", "right"}
)
PIECES = st.sampled_from([f"\\{name} " for name in COMMANDS]) | st.sampled_from(
    [*"{}^_&'()[]|<>abxyzΓ%~- ", "12", "\\\\", "$", '"']
)
FORMULAS = st.lists(PIECES, max_size=15).map("".join)


def shape(source: str) -> str:
    """The elements and signs of the formula, without attributes and without rows of one."""

    def written(element: ElementTree.Element) -> str:
        inner = (element.text or "") + "".join([written(child) for child in element])
        return inner if element.tag in {"math", "mrow", "mi", "mn", "mo"} else f"{element.tag}({inner})"

    return written(ElementTree.fromstring(to_mathml(source)))


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        (r"x\cdot\sigma(x)", "x·σ(x)"),
        (r"\tfrac12", "mfrac(12)"),
        (r"x^23", "msup(x2)3"),
        (r"x_{ij}^2", "msubsup(xij2)"),
        (r"x''", "msup(x′′)"),
        (r"f'^2", "msup(f′2)"),
        (r"x^{\mathsf T}", "msup(x𝖳)"),
        (r"\mathbb{R}\mathbb N \mathcal B \mathcal{A} \mathfrak C \mathbf{v1}", "ℝℕℬ𝒜ℭ𝐯𝟏"),
        (r"\lVert x \rVert", "‖x‖"),
        (r"\sum_{i=1}^n i", "munderover(∑i=1n)i"),
        (r"\int_0^1", "msubsup(∫01)"),
        (r"\max_x f", "munder(maxx)f"),
        (r"\sqrt[3]{x} \sqrt y", "mroot(x3)msqrt(y)"),
        (r"\left( \frac{a}{b} \right.", "(mfrac(ab)"),
        (r"\begin{pmatrix}1&2\\3&4\\\end{pmatrix}", "(mtable(mtr(mtd(1)mtd(2))mtr(mtd(3)mtd(4))))"),
        (r"\begin{cases}a\\b\end{cases}", "{mtable(mtr(mtd(a))mtr(mtd(b)))"),
        (r"\Gamma \vdash M : A \multimap B", "Γ⊢M:A⊸B"),
        (r"a \not= b", "a≠b"),
        (r"\hat{x}", "mover(x^)"),
        (r"\text{if } x", "mtext(if\u00a0)x"),
        (r"a - b % no more", "a−b"),
        (r"\{ x \mid x < 1 \}", "{x∣x<1}"),
    ],
)
def test_what_is_written_is_what_is_drawn(source: str, wanted: str) -> None:
    assert shape(source) == wanted


@pytest.mark.parametrize(
    "source",
    [
        r"\foo",
        "x^",
        "x^{",
        "}",
        "a & b",
        r"\left( x",
        r"\begin{tikzpicture}\end{tikzpicture}",
        r"\begin{matrix}",
        "x^1^2",
        r"\not x",
    ],
)
def test_what_cannot_be_read_is_refused(source: str) -> None:
    with pytest.raises(Unreadable):
        to_mathml(source)


def test_depth_is_bounded() -> None:
    for source in ("{" * 5000 + "}" * 5000, r"\frac" * 5000, "x^" * 5000 + "x", r"\sqrt[" * 5000):
        with pytest.raises(Unreadable):
            to_mathml(source)


@given(FORMULAS)
def test_mathematics_is_well_formed_and_harmless(source: str) -> None:
    with contextlib.suppress(Unreadable):
        text = to_mathml(source)
        ElementTree.fromstring(text)
        assert cleaned(text) == text


@given(st.sampled_from(["text", "mathrm", "operatorname", "mathbf", "label"]), st.text(max_size=20))
def test_a_text_is_text(command: str, words: str) -> None:
    with contextlib.suppress(Unreadable):
        text = to_mathml(f"\\{command}{{{words}}}")
        assert cleaned(text) == text


@pytest.mark.parametrize("name", [name for name in TABLES if name not in {"array", "alignat"}])
def test_every_environment_is_a_table(name: str) -> None:
    assert "mtr(mtd(a)mtd(b))" in shape(rf"\begin{{{name}}}a&b\end{{{name}}}")
