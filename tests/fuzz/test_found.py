"""What was found by trying, each as small as it got."""

from __future__ import annotations

from pathlib import Path

import pytest

from rh_kernel.command_line.files import read
from rh_kernel.display import diagnostics
from rh_kernel.session.results import ItemFailed
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from tests.display.allowed import CONTROLS
from tests.fuzz.checking import check_formatting, check_text, ran


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.start(tmp_path)


@pytest.mark.parametrize("text", ["% strict on", "%strict(on)", "%\n  strict on", "%  strict  on # now", "%\n 0% 9"])
def test_a_directive_says_the_same_however_it_is_spaced(text: str) -> None:
    check_formatting(text)


@pytest.mark.parametrize("text", ["0 .5", "1 .1.2", "-1 .1", "(1, 2) .1"])
def test_the_part_of_a_number_is_no_decimal(text: str) -> None:
    """The program is wrong, but is not to become a right one."""
    check_formatting(text)


@pytest.mark.parametrize("text", ["% strict on", "%   strict on", "%\n  strict on"])
def test_a_blank_after_the_sign_is_none_of_the_directive(session: Session, text: str) -> None:
    assert parse(Source("cell", text)) == parse(Source("cell", "%strict on"))
    assert ran(session, text).after.settings.strict


def test_a_bracket_after_a_directive_is_not_overlooked(session: Session) -> None:
    assert [d.code for d in ran(session, "%strict(on)").diagnostics] == ["RH042"]


@pytest.mark.parametrize("text", ["1 + \ud800", "%help \udfff", "\u061c", "# \ud800", 'load("\ud800")'])
def test_what_no_encoding_has_a_place_for_is_shown_as_a_sign(session: Session, text: str) -> None:
    check_text(session, text)
    for _, result in ran(session, text).shown:
        if isinstance(result, ItemFailed):
            assert not any(CONTROLS.search(diagnostics.text(d)) for d in result.diagnostics)


@pytest.mark.parametrize(
    "name",
    ["digits" + ".train" * 3000, "nowhere" + ".test" * 3000, "a\x00/x.csv", "\ud800/x.csv", "x" * 300 + ".csv", "x/" * 3000],
)
def test_no_name_of_data_is_too_odd(session: Session, name: str) -> None:
    (diagnostic,) = ran(session, f'train return x for x in data("{name}")').diagnostics
    assert diagnostic.code < "RH310"
    assert diagnostic.code > "RH300"


@pytest.mark.parametrize("name", ["x" * 300, "a\x00b", "\ud800/x", "x/" * 3000, "/proc/self/mem", "/dev/zero"])
def test_no_name_of_a_file_is_too_odd(session: Session, name: str) -> None:
    (diagnostic,) = ran(session, f'loc w : Real = load("{name}")').diagnostics
    assert diagnostic.code == "RH341"


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\x00b"])
def test_no_name_on_the_command_line_is_too_odd(name: str) -> None:
    with pytest.raises(Rejected, match="RH381"):
        read(name)
