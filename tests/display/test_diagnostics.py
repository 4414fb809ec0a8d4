"""Complaints: goldens, and the law that the signs stand under the part that the complaint is about."""

from dataclasses import dataclass
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.diagnostics import ansi, html, text
from rh_kernel.display.excerpts import WIDEST
from rh_kernel.display.html import BACKGROUNDS
from rh_kernel.source.diagnostic import Diagnostic, Note
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.doc import cells


@dataclass(frozen=True, kw_only=True)
class Mismatch(Diagnostic):
    """A complaint for the tests."""

    code: ClassVar[str] = "RH103"
    title: ClassVar[str] = "Types do not match"
    label: ClassVar[str] = "`{name}` has another shape"

    name: str = "x"


SOURCE = Source("cell 3", "loc w0 : Real(3, 2) = zeros\nnet mlp(x : Real(3)) =\n  let z <= FC[w0](x) in\n  return z\n")


def at(part: str, source: Source = SOURCE) -> Span:
    start = source.text.index(part)
    return Span(source, start, start + len(part))


def test_a_complaint() -> None:
    note = Note(span=at("w0"), text="`w0` was declared here")
    d = Mismatch(span=at("FC[w0](x)"), found="Real(3)", expected="Real(2)", hint="try `wᵀ`", notes=(note,))
    assert text(d) == (
        "RH103 Types do not match: `x` has another shape\n"
        " ── cell 3, line 3, column 12\n"
        "1 │ loc w0 : Real(3, 2) = zeros\n"
        "  │     -- `w0` was declared here\n"
        "2 │ net mlp(x : Real(3)) =\n"
        "3 │   let z <= FC[w0](x) in\n"
        "  │            ^^^^^^^^^\n"
        "    found     Real(3)\n"
        "    expected  Real(2)\n"
        "    hint      try `wᵀ`"
    )


def test_a_complaint_about_many_lines_shows_the_first_and_the_last() -> None:
    assert text(Mismatch(span=at("net").to(at("return z")))) == (
        "RH103 Types do not match: `x` has another shape\n"
        " ── cell 3, line 2, column 1\n"
        "2 │ net mlp(x : Real(3)) =\n"
        "  │ ^^^^^^^^^^^^^^^^^^^^^^\n"
        "3 │   let z <= FC[w0](x) in\n"
        "  │   ^^^^^^^^^^^^^^^^^^^^^\n"
        "4 │   return z\n"
        "  │   ^^^^^^^^"
    )
    long = Source("f.rh", "\n" * 8 + "let x <-\n  f(x)\n  + g(x)\n  + h(x)\nin x")
    assert text(Mismatch(span=at("f(x)", long).to(at("h(x)\n", long)))).split("\n")[2:] == [
        "10 │   f(x)",
        "   │   ^^^^",
        "11 │   + g(x)",
        "   │   ^^^^^^",
        "12 │   + h(x)",
        "   │   ^^^^^^",
    ]
    assert text(Mismatch(span=at("let", long).to(at("h(x)", long)))).split("\n")[2:] == [
        " 9 │ let x <-",
        "   │ ^^^^^^^^",
        "   ⋮",
        "12 │   + h(x)",
        "   │   ^^^^^^",
    ]


def test_a_complaint_without_a_place() -> None:
    assert text(Mismatch(hint="a\nb")) == "RH103 Types do not match: `x` has another shape\n    hint      a\n              b"


def test_a_place_just_after_the_end() -> None:
    assert text(Mismatch(span=Span(SOURCE, 27, 27))).split("\n")[2:] == [
        "1 │ loc w0 : Real(3, 2) = zeros",
        "  │                            ^",
    ]
    assert text(Mismatch(span=Span(SOURCE, len(SOURCE.text), len(SOURCE.text)))).split("\n")[2:] == ["5 │", "  │ ^"]


def test_tabs_and_wide_characters_do_not_shift_the_signs() -> None:
    source = Source("cell 1", "\tα\t日本 e\u0301 here")
    assert text(Mismatch(span=at("here", source))).split("\n")[2:] == [
        "1 │     α   日本 e\u0301 here",
        "  │                ^^^^",
    ]


def test_a_long_line_is_cut_around_the_place() -> None:
    source = Source("cell 1", "x" * 300 + " here " + "y" * 300)
    line, signs = text(Mismatch(span=at("here", source))).split("\n")[2:]
    assert line.startswith("1 │ …xxx")
    assert line.endswith("yyy…")
    assert line.index("here") == signs.index("^^^^")
    assert len(line) <= WIDEST + 4


def test_html_and_ansi_mark_the_source() -> None:
    d = Mismatch(span=at("FC[w0](x)"), name="<b>")
    assert f'{BACKGROUNDS["error"]}">FC[w0](x)</span>' in html(d)
    assert "<b>" not in html(d)
    assert "\x1b[1;31mFC[w0](x)\x1b[0m" in ansi(d)


LINES = st.text(st.sampled_from("ab\t日é\u0301 <&\x00ℓ₀ᵀ"), max_size=120)


@given(LINES, st.data())
def test_the_signs_stand_under_the_part(line: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))
    source = Source("cell 1", f"first\n{line}\nlast")
    shown, signs = text(Mismatch(span=Span(source, 6 + start, 6 + end))).split("\n")[2:4]
    width = len(signs) - len(signs.rstrip("^"))
    indent = signs.index("^") - 4
    assert signs == "  │ " + " " * indent + "^" * width
    if cells(shown) < WIDEST and "…" not in shown:
        marked = line[start:end]
        if "\t" not in line:
            assert indent == cells(line[:start].replace("\x00", "␀"))
            assert width == max(1, cells(marked.replace("\x00", "␀")))


@given(st.text(max_size=60), st.data())
def test_every_place_in_every_text_can_be_shown(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    d = Mismatch(
        span=Span(Source(content, content), start, end),
        found=content,
        notes=(Note(span=Span(Source("", content), end, end), text=content),),
    )
    assert text(d)
    assert html(d)
