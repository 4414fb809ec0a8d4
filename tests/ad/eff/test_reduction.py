"""Reduction ``σ, C[M] ⇝ σ', C[M']`` step by step: the thesis' own evaluations (ch. 4), its examples (ch. 3), and each rule."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import pairwise

import pytest

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.running import run
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.reduction.native_operations import Cells
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.step import State, Step
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import RuntimeValue, term_of
from rh_kernel.source.diagnostic import Stuck

ALL = ("evaluate", "forward", "stateful", "continuation", "state", "exceptions")
ONE, TWO, FOUR = core.Literal(1.0), core.Literal(2.0), core.Literal(4.0)


@cache
def library(*names: str) -> Definitions:
    return loading.program(*(names or ALL))


def declared(text: str) -> Definitions:
    return loading.declared(text, library())


def taken(text: str, definitions: Definitions | None = None) -> list[Step]:
    found = definitions or library()
    return list(reduction.steps(loading.checked(text, found).term, found))


def ended(text: str, definitions: Definitions | None = None) -> State:
    found = definitions or library()
    return reduction.run(loading.checked(text, found).term, found)


def value(text: str, definitions: Definitions | None = None) -> core.Value | None:
    return ended(text, definitions).value


def listed(V: core.Value | None) -> list[object]:
    """A list of numbers as a list of Python."""
    found: list[object] = []
    while isinstance(V, core.Constructed) and V.fields:
        head, V = V.fields
        assert isinstance(head, core.Literal)
        found.append(head.value)
    return found


def holds(cells: Cells) -> list[object]:
    """The numbers in the cells."""
    found: list[object] = []
    for content in cells:
        assert isinstance(content, core.Literal)
        found.append(content.value)
    return found


TERM = "handle p (c 1) (p (t (t 2 2) 2) (n (t 4 4))) with evaluate"


def test_evaluation_of_a_term() -> None:
    """``1 + x³ − y²`` at (2, 4) is −7; each of the 7 operations is performed, handled and resumed once (§4)."""
    steps = taken(TERM)
    fired = Counter(step.rule for step in steps)
    assert ended(TERM).value == core.Literal(-7.0)
    assert (fired[Rule.OPERATION], fired[Rule.FORCE], fired[Rule.CONSTANT], fired[Rule.RETURN]) == (7, 7, 6, 1)
    performed = [step.at.subject for step in steps if step.rule is Rule.OPERATION]
    assert [M.operation for M in performed if isinstance(M, core.Perform)] == ["ap0", "ap2", "ap2", "ap2", "ap1", "ap2", "ap2"]


def test_the_captured_continuation_contains_the_handler() -> None:
    """The first operation leads to ``evaluate ({x -> p x (…)} 1.0)`` (§4): k is a thunk that contains the handler."""
    first = next(step for step in taken(TERM) if step.rule is Rule.OPERATION)
    match first.contractum:
        case core.Apply(core.Force(core.Thunk(core.Lambda(x, core.Handle(core.Let(_, hole), core.Named("evaluate"))))), V):
            assert hole == core.Return(core.Variable(x))
            assert V == ONE
        case other:
            pytest.fail(f"not what was expected: {other}")


def test_steps_are_consecutive() -> None:
    """The term after a step is the term before the next one."""
    for text in (TERM, "handle d {x -> t (t x x) x} (c 2) with evaluate", GRADIENT):
        steps = taken(text)
        for one, next_one in pairwise(steps):
            assert one.after == next_one.before


GRADIENT = "handle grad {x -> let y = liftProp 4 in p (c 1) (p (t (t x x) x) (n (t y y)))} 2 with evaluate"
THESIS = "handle grad {x -> let y = c 4 in p (c 1) (p (t (t x x) x) (n (t y y)))} 2 with evaluate"


def test_the_reverse_pass_writes_from_the_last_operation_to_the_first() -> None:
    """Listing 4.6: cells z, y, 1, x·x, x³, y·y, −y², x³ − y², 1 + …; the last one is set to 1 first, then all accumulate."""
    steps = taken(THESIS)
    writes = [step.change.number for step in steps if step.rule is Rule.WRITE and step.change is not None]
    assert writes == [8, 2, 7, 4, 6, 5, 1, 1, 3, 0, 0, 0]
    assert holds(ended(THESIS).cells) == [12.0, -8.0, 1.0, 2.0, 1.0, -1.0, 1.0, 1.0, 1.0]
    assert ended(THESIS).value == core.Literal(12.0)


def test_all_writes_of_the_backward_pass_follow_the_last_operation() -> None:
    """The program performs its last operation before the first cell is written."""
    rules = [step.rule for step in taken(THESIS)]
    assert rules.index(Rule.WRITE) > max(n for n, rule in enumerate(rules) if rule is Rule.NEW)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("handle d {x -> t (t x x) x} (c 2) with evaluate", 12.0),
        ("handle d {x -> p (t x x) (t x (lift 3))} 2 with evaluate", 7.0),
        ("handle grad {x -> t (t x x) x} 2 with evaluate", 12.0),
        ("handle dc {x -> t (t x x) x} 2 with evaluate", 12.0),
        ("handle d {x -> d {y -> t (t y y) y} x} 1 with evaluate", 6.0),
        ("handle d {x -> t x (d {y -> p (lift x) y} (lift 1))} 1 with evaluate", 1.0),
    ],
)
def test_derivatives(text: str, expected: float) -> None:
    """x³ at 2 in three modes, a sum with a constant, a second derivative, and an example of perturbation confusion (§4.5)."""
    assert value(text) == core.Literal(expected)


def test_state() -> None:
    """H3: from 1, ``x ← get; put (x + 1); y ← get; put (y + y); get`` ends in 4 with 4, and 2 and 4 were put."""
    program = "let x = get! in put (x + 1); let y = get! in put (y + y); get!"
    four = core.Literal(4)
    assert value(f"(handle {program} with runState) 1") == core.Tuple((four, four))
    result = value(f"(handle {program} with logState) 1")
    assert isinstance(result, core.Tuple)
    assert result.components[0] == four
    assert listed(result.components[1]) == [2, 4]


def test_exceptions_print_and_abort() -> None:
    """H1: the rest after an exception does not run."""
    text = 'handle print "1, "; exception "Divided by zero"; print "never" with report'
    printed = [step.printed for step in taken(text) if step.rule is Rule.PRINT]
    assert printed == ["1, ", "Exception: Divided by zero"]


def test_defaults_by_scope() -> None:
    """H2: one handler for both operations, and a handler for each of them."""
    one, two = core.Literal(1), core.Literal(2)
    assert value("handle (default!, default!) with defaultTo 1") == core.Tuple((one, one))
    assert value("(handle default! with defaultTo 1, handle default! with defaultTo 2)") == core.Tuple((one, two))


def test_a_continuation_can_be_resumed_more_than_once() -> None:
    """H6: the sum over all branches, 1 + 10 + 100 + 1000."""
    program = "if choose! then (if choose! then 1 else 10) else (if choose! then 100 else 1000)"
    assert value(f"handle {program} with sumOfAll") == core.Literal(1111)


def test_the_innermost_handler_handles_and_an_adaptor_passes_it() -> None:
    """An operation goes to instance 0; ``<Default>`` takes the next one; other adaptors take or keep several (§3.3.1)."""
    inside = "handle (handle (handle {} with defaultTo 1) with defaultTo 2) with defaultTo 3"
    for program, expected in (
        ("default!", 1),
        ("<Default> default!", 2),
        ("<Default> (<Default> default!)", 3),
        ("<Default(s a b -> s)> default!", 3),
        ("<Default(s a b -> s a)> default!", 2),
        ("<Default(s a b -> s b)> default!", 1),
        ("<Default(s a b -> s b)> (<Default> default!)", 3),
        ("<Default(s a b -> s a)> (<Default> default!)", 3),
        ("<Default(s a b -> s b a)> default!", 2),
        ("<Default(s a b -> s b a)> (<Default> default!)", 1),
    ):
        assert value(inside.format(program)) == core.Literal(expected), program


def test_a_continuation_keeps_the_handlers_of_other_effects() -> None:
    """A put inside is not undone, and default! passes runState (§3.2)."""
    text = "handle ((handle (put 5; let x = default! in let y = get! in (x, y)) with runState) 1) with defaultTo 7"
    five, seven = core.Literal(5), core.Literal(7)
    assert value(text) == core.Tuple((core.Tuple((seven, five)), five))


def test_an_adaptor_around_a_function_and_around_a_pair() -> None:
    """``<L> λx. M ⇝ λx. <L> M`` and ``<L> ⟨M, N⟩ ⇝ ⟨<L> M, <L> N⟩``"""
    around = "handle (handle {} with defaultTo 1) with defaultTo 2"
    function, pair = "(<Default> (\\x -> default! + x)) 10", "(<Default> (<| default!, 5 |>)).1"
    assert Rule.ADAPT_FUNCTION in [step.rule for step in taken(around.format(function))]
    assert value(around.format(function)) == core.Literal(12)
    assert Rule.ADAPT_PAIR in [step.rule for step in taken(around.format(pair))]
    assert value(around.format(pair)) == core.Literal(2)


def test_only_the_selected_component_runs() -> None:
    """``⟨M, N⟩.2 ⇝ N``"""
    text = '(<| print "left"; 1, print "right"; 2 |>).2'
    assert [step.printed for step in taken(text) if step.printed is not None] == ["right"]
    assert value(text) == core.Literal(2)


def test_references_and_arrays() -> None:
    """A cell and an entry of an array hold the last value written."""
    assert value("let r = new 1 in let s = new 10 in r := @s + @r; s := 0; (@r, @s)") == core.Tuple(
        (core.Literal(11), core.Literal(0))
    )
    text = "let a = array [1, 2, 3] in store a 1 (fetch a 2 * size a); (fetch a 0, fetch a 1)"
    assert value(text) == core.Tuple((core.Literal(1), core.Literal(9)))


def test_the_text_of_thunks_and_cells() -> None:
    """``show`` inspects neither, in the reducer as in the machine."""
    for text, expected in (("show (new 1)", "⟨…⟩"), ("show [array [1]]", "[⟨…⟩]"), ("show ({1}, 2)", "({…}, 2.0)")):
        assert value(text) == core.Literal(expected)
        assert run(loading.checked(text, library()).term, library()).value == core.Literal(expected)


def test_a_handler_of_references_precedes_the_native_operations() -> None:
    """``RefState`` is an effect like others: a handler of it gets the operations."""
    definitions = declared("effect Tick = tick : Int")
    assert value("handle tick! + tick! with { <tick -> k> -> k 1 }", definitions) == core.Literal(2)


def test_undefined_functions_are_stuck() -> None:
    """``fail``, an index out of range, a division by 0: the diagnostic has a span and what was found."""
    for text, code in (
        ('match [1] | [] -> 0 | _ -> fail "too much"', "RH531"),
        ("fetch (array [1, 2]) 2", "RH533"),
        ("fetch (array [1, 2]) (-1)", "RH533"),
        ("quotient 1 0", "RH530"),
    ):
        with pytest.raises(Stuck) as stuck:
            ended(text)
        (found,) = stuck.value.diagnostics
        assert (found.code, found.span is not None, bool(found.hint)) == (code, True, True)


@pytest.mark.slow
def test_a_long_recursion_does_not_use_the_python_stack() -> None:
    """The sum of 20,000 elements, with as many frames in the context."""
    definitions = declared(
        """\
