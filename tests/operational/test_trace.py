"""Laws of ``→`` on every step of every program (RH Lemma 5.6, Def. 5.4, 5.10)."""

from collections.abc import Iterator

import pytest

from rh_kernel.operational.contexts import Context, Subject, plug
from rh_kernel.operational.focus import focus, written
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.trace import Result, State, Step, advance, run, steps
from rh_kernel.paper import Rule
from rh_kernel.primitives.values import materialise
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Const,
    Handle,
    If,
    IfCommand,
    Let,
    Map,
    Node,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Repeat,
    Resume,
    Return,
    RevHandle,
    Scan,
    Tuple,
    Zero,
    is_value,
)
from tests.operational.checking import check
from tests.operational.programs import COMMANDS, HEAP, PROGRAMS, Program

each_program = pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())


def children(M: Node) -> tuple[Subject, ...]:
    """The children of a form, as the positions of a path count them."""
    match M:
        case Call(_, N) | Proj(_, _, N) | Return(N) | Perform(_, N) | Resume(_, _, N):
            return (N,)
        case Plus(N, L):
            return N, L
        case Tuple(items):
            return items
        case Let(N, scope) | Bind(N, scope) | RevHandle(N, scope, _) | RH(N, scope, _):
            return N, scope.body
        case Map(N, scope) | Scan(N, scope):
            return N, scope.body
        case Rd(W, scope, N) | R(W, scope, N):
            return W, scope.body, N
        case Repeat(start=N, scope=scope):
            return N, scope.body
        case Handle(P, _):
            return (P,)
        case If(_, L, M, N) | IfCommand(_, L, M, N):
            return L, M, N
        case Bound() | Const() | Zero():
            return ()
        case _:
            raise AssertionError(M)


def trace(program: Program) -> list[Step]:
    return list(steps(program.subject, program.heap))


@pytest.fixture(scope="module")
def fired() -> dict[Rule, set[type]]:
    """The forms that each rule was seen to fire at."""
    forms: dict[Rule, set[type]] = {}
    for program in PROGRAMS.values():
        for step in steps(program.subject, program.heap):
            forms.setdefault(step.rule, set()).add(type(step.redex))
    return forms


@each_program
def test_steps_follow_one_another(program: Program) -> None:
    now = program.subject
    for step in steps(program.subject, program.heap):
        assert step.before == now
        assert step.before.loose == 0
        now = step.after
    value = now.term if isinstance(now, Return) else now
    assert value == run(program.subject, program.heap).value


@each_program
def test_lemma_5_6_the_decomposition_from_the_root_is_the_one_that_was_kept(program: Program) -> None:
    state = State(program.subject, None, program.heap, 0)
    while not isinstance(now := advance(state, Limits()), Result):
        step, after = now
        head = focus(step.before, None, None)
        assert plug(head[4], written(head)) == step.before
        afresh = advance(State(step.before, None, state.heap, state.count), Limits())
        assert not isinstance(afresh, Result)
        again = afresh[0]
        assert (again.rule, again.path) == (step.rule, step.path)
        assert (again.redex, again.contractum) == (step.redex, step.contractum)
        state = after


@each_program
def test_the_path_leads_to_the_redex(program: Program) -> None:
    for step in trace(program):
        M: Subject = step.before
        for position in step.path:
            M = children(M)[position]
        assert step.redex == M


@each_program
def test_a_result_is_a_closed_value(program: Program) -> None:
    result = run(program.subject, program.heap)
    assert is_value(result.value)
    assert result.value.loose == 0
    assert result.count == len(trace(program))


@each_program
def test_the_heap_of_the_result_is_the_sum_of_the_changes(program: Program) -> None:
    heap = program.heap
    for step in trace(program):
        heap = heap.after(step.change)
    assert heap == run(program.subject, program.heap).heap


@each_program
def test_prop_5_12_a_step_keeps_the_type(program: Program) -> None:
    A = check(program.subject)
    for step in steps(program.subject, program.heap):
        assert check(step.after) == A


def test_every_rule_of_the_paper_is_fired_by_some_program(fired: dict[Rule, set[type]]) -> None:
    assert set(fired) == set(Rule)


def test_a_rule_fires_at_its_own_form(fired: dict[Rule, set[type]]) -> None:
    for rule, found in fired.items():
        if rule in (Rule.IF_TRUE, Rule.IF_FALSE):
            assert found <= {If, IfCommand}
            continue
        if rule is Rule.SCAN:
            assert found == {Scan, Bind}
            continue
        expected = {
            "Ev": Call,
            "Plus": Plus,
            "Proj": Proj,
            "Let": Let,
            "Rd": Rd,
            "Let⇐": Bind,
            "RevHandle": RevHandle,
            "Get": Perform,
            "Put": Perform,
            "Draw": Perform,
            "BatchMean": Perform,
            "H-Return": Handle,
            "H-Op": Handle,
            "Map": Map,
            "Repeat": Repeat,
        }.get(rule.value, RH if rule.value.startswith("RH-") else R)
        assert found == {expected}, rule


@pytest.mark.parametrize("name", COMMANDS)
def test_reduction_is_a_function(name: str) -> None:
    one, other = run(COMMANDS[name], HEAP), run(COMMANDS[name], HEAP)
    assert materialise(one.value) == materialise(other.value)
    assert one.heap == other.heap


def test_a_trace_is_lazy() -> None:
    first = next(steps(COMMANDS["mlp"], Heap()))
    assert first.rule is Rule.REV_HANDLE
    with pytest.raises(Stuck, match="RH202"):
        run(COMMANDS["mlp"], Heap())


def test_fuel_bounds_the_number_of_steps() -> None:
    needed = run(COMMANDS["mlp"], HEAP).count
    assert run(COMMANDS["mlp"], HEAP, Limits(fuel=needed)).count == needed
    with pytest.raises(Stuck, match=r"RH204.*stopped after 89 steps"):
        run(COMMANDS["mlp"], HEAP, Limits(fuel=needed - 1))


def test_a_trace_shares_its_contexts() -> None:
    def parts(K: Context | None) -> Iterator[int]:
        while K is not None:
            yield id(K)
            K = K.outer

    kept = trace(PROGRAMS["trained twice"])
    distinct = {part for step in kept for part in parts(step.context)}
    assert len(distinct) < 2 * len(kept)
