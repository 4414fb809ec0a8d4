"""Programs that run, and probably not as intended: beside each one its warnings (``.warn``), and the program with all fixes
applied (``.fixed``), which has none.

``--update-golden`` rewrites the golden files, to be read before they are kept.
"""

from pathlib import Path

import pytest

from rh_kernel.display.diagnostics import text
from rh_kernel.session.results import ItemFailed, ValueFound, Warned
from rh_kernel.source.diagnostic import Diagnostic
from tests.programs.test_golden import outcome

HERE = Path(__file__).parent / "warned"
PROGRAMS = sorted(HERE.glob("*.rh"))

each = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)


def warnings(program: Path, written: str | None = None) -> list[Diagnostic]:
    """The warnings about the program, or about the text ``written`` in its place, which has no errors."""
    _, shown, _ = outcome(program, written)
    assert not [result for _, result in shown if isinstance(result, ItemFailed)]
    return [d for _, result in shown if isinstance(result, Warned) for d in result.diagnostics]


def fixed(program: Path) -> str:
    """The program with the fixes of its warnings applied, the last one first."""
    written = program.read_text(encoding="utf-8")
    fixes = [d.fix for d in warnings(program) if d.fix is not None]
    for fix in sorted(fixes, key=lambda fix: -fix.span.start):
        written = written[: fix.span.start] + fix.text + written[fix.span.end :]
    return written


@each
def test_a_program_is_warned_of(program: Path, update_golden: bool) -> None:
    said = "".join([f"{text(d)}\n" for d in warnings(program)])
    golden = program.with_suffix(".warn")
    if update_golden:
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")


@each
def test_a_warning_has_a_place_and_a_hint_and_is_none_for_an_error(program: Path) -> None:
    assert warnings(program)
    for d in warnings(program):
        assert d.is_warning
        assert d.span is not None
        assert d.span.source.name == "program"
        assert d.hint
        places = [d.span, *[note.span for note in d.notes]]
        assert len(places) == len(set(places)) <= 4


@each
def test_the_fixes_remove_the_warnings(program: Path, update_golden: bool) -> None:
    written = fixed(program)
    golden = program.with_suffix(".fixed")
    if update_golden:
        golden.write_text(written, encoding="utf-8")
    assert written == golden.read_text(encoding="utf-8")
    assert warnings(program, written) == []


@each
def test_the_fixes_change_contents_and_no_value(program: Path) -> None:
    """The cotangents of the input do not depend on what is put back."""

    def values(written: str | None) -> list[object]:
        _, shown, _ = outcome(program, written)
        return [result.value for _, result in shown if isinstance(result, ValueFound)]

    _, _, before = outcome(program)
    _, _, after = outcome(program, fixed(program))
    assert values(None)[:1] == values(fixed(program))[:1]
    assert any((before.heap[here] != after.heap[here]).any() for here in before.heap)


def test_every_golden_file_has_its_program() -> None:
    for suffix in ("warn", "fixed"):
        assert {p.stem for p in HERE.glob(f"*.{suffix}")} == {p.stem for p in PROGRAMS}
