"""Editing ``%%lambda`` sections: completion, inspection, completeness, and live diagnostics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.registry import ALL, NAMES
from rh_kernel.kernel.completeness import completeness
from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.kernel.linting import diagnose
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.highlighting.texts import nearly
from tests.kernel.conftest import Client

EMPTY = Session.start(Path())
ABOVE = "%%lambda\nfun norm(abscissa : Real, y : Real) : Real = abscissa * abscissa + y * y\n"


def after(session: Session, text: str) -> Session:
    events = execute(session, Source("cell", text))
    while True:
        try:
            next(events)
        except StopIteration as end:
            return end.value


def said(text: str, session: Session = EMPTY) -> str:
    """The inspection at the cursor ``|``, in one line."""
    cursor = text.index("|")
    about = inspection(session, text.replace("|", "", 1), cursor)
    return "" if about is None else " ".join(about["text/plain"].split())


# -- Tab -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%l", ["%%lambda"]),
        ("%%lambda\n%%r", ["%%rh"]),
        ("%%lambda\n%", ["%ad", "%%rh"]),
        (ABOVE + "%ad ", [*NAMES, ALL]),
        (ABOVE + "%ad reverse-h", ["reverse-handler"]),
        (ABOVE + "%ad  chad-f", ["chad-forward"]),
        (ABOVE + "%ad chad n", ["norm"]),
        (ABOVE + "%ad chad norm(1, 2) ", ["with", "along", "--trace"]),
        (ABOVE + "%ad chad norm(1, 2) --", ["trace"]),
        (ABOVE + "fun g(first : ", ["Real"]),
        (ABOVE + "fun g(first : Real) : Real = fi", ["first"]),
        (ABOVE + "fun g(x : Real) : Real =\n  let half <- x in hal", ["half"]),
        (ABOVE + "(λvery : Real. v", ["very"]),
        (ABOVE + "no", ["norm"]),
        (ABOVE + "rep", ["replicate"]),
        (ABOVE + "# no", []),
        (ABOVE + "fun n", []),
        (ABOVE + "%%rh\nsqr", ["sqrt"]),
        ("%%rh\nno", []),
        ("%%lambda\n\\lambd", ["λ"]),
    ],
)
def test_tab_offers_what_fits(text: str, expected: list[str]) -> None:
    """Keywords of a section are completed in it alone, as are functions declared above in it."""
    start, offered = completions(EMPTY, text, len(text))
    assert 0 <= start <= len(text)
    assert [c.text for c in offered][: len(expected)] == expected
    assert offered or not expected


def test_tab_knows_the_functions_of_the_session_with_their_types() -> None:
    _, offered = completions(after(EMPTY, ABOVE), "%%lambda\nnor", 12)
    assert [(c.text, c.kind, c.signature) for c in offered] == [("norm", "function", "norm : Real × Real -> Real")]


def test_every_word_of_the_section_is_offered() -> None:
    """All but those of ``%ad``, since no argument has been typed."""
    _, offered = completions(EMPTY, "%%lambda\n", 9)
    assert {c.text for c in offered} >= LAMBDA_FORMS.keys() - {"with", "along", "trace", "all"}


# -- Shift-Tab -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ABOVE + "no|rm(1, 2)", "norm : Real × Real -> Real fun norm(abscissa"),
        (ABOVE + "%ad ch|ad norm(1, 2)", "chad CHAD"),
        (ABOVE + "%a|d chad norm(1, 2)", "%ad SYSTEM f"),
        (ABOVE + "%ad chad no|rm(1, 2)", "norm : Real × Real -> Real"),
        (ABOVE + "%ad all norm(1, 2) wi|th 3", "%ad SYSTEM f(M, …) with W"),
        (ABOVE + "%ad al|l norm(1, 2)", "%ad all f(M, …)"),
        (ABOVE + "si|n(2)", "sin : Real → Real"),
        (ABOVE + "ma|p(x. x, [1, 2])", "map(x. M, xs)"),
        ("%%lambda\nmap(x|. x, [1, 2])", "x : Real"),
        ("%%lambda\nfun f(x| : Real(2)) : Real = sum(x)", "x : Real(2)"),
        ("%%lambda\nfun f(x : Real(2)) : Real = sum(x|)", "x : Real(2)"),
        ("%%lambda\nfun f(x : Real) : Real = let x| <- [x, 2] in x[0]", "x : Real(2)"),
        ("%%lambda\nfun f(x : Real) : Real = let x <- [x|, 2] in x[0]", "x : Real"),
        ("%%lambda\nfun f(x : Real) : Real = let x <- [x, 2] in x|[0]", "x : Real(2)"),
        ("%%lambda\nfun f(x : Real) : Real = let (p, q|) <- (x, [x, x]) in p + sum(q)", "q : Real(2)"),
        ("%%lambda\n(λg| : Real -> Real. g(1))(sin)", "g : Real → Real"),
        ("%%lambda\ncase inl(1) of inl a| -> a | inr b -> sum(b) + b[1]", "a : Real"),
        ("%%lambda\n1 +| 2", "M + N"),
        ("%%lambda\n(λx : Real. x).1|", "M.1"),
        ("%%lambda\n(|\\x : Real. x)(1)", "λx : A. M"),
    ],
)
def test_shift_tab_tells_what_it_is(text: str, expected: str) -> None:
    """A function, a variable where it is bound and used, a keyword, an operator, a symbol, a system."""
    assert said(text).startswith(expected)


def test_shift_tab_tells_of_a_function_of_an_earlier_cell() -> None:
    assert said("%%lambda\nnorm|(1, 2)", after(EMPTY, ABOVE)).startswith("norm : Real × Real -> Real")


def test_nothing_is_said_of_what_is_not_known() -> None:
    assert said("%%lambda\nunknown|(1)") == ""
    assert said("%%lambda\n%ad unk|nown f") == ""


@given(nearly, st.integers(0, 60))
def test_no_text_is_too_much(text: str, cursor: int) -> None:
    """No request fails, for any text of a section and any cursor."""
    whole = f"%%lambda\n{text}"
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
        ("%%lambda", ("incomplete", "")),
        ("%%lambda\nfun f(x : Real) : Real =", ("incomplete", "  ")),
        ("%%lambda\nfun f(x : Real) : Real =\n    let y <- x in", ("incomplete", "    ")),
        ("%%lambda\nf(", ("incomplete", "  ")),
        ("%%lambda\n%ad", ("incomplete", "  ")),
        ("%%lambda\ncase x of", ("incomplete", "  ")),
        ("%%lambda\n1\n%%rh\n1 +", ("incomplete", "  ")),
        ("%%lambda\nfun f(x : Real) : Real = x", ("complete", "")),
        ("%%lambda\n%ad chad f", ("complete", "")),
        ("%%lambda\n1\n%%rh", ("complete", "")),
        ("%%lambda\n# nothing", ("complete", "")),
        ("%%lambda\n)", ("invalid", "")),
        ("%%lambda\n1 +\n2", ("invalid", "")),
        ("%%lambda\n1 +\n%%rh", ("invalid", "")),
        ("%%lambda\n1 +\n%%rh\n1", ("invalid", "")),
        ("1 +\n%%lambda\n1", ("invalid", "")),
    ],
)
def test_enter_runs_what_is_whole(text: str, expected: tuple[str, str]) -> None:
    assert completeness(text) == expected


# -- while one writes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (ABOVE + "norm(1)", ["RH102"]),
        (ABOVE + "%ad chat norm(1, 2)", ["RH502"]),
        (ABOVE + "%ad chad norm(1, 2, 3)", ["RH105"]),
        ("%%lambda\nnorm(1, 2)", ["RH101"]),
        ("%%lambda\nfun g(x : Real) : Real * Real = (x, x)\n%ad chad g(1)", ["RH503"]),
        ("%%lambda\n1 )\n%%rh\n1 +", ["RH007", "RH005"]),
        ("%%lambda\n1\n%%rh\n1 +", []),
        (ABOVE + "%ad chad norm(1, 2", []),
        (ABOVE + "%ad chad norm(1, norm(1, 2, 3))", []),
        (ABOVE + "%ad chad norm(1, 2)", []),
        (ABOVE + "%ad finite-differences norm", []),
    ],
)
def test_what_is_certainly_wrong_is_underlined(text: str, codes: list[str]) -> None:
    """Nothing is computed: arguments other than literals are left to execution."""
    assert [d.code for d in diagnose(EMPTY, text)] == codes


def test_a_function_of_a_cell_above_that_was_not_run_is_not_missed() -> None:
    assert [d.code for d in diagnose(EMPTY, "%%lambda\nnorm(1, 2)", above=ABOVE)] == []
    assert [d.code for d in diagnose(EMPTY, "%%lambda\nnorm(1, 2))", above=ABOVE)] == ["RH007"]


# -- a kernel in a process of its own ------------------------------------------------------------------------------------------


def test_a_front_end_is_answered_in_a_section(running: Client) -> None:
    """After a cell is run, every request about a partial one knows its declarations."""
    ran = running.run("%%lambda\nfun cube(x : Real) : Real = x * x * x\n%ad chad cube(2)\n%ad all cube(2)")
    assert ran.reply["status"] == "ok"
    assert any("gradient in x: 12" in text for text in ran.texts)
    assert any("finite-differences" in text for text in ran.texts)
    half = "%%lambda\n%ad chad cub"
    assert running.ask("complete_request", code=half, cursor_pos=len(half))["matches"] == ["cube"]
    found = running.ask("inspect_request", code="%%lambda\ncube(2)", cursor_pos=11, detail_level=0)
    assert found["data"]["text/plain"].startswith("cube : Real -> Real")
    asked = running.ask("is_complete_request", code="%%lambda\nfun square(x : Real) : Real =")
    assert (asked["status"], asked["indent"]) == ("incomplete", "  ")
    wrong = running.run("%%lambda\n%ad chat cube(2)").reply
    assert (wrong["status"], wrong["ename"]) == ("error", "RH502 Unknown system")