fun go n ns = if n == 0 then ns else go (n - 1) (n :: ns)
fun sum ns = match ns | [] -> 0 | n :: rest -> n + sum rest
"""
    )
    assert value("sum (go 20000 [])", definitions) == core.Literal(200010000)
    assert len(listed(value("go 20000 []", definitions))) == 20000


def test_the_limit_of_steps_is_exact() -> None:
    """No more steps are taken than the limit."""
    definitions = declared("fun forever x = forever x")
    M = loading.checked("forever 1", definitions).term
    assert reduction.run(M, definitions, 1000).count == 1000
    assert len(list(reduction.steps(M, definitions, 7))) == 7


def test_steps_that_bind_silent_names_are_silent() -> None:
    """``2 + 3 * 4``: the product has a silent name, x has one in the source."""
    assert [step.is_silent for step in taken("2 + 3 * 4") if step.rule is Rule.LET] == [True]
    assert [step.is_silent for step in taken("let x = 2 in x + x") if step.rule is Rule.LET] == [False]


def cell(state: State, number: int) -> core.Value:
    content = state.cells[number]
    assert not isinstance(content, Vector)
    known: RuntimeValue = content
    return term_of(known)


def test_cells_can_hold_thunks() -> None:
    """A recursion through the store: the cell holds the thunk that reads it."""
    state = ended("let r = new {x -> x + 0} in r := {x -> if x == 0 then 7 else (@r)! (x - 1)}; (@r)! 3")
    assert state.value == core.Literal(7)
    assert isinstance(cell(state, 0), core.Thunk)
