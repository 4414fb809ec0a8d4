"""The Pygments lexer keeps every character and agrees with the language's own lexer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename, get_lexer_for_mimetype
from pygments.token import STANDARD_TYPES, Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from rh_kernel.highlighting.lexer import RHLexer, types
from rh_kernel.highlighting.token_classes import TokenClass
from tests.highlighting.texts import anything, nearly

PROGRAMS = sorted((Path(__file__).parents[1] / "programs").rglob("*.rh"))


def pieces(text: str) -> list[tuple[int, object, str]]:
    return list(RHLexer().get_tokens_unprocessed(text))


@given(anything | nearly)
def test_nothing_is_lost(text: str) -> None:
    found = pieces(text)
    assert "".join(value for _, _, value in found) == text
    end = 0
    for start, _, value in found:
        assert start == end
        assert value
        end += len(value)


@given(nearly.map("%%python\n{}".format))
def test_nothing_of_a_python_cell_is_lost(text: str) -> None:
    assert "".join(value for _, _, value in pieces(text)) == text


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_of_a_good_program_nothing_is_an_error(program: Path) -> None:
    found = pieces(program.read_text(encoding="utf-8"))
    assert "".join(value for _, _, value in found) == program.read_text(encoding="utf-8")
    if program.parent.name != "bad":
        assert all(type is not Error for _, type, _ in found)


def coloured(text: str) -> list[tuple[object, str]]:
    return [(type, value) for _, type, value in pieces(text) if type is not Whitespace]


def test_a_declaration() -> None:
    assert coloured('op FC[l : Loc(m)] : Real -> Real(1) # "so"') == [
        (Keyword.Declaration, "op"),
        (Name.Variable, "FC"),
        (Punctuation, "["),
        (Name, "l"),
        (Punctuation, ":"),
        (Name.Class, "Loc"),
        (Punctuation, "("),
        (Name, "m"),
        (Punctuation, ")"),
        (Punctuation, "]"),
        (Punctuation, ":"),
        (Name.Class, "Real"),
        (Operator, "->"),
        (Name.Class, "Real"),
        (Punctuation, "("),
        (Number, "1"),
        (Punctuation, ")"),
        (Comment, '# "so"'),
    ]


def test_a_command_in_both_spellings() -> None:
    assert coloured("rev handle (1) <x>. ⌊x.1⌋ with h") == [
        (Keyword, "rev"),
        (Keyword, "handle"),
        (Punctuation, "("),
        (Number, "1"),
        (Punctuation, ")"),
        (Punctuation.Marker, "<"),
        (Name, "x"),
        (Punctuation.Marker, ">"),
        (Punctuation, "."),
        (Keyword, "⌊"),
        (Name, "x"),
        (Number.Integer, ".1"),
        (Keyword, "⌋"),
        (Keyword, "with"),
        (Name, "h"),
    ]


def test_directives_that_there_are() -> None:
    assert coloured("%trace exp(x)")[:3] == [(Name.Decorator, "%"), (Name.Decorator, "trace"), (Name.Builtin, "exp")]
    assert coloured('%help softmax let "a" # b') == [
        (Name.Decorator, "%"),
        (Name.Decorator, "help"),
        (Name, "softmax"),
        (Name, "let"),
        (String, '"a"'),
        (Comment, "# b"),
    ]
    assert coloured("%tarce") == [(Name.Decorator, "%"), (Name, "tarce")]


def test_words_that_mean_something_in_one_place_only() -> None:
    assert coloured('train P for x in data("xor")\n  epochs 3\nepochs against')[2::2] == [
        (Keyword, "for"),
        (Keyword, "in"),
        (Punctuation, "("),
        (Punctuation, ")"),
        (Number, "3"),
        (Name, "against"),
    ]
    assert (Keyword, "against") in coloured("%gradient P against Q")
    assert coloured("check 1 == 1 within 2")[::2] == [(Keyword, "check"), (Operator, "=="), (Keyword, "within")]
    assert coloured("check(within) == 1")[:4:2] == [(Name, "check"), (Name, "within")]


def test_a_section_of_the_laboratory() -> None:
    """Words of a section are highlighted only inside that section."""
    found = coloured("%%lambda\nfun f(x : Real) : Real = (λy : Real. map)(x)\n%ad chad-forward f(1) along 2\n%%rh\nmap")
    assert found[:3] == [(Name.Decorator, "%"), (Name.Decorator, "%"), (Name.Decorator, "lambda")]
    assert found[3:5] == [(Keyword.Declaration, "fun"), (Name.Variable, "f")]
    assert found.count((Keyword, "λ")) == 1
    assert found.count((Name.Builtin, "map")) == 1
    assert (Keyword, "chad-forward") in found
    assert (Keyword, "along") in found
    assert found[-1] == (Name, "map")


def test_a_section_of_effects() -> None:
    """Keywords of the surrounding language are names in the section, and lines that begin with a bar continue an item."""
    found = coloured('%%eff\nhandler net =\n| <op x -> k> -> k (sin x)\n%count let r = new "a" in r := @r\n%%rh\nlet')
    assert found[3:5] == [(Keyword.Declaration, "handler"), (Name.Variable, "net")]
    assert (Name, "op") in found
    assert (Name.Builtin, "sin") in found
    assert (Name.Builtin, "new") in found
    assert (Name.Decorator, "count") in found
    assert found[-1] == (Keyword, "let")


def test_a_python_cell_is_python() -> None:
    found = coloured("%%python\nimport numpy as np  # rh")
    assert found[0] == (Name.Decorator, "%%python")
    assert (Keyword.Namespace, "import") in found
    assert (Keyword, "let") in coloured("x\n%%python\nlet")


def test_the_lexer_is_found_by_name_file_and_type() -> None:
    for found in (
        get_lexer_by_name("rh"),
        get_lexer_by_name("rh_kernel"),
        get_lexer_for_filename("mlp.rh"),
        get_lexer_for_mimetype("text/x-rh"),
    ):
        assert isinstance(found, RHLexer)


def test_each_token_class_has_a_type_that_pygments_knows() -> None:
    assert set(types()) == set(TokenClass)
    assert all(type in STANDARD_TYPES for type in types().values())


def test_to_find_the_lexer_loads_nothing_of_the_language() -> None:
    program = "import sys, rh_kernel.highlighting.lexer; print('numpy' in sys.modules, 'rh_kernel.syntax' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
