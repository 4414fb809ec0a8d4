"""Texts that nobody would write: any characters, words of the language in any order, programs with mistakes in them."""

from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import names
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.parsing.lexer import tokens
from rh_kernel.syntax.parsing.tokens import INITIALS, KEYWORDS, TRAINING_OPTIONS, Kind
from rh_kernel.training.bundled import NAMES

PROGRAMS = Path(__file__).parents[1] / "programs"
LONG = 2500
"""Programs of more characters are left out: they say the same at greater length."""

NUMBERS = (
    *("0", "1", "-1", "2", "3", "0.0", "-0.0", "2.5", "1e308", "1e309", "1e-320", "7", "100", "4096", "1000000"),
    *("99999999999999999999", "1e400", "[]", "[[]]", "[[1], [2, 3]]", "[1, 2]", "()", "nan", "inf", "00", "1.", ".5", "1_0"),
)
HOSTILE = (
    *("x", "x'", "x''", "_", "__", "w0", "Get", "Put", "return", "in", "x₀", "ﬁ", "𝔸", "ʼ", "ê", "e\u0302", "مرحبا", "ｘ"),
    *("self", "None", "__class__", "format", "{0}", "{span}", "%s", "x" * 300, "<b>", "&amp;", '"', "\\", "\u202e", "\ufeff"),
)
SIGNS = (
    *("(", ")", "[", "]", "{", "}", "<", ">", "⟨", "⟩", "⌊", "⌋", ",", ";", ":", "=", "|", ".", "+", "-", "−", "*", "/", "@"),
    *("·", "•", "×", "<-", "<=", "->", "=>", "←", "⇐", "→", "⇒", "//", "^T", "ᵀ", "%", ".1", ".0", ".99", "==", "**", "#", '"'),
)
LINES = ("\n", "\n  ", "\n\n", "\r\n", "\n\t", "\t", " ", "\x00", "\x0c", "\u2028", "\x85")
WORDS = (
    *sorted(KEYWORDS),
    *(f"%{name}" for name in names()),
    *sorted(INITIALS),
    *TRAINING_OPTIONS,
    *sorted(SYMBOLS),
    *("Real", "Loc", "Dim", "handler", "ceil", "data", "for", "on", "against", "seed", "ceil", "rd", "x", "y", "k", "n", "w"),
    *(f'"{name}"' for name in NAMES),
)

BETWEEN = (
    *("%undo", "%undo\n%undo", "%whos", "%heap", "%reset", "%save kept.npz", "%load kept.npz", "%save kept.safetensors"),
    *("%load kept.safetensors", "%limit", "%limit steps 10", "%limit steps default", "%limit bytes 100", "%limit bytes 8M"),
    *("%limit seconds 1", "%limit output 5", "%limit nodes 3", "%limit equations 0", "%strict on", "%strict off"),
    *("%evaluator stepped", "%evaluator compiled", "%evaluator denoted", "", "# nothing", "loc w : Real(3, 2) = zeros"),
    *(
        "const t = 5",
        "op FC[l : Loc(m, n)] : Real(n) -> Real(m)",
        "let x <= Get[w]() in Put[w](x + x)",
        "f([1, 2])",
        "dim n = 4",
        'include "sgd.rh"',
        'include "layers.rh"',
        'include "nowhere.rh"',
    ),
)
"""What one does besides, and may be done to a session in any order."""

anything = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(codec=None), max_size=80),
    st.lists(st.one_of(st.sampled_from((*LINES, *HOSTILE, *SIGNS)), st.text(max_size=5)), max_size=25).map("".join),
)
"""Text of all characters, half surrogates among them."""

soup = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.sampled_from(SIGNS),
        st.sampled_from(NUMBERS),
        st.sampled_from((" ", " ", "\n", "\n  ")),
        st.sampled_from(HOSTILE),
    ),
    max_size=40,
).map(" ".join)
"""The words of the language in any order."""


@cache
def programs() -> tuple[str, ...]:
    """The texts of the right and the wrong programs of the tests."""
    files = sorted(file for folder in ("good", "bad", "paper") for file in (PROGRAMS / folder).glob("*.rh"))
    return tuple([text for file in files if len(text := file.read_text(encoding="utf-8")) <= LONG])


def pieces(text: str) -> list[str]:
    """The tokens of a text, with what stands between them."""
    cut: list[str] = []
    end = 0
    for token in tokens(Span(Source("text", text), 0, len(text))):
        cut += [text[end : token.start], text[token.start : token.end]]
        end = token.end
    return [piece for piece in (*cut, text[end:]) if piece]


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A program of the tests, or the halves of two, with one to four mistakes."""
    text = draw(st.sampled_from(programs()))
    if draw(st.integers(0, 3)) == 0:
        text = _spliced(draw, text, draw(st.sampled_from(programs())))
    for _ in range(draw(st.integers(1, 4))):
        cut = pieces(text) if draw(st.integers(0, 3)) else text.splitlines(keepends=True)
        text = "".join(_mistaken(draw, cut)) if cut else text
    return text


def _spliced(draw: st.DrawFn, one: str, other: str) -> str:
    first, second = one.splitlines(keepends=True), other.splitlines(keepends=True)
    return "".join([*first[: draw(st.integers(0, len(first)))], *second[draw(st.integers(0, len(second))) :]])


def _mistaken(draw: st.DrawFn, cut: list[str]) -> list[str]:
    """The pieces with one of them gone, twice there, elsewhere, or another."""
    at = draw(st.integers(0, len(cut) - 1))
    before, piece, after = cut[:at], cut[at], cut[at + 1 :]
    match draw(st.sampled_from(("gone", "twice", "swapped", "other", "other", "other", "more"))):
        case "gone":
            return [*before, *after]
        case "twice":
            return [*before, piece, " ", piece, *after]
        case "swapped":
            other = draw(st.integers(0, len(cut) - 1))
            cut[at], cut[other] = cut[other], cut[at]
            return cut
        case "more":
            return [*before, piece, " ", draw(st.sampled_from((*WORDS, *SIGNS, *NUMBERS, *HOSTILE))), " ", *after]
        case _:
            return [*before, draw(_instead(piece, cut)), *after]


def _instead(piece: str, cut: list[str]) -> st.SearchStrategy[str]:
    """What may stand in place of a token: something of its kind."""
    match [token.kind for token in tokens(Span(Source("piece", piece), 0, len(piece)))]:
        case [Kind.NUMBER]:
            return st.sampled_from(NUMBERS)
        case [Kind.NAME]:
            names = [p for p in cut if p.isidentifier()]
            return st.one_of(st.sampled_from(names or ["x"]), st.sampled_from(HOSTILE), st.sampled_from(WORDS))
        case [Kind.SYMBOL]:
            return st.sampled_from(SIGNS)
        case _:
            return st.sampled_from((*WORDS, *SIGNS, *NUMBERS, *HOSTILE, *LINES))


def stays_here(text: str) -> bool:
    """Whether a text writes no file outside its folder."""
    return not any("save" in line and (set(line) & set("/\\~") or ".." in line) for line in text.splitlines())


def cells() -> st.SearchStrategy[list[tuple[str, str]]]:
    """What is run one after the other in a notebook of three cells, which are rewritten now and then."""
    text = st.one_of(st.sampled_from(BETWEEN), st.sampled_from(programs()), mutated())
    return st.lists(st.tuples(st.sampled_from(("first", "second", "third")), text), min_size=2, max_size=7)
