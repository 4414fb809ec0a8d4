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
