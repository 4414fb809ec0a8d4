"""Knobs: a constant or a dimension with another value is what a program says that declares it with this value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.registry import bundle, records, text
from rh_kernel.primitives.values import to_array
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.knobs.knob import MAX_VALUES, KnobShown, Scale, evenly, in_steps, logarithmically
from rh_kernel.session.knobs.replay import Replay
from rh_kernel.session.knobs.turning import turned
from rh_kernel.session.reachable import dependents
from rh_kernel.session.results import ItemFailed, ValueFound
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.syntax.values import constant
from tests.session.cells import codes, run

PROGRAM = """const alpha = {alpha}
const beta = 2 * alpha
dim n = {n}
loc w : Real(n) = uniform(0, 1, seed=3)
loc other : Real(2) = [7, 8]
fun scaled(x : Real(k)) : Real(k) = alpha * x
net step(x : Real(n)) : Real(n) = let v <= Get[w]() in return scaled(v) + x
const gamma = 5"""
QUESTIONS = ("step(fill[n](beta))", "Get[other]()", "gamma")


def session(alpha: float = 0.1, n: int = 3) -> Session:
    return run(Session.start(Path()), PROGRAM.format(alpha=alpha, n=n))[1]


def after(before: Session, text: str) -> Session:
    """Return the session after a cell."""
    return run(before, text)[1]


def values(session: Session) -> list[list[float]]:
    found: list[list[float]] = []
    for question in QUESTIONS:
        (result,), _ = run(session, question)
        assert isinstance(result, ValueFound), result
        found.append(to_array(result.value).tolist())
    return found


def shown(program: str) -> KnobShown:
    *_, found = run(Session.start(Path()), program)[0]
    assert isinstance(found, KnobShown), found
    return found


@given(st.floats(-100, 100), st.integers(0, 5))
def test_a_turned_session_is_one_that_was_declared_with_the_value(alpha: float, n: int) -> None:
    found = turned(turned(session(), "alpha", constant(alpha)), "n", constant(n))
    assert values(found) == values(session(alpha, n))
    assert found.definitions.outdated() == {}


def test_what_does_not_depend_on_the_name_stays() -> None:
    before = after(session(), "let _ <= Put[w]([1, 2, 3]) in Put[other]([0, 0])")
    found = turned(before, "alpha", constant(3.0))
    assert dependents(before.definitions, "alpha") == ("beta", "scaled", "step")
    assert found.heap is before.heap
    assert values(found)[0] == [9.0, 12.0, 15.0]
    again = turned(found, "n", constant(2))
    assert set(dependents(found.definitions, "n")) == {"w", "step"}
    assert len(again.heap) == len(before.heap), "the earlier `w` is gone"
    assert values(again)[1] == [0.0, 0.0]


def test_a_local_variable_of_that_name_is_no_use_of_it() -> None:
    before = after(session(), "fun local(alpha : Real) : Real = alpha\nfun named(x : Real) : Real = alpha * x")
    assert "local" not in dependents(before.definitions, "alpha")
    assert "named" in dependents(before.definitions, "alpha")


def test_a_value_with_which_a_declaration_has_an_error_is_refused() -> None:
    before = after(session(), "const row : Real(3) = fill[n](1)")
    with pytest.raises(Rejected) as refused:
        turned(before, "n", constant(4))
    assert [d.code for d in refused.value.diagnostics] == ["RH102"]


def test_an_item_runs_again_from_the_heap_from_which_it_ran() -> None:
    events = execute(session(), Source("cell 2", "let _ <= Put[other](alpha * [1, 1]) in Get[other]()"), cell="c")
    (begun,) = [event for event in events if isinstance(event, Begun)]
    assert isinstance(begun.session, Session)
    replay = Replay(begun.item, begun.session)
    assert replay.depends_on("alpha")
    assert not replay.depends_on("gamma")
    for alpha in (0.5, 0.25, 0.5):
        result = replay.run(ValueFound, {"alpha": constant(alpha)})
        assert isinstance(result, ValueFound)
        assert to_array(result.value).tolist() == [alpha, alpha]
        (change,) = result.changes
        assert change.before is not None
        assert change.before.tolist() == [7.0, 8.0]


def test_an_item_that_has_an_error_with_the_value_gives_the_error() -> None:
    events = execute(session(), Source("cell 2", "[1, 2, 3] + fill[n](1)"), cell="c")
    (begun,) = [event for event in events if isinstance(event, Begun)]
    assert isinstance(begun.session, Session)
    result = Replay(begun.item, begun.session).run(ValueFound, {"n": constant(2)})
    assert isinstance(result, ItemFailed)


RULES = """const base = 1
loc w : Real(1, 2) = [[0.5, -1]]
op FC[l : Loc(p, q)] : Real(q) -> Real(p)
handler descent(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return base * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - alpha * outer(y, x)) in return w^T @ y
}
handler none : rev handler(Real(2)) = { return x -> return x }
handler of_pair(p : Real * Real) : rev handler(Real(2)) = { return x -> return x }
net learn(x : Real(2)) : Real(2) = rev handle (x) <u>. FC[w](u) with descent({inner}, [1])"""
TWICE = """let a <= learn([1, 2]) in
  let b <= rev handle (a) <u>. FC[w](u) with descent({outer}, [1]) in
  let v <= Get[w]() in return (b, v)"""


def rules(inner: float) -> Session:
    return run(Session.start(Path()), RULES.replace("{inner}", str(inner)))[1]


def replay(session: Session, text: str) -> Replay:
    (begun,) = [event for event in execute(session, Source("cell", text), cell="c") if isinstance(event, Begun)]
    assert isinstance(begun.session, Session)
    return Replay(begun.item, begun.session)


@given(st.floats(-10, 10), st.floats(-10, 10), st.floats(-2, 2))
def test_each_application_gets_the_value_of_a_parameter(alpha: float, written: float, base: float) -> None:
    given = {"descent.alpha": constant(alpha), "base": constant(base)}
    found = replay(rules(written), TWICE.replace("{outer}", str(written + 1))).run(ValueFound, given)
    asked = RULES.replace("{inner}", str(alpha)).replace("base = 1", f"base = {base}")
    (wanted,), _ = run(run(Session.start(Path()), asked)[1], TWICE.replace("{outer}", str(alpha)))
    assert isinstance(found, ValueFound)
    assert isinstance(wanted, ValueFound)
    assert found.value == wanted.value
    kept = replay(rules(alpha), TWICE.replace("{outer}", str(alpha))).run(
        ValueFound, {"descent.alpha": None, "base": constant(base)}
    )
    assert isinstance(kept, ValueFound)
    assert kept.value == wanted.value


def test_a_value_that_does_not_fit_an_application_is_an_error_of_its_item() -> None:
    item = replay(rules(0.1), "rev handle ([1, 2]) <u>. FC[w](u) with descent(0.1, [1])")
    assert item.applications("descent.t") == 1
    failed = item.run(ValueFound, {"descent.t": constant([1, 2])})
    assert isinstance(failed, ItemFailed)
    assert [d.code for d in failed.diagnostics] == ["RH102"]


@given(st.floats(1e-6, 1e6), st.floats(1.001, 1e6))
def test_a_logarithmic_slider_goes_from_one_end_to_the_other(low: float, ratio: float) -> None:
    found = [float(to_array(V)[0]) for V in logarithmically(low, low * ratio)]
    assert found[0] == low
    assert found[-1] == low * ratio


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_a_slider_rises(low: float, width: float) -> None:
    found = [float(to_array(V)[0]) for V in evenly(low, low + width)]
    assert found == sorted(set(found))
    np.testing.assert_allclose([found[0], found[-1]], [low, low + width], atol=1e-6 * width)


@given(st.integers(-50, 50), st.integers(1, 100), st.sampled_from([0.05, 0.1, 0.25, 1, 3]))
def test_steps_begin_at_the_lower_end_and_do_not_pass_the_upper(low: int, width: int, step: float) -> None:
    found = [float(to_array(V)[0]) for V in in_steps(low, low + width, step)]
    assert found[0] == low
    assert low + width - step < found[-1] <= low + width + 1e-9 or len(found) == MAX_VALUES


def test_a_knob_without_a_page_says_the_value_and_what_there_is() -> None:
    slider = shown("const alpha = 0.1\n%slider alpha 0.01 1 log")
    assert slider.scale is Scale.LOG
    assert text(slider).startswith("alpha = 0.1  ├")
    assert text(slider).endswith("from 0.01 to 1.0, logarithmic")
    assert "alpha = 0.1" in bundle(slider)["text/html"]
    (record,) = records(1, slider)
    assert record == {
        "item": 1, "kind": "knob", "name": "alpha", "value": [0.1], "from": [0.01], "to": [1.0], "scale": "log",
    }  # fmt: skip
    assert text(shown("dim n = 3\n%slider n 1 8")).endswith("from 1 to 8")
    parameter = shown(f"{RULES.replace('{inner}', '1')}\n%slider descent.alpha 0.01 1 log")
    assert text(parameter) == "descent.alpha as written  from 0.01 to 1.0, logarithmic"
    assert records(1, parameter)[0]["value"] is None
    assert len(shown(f"{RULES.replace('{inner}', '1')}\n%knob descent.t [[1], [2]]").values) == 2
    choice = shown("const t = [0.5, 1]\n%knob t [[0.5, 1], [1, 0]]")
    assert text(choice) == "t = [0.5, 1.0]  one of [0.5, 1.0], [1.0, 0.0]"
    assert [to_array(V).tolist() for V in shown("const a = 1\n%knob a [1, 2]").values] == [[1.0], [2.0]]


@pytest.mark.parametrize(
    ("line", "marked"),
    [
        ("%slider", "%slider"),
        ("%slider alpha", "%slider alpha"),
        ("%slider alpha 0 1 log 2", "%slider alpha 0 1 log 2"),
        ("%slider alpah 0 1", "alpah"),
        ("%slider step 0 1", "step"),
        ("%slider pair 0 1", "pair"),
        ("%slider t 0 1", "t"),
        ("%slider alpha 1 0", "1 0"),
        ("%slider alpha 1 1", "1 1"),
        ("%slider alpha 0 1 log", "0"),
        ("%slider alpha -1 1 log", "-1"),
        ("%slider alpha x 1", "x"),
        ("%slider alpha 0 1e999", "1e999"),
        ("%slider alpha 0 nan", "nan"),
        ("%slider alpha 0 1 0", "0"),
        ("%slider alpha 0 1 1e-9", "1e-9"),
        ("%slider n 0.5 2", "0.5"),
        ("%slider n -1 2", "-1"),
        ("%slider n 1 2 log", "log"),
        ("%slider n 1 4 0.5", "0.5"),
        ("%knob t", "%knob t"),
        ("%knob t 1", "1"),
        ("%knob t [1, 2]", "[1, 2]"),
        ("%knob t [[1, 2], [3]]", "[[1, 2], [3]]"),
        ("%knob n [1.5]", "[1.5]"),
        ("%knob who [1]", "who"),
        ("%slider descent 0 1", "descent"),
        ("%slider descent.rate 0 1", "descent.rate"),
        ("%slider descnt.alpha 0 1", "descnt.alpha"),
        ("%slider descent.t 0 1", "descent.t"),
        ("%slider alpha.t 0 1", "alpha.t"),
        ("%slider none 0 1", "none"),
        ("%slider of_pair.p 0 1", "of_pair.p"),
        ("%knob descent.t [[[1]], [[2]]]", "[[[1]], [[2]]]"),
    ],
)
def test_bad_arguments_are_marked(line: str, marked: str) -> None:
    before = after(session(), f"const t = [0.5, 1]\nconst pair = (1, 2)\n{RULES.replace('{inner}', '1')}")
    found, since = run(before, line)
    assert codes(found) == ["RH042"]
    (failed,) = found
    assert isinstance(failed, ItemFailed)
    (diagnostic,) = failed.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span.text == marked
    assert diagnostic.hint or diagnostic.fix
    assert since.definitions.named == before.definitions.named


def test_a_locked_name_has_no_knob() -> None:
    before = after(Session.start(Path()), "%locked\nconst alpha = 1")
    assert codes(run(before, "%slider alpha 0 1")[0]) == ["RH042"]
