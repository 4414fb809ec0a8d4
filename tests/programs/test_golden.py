"""Programs with what they show: wrong ones beside the diagnostics (``bad/*.rh``, ``.err``), right ones beside the results.

Each is run as a cell. ``--update-golden`` rewrites the ``.err`` and ``.out`` files, to be read before they are kept.
"""

import ast
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.display.diagnostics import text
from rh_kernel.display.registry import records
from rh_kernel.session.results import Event, ItemFailed, Result, Shown, Warned
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Source

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1] / "rh_kernel"
BAD = sorted((HERE / "bad").glob("*.rh"))
WARNED = sorted((HERE / "warned").glob("*.rh"))
GOOD = sorted((HERE / "good").glob("*.rh"))

OTHERWISE = {
    "BadModel": "a model of another library",
    "CannotImport": "a model of another library",
    "CannotWriteModel": "a model of another library",
    "NoSampleAxis": "a model of another library",
    "CannotRead": "a file of the command line",
    "CannotWrite": "a file of the command line",
    "GPUFailed": "a graphics card",
    "MissingLibrary": "an installation without scikit-learn, or without what a format needs",
    "NoCluster": "a scheduler that does not answer",
    "NoDistributed": "an installation without Dask",
    "NoWorkers": "a cluster whose workers were stopped",
    "NotACluster": "a value from Python",
    "OtherVersion": "a worker of another environment",
    "PieceGivenUp": "workers that are killed one after the other",
    "WorkerFailed": "a worker without a C compiler",
    "NoRoom": "a disk without room for what has to be converted",
    "NoContent": "a heap that a caller made; in a session every location has a content",
    "NoNet": "`rh export` of a file without a net",
    "NoTranslation": "a symbol of a plug-in",
    "NotInstalled": "an installation without what a target of an export needs",
    "NoGPU": "a machine without a graphics card, where it is a notice",
    "NoSuchArray": "a training run put together by a caller",
    "NothingToStep": "`rh trace` of a file without a command",
    "OutOfTime": "a cell that takes longer than `%limit seconds`, which are whole",
    "RunLost": "a process that is killed",
    "TooMuchOutput": "the outputs of a notebook",
}
"""The kinds of diagnostic that no cell gets, or not in a second, and where they come from."""

GIVEN = {
    "identifiers": {"x": np.array([1, 1 << 60])},
    "uneven": {"x": np.zeros((3, 2)), "t": np.zeros((4, 1))},
    "wide": {"x": np.ones((3, 4)), "t": np.zeros((3, 1))},
    "words": {"x": np.array(["red", "blue"])},
}
"""The data that the programs have from Python."""

each_bad = pytest.mark.parametrize("program", BAD, ids=lambda program: program.stem)
each_good = pytest.mark.parametrize("program", GOOD, ids=lambda program: program.stem)


def outcome(program: Path, text: str | None = None) -> tuple[Session, list[tuple[int, Result]], Session]:
    """The session before, the results with the numbers of their items, and the session after; ``text`` is run instead."""
    before = replace(Session.start(program.parent), given=GIVEN)
    events = execute(before, Source("program", program.read_text(encoding="utf-8") if text is None else text))
    shown: list[tuple[int, Result]] = []
    while True:
        try:
            event: Event = next(events)
        except StopIteration as stop:
            return before, shown, stop.value
        if isinstance(event, Shown):
            shown.append((event.item, event.result))


