"""Printed traces: terms as in the thesis (§4), the marks in them, and the cells."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.reduction.traces import Shown, Trace, trace
from rh_kernel.syntax.printing.doc import Annotated, Concat, Doc, Group, Line, Mark, Nest, Shared, Text, plain
from tests.ad.eff.programs import Program
from tests.ad.eff.programs import plain as plain_program
from tests.tiers import law


def traced(text: str, *names: str, limit: int | None = None) -> Trace:
    definitions = loading.program(*names)
    return trace(loading.checked(text, definitions).term, definitions, limit)


def line(doc: Doc) -> str:
    return " ".join(plain(doc, 10_000).split())


def marked(doc: Doc) -> dict[str, str]:
    """The text of each kind of mark."""
    found: dict[str, str] = {}
    pending = [doc]
    while pending:
        one = pending.pop()
        match one:
            case Annotated(Mark(kind), body):
                found[kind] = line(body)
                pending.append(body)
            case Annotated(_, body) | Nest(_, body) | Group(body) | Shared(body):
                pending.append(body)
            case Concat(parts):
                pending += parts
            case Text() | Line():
                pass
    return found


def terms(found: Trace) -> list[str]:
    return [line(step.term) for step in found.steps]


TERM = "handle p (c 1) (p (t (t 2 2) 2) (n (t 4 4))) with evaluate"


def test_an_evaluation_is_printed_as_in_the_thesis() -> None:
    """§4: the terms of the thesis occur in the trace in the same order, up to the syntax of handlers."""
    after = "(p (t (t 2 2) 2) (n (t 4 4)))"
    expected = [
        TERM,
        f"handle p (ap0 (Const 1)) {after} with evaluate",
        f"{{x -> handle p x {after} with evaluate}} 1",
        f"handle p 1 {after} with evaluate",
        "handle p 1 (p (t (ap2 Times 2 2) 2) (n (t 4 4))) with evaluate",
        "{x -> handle p 1 (p (t x 2) (n (t 4 4))) with evaluate} (2 * 2)",
        "{x -> handle p 1 (p (t x 2) (n (t 4 4))) with evaluate} 4",
        "handle p 1 (p (t 4 2) (n (t 4 4))) with evaluate",
    ]
    found = [term for term in terms(traced(TERM, "evaluate")) if "match" not in term]
    assert found[: len(expected)] == expected
    assert found[-1] == "-7"


def test_the_first_operation_of_the_backward_pass() -> None:
    """§4.2: ``handle (⟨r8⟩ := <Smooth> c 1) with reverse``, and around it the pending frames, from the last operation on."""
    text = "handle grad {x -> let y = c 4 in p (c 1) (p (t (t x x) x) (n (t y y)))} 2 with evaluate"
    found = terms(traced(text, "evaluate", "stateful"))
    term = next(term for term in found if "handle ⟨r8⟩ := <Smooth> c 1 with reverse" in term)
    places = [term.index(f"⟨r{n}⟩ := p @⟨r{n}⟩") for n in (2, 7, 4, 6, 5, 1, 3, 0)]
    assert places == sorted(places)


def test_steps_of_a_trace_are_consecutive() -> None:
    """Omitted steps change nothing that is printed; a call with all its arguments is one step."""
    for text in (TERM, "handle d {x -> t (t x x) x} (c 2) with evaluate"):
        steps = traced(text, "evaluate", "forward").steps
        for one, other in pairwise(steps):
            assert line(one.term) == line(other.before)


def test_steps_have_the_numbers_of_the_reduction() -> None:
    """``c 1`` is unfolded and applied, 1 and 2; the operation is 3; k is forced and applied, 4 and 5."""
    found = traced(TERM, "evaluate").steps
    assert [(step.rule, step.first, step.number) for step in found[:4]] == [
        ("", 0, 0),
        ("unfold →", 1, 2),
        ("op", 3, 3),
        ("U →", 4, 5),
    ]
    numbers = [step.number for step in found]
    assert numbers == sorted(set(numbers))
    assert all(step.first > before.number for before, step in pairwise(found))


def test_the_redex_the_operation_and_the_continuation_are_marked() -> None:
    """The redex of (op) is the handled computation, with the operation marked in it; k is marked in the contractum."""
    found = traced("1 + (handle ap0 (Const 2) with evaluate)", "evaluate")
    step = next(step for step in found.steps if step.rule == "op")
    assert marked(step.before) == {"redex": "handle ap0 (Const 2) with evaluate", "focus": "ap0 (Const 2)"}
    assert marked(step.term) == {"contractum": "{x -> handle x with evaluate} 2", "changed": "{x -> handle x with evaluate}"}
    resumed = next(step for step in found.steps if step.rule == "U →")
    assert marked(resumed.before) == {"redex": "{x -> handle x with evaluate} 2"}
    assert marked(resumed.term) == {"contractum": "handle 2 with evaluate", "changed": "2"}


def cells(step: Shown) -> list[tuple[str, str, bool]]:
    return [(cell.name, line(cell.content), cell.is_changed) for cell in step.cells]


def test_cells() -> None:
    """The contents of the cells after each step, and which of them it made or changed."""
    steps = traced("let r = new 1 in let a = array [1, 2] in r := 5; store a 1 @r; @r").steps
    changed = [(step.rule, cells(step)) for step in steps if step.changed is not None]
    assert changed == [
        ("new", [("r0", "1", True)]),
        ("array", [("r0", "1", False), ("r1", "[1, 2]", True)]),
        ("write", [("r0", "5", True), ("r1", "[1, 2]", False)]),
        ("store", [("r0", "5", False), ("r1", "[1, 5]", True)]),
    ]
    assert cells(steps[0]) == []


def test_the_printed_texts() -> None:
    """Texts in order, and the step that printed each."""
    found = traced('print "a"; print "b"; 3')
    assert found.printed == ("a", "b")
    assert [step.printed for step in found.steps if step.rule == "print"] == ["a", "b"]
    assert found.value == core.Literal(3.0)


def test_the_end_of_a_trace() -> None:
    """A result, the limit, or an undefined function."""
    assert traced("1 + 1").value == core.Literal(2.0)
    cut = traced(TERM, "evaluate", limit=3)
    assert (cut.is_cut, cut.value, cut.steps[-1].number) == (True, None, 3)
    stuck = traced("quotient 1 0")
    assert ([d.code for d in stuck.stuck], stuck.value, len(stuck.steps)) == (["RH530"], None, 1)
    alone = traced("{x -> x}")
    assert (len(alone.steps), isinstance(alone.value, core.Thunk)) == (1, True)


@law(60)
@given(plain_program() | plain_program(ground=False, forwards=True))
def test_terms_of_common_size_are_printed_in_full(program: Program) -> None:
    """A trace prints whole terms, unless a value is very large."""
    for step in reduction.steps(program.term, program.definitions, 100):
        assert step.marked_before(step.context).whole == step.before
        assert step.marked_after.whole == step.after


def test_exponentially_large_values_are_abridged() -> None:
    """Repeated squaring in reverse mode with continuations: the last one contains 2¹⁶ of them, which are omitted."""
    square = "fun square n y = if n == 0 then y else square (n - 1) (t y y)"
    definitions = loading.declared(square, loading.program("evaluate", "continuation"))
    found = trace(loading.checked("handle dc {x -> square 16 x} 1 with evaluate", definitions).term, definitions, 1500)
    assert found.is_cut
    for step in found.steps[:: len(found.steps) // 20]:
        assert len(line(step.term)) < 60_000
    assert any("{…}" in line(step.term) for step in found.steps[-20:])


def test_long_data_is_abridged() -> None:
    """A list of 3,000 elements shows the first ones and ``…``; the value of the trace is whole."""
    upto = "fun upto n xs = if n == 0 then xs else upto (n - 1) (n :: xs)"
    definitions = loading.declared(upto, loading.prelude())
    found = trace(loading.checked("upto 3000 []", definitions).term, definitions)
    last = line(found.steps[-1].term)
    assert last.startswith("1 :: 2 :: 3 ::")
    assert last.endswith(":: …")
    assert len(last) < 10_000
    count, value = 0, found.value
    while isinstance(value, core.Constructed) and value.fields:
        count, value = count + 1, value.fields[1]
    assert count == 3000


def test_long_texts_are_abridged() -> None:
    """``"ab"`` doubled twelve times has 8,192 characters, of which a trace shows the first 1,000."""
    definitions = loading.declared("fun double n x = if n == 0 then x else double (n - 1) (x ++ x)", loading.prelude())
    found = trace(loading.checked('double 12 "ab"', definitions).term, definitions)
    assert max(len(line(step.term)) for step in found.steps) < 4_000
    assert found.value == core.Literal("ab" * 4096)
