"""Every result has a text and HTML, and user text in them is escaped."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.comparison import Refused, Row
from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.loading import prelude
from rh_kernel.ad.eff.machine.counting import Counts
from rh_kernel.ad.eff.reduction.traces import trace
from rh_kernel.ad.eff.types import TEXT, UNIT, Returner
from rh_kernel.ad.language.core import Constant, Program
from rh_kernel.ad.language.types import Real
from rh_kernel.ad.system import Stage, System, VjpResult
from rh_kernel.ad.system import Step as RewritingStep
from rh_kernel.cluster.cluster import WorkerShown
from rh_kernel.display.registry import bundle
from rh_kernel.display.text import visible
from rh_kernel.display.training.runs import progress
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import (
    Change,
    CheckPassed,
    ClusterShown,
    Computed,
    Counted,
    DeclarationMade,
    DerivationMade,
    DiagramMade,
    Differentiated,
    FormsShown,
    GradientMade,
    HeapShown,
    ItemFailed,
    NameShown,
    NamesShown,
    Notice,
    Overview,
    ProgramMade,
    ReductionShown,
    Result,
    Returned,
    RewritingShown,
    TraceMade,
    TrainingDone,
    TypeShown,
    ValueFound,
    Warned,
)
from rh_kernel.source.diagnostic import Diagnostic, Fix
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import Bind, Bound, Return, ReverseHandler, RevHandle, Scope
from rh_kernel.syntax.printing.doc import Text
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import SCALAR
from rh_kernel.syntax.values import constant
from rh_kernel.training.events import Progress
from rh_kernel.typing.derivation.derive import derive_command, derive_handler
from rh_kernel.typing.errors import LostUpdate
from tests.display.pages import PASS, Page, assert_harmless, shown

TRAIN = """train rev handle (x) <u>. mlp(u) with sgd(0.1, t)
  for (x, t) in data("xor") epochs 3 batch 4 shuffle 0
  measure let y <= handle mlp(x) with infer in return dot(y - t, y - t)"""

SQUARE = "%%lambda\nfun f(x : Real) : Real = x * x\n"

CELLS: dict[type[Result], str] = {
    DeclarationMade: "loc w2 : Real(2) = [1.0, 2.0]",
    ValueFound: PASS,
    TraceMade: f"%trace {PASS}",
    ProgramMade: f"%compile {PASS}",
    TypeShown: "%type mlp",
    DerivationMade: "%derivation sgd",
    DiagramMade: "%diagram mlp",
    GradientMade: f"%gradient {PASS}",
    HeapShown: "%heap",
    CheckPassed: "check 1 + 1 == 2",
    NamesShown: "%whos",
    Computed: f"{SQUARE}f(3)",
    Differentiated: f"{SQUARE}%ad all f(3)",
    FormsShown: f"{SQUARE}%ad reverse-handler f",
    RewritingShown: f"{SQUARE}%ad linear-negation f(3) --trace",
    Returned: '%%eff\nprint "so"; 1',
    Counted: "%%eff\n%count 1 + 2",
    ReductionShown: "%%eff\n%trace 1 + 2",
    Notice: "%help train",
    Overview: "%help",
    TrainingDone: TRAIN,
    ItemFailed: "mlp([1.0])",
}


class Wrong(Diagnostic):
    """A diagnostic."""

    code = "RH999"
    title = "Some diagnostic"
    label = "{found}"


def hostile_results(words: str) -> list[Result]:
    """Every kind of result, with these words in place of all user text."""
    location = Location(words, (), 0)
    array, other = np.ones(2), np.full(2, 1.5)
    changes = (Change(location, array, other), Change(Location(words, (), 1), None, array))
    span = Span(Source(words, words), 0, len(words))
    H = ReverseHandler(SCALAR, Scope(("x",), Return(Bound(0, "x"))), (), words)
    P = RevHandle(constant(1.0), Scope((words,), Return(Bound(0, words))), H)
    Q = Bind(Return(constant(1.0)), Scope((words,), Return(Bound(0, words))))
    steps = (Step(Rule.LET_COMMAND, None, Q, Return(constant(1.0))), Step(Rule.REV_HANDLE, None, P, Return(constant(1.0))))
    diagnostic = Wrong(span=span, found=words, expected=words, hint=words)
    system = System(words, words, words)
    program = Program(words, ((words, Real()),), Real(), Constant(1.0))
    found = Row(system, VjpResult(1.0, (2.0,), 1, 2, 3, ((words, 4),)), 0.1, 0.0)
    refused = Row(system, Refused((diagnostic,)), 0.1, None)
    returned = Returned(Returner(TEXT), core.Literal(words), (words,))
    return [
        Differentiated(program, (1.0,), 1.0, along=False, rows=(found,)),
        Differentiated(program, (1.0,), 1.0, along=False, rows=(found, found, refused)),
        FormsShown(system, program, (Stage(words, Text(words)),)),
        RewritingShown(system, program, (RewritingStep("", Text(words)), RewritingStep(words, Text(words)))),
        returned,
        Counted(returned, Counts(1, ((words, words, 2),), ((words, words, 2),), 3, 4, 5, 6)),
        ReductionShown(words, Returner(UNIT), trace(core.Perform("Console", "print", (core.Literal(words),)), prelude())),
        DeclarationMade(words, words, words, changes),
        TraceMade(P, SCALAR, steps, constant(1.0), (), {location: array}),
        TraceMade(P, SCALAR, steps, None, (diagnostic,), {}),
        TypeShown(words, words),
        DerivationMade(words, (derive_command((), (), P), derive_handler((), H))),
        HeapShown(changes),
        ValueFound(SCALAR, constant(1.0), changes, is_command=True),
        CheckPassed(words, words),
        NamesShown((NameShown(words, words, words, words, (words,)),)),
        ClusterShown(words, (WorkerShown(words, 1, 0),), words, None),
        ClusterShown(words, (WorkerShown(words, 1, 5),), f"https://{words}", 3.0),
        Notice(words),
        TrainingDone(2, 3, ((words, (1.0, 0.5)),), 0.1, changes),
        ItemFailed((diagnostic,)),
        Warned((LostUpdate(span=span, where=words, name=words, hint=words, fix=Fix(span, words)),)),
    ]


@pytest.mark.parametrize("kind", CELLS, ids=lambda kind: kind.__name__)
def test_every_result_has_a_text_and_a_page(kind: type[Result]) -> None:
    *_, result = shown(CELLS[kind])
    assert isinstance(result, kind)
    data = bundle(result)
    assert data.keys() - {"text/latex", "image/svg+xml", "text/vnd.graphviz"} == {"text/plain", "text/html"}
    assert data["text/plain"].strip()
    assert not data["text/plain"].endswith("\n")
    # What a diagram is made of is looked at in test_diagram.py and test_gradient.py.
    page = Page.of(data["text/html"]) if kind in (DiagramMade, GradientMade) else assert_harmless(data["text/html"])
    assert page.text.strip()


WORDS = st.one_of(
    st.sampled_from(
        ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'onclick='x", "&lt;b&gt;", "</pre>", "\x1b[31m"]
    ),
    st.text(max_size=30),
)


@given(WORDS)
def test_words_of_the_user_are_text(words: str) -> None:
    for hostile, tame in zip(hostile_results(words), hostile_results("tame"), strict=True):
        data = bundle(hostile)
        page = assert_harmless(data["text/html"])
        assert set(page.tags) <= set(assert_harmless(bundle(tame)["text/html"]).tags)
        assert "\x1b" not in data["text/plain"]
        assert "\x1b" not in data["text/html"]


@given(WORDS)
def test_words_of_the_user_are_shown(words: str) -> None:
    seen = visible(words).replace("\r", "")
    for result in (DeclarationMade(words, "a net", words), TypeShown(words, "Real(1)"), Notice(words)):
        data = bundle(result)
        assert seen in data["text/plain"]
        assert seen in Page.of(data["text/html"]).text


def test_a_declaration_is_one_quiet_line() -> None:
    data = bundle(DeclarationMade("mlp", "a net", "Real(2) ~> Real(1)"))
    assert data["text/plain"] == "mlp : Real(2) ~> Real(1)"
    assert "mlp : Real(2) ~> Real(1)" in Page.of(data["text/html"]).text


def test_a_value_is_shown_with_its_type_and_what_changed() -> None:
    (result,) = shown(PASS)
    text = bundle(result)["text/plain"]
    first, *changes = text.splitlines()
    # The last digits are those of the machine's matrix products.
    assert re.fullmatch(r"\[-0\.00072726640779\d+, 0\.0082049655582\d+\] : Real\(2\)", first)
    assert [line.split(" : ")[0] for line in changes if " : " in line] == ["w0", "w1"]


def test_the_heap_tells_what_it_held_at_first() -> None:
    _, heap = shown(f"{PASS}\n%heap")
    lines = bundle(heap)["text/plain"].splitlines()
    assert lines[0].startswith("w0 : Real(3, 2) = [[0.119")
    assert any(line.strip() == "at first [[0.1, -0.2], [0.3, 0.4], [-0.5, 0.6]]" for line in lines)
    assert "at first" not in bundle(shown("%heap")[0])["text/plain"]


def test_an_older_location_of_a_name_is_told_apart() -> None:
    old, new = Location("w", (), 1), Location("w", (), 2)
    text = bundle(HeapShown((Change(old, None, np.ones(1)), Change(new, None, np.zeros(1)))))["text/plain"]
    assert [line.split(" : ")[0] for line in text.splitlines()] == ["w (an older one, 1)", "w"]


def test_a_program_has_a_row_for_every_line_of_its_listing() -> None:
    (result,) = shown(f"%compile {PASS}")
    data = bundle(result)
    rows = [tag for tag in Page.of(data["text/html"]).tags if tag == "tr"]
    assert len(rows) == len(data["text/plain"].splitlines())
    assert "80 flop" in data["text/plain"]
    assert "80 flop" in Page.of(data["text/html"]).text


@given(
    st.integers(0, 300),
    st.floats(allow_nan=False, allow_infinity=False, min_value=-1, max_value=2),
    st.lists(st.lists(st.floats(), max_size=8).map(tuple), max_size=3).map(tuple),
    st.floats(min_value=0),
)
def test_progress_is_one_line_and_a_bar(
    epoch: int, fraction: float, measures: tuple[tuple[float, ...], ...], speed: float
) -> None:
    data = progress(Progress(epoch, 300, fraction, measures, speed))
    assert f"epoch {epoch}/300" in data["text/plain"]
    assert "\n" not in data["text/plain"]
    page = assert_harmless(data["text/html"])
    assert len([tag for tag in page.tags if tag == "img"]) == len([values for values in measures if len(values) > 1])


def test_a_put_of_what_was_there_says_so() -> None:
    text = bundle(shown("let w <= Get[w0]() in Put[w0](2 * w - w)")[0])["text/plain"]
    assert "w0 : Real(3, 2) is as it was" in text
    assert "new" not in text
