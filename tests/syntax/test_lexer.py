"""Every text falls into tokens, which cover all of it but blanks; a sign has one canonical spelling."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import chunks, tokens, words
from rh_kernel.syntax.parsing.tokens import KEYWORDS, SPELLINGS, Kind


def whole(text: str) -> Span:
    return Span(Source("test", text), 0, len(text))


def texts(text: str) -> list[str]:
    return [t.text for t in tokens(whole(text))]


def kinds(text: str) -> list[Kind]:
    return [t.kind for t in tokens(whole(text))]


@given(st.text())
def test_tokens_cover_the_text(text: str) -> None:
    end = 0
    for t in tokens(whole(text)):
        assert t.start < t.end
        assert not text[end : t.start].strip(" \t\r\n")
        end = t.end
    assert not text[end:].strip(" \t\r\n")


@given(st.text(alphabet=st.characters(codec="utf-8") | st.sampled_from("a ₀'.\n }#\r")))
def test_chunks_cover_the_text(text: str) -> None:
    assert "".join(chunk.text for chunk in chunks(Source("test", text))) == text


@given(st.text())
def test_a_piece_has_the_tokens_that_it_has_alone(text: str) -> None:
    source = Source("test", f"# {text}\n{text}")
    start = len(source.text) - len(text)
    shifted = [(t.kind, t.text, t.start - start, t.end - start) for t in tokens(Span(source, start, len(source.text)))]
    assert shifted == [(t.kind, t.text, t.start, t.end) for t in tokens(whole(text))]


@pytest.mark.parametrize(("written", "canonical"), SPELLINGS.items())
def test_signs_have_one_spelling(written: str, canonical: str) -> None:
    assert texts(f"x {written} y") == texts(f"x {canonical} y") == ["x", canonical, "y"]


@pytest.mark.parametrize(
    "name", ["x", "_", "x₀", "ℓ1", "w'", "x''", "α", "nₓ", "переменная", "मान", "变量", "x̂", "rd2", "lets", "proj_1", "x_1'"]
)
def test_names(name: str) -> None:
    assert kinds(name) == [Kind.NAME]


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_words(word: str) -> None:
    assert kinds(word) == [Kind.KEYWORD]
    assert kinds(f"{word}'") == [Kind.NAME]


@pytest.mark.parametrize("number", ["0", "1", "0.5", "10.25", "1e3", "1E-3", "2.5e+10"])
def test_numbers(number: str) -> None:
    assert kinds(number) == [Kind.NUMBER]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x.1.2", ["x", ".1", ".2"]),
        ("[1.0,2.0]", ["[", "1.0", ",", "2.0", "]"]),
        ("W.rd(x. 1)", ["W", ".", "rd", "(", "x", ".", "1", ")"]),
        ("wᵀ@x", ["w", "ᵀ", "@", "x"]),
        ("w^T'", ["w", "ᵀ", "'"]),
        ("w^Tx", ["w", "^", "Tx"]),
        ("x₀ᵀ", ["x₀", "ᵀ"]),
        ("a//b", ["a", "//", "b"]),
        ("<x>.y", ["<", "x", ">", ".", "y"]),
        ("x<-1", ["x", "←", "1"]),
        ("x²", ["x", "²"]),
        ("a-b", ["a", "-", "b"]),
        ("a # b ← c\nd", ["a", "# b ← c", "d"]),
        ('"# no comment" x', ['"# no comment"', "x"]),
        ("e\u0301", ["é"]),
    ],
)
def test_borders_of_tokens(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *[("2x", Kind.BAD_NUMBER), ("1e", Kind.BAD_NUMBER), ("1.5x", Kind.BAD_NUMBER), ("1'", Kind.BAD_NUMBER)],
        *[('"a', Kind.BAD_STRING), ("==", Kind.FOREIGN), ("?", Kind.BAD_CHARACTER), ("\tx", Kind.BAD_CHARACTER)],
        *[("٣", Kind.BAD_CHARACTER), ("½", Kind.BAD_CHARACTER), ("₀x", Kind.BAD_CHARACTER), ("²", Kind.BAD_CHARACTER)],
    ],
)
def test_what_has_no_meaning_is_a_bad_token(text: str, kind: Kind) -> None:
    assert kinds(text)[0] is kind


def test_tabs_at_the_end_of_a_line_are_blanks() -> None:
    assert texts("x\t\n\t\r\n  y\t") == ["x", "y"]


def test_an_item_begins_in_the_first_column() -> None:
    text = "# before\n\na\n  b\n\n# c\n} d\ne\n\tf\ng"
    assert [chunk.text for chunk in chunks(Source("test", text))] == ["# before\n\n", "a\n  b\n\n# c\n} d\n", "e\n\tf\n", "g"]


def test_words_of_a_directive() -> None:
    assert [t.text for t in words(whole(' a/b.npz "c d" e#f # g'))] == ["a/b.npz", '"c d"', "e#f", "# g"]


def test_long_runs_are_read_in_linear_time() -> None:
    for run in ("\t", '"', "1", ".", "'", "x", "<", "=", "1e", "1.", "\t "):
        assert re.sub(r"\s", "", "".join(texts(run * 20_000)))[:1] in {"", '"', "1", "…", "'", "x", "<", "="}
