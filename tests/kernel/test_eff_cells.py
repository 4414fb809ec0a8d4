"""Editing ``%%eff`` sections: completion, inspection, completeness, and live diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.frontend.lexing import DECLARATIONS, KEYWORDS
from rh_kernel.kernel.completeness import completeness
from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.kernel.linting import diagnose
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.highlighting.texts import nearly
from tests.kernel.conftest import Client

EMPTY = Session.start(Path())
ABOVE = """\
%%eff
data Dual x = Dual x x
effect State s = fetched : s | stored : s -> Unit
handler runState =
    return x -> \\s -> (x, s)
  | <fetched -> k> -> \\s -> k s s
  | <stored s -> k> -> \\_ -> k () s
fun ticking = let before = fetched! in stored (before + 1); before
"""


def after(session: Session, text: str) -> Session:
    events = execute(session, Source("cell", text))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def said(text: str, session: Session = EMPTY) -> str:
    """The inspection at the cursor ``‸``, in one line."""
    cursor = text.index("‸")
    about = inspection(session, text.replace("‸", "", 1), cursor)
    return "" if about is None else " ".join(about["text/plain"].split())


# -- Tab -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%e", ["%%eff"]),
        ("%%eff\n%%r", ["%%rh"]),
        ("%%eff\n%", ["%count", "%trace", "%type", "%%rh"]),
        ("%%eff\n%c", ["%count"]),
        ("%%eff\ninclude cont", ["continuation"]),
        ("%%eff\nhandl", ["handler", "handle"]),
        (ABOVE + "tick", ["ticking"]),
        (ABOVE + "let x = fet", ["fetched", "fetch"]),
        (ABOVE + "handle ticking! with ", ["runState"]),
        (ABOVE + "handle ticking! with {return x -> x | <sto", ["stored"]),
        (ABOVE + "fun f (x : Du", ["Dual"]),
        (ABOVE + "fun f abscissa = ab", ["abscissa"]),
        (ABOVE + "fun f x =\n  let half = x in hal", ["half"]),
        (ABOVE + "let x = sigm", ["sigmoid"]),
        (ABOVE + "# tick", []),
        (ABOVE + "fun t", []),
        (ABOVE + "data t", []),
        (ABOVE + "%%rh\ntick", []),
        (ABOVE + "%%lambda\ntick", []),
    ],
)
def test_tab_offers_what_fits(text: str, expected: list[str]) -> None:
    """Declarations above in a section are completed in sections only."""
    start, offered = completions(EMPTY, text, len(text))
    assert 0 <= start <= len(text)
    assert [c.text for c in offered][: len(expected)] == expected
    assert offered or not expected


def test_tab_knows_what_the_session_has_with_its_types() -> None:
    _, offered = completions(after(EMPTY, ABOVE), "%%eff\n(handle tick", 18)
    assert [(c.text, c.kind, c.signature) for c in offered] == [("ticking", "function", "ticking : {[State Float] Float}")]


def test_every_program_and_every_word_is_offered() -> None:
    _, programs = completions(EMPTY, "%%eff\ninclude ", 14)
    assert {c.text for c in programs} == set(library.names())
    _, first = completions(EMPTY, "%%eff\n", 6)
    assert {c.text for c in first} >= set(DECLARATIONS)
    _, later = completions(EMPTY, "%%eff\nx ", 8)
    assert {c.text for c in later} >= KEYWORDS - set(DECLARATIONS)


# -- Shift-Tab -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ABOVE + "tick‸ing!", "ticking : {[State Float] Float}"),
        (ABOVE + "runSt‸ate", "runState : <State a> b -> a -> (b, a)"),
        (ABOVE + "fetch‸ed!", "fetched : [State s] s"),
        (ABOVE + "Du‸al 1 2", "Dual : Type -> Type Dual : x -> x -> Dual x"),
        (ABOVE + "Sta‸te", "State : Type -> Effect"),
        ("%%eff\nTr‸ue", "True : Bool"),
        ("%%eff\nsi‸n 2", "sin : Float -> Float"),
        ("%%eff\nfet‸ch a 0", "fetch : Array a -> Int -> [RefState] a"),
        ("%%eff\nfun f‸ (x : a) = x", "f : a -> a"),
        ("%%eff\nfun f x‸ = x + 1", "x : Float"),
        ("%%eff\nfun f (x : Int) = {y -> (x‸, y)}", "x : Int"),
        ("%%eff\nfun f g x = g‸ x + 1", "g : {a -> Float}"),
        (ABOVE + 'let (a, b‸) = (1, "one") in b', "b : Text"),
        (ABOVE + 'fun f u = match u | Dual p q‸ -> q ++ ""', "q : Text"),
        (
            ABOVE + "handle ticking! with {return x -> x | <fetched -> k> -> k‸ 1 | <stored s -> k> -> k ()}",
            "k : {Float -> Float}",
        ),
        ("%%eff\nmat‸ch x | _ -> x", "match M | p -> N | …"),
        ("%%eff\nx! ‸:= 1", "r := M"),
        ("%%eff\nx!‸", "M!"),
        ("%%eff\n%cou‸nt 1", "%count M"),
        ("%%eff\nhandle x wi‸th h", "handle M with h"),
    ],
)
def test_shift_tab_tells_what_it_is(text: str, expected: str) -> None:
    assert said(text).startswith(expected)


def test_shift_tab_tells_of_an_earlier_cell_and_of_a_program() -> None:
    session = after(EMPTY, f"{ABOVE}include forward")
    told = said("%%eff\ntick‸ing!", session)
    assert "fun ticking = let before" in told
    assert "declared in cell, line 8" in told
    assert "fun d (f" in said("%%eff\nd‸ 2", session)


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert said("%%eff\nunk‸nown!") == ""
    assert said(f"{ABOVE}%%rh\ntick‸ing") == ""


@given(nearly, st.integers(0, 60))
def test_no_text_is_too_much(text: str, cursor: int) -> None:
    """No request fails, for any text of a section and any cursor."""
    whole = f"%%eff\n{text}"
    start, offered = completions(EMPTY, whole, cursor)
    assert 0 <= start <= len(whole)
    assert len({c.text for c in offered}) == len(offered)
    about = inspection(EMPTY, whole, cursor)
    assert about is None or about.keys() == {"text/plain", "text/html"}
    assert completeness(whole)[0] in {"complete", "incomplete", "invalid"}
    assert all(d.span is None or d.span.end <= len(whole) for d in diagnose(EMPTY, whole))


# -- Enter in a console --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%eff", ("incomplete", "")),
        ("%%eff\nfun f x =", ("incomplete", "  ")),
        ("%%eff\nfun f x =\n    let y = x in", ("incomplete", "    ")),
        ("%%eff\nhandler h =\n  return x ->", ("incomplete", "  ")),
        ("%%eff\nf (", ("incomplete", "  ")),
        ("%%eff\n{x ->", ("incomplete", "  ")),
        ("%%eff\n%count", ("incomplete", "  ")),
        ("%%eff\nmatch x", ("incomplete", "  ")),
        ("%%eff\n1\n%%rh\n1 +", ("incomplete", "  ")),
        ("%%eff\nfun f x = x", ("complete", "")),
        ("%%eff\nhandle f! with {\n  return x -> x\n}", ("complete", "")),
        ("%%eff\n1\n%%rh", ("complete", "")),
        ("%%eff\n# nothing", ("complete", "")),
        ("%%eff\n)", ("invalid", "")),
        ("%%eff\n1 +\n2", ("invalid", "")),
        ("%%eff\n1 +\n%%lambda\n1", ("invalid", "")),
        ("1 +\n%%eff\n1", ("invalid", "")),
    ],
)
def test_enter_runs_what_is_whole(text: str, expected: tuple[str, str]) -> None:
    assert completeness(text) == expected


# -- while one writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (ABOVE + "ticking!", ["RH511"]),
        (ABOVE + "fun f x = missing x\nf 1", ["RH101", "RH120"]),
        (ABOVE + "Dual 1", ["RH105"]),
        (ABOVE + "Dual 1 2 )", ["RH007"]),
        (ABOVE + "Dual 1 (", []),
        (ABOVE + "%count (handle ticking! with runState) 2", []),
        ("%%eff\nfun loop x = loop x\nloop 1", []),
        ("%%eff\nfetch (array [1]) 3", []),
    ],
)
def test_what_is_certainly_wrong_is_underlined(text: str, codes: list[str]) -> None:
    """Nothing is run."""
    assert [d.code for d in diagnose(EMPTY, text)] == codes


def test_what_a_cell_above_declares_that_was_not_run_is_not_missed() -> None:
    for text in ("%%eff\nhandle ticking! with runState", "%%eff\nDual 1 2", "%%eff\nstored 2"):
        assert [d.code for d in diagnose(EMPTY, text, above=ABOVE)] == []
    assert [d.code for d in diagnose(EMPTY, "%%eff\nticking! )", above=ABOVE)] == ["RH007"]
    assert [d.code for d in diagnose(EMPTY, "%%eff\nd 1", above="%%eff\ninclude forward")] == []
    assert [d.code for d in diagnose(EMPTY, "%%eff\nmissing", above=ABOVE)] == ["RH101"]


# -- a kernel in a process of its own ------------------------------------------------------------------------------------------


def test_a_front_end_is_answered_in_a_section(running: Client) -> None:
    """After a cell is run, every request about a partial one knows its declarations."""
    ran = running.run("%%eff\ninclude forward\ninclude evaluate\nfun cube x = t x (t x x)\nhandle d cube 2 with evaluate")
    assert ran.reply["status"] == "ok"
    assert any("12 : Float" in text for text in ran.texts)
    half = "%%eff\nhandle d cub"
    assert running.ask("complete_request", code=half, cursor_pos=len(half))["matches"] == ["cube"]
    found = running.ask("inspect_request", code="%%eff\ncube 2", cursor_pos=8, detail_level=0)
    assert found["data"]["text/plain"].startswith("cube : a -> [Smooth a] a")
    asked = running.ask("is_complete_request", code="%%eff\nfun square x =")
    assert (asked["status"], asked["indent"]) == ("incomplete", "  ")
    wrong = running.run("%%eff\ncube 2").reply
    assert (wrong["status"], wrong["ename"]) == ("error", "RH511 Unhandled effect")


def test_what_is_printed_is_a_stream(running: Client) -> None:
    """Printed text goes to standard output, in order with the other outputs, and is no part of the value."""
    ran = running.run('%%eff\nprint "first"; 1\n%count print "second"; 2\nprint "third"; print "fourth"; 3')
    assert ran.reply["status"] == "ok"
    said = [
        content["text"] if kind == "stream" else content["data"]["text/plain"].split("\n")[0]
        for kind, content in ran.messages
        if kind in {"stream", "display_data", "execute_result"}
    ]
    assert said == ["first\n", "1 : Float", "second\n", "2 : Float", "third\nfourth\n", "3 : Float"]
    assert {content["name"] for content in ran.contents("stream")} == {"stdout"}
    [result] = ran.contents("execute_result")
    assert "third" not in result["data"]["text/html"]


def test_what_is_printed_before_a_failure_is_a_stream_too(running: Client) -> None:
    ran = running.run('%%eff\nprint "before"; fetch (array [1.0]) 7')
    assert ran.reply["status"] == "error"
    assert [content["text"] for content in ran.contents("stream")] == ["before\n"]
    assert ran.texts == []


def test_a_silent_cell_prints_nothing(running: Client) -> None:
    assert running.run('%%eff\nprint "a line"; 1', silent=True).types() == ["status", "status"]


def test_python_prints_what_a_program_has_printed(running: Client) -> None:
    ran = running.run("%%python\nrh.run('%%eff\\nprint \"a line\"; 1')")
    assert [content["text"] for content in ran.contents("stream")] == ["a line\n"]
    assert ran.texts[0].startswith("1 : Float")
