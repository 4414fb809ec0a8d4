"""`rh trace --json`: texts of redexes and terms are bounded and contain the redex, and so is the work per step."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display.bounded import MOST, excerpt
from rh_kernel.display.traces.records import bounded_records
from rh_kernel.session.results import TraceMade
from rh_kernel.session.session import Session
from rh_kernel.syntax.printing.doc import Annotated, Mark, Text, concat
from tests.counting import calls
from tests.session.cells import run
from tests.tiers import law


def chain(lets: int) -> str:
    """``let variable₀ ← sin(0.5) in let variable₁ ← sin(variable₀) in …``"""
    lines = [f"let variable{i + 1} <- sin(variable{i}) in" for i in range(lets)]
    return f"let variable0 <- 0.5 in {' '.join(lines)} variable{lets}"


def traced(subject: str) -> TraceMade:
    results, _ = run(Session.start(Path()), f"%trace {subject}")
    (made,) = results
    assert isinstance(made, TraceMade)
    return made


def records(made: TraceMade, *, full: bool = False) -> list[dict[str, Any]]:
    return [cast(dict[str, Any], record) for record in bounded_records(made, full=full)]


def test_terms_are_cut_with_the_redex_in_sight_and_only_where_they_are_too_long() -> None:
    made = traced(chain(150))
    bounded, full = records(made), records(made, full=True)
    assert len(bounded) == len(full)
    cut = 0
    for step, whole in zip(bounded, full, strict=True):
        assert len(step["term"].encode()) <= MOST
        assert step["redex"].removesuffix("…") in step["term"]
        assert {key: step[key] for key in ("step", "rule", "heap")} == {key: whole[key] for key in ("step", "rule", "heap")}
        if len(whole["term"].encode()) <= MOST:
            assert step == whole
        else:
            cut += 1
            assert all(piece in whole["term"] for piece in step["term"].split("…"))
    assert 0 < cut < len(full)


def test_a_step_takes_as_much_work_in_a_term_ten_times_as_large() -> None:
    def work(lets: int) -> int:
        made = traced(chain(lets))
        steps = bounded_records(made)
        next(steps)
        return calls(lambda: list(islice(steps, 10)))

    assert work(20_000) < 2 * work(2_000)


marks = st.text("ab ⟨", max_size=60)


@law(60)
@given(marks, marks, marks, st.integers(min_value=60, max_value=200))
def test_an_excerpt_is_bounded_and_holds_what_is_marked(before: str, inside: str, after: str, most: int) -> None:
    found = excerpt(concat(before, Annotated(Mark("redex"), Text(inside)), after), most=most)
    assert len(found.text.encode()) <= most
    assert len(found.marked.encode()) <= most
    assert found.marked.removesuffix("…") in found.text
    if len((before + inside + after).encode()) <= most:
        assert (found.marked.split(), found.text.split()) == (inside.split(), (before + inside + after).split())


@pytest.mark.parametrize("most", [10, 100])
def test_without_a_mark_the_beginning_is_shown(most: int) -> None:
    found = excerpt(Text("x" * 50), most=most)
    assert found.text == ("x" * 7 + "…" if most == 10 else "x" * 50)