@cache
def diagnostics(program: Path, text: str | None = None) -> list[Diagnostic]:
    _, shown, _ = outcome(program, text)
    return [d for _, result in shown if isinstance(result, ItemFailed) for d in result.diagnostics]


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large is told in terms of one machine, with 8 GiB to use."""
    monkeypatch.setattr("rh_kernel.session.limits.budget.available", lambda: 1 << 30)


# -- wrong programs ------------------------------------------------------------------------------------------------------------


def test_there_are_enough() -> None:
    assert len(BAD) >= 75


@each_bad
def test_a_wrong_program_is_told_what_is_wrong(program: Path, update_golden: bool) -> None:
    said = "".join(f"{text(d)}\n" for d in diagnostics(program))
    golden = program.with_suffix(".err")
    if update_golden:
        golden.write_text(said, encoding="utf-8")
    assert said == golden.read_text(encoding="utf-8")


@each_bad
def test_a_diagnostic_has_a_place_and_says_what_to_do(program: Path) -> None:
    found = diagnostics(program)
    assert found
    for d in found:
        assert re.fullmatch(r"RH\d{3}", d.code)
        assert d.span is not None
        assert d.span.source.name == "program"
        assert 0 <= d.span.start < d.span.end <= len(d.span.source.text)
        assert d.hint or d.expected or d.fix or d.code < "RH100"
        assert not re.search(r"\?\d|Real\(_|\bNone\b|object at|<class|DimMeta|TypeMeta", text(d))


@each_bad
def test_a_fix_removes_its_diagnostic(program: Path) -> None:
    written = program.read_text(encoding="utf-8")
    for d in diagnostics(program):
        if d.fix is not None and d.span is not None:
            start, end = d.fix.span.start, d.fix.span.end
            left = diagnostics(program, written[:start] + d.fix.text + written[end:])
            moved = len(d.fix.text) - (end - start) if d.span.start >= end else 0
            places = {(other.code, other.span.start) for other in left if other.span is not None}
            assert (d.code, d.span.start) not in places
            assert (d.code, d.span.start + moved) not in places


@each_bad
def test_no_note_repeats_the_place_and_none_stands_twice(program: Path) -> None:
    for d in diagnostics(program):
        places = [d.span, *(note.span for note in d.notes)]
        assert len(places) == len(set(places)) <= 4


@each_bad
def test_a_wrong_cell_leaves_the_session_as_it_was(program: Path) -> None:
    before, _, after = outcome(program)
    assert after is before


def test_every_golden_file_has_its_program() -> None:
    for kind, golden in (("bad", "err"), ("good", "out")):
        assert {p.stem for p in (HERE / kind).glob(f"*.{golden}")} == {p.stem for p in (HERE / kind).glob("*.rh")}


def classes() -> dict[str, str]:
    """Every kind of diagnostic there is, by its name, with its code."""
    found: dict[str, str] = {}
    for module in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and any(isinstance(b, ast.Name) and b.id == "Diagnostic" for b in node.bases):
                codes = [
                    n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and re.fullmatch(r"RH\d{3}", str(n.value))
                ]
                assert node.name not in found, f"two kinds of diagnostic are called {node.name}"
                assert len(codes) == 1, node.name
                found[node.name] = str(codes[0])
    return found


def test_a_code_stands_for_one_kind_of_diagnostic() -> None:
    codes = list(classes().values())
    assert len(codes) == len(set(codes))


def test_every_kind_of_diagnostic_is_shown() -> None:
    warning = [*WARNED, HERE / "good" / "undefined_points.rh"]
    warned = [result for program in warning for _, result in outcome(program)[1] if isinstance(result, Warned)]
    found = [d for program in BAD for d in diagnostics(program)] + [d for result in warned for d in result.diagnostics]
    shown = {type(d).__name__ for d in found}
    assert set(classes()) - shown == set(OTHERWISE)


# -- right programs ------------------------------------------------------------------------------------------------------------


@each_good
def test_a_right_program_gives_its_results(program: Path, update_golden: bool) -> None:
    _, shown, _ = outcome(program)
    lines = [timeless(record) for item, result in shown for record in records(item, result)]
    golden = program.with_suffix(".out")
    if update_golden:
        golden.write_text("".join(f"{json.dumps(r, ensure_ascii=False)}\n" for r in lines), encoding="utf-8")
    expected = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == len(expected)
    for got, wanted in zip(lines, expected, strict=True):
        same(got, wanted)


def timeless(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """The record without how long it took."""
    return {key: value for key, value in record.items() if key != "seconds"}


def same(got: Any, wanted: Any) -> None:
    """Equal, but for the last digits of numbers."""
    match wanted:
        case dict():
            assert got.keys() == wanted.keys()
            for key in wanted:
                same(got[key], wanted[key])
        case list():
            assert len(got) == len(wanted)
            for g, w in zip(got, wanted, strict=True):
                same(g, w)
        case float():
            assert math.isclose(got, wanted, rel_tol=1e-9, abs_tol=1e-12)
        case _:
            assert got == wanted
