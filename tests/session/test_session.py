"""Cells take effect as a whole or not at all, files item by item (LANGUAGE §6, §7)."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import (
    DerivationMade,
    HeapShown,
    ItemFailed,
    Notice,
    Result,
    TrainingDone,
    ValueFound,
)
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.cells import run_to_end

HERE = Path(__file__).parent
W = "loc w : Real(2) = [1, 2]\n"


def after(text: str, session: Session | None = None, *, keep_going: bool = False) -> tuple[list[tuple[int, Result]], Session]:
    """Return the results of a text with the numbers of their items, and the session after it."""
    events = execute(session or Session.start(HERE), Source("cell", text), keep_going=keep_going)
    found, session_after = run_to_end(events)
    return [(shown.item, shown.result) for shown in found], session_after


def codes(results: list[tuple[int, Result]]) -> list[tuple[int, str]]:
    return [(item, d.code) for item, r in results if isinstance(r, ItemFailed) for d in r.diagnostics]


def contents(session: Session) -> Mapping[str, Any]:
    return {location.name: array.tolist() for location, array in session.heap.items()}


@pytest.mark.parametrize(
    "text",
    [
        "const a = 1\nlet x = 1 in x",
        "const a = 1\n[1, 2] + [1, 2, 3]",
        "let _ <= Put[w]([5, 6]) in return 1\n[1, 2] + [1, 2, 3]",
        "let _ <= Put[w]([5, 6]) in return 1\nop Op : 1 -> 1\nOp()",
        "loc w : Real(3) = ones\nloc v : Real(2) = load(\"nowhere.npy\")",
        "let _ <= Put[w]([5, 6]) in return 1\nloc v : Real(1000000, 1000000) = zeros",
        "%reset\n%nothing",
    ],
)  # fmt: skip
def test_a_cell_with_an_error_changes_nothing(text: str) -> None:
    _, session = after(W + "let _ <= Put[w]([3, 4]) in return 1")
    results, same = after(text, session)
    assert codes(results)
    assert same is session
    assert contents(same) == {"w": [3, 4]}


def test_an_old_session_is_not_written_on() -> None:
    _, session = after(W)
    array = next(iter(session.heap.values()))
    _, later = after("let _ <= Put[w]([3, 4]) in return 1", session)
    assert contents(session) == {"w": [1, 2]}
    assert contents(later) == {"w": [3, 4]}
    assert not array.flags.writeable


def test_all_errors_of_a_cell_are_reported() -> None:
    results, _ = after("const a = b\nlet x = 1 in x\n[1] + [1, 2]\nconst c = 1")
    assert codes(results) == [(1, "RH101"), (2, "RH009"), (3, "RH103")]


def test_a_file_goes_on_after_an_error() -> None:
    results, session = after("const a = b\nconst c = 1\nc + 1\na + 1\n" + W, keep_going=True)
    assert codes(results) == [(1, "RH101"), (4, "RH120")]
    assert [item for item, r in results if isinstance(r, ValueFound)] == [3]
    assert contents(session) == {"w": [1, 2]}


@pytest.mark.parametrize("initial", ['load("nowhere.npy")', "2 * fill[2](recip(sum(fill[1000000000000](1))))"])
def test_a_location_without_content_is_not_declared(initial: str) -> None:
    """The item is well typed, so it fails only when it is run."""
    results, session = after(f"loc w : Real(2) = {initial}\nGet[w]()\n1 + 1", keep_going=True)
    assert [item for item, _ in codes(results)] == [1, 2]
    assert codes(results)[1] == (2, "RH120")
    assert session.definitions.get("w") is None


def test_a_failed_redeclaration_hides_the_old_meaning() -> None:
    results, _ = after("const a = 1\nconst a = [1] + [1, 2]\na", keep_going=True)
    assert codes(results) == [(2, "RH103"), (3, "RH120")]


def test_the_next_cell_has_forgotten_what_failed() -> None:
    _, session = after("const a = 1\nconst a = [1] + [1, 2]", keep_going=True)
    results, _ = after("a", session)
    assert codes(results) == [(1, "RH101")]


def test_reset_puts_back_what_was_there_at_first() -> None:
    _, session = after(W)
    _, session = after("let _ <= Put[w]([3, 4]) in return 1", session)
    results, session = after("%reset\n%heap", session)
    assert contents(session) == {"w": [1, 2]}
    shown = results[1][1]
    assert isinstance(shown, HeapShown)
    assert [c.after.tolist() for c in shown.contents] == [[1, 2]]


def test_of_the_heap_those_are_shown_that_are_named_each_once() -> None:
    _, session = after("loc u : Real = ones\nloc v : Real(2) = zeros\nloc w : Real(3) = ones")

    def names(text: str) -> list[str]:
        results, _ = after(text, session)
        ((_, shown),) = results
        assert isinstance(shown, HeapShown)
        return [c.location.name for c in shown.contents]

    assert names("%heap") == ["u", "v", "w"]
    assert names("%heap w") == ["w"]
    assert names("%heap w, u w") == ["w", "u"]


def test_a_trace_that_gets_stuck_changes_nothing() -> None:
    _, session = after(W + "op Op : 1 -> 1")
    results, same = after("%trace let _ <= Put[w]([3, 4]) in Op()", session)
    assert codes(results) == [(1, "RH201")]
    assert same is session


def test_memory_that_runs_out_is_an_error_of_the_item(monkeypatch: pytest.MonkeyPatch) -> None:
    _, session = after(W)

    def none_left(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("rh_kernel.session.evaluate.machine", none_left)
    results, same = after("1 + 1", session)
    assert codes(results) == [(1, "RH241")]
    assert same is session


def test_memory_that_runs_out_is_reported_in_bytes_if_numpy_reports_the_array(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*_: object, **__: object) -> None:
        np.empty((1 << 40, 1 << 15))

    monkeypatch.setattr("rh_kernel.session.evaluate.machine", too_much)
    results, _ = after("1 + 1")
    failed = [r for _, r in results if isinstance(r, ItemFailed)]
    assert [[d.message for d in r.diagnostics] for r in failed] == [["this would need 288 PB of memory"]]


def test_not_a_number_is_a_value_like_another() -> None:
    results, _ = after("log(-1)\nloc w = log([0.0, 1.0])\nlet v <= Get[w]() in return v - v")
    values = [to_array(r.value) for _, r in results if isinstance(r, ValueFound)]
    assert [np.isnan(array).tolist() for array in values] == [[True], [True, False]]


# Settings and derivations.

ROUGH = "relu([1, 0])"


def stuck(text: str, session: Session) -> list[str]:
    """Return the messages of a text."""
    results, _ = after(text, session, keep_going=True)
    return [d.message for _, r in results if isinstance(r, ItemFailed) for d in r.diagnostics]


def test_a_setting_lasts_until_it_is_changed() -> None:
    _, strict = after("%strict on")
    assert stuck(ROUGH, strict) == ["relu is not smooth at [1.0, 0.0]"]
    _, session = after("%strict off", strict)
    assert stuck(ROUGH, session) == []
    assert stuck(ROUGH, strict)
    assert not Session.start(HERE).settings.strict


@pytest.mark.parametrize("keep_going", [False, True])
def test_a_setting_holds_for_what_comes_after_it_in_a_text(keep_going: bool) -> None:
    results, session = after("const a = relu(0)\n%strict on\nconst b = relu(1)", keep_going=keep_going)
    assert codes(results) == []
    assert session.settings.strict
    results, _ = after("%strict off\nconst c = relu(0)\n%strict on\nconst d = relu(0)", session, keep_going=keep_going)
    assert codes(results) == [(4, "RH203")]


@pytest.mark.parametrize("text", ["%strict on\n1 + [1, 2]", f"%strict on\n{ROUGH}", "%strict on\n%strict maybe"])
def test_a_cell_with_an_error_leaves_the_settings(text: str) -> None:
    results, session = after(text)
    assert codes(results)
    assert not session.settings.strict


def test_a_setting_alone_is_reported() -> None:
    results, _ = after("%strict\n%strict on\n%strict")
    assert [r.text.split(":")[0] for _, r in results if isinstance(r, Notice)] == [
        "strict is off",
        "strict is on",
        "strict is on",
    ]


@pytest.mark.parametrize(
    "subject",
    [
        ROUGH,
        "let y <- recip(0) in 1",
        "1.rd(x. square(abs(x)))(0)",
        "rd[sqrt](1, 0)",
        "let y <= return log(0) in return y",
        "rev handle (0) <x>. return abs(x) with { return y -> return y }",
    ],
)
def test_a_value_and_a_trace_are_stuck_with_the_same_diagnostic(subject: str) -> None:
    _, strict = after("%strict on")
    diagnostics = [
        [replace(d, span=None) for _, r in after(text, strict)[0] if isinstance(r, ItemFailed) for d in r.diagnostics]
        for text in (subject, f"%trace {subject}")
    ]
    assert diagnostics[0]
    assert diagnostics[0] == diagnostics[1]


def test_a_training_run_that_is_stuck_changes_nothing() -> None:
    _, session = after(W + "%strict on")
    run = 'train let w <= Get[w]() in let _ <= Put[w](relu(x)) in return w for x in data("xor") epochs 2'
    results, same = after(run, session)
    assert codes(results) == [(1, "RH203")]
    assert same is session
    assert codes(after(run, after("%strict off", session)[1])[0]) == []


def test_a_measure_is_strict_too() -> None:
    _, session = after(W + "%strict on")
    run = 'train return x for x in data("xor") measure return sum(sqrt(x))'
    results, _ = after(run, session)
    assert codes(results) == [(1, "RH203")]


DECLARED = """op FC[l : Loc(m, n)] : Real(n) -> Real(m)
net f[a : Real](x : Real(n)) : Real(n) = return a * x
fun g(x : Real(n)) : Real(n) = x + x
fun h(x : Real(n)) = round(x) with rd(w, x) = w
handler k(a : Real) : rev handler(Real) = { return x -> return a * x }
const c = 0.5
"""


@pytest.mark.parametrize(
    ("subject", "rules"),
    [
        ("f", ["T-PURE"]),
        ("g", ["T-PLUS"]),
        ("h", ["T-FUNC", "T-VAR"]),
        ("k", ["T-RHANDLER"]),
        ("c", ["T-CONST"]),
        ("g([1, 2])", ["T-FUNC"]),
        ("f[c]([1, 2])", ["T-CLET"]),
    ],
)
def test_what_a_derivation_ends_in(subject: str, rules: list[str]) -> None:
    results, _ = after(f"{DECLARED}%derivation {subject}")
    found = [d for _, r in results if isinstance(r, DerivationMade) for d in r.derivations]
    assert [d.rule.value for d in found] == rules


@pytest.mark.parametrize("subject", ["FC", "softmax", "n", "1 + [1, 2]"])
def test_what_has_no_derivation_has_an_error(subject: str) -> None:
    results, _ = after(f"{DECLARED}%derivation {subject}")
    assert [item for item, _ in codes(results)] == [7]


@pytest.mark.parametrize("content", ["5", "[5]", "2 + 3", "ones"])
def test_a_location_that_a_training_run_leaves_alone_has_not_changed(content: str) -> None:
    _, session = after(f"loc c : Real = {content}\n{W}")
    [(_, done)], trained = after('train Put[w]([3, 4]) for x in data("xor")', session)
    assert isinstance(done, TrainingDone)
    assert [change.location.name for change in done.changes] == ["w"]
    [(_, notice)], _ = after("%reset", trained)
    assert notice == Notice("1 location holds the initial content again")
