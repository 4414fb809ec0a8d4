"""Diagnostics: golden texts, and the law that underlines are below their spans."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.code_frames import WIDEST
from rh_kernel.display.diagnostics import MOST, ansi, ansis, html, htmls, text, texts
from rh_kernel.display.palette import BACKGROUNDS
from rh_kernel.source.diagnostic import Diagnostic, Fix, Note
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.printing.doc import cells


@dataclass(frozen=True, kw_only=True)
class Mismatch(Diagnostic):
    """A diagnostic for the tests."""

    code: ClassVar[str] = "RH103"
    title: ClassVar[str] = "Types do not match"
    label: ClassVar[str] = "`{name}` has another shape"

    name: str = "x"


SOURCE = Source("cell 3", "loc w0 : Real(3, 2) = zeros\nnet mlp(x : Real(3)) =\n  let z <= FC[w0](x) in\n  return z\n")


def at(part: str, source: Source = SOURCE) -> Span:
    start = source.text.index(part)
    return Span(source, start, start + len(part))


def test_a_diagnostic() -> None:
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


def test_notes_on_the_line_of_the_place_have_their_labels_below() -> None:
    source = Source("cell 1", "fun back(w : Real(m, n), y : Real(m)) : Real(n) = w @ y")
    notes = (Note(span=at("w :", source), text="one"), Note(span=at("y :", source), text="two"))
    assert text(Mismatch(span=at("w @ y", source), notes=notes)).split("\n")[2:] == [
        "1 │ fun back(w : Real(m, n), y : Real(m)) : Real(n) = w @ y",
        "  │          ---             ---                      ^^^^^",
        "  │          │               two",
        "  │          one",
    ]


def test_a_note_inside_the_place_has_signs_of_its_own() -> None:
    source = Source("cell 1", "x + outer(x, y)")
    notes = (Note(span=at("outer(x, y)", source), text="this is Real(m, n)"),)
    assert text(Mismatch(span=at("x + outer(x, y)", source), notes=notes)).split("\n")[2:] == [
        "1 │ x + outer(x, y)",
        "  │ ^^^^^^^^^^^^^^^",
        "  │     ----------- this is Real(m, n)",
    ]


def test_a_note_in_another_text_has_a_place_of_its_own() -> None:
    note = Note(span=at("w0"), text="declared here")
    shown = text(Mismatch(span=Span(Source("cell 9", "w0"), 0, 2), notes=(note,), hint="none")).split("\n")
    assert shown[1:] == [
        " ── cell 9, line 1, column 1",
        "1 │ w0",
        "  │ ^^",
        " ── cell 3, line 1, column 5",
        "1 │ loc w0 : Real(3, 2) = zeros",
        "  │     -- declared here",
        "    hint      none",
    ]


def test_what_the_message_says_is_not_said_twice() -> None:
    assert "found" not in text(Mismatch(name="Real(2)", found="Real(2)"))
    assert "found     Real(2)" in text(Mismatch(found="Real(2)"))


FIXES = [
    ("x", "y", "replace `x` by `y`"),
    ("x", "", "remove `x`"),
    ("", " in", "insert `in` in front of `x`"),
]


@pytest.mark.parametrize(("before", "after", "words"), FIXES)
def test_a_fix_in_words(before: str, after: str, words: str) -> None:
    source = Source("cell 1", "x + 1\n2 + 3")
    assert Fix(Span(source, 0, len(before)), after).words == words
    assert f"    fix       {words}" in text(Mismatch(fix=Fix(Span(source, 0, len(before)), after)))


def test_a_fix_at_the_end_of_a_line_and_one_that_moves_a_line() -> None:
    source = Source("cell 1", "x + 1\n2 + 3")
    assert Fix(Span(source, 5, 5), ")").words == "insert `)` at the end of line 1"
    assert Fix(Span(source, 6, 6), "  ").words == "indent line 2"


def test_of_many_diagnostics_the_first_are_shown_and_the_others_counted() -> None:
    many = [Mismatch(name=f"x{i}") for i in range(MOST + 3)]
    for shown in (texts(many), ansis(many), htmls(many)):
        assert len(shown) == MOST + 1
        assert f"x{MOST - 1}" in shown[MOST - 1]
        assert "and 3 more" in shown[MOST]
    assert texts(many[:MOST]) == [text(d) for d in many[:MOST]]


def test_a_diagnostic_about_many_lines_shows_the_first_and_the_last() -> None:
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


def test_a_diagnostic_without_a_place() -> None:
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


def test_parts_of_a_long_line_are_shown_together_where_they_fit() -> None:
    source = Source("cell 1", "x" * 300 + " there " + "y" * 20 + " here " + "z" * 300)
    near, far = Note(span=at("there", source), text="near"), Note(span=Span(source, 0, 3), text="far")
    line, signs, label = text(Mismatch(span=at(" here ", source), notes=(near,))).split("\n")[2:]
    assert line.index(" here ") == signs.index("^^^^^^")
    assert line.index("there") == signs.index("-----") == label.index("near")
    lines = text(Mismatch(span=at(" here ", source), notes=(far, near))).split("\n")[2:]
    assert [row.startswith("1 │") for row in lines] == [True, False, False, True, False]
    assert lines[-1] == "  │ --- far"


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


def spans(data: st.DataObject, source: Source) -> Span:
    start = data.draw(st.integers(0, len(source.text)))
    return Span(source, start, data.draw(st.integers(start, len(source.text))))


TEXTS = st.text(max_size=60) | st.text(st.sampled_from("a \t\r\n日"), max_size=30) | LINES.map(lambda line: 5 * line)


@given(TEXTS, st.text(max_size=10), st.data())
def test_every_place_in_every_text_can_be_shown(content: str, other: str, data: st.DataObject) -> None:
    sources = [Source(content, content), Source("", other)]
    notes = [Note(span=spans(data, data.draw(st.sampled_from(sources))), text=content) for _ in range(3)]
    fix = Fix(spans(data, sources[0]), other)
    d = Mismatch(span=spans(data, sources[0]), found=content, notes=tuple(notes), fix=fix, rule=other)
    assert text(d)
    assert html(d)
    assert ansi(d)


ALONE = st.text(st.sampled_from("ab日é\u0301 <"), min_size=1, max_size=40)


@given(ALONE, st.data())
def test_each_label_leads_to_the_signs_under_its_part(line: str, data: st.DataObject) -> None:
    source = Source("cell 1", line)
    notes = tuple(Note(span=spans(data, source), text=f"L{i}") for i in range(3))
    rows = text(Mismatch(span=spans(data, source), notes=notes)).split("\n")[3:]
    for note in notes:
        column = 4 + cells(line[: note.span.start])
        (row,) = [number for number, shown in enumerate(rows) if note.text in shown]
        if rows[row][column : column + 2] == note.text:
            above = [padded(shown)[column] for shown in reversed(rows[:row])]
            assert next(sign for sign in above if sign not in "│L012") in "-^"
        else:
            width = max(1, cells(note.span.text))
            assert rows[row][column : column + width] == "-" * width
            assert rows[row][column + width :].strip() == note.text


def padded(row: str) -> str:
    return row.ljust(200)
