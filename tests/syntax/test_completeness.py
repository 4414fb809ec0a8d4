"""Whether Enter should run a text: on the programs of the collection, as they are typed line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.formatting import format_source
from rh_kernel.syntax.parsing.parser import completeness

PROGRAMS = Path(__file__).parents[1] / "programs"
RIGHT = sorted([*(PROGRAMS / "good").glob("*.rh"), *(PROGRAMS / "paper").glob("*.rh")])


def beginnings(text: str) -> list[tuple[str, str]]:
    """The text up to each line end, with the line that follows."""
    lines = text.rstrip("\n").split("\n")
    return [("\n".join(lines[:n]), lines[n]) for n in range(1, len(lines))]


def test_there_are_programs_to_type() -> None:
    assert len(RIGHT) > 30


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.stem)
def test_no_beginning_of_a_right_program_is_invalid(file: Path) -> None:
    text = file.read_text()
    assert completeness(text) == ("complete", "")
    for beginning, _ in beginnings(text):
        status, indent = completeness(beginning)
        assert status != "invalid", beginning
        assert (status == "complete") == (indent == "")
        assert completeness(f"{beginning}  # why")[0] == status
        assert completeness(f"{beginning}\n") == (status, indent)


@pytest.mark.parametrize("file", RIGHT, ids=lambda file: file.stem)
def test_the_next_line_is_indented_as_the_language_is_written(file: Path) -> None:
    """Where a handler may end or go on, nobody knows which of the two comes."""
    for beginning, line in beginnings(format_source(Source(file.name, file.read_text()))):
        status, indent = completeness(beginning)
        if status == "incomplete" and line.strip() and not line.lstrip().startswith(("}", "#")):
            assert line.startswith(indent), beginning
            assert not line[len(indent)].isspace(), beginning


CONDITIONALS = [
    "if not (x < 2) then 3 else 4",
    "if ((1, 2).1 + 3 < 4 and y > 2) then 3 else 4",
    "if (not ((x) > 2) or (f(x) < (3, y).2 and y > -1)) then x else (y)",
    "if (if (x < y) then 3 else 4) < (rev handle (x) <y>. f(y) with h) then 5 else 6",
    "f(if [1] < -x then if (x) < 2 then 3 else 4 else 5)",
]


@pytest.mark.parametrize("text", CONDITIONALS)
def test_no_beginning_of_a_conditional_is_invalid(text: str) -> None:
    words = text.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()
    assert completeness(" ".join(words)) == ("complete", "")
    for n in range(1, len(words)):
        assert completeness(" ".join(words[:n]))[0] != "invalid", words[:n]


@pytest.mark.parametrize("text", ["if (x < 2 3", "if not (x, y) then", "if (x) then 2", "if not (x < 2) y", "if ((x < 2) + 1"])
def test_what_no_text_can_complete_is_invalid(text: str) -> None:
    assert completeness(text) == ("invalid", "")


def test_a_name_that_is_called_if_is_complete() -> None:
    assert completeness("if (x)") == completeness("if - x") == ("complete", "")
