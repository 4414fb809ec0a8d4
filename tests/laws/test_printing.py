"""Print, then parse, then elaborate is the identity up to α on closed programs; in source notation a state keeps its result."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.trace import Result, run
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions
from rh_kernel.typing.derivation.derive import derive_command
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm, elaborate_evaluation
from tests.declarations import DEFINITIONS
from tests.display.pages import MLP, PASS
from tests.laws.readings import arrays, assert_close, assert_same_heap, outcome, steps_of
from tests.strategies import World, terms, types
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

WRITTEN = World(written=True)
WIDTHS = st.sampled_from([10, 60, 100, 10**9])


def read(text: str, definitions: Definitions = DEFINITIONS) -> ClosedTerm | ClosedCommand:
    """The closed term or command that a text stands for, with its type."""
    return elaborate_evaluation(definitions, parse_expression(Source("printed", text)))


def states(subject: Subject, heap: Mapping[Location, Array]) -> Iterator[tuple[Subject, Mapping[Location, Array]]]:
    """The terms or commands that a program reduces to, each with the heap at that state."""
    now = Heap(heap)
    for step in steps_of(subject, heap):
        yield step.before, now
        now = now if step.change is None else now.after(step.change)


@law(100)
@given(programs(w=WRITTEN), WIDTHS)
def test_what_is_printed_of_a_program_is_read_as_that_program(p: Program, width: int) -> None:
    assert read(show(p.command, width)) == ClosedCommand(p.command, p.type)


@law(100)
@given(st.data())
def test_what_is_printed_of_a_term_is_read_as_that_term(data: st.DataObject) -> None:
    A = data.draw(types())
    M = data.draw(terms((), A, 6, WRITTEN))
    assert read(show(M, data.draw(WIDTHS))) == ClosedTerm(M, A)


@law(60)
@given(programs())
def test_what_has_been_read_once_is_read_the_same_again(p: Program) -> None:
    try:
        once = read(show(p.command))
    except Rejected:
        reject()  # a zero of which nothing says how large it is
    assert isinstance(once, ClosedCommand)
    assert derive_command((), (), once.command).type == once.type
    assert read(show(once.command)) == once


@law(100)
@given(programs(w=WRITTEN), WIDTHS)
def test_what_is_printed_in_source_notation_is_read_as_that_program(p: Program, width: int) -> None:
    assert read(show(p.command, width, notation=Notation.SOURCE)) == ClosedCommand(p.command, p.type)


@law(60)
@given(programs(), st.data())
def test_a_state_typed_from_its_source_notation_has_the_same_result(p: Program, data: st.DataObject) -> None:
    expected = outcome(p.command, p.heap)
    assume(isinstance(expected, Result))
    state, heap = data.draw(st.sampled_from([(p.command, p.heap), *states(p.command, p.heap)]))
    try:
        typed = read(show(state, data.draw(WIDTHS), notation=Notation.SOURCE))
    except Rejected:
        reject()  # a zero of which nothing says how large it is
    assume(isinstance(typed, ClosedCommand) and typed.type == p.type)
    assert isinstance(typed, ClosedCommand)
    found = outcome(typed.command, heap)
    assert isinstance(found, Result)
    assert isinstance(expected, Result)
    assert_close(arrays(found.value), arrays(expected.value))
    assert_same_heap(found.heap, expected.heap)


@pytest.mark.parametrize(
    "program", [PASS, "handle mlp([1.0, -2.0]) with infer", f"let y <= {PASS} in return y.rd(x. x * x)(y)"]
)
def test_each_state_of_a_pass_can_be_typed(program: str) -> None:
    session = exhaust(execute(Session.start(Path()), Source("cell", MLP)))
    closed = read(program, session.definitions)
    assert isinstance(closed, ClosedCommand)
    expected = run(closed.command, Heap(session.heap))
    for state, heap in states(closed.command, session.heap):
        typed = read(show(state, notation=Notation.SOURCE), session.definitions)
        assert isinstance(typed, ClosedCommand)
        found = run(typed.command, Heap(heap))
        assert_close(arrays(found.value), arrays(expected.value))
        assert_same_heap(found.heap, expected.heap)
