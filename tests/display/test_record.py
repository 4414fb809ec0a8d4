"""Results as JSON (LANGUAGE §8), in cases that are hard to test through the command line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rh_kernel.display.data import array, contents, value
from rh_kernel.display.diagnostics import error
from rh_kernel.display.registry import records
from rh_kernel.display.traces.records import STEP, end_record, step_record
from rh_kernel.operational.heap import Change as HeapChange
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import Change, DeclarationMade, ItemFailed, Notice, TraceMade, TrainingDone
from rh_kernel.source.diagnostic import Diagnostic, Fix, Note
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Const,
    Handle,
    IfCommand,
    Node,
    Perform,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.printing.doc import Doc, Mark, annotated_texts
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.printer import PrintCache, command_doc, term_doc
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, real
from rh_kernel.syntax.values import UNIT_VALUE
from tests.display.pages import traced
from tests.laws.readings import steps_of
from tests.programs.readings import PROGRAMS, last_command
from tests.strategies import terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

ARRAYS = hnp.arrays(np.float64, hnp.array_shapes(max_dims=3, min_side=0, max_side=4))


class Wrong(Diagnostic):
    code, title, label = "RH999", "Wrong", "this is wrong"


@given(ARRAYS)
def test_an_array_survives_its_json(x: np.ndarray) -> None:
    text = json.dumps(array(x), allow_nan=False)
    np.testing.assert_array_equal(np.array(json.loads(text), dtype=np.float64).reshape(x.shape), x)


def same(V: Term, data: object) -> bool:
    match V, data:
        case Const(x), list():
            return np.array_equal(np.array(data, dtype=np.float64).reshape(x.shape), x, equal_nan=True)
        case Tuple(items), {"tuple": list(parts)}:
            return len(items) == len(parts) and all(same(W, part) for W, part in zip(items, parts, strict=True))
        case _:
            return False


def tuples(V: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    return st.lists(V, min_size=2, max_size=3).map(lambda items: Tuple(tuple(items)))


@given(st.recursive(ARRAYS.map(Const), tuples, max_leaves=5))
def test_a_value_survives_its_json(V: Term) -> None:
    assert same(V, json.loads(json.dumps(value(V), allow_nan=False)))


def test_zeros_are_written_out() -> None:
    assert value(Zero(Product((real(2), real(1, 1))))) == {"tuple": [[0.0, 0.0], [[0.0]]]}


def test_the_newest_location_of_a_name_has_the_name() -> None:
    old, new = Location("w", real(1).shape), Location("w", real(1).shape, 1)
    changes = tuple(Change(loc, None, np.array([x])) for loc, x in ((old, 1.0), (new, 2.0)))
    assert contents(changes) == {"w#0": [1.0], "w": [2.0]}
    assert contents(changes[:1]) == {"w": [1.0]}


def test_an_error_without_a_place_says_so() -> None:
    assert error(Wrong()) == {
        "kind": "error",
        "code": "RH999",
        "title": Wrong.title,
        "message": "this is wrong",
        "line": None,
        "column": None,
        "end_line": None,
        "end_column": None,
    }


def test_lines_and_columns_count_from_1_and_ends_are_exclusive() -> None:
    source = Source("a", "one\ntwo three")
    found = error(Wrong(span=Span(source, 4, 7), hint="write it in another way"))
    assert [found[key] for key in ("line", "column", "end_line", "end_column")] == [2, 1, 2, 4]
    assert found["hint"] == "write it in another way"


def test_an_error_tells_what_is_known_of_it() -> None:
    source, other = Source("cell 2", "one\ntwo three"), Source("cell 1", "four")
    d = Wrong(
        span=Span(source, 4, 7),
        found="A",
        expected="B",
        rule="T-VAR (RH Fig. 2)",
        notes=(Note(span=Span(other, 0, 4), text="from here"),),
        fix=Fix(Span(source, 8, 13), "3"),
    )
    assert error(d) == {
        "kind": "error",
        "code": "RH999",
        "title": Wrong.title,
        "message": "this is wrong",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 4,
        "found": "A",
        "expected": "B",
        "rule": "T-VAR (RH Fig. 2)",
        "notes": [{"line": 1, "column": 1, "end_line": 1, "end_column": 5, "source": "cell 1", "text": "from here"}],
        "fix": {"line": 2, "column": 5, "end_line": 2, "end_column": 10, "text": "3"},
    }


def test_an_item_has_one_object_and_one_for_each_of_its_errors() -> None:
    assert len(records(1, Notice("text"))) == 1
    assert [r["item"] for r in records(4, ItemFailed((Wrong(), Wrong())))] == [4, 4]
    assert records(2, DeclarationMade("n", "a dimension", "Dim")) == (
        {"item": 2, "kind": "declaration", "name": "n", "type": "Dim"},
    )


@pytest.mark.parametrize("count", [0, 1, 2])
def test_training_has_its_first_measure_and_all_if_there_are_several(count: int) -> None:
    measures = tuple((f"m{i}", (0.5, math.nan)) for i in range(count))
    (record,) = records(7, TrainingDone(2, 4, measures, 0.1, ()))
    assert record["measure"] == ([0.5, "nan"] if count else [])
    assert ("measures" in record) == (count > 1)
    json.dumps(record, allow_nan=False)


def assert_the_memory_changes_nothing(steps: Iterable[Step], every: int = 1) -> None:
    """Printing with the cache of a trace equals printing each step alone, for terms that are small enough."""
    memory, room = PrintCache(), 80_000
    for number, step in enumerate(steps):
        record = step_record(number, step, memory)
        if number % every == 0:
            text, redex = alone(step)
            assert (record["term"], record["redex"]) == (text, redex)
            room -= len(text)
        if room < 0:
            break


def alone(step: Step) -> tuple[str, str]:
    """The term and the redex, on one line each, printed without a cache."""
    marks = {step.path: Mark("redex")}
    match step.before:
        case Return() | Perform() | Bind() | RevHandle() | RH() | Handle() | Resume() | Repeat() | Scan() | IfCommand() as P:
            doc = command_doc(P, (), marks, STEP)
        case M:
            doc = term_doc(M, (), marks, STEP)
    text, ((_, redex),) = annotated_texts(doc, math.inf)
    assert text == " ".join(text.split())
    return text, redex


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_steps_of_the_paper_are_printed_as_they_are_alone(program: str) -> None:
    command, heap = last_command(program)
    assert_the_memory_changes_nothing(islice(steps_of(command, heap, 10_000), 700), every=37)


@law(25)
@given(programs())
def test_a_step_of_a_trace_is_printed_as_it_is_alone(p: Program) -> None:
    assert_the_memory_changes_nothing(steps_of(p.command, p.heap, 150))


@law(30)
@given(st.data())
def test_a_step_of_a_term_is_printed_as_it_is_alone(data: st.DataObject) -> None:
    M = data.draw(types().flatmap(lambda A: terms((), A, 7)))
    assert_the_memory_changes_nothing(steps_of(M, {}, 80))


NAMED_ALIKE = (
    "let x <- 1 in " * 3 + "let x <- (let x <- x + x in x * x) in " * 12 + "(x, let swish <- x in swish)",
    "let x <- 1 in let x' <- 2 in let x'' <- 3 in let f <- (let x <- x in let x <- (x, x', x'') in x) in swish(f.1) + f.2",
    "let y <- swish(swish([1.0, 2.0])) in let swish <- y + y in let z <- swish + y in (swish, let swish' <- z in swish')",
    "let y <- sin(1) + cos(2) in let sin <- y + y in let cos <- sin + y in let sin <- sin + cos in (sin, cos)",
)


@pytest.mark.parametrize("text", NAMED_ALIKE)
def test_names_that_depend_on_others_are_printed_as_they_are_alone(text: str) -> None:
    assert_the_memory_changes_nothing(traced(text).steps)


@pytest.mark.parametrize("count", [50, 200])
def test_of_a_long_chain_each_step_writes_what_is_new(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = traced("let x <- 1.0 in " + "let x <- x + 0.5 in " * count + "x")
    memory, kept = PrintCache(), 0

    def keep(node: Node, names: Names, counted: int, doc: Doc) -> None:
        nonlocal kept
        kept += 1
        original(node, names, counted, doc)

    cache = memory.of_style(STEP)
    original = cache.docs.keep
    monkeypatch.setattr(cache.docs, "keep", keep)
    for number, step in enumerate(trace.steps):
        step_record(number, step, memory)
        assert kept <= (8 * count if number == 0 else 8), number
        kept = 0


def test_large_arrays_are_abridged_and_nothing_else() -> None:
    text = (
        "let (a, b) <= return (fill[10, 10](0.5), fill[101](0.5)) in "
        "let c <= rev handle (a, b) <x, y>. return (x, y) with { return p -> return p } in return c.1"
    )
    trace = traced(text)
    shown = [step_record(n, step, PrintCache()) for n, step in enumerate(trace.steps)]
    terms = [str(record["term"]) for record in shown]
    assert any("‹Real(101)›" in term for term in terms)
    assert not any("Real(10, 10)" in term for term in terms)
    assert any(f"[{', '.join(['0.5'] * 10)}]" in term for term in terms)
    assert all("with { return p → ⌊p⌋ }" in term for term in terms if "rev handle" in term)
    assert any("‹Real(101)›" in str(record["redex"]) for record in shown)


def test_the_heap_and_the_value_of_a_trace_are_exact() -> None:
    w = Location("w", real(200).shape)
    step = Step(Rule.PUT, None, Return(UNIT_VALUE), Return(UNIT_VALUE), HeapChange(w, np.arange(200.0)))
    assert step_record(0, step, PrintCache())["heap"] == {"w": [float(i) for i in range(200)]}
    V = Const(np.arange(200.0))
    assert end_record(TraceMade(V, real(200), (), V, (), {}))["value"] == [float(i) for i in range(200)]
