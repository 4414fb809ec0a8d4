"""Programs of ten thousand lets or operators: no recursion, and work linear in their size."""

from itertools import pairwise
from pathlib import Path

import pytest

from rh_kernel.arrays.compile import translate
from rh_kernel.arrays.optimise import optimise
from rh_kernel.display.registry import text
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.results import ItemFailed, Result, Shown
from rh_kernel.session.session import Session, actions_of, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import Command, RevHandle, Scope
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.typing.elaboration.items import ClosedCommand
from tests.benchmarks.front import chain, lets
from tests.counting import calls

LONG, BEYOND = 10_000, 2_000
"""The size of long programs, and one that exceeds Python's recursion limit."""


def results(written: str, *, keep_going: bool = False) -> list[Result]:
    """Return the results of the items of a cell or a file, none of which fails."""
    events = execute(Session.start(Path()), Source("test", written), keep_going=keep_going)
    found = [event.result for event in events if isinstance(event, Shown)]
    assert not [result for result in found if isinstance(result, ItemFailed)]
    return found


def shown(cell: str) -> list[Result]:
    """Return the results, and check that they can be displayed."""
    found = results(cell)
    assert all(text(result) for result in found)
    return found


@pytest.mark.parametrize("kind", ["term", "command"])
@pytest.mark.parametrize("directive", ["", "%type ", "%compile "])
def test_ten_thousand_lets(kind: str, directive: str) -> None:
    (result,) = shown(f"{directive}{lets(LONG, kind)}")
    if not directive:
        assert f"{LONG}.0, {LONG + 1}.0" in text(result)


@pytest.mark.parametrize("directive", ["", "%type ", "%compile "])
def test_ten_thousand_operators(directive: str) -> None:
    (result,) = shown(directive + " + ".join(["[1, 2]"] * LONG))
    if not directive:
        assert f"{LONG}.0, {2 * LONG}.0" in text(result)


@pytest.mark.parametrize("sign", ["-", "*", "/"])
def test_other_operators_in_a_row(sign: str) -> None:
    (result,) = shown(f" {sign} ".join(["1"] * BEYOND))
    assert text(result).startswith(str(2 - BEYOND) if sign == "-" else "1")


@pytest.mark.parametrize("evaluator", ["stepped", "denoted"])
@pytest.mark.parametrize("kind", ["term", "command"])
def test_the_other_evaluators(evaluator: str, kind: str) -> None:
    *_, result = shown(f"%limit steps off\n%evaluator {evaluator}\n{lets(BEYOND, kind)}")
    assert f"{BEYOND}.0, {BEYOND + 1}.0" in text(result)


@pytest.mark.parametrize("directive", ["%derivation ", "%diagram ", "%gradient "])
@pytest.mark.parametrize("kind", ["term", "command"])
def test_what_is_shown_of_long_programs(directive: str, kind: str) -> None:
    shown(directive + lets(BEYOND, kind))


def test_declarations_may_be_long() -> None:
    body = lets(BEYOND, "term").replace("[1, 2]", "x", 1)
    cell = f"fun f(x : Real(2)) : Real(2) =\n  {body}\nf([1, 2])\nrd[f]([1, 2], [1, 2])\n%type f\n"
    _, value, cotangent, _ = shown(cell)
    assert f"{BEYOND}.0, {BEYOND + 1}.0" in text(value)
    assert text(cotangent).startswith("[1.0, 2.0]")
    shown(f"dim n = {' + '.join(['1'] * BEYOND)}\nconst c : Real({' + '.join(['1'] * BEYOND)}) = fill[n](1)\nsum(c)\n")


def test_the_errors_of_a_long_row_are_all_reported() -> None:
    actions = actions_of(Session.start(Path()), parse(Source("test", "a + 1 + b + [1, 2] + c")), "")
    (refused,) = [planned for _, planned in actions]
    assert [d.message for d in getattr(refused, "diagnostics", ())] == [f"`{x}` is not defined" for x in "abc"]


def subject(layers: int) -> Command:
    """Return the training step of a chain of layers."""
    _, planned = actions_of(Session.start(Path()), parse(Source("test", chain(layers))), "")[-1]
    assert isinstance(planned, Evaluate)
    assert isinstance(planned.subject, ClosedCommand)
    return planned.subject.command


def is_linear(counts: list[int]) -> bool:
    """Whether each doubling of the size at most about doubles the increase."""
    added = [b - a for a, b in pairwise(counts)]
    return all(later <= 2.1 * earlier for earlier, later in pairwise(added))


SIZES = (16, 32, 64, 128)


def test_reading_and_elaborating_layers_is_linear() -> None:
    def work(layers: int) -> int:
        source = Source("test", chain(layers))
        return calls(lambda: actions_of(Session.start(Path()), parse(source), ""))

    # What is made once and kept is not in the counts.
    work(SIZES[0])
    assert is_linear([work(layers) for layers in SIZES])


def test_compiling_layers_is_linear_and_makes_each_clause_once() -> None:
    subjects = [subject(layers) for layers in SIZES]
    # What is made once and kept is not in the counts.
    translate(subjects[0])
    assert is_linear([calls(lambda P=P: translate(P)) for P in subjects])
    programs = [translate(P) for P in subjects]
    assert is_linear([calls(lambda p=p: optimise(p)) for p in programs])


def test_what_does_not_change_is_shared() -> None:
    P = subject(5)
    assert isinstance(P, RevHandle)
    assert specialise(P.scope, Static({}, {}, {})) is P.scope


def test_a_clause_is_made_once_for_each_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    """Layers of one width, each at a location of its own, run through the same clause."""
    made: list[Scope] = []

    def noted(scope: Scope, static: Static) -> Scope:
        made.append(scope)
        return specialise(scope, static)

    monkeypatch.setattr("rh_kernel.arrays.symbolic.clauses.specialise", noted)
    program = translate(subject(20))
    assert len(made) == 2
    assert len(program.writes) == 20


def test_a_layer_takes_few_calls() -> None:
    """All layers have one width, so what is known of one is known of all."""
    few, many = subject(50), subject(150)
    assert calls(lambda: translate(many)) - calls(lambda: translate(few)) <= 100 * 550
    texts = [Source("test", chain(layers)) for layers in (50, 150)]
    actions = [calls(lambda s=s: actions_of(Session.start(Path()), parse(s), "")) for s in texts]
    assert actions[1] - actions[0] <= 100 * 800


def test_a_file_of_many_declarations_is_not_gone_through_for_each() -> None:
    """Each item of a file is a cell."""
    sizes = (20, 40, 80, 160)
    items = ["".join([f"loc w{i} : Real(2, 2) = zeros\n" for i in range(n)]) for n in sizes]
    results(items[0], keep_going=True)
    assert is_linear([calls(lambda t=t: results(t, keep_going=True)) for t in items])
