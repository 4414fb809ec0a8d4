"""Progress and unique decomposition (RH Def. 5.1, 5.5, Lemma 5.6): what is typable is a value or has exactly one redex."""

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.operational.contexts import Subject, plug
from rh_kernel.operational.focus import focus, written
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
    Term,
    Tuple,
    Zero,
    is_value,
)
from rh_kernel.syntax.runtime_errors import Unhandled
from rh_kernel.typing.derivation.derive import derive_term
from tests.laws.readings import outcome, reached, steps_of
from tests.strategies import World, terms, types
from tests.strategies_of_commands import USER, Program, programs
from tests.tiers import law

UNHANDLED = World(operations=frozenset(USER))


@law(80)
@given(programs())
def test_a_program_whose_operations_are_handled_comes_to_a_value_of_its_type(p: Program) -> None:
    V = reached(p.command, p.heap).value
    assert is_value(V)
    assert derive_term((), V).type == p.type


@law(100)
@given(st.data())
def test_a_term_comes_to_a_value_of_its_type(data: st.DataObject) -> None:
    A = data.draw(types())
    V = reached(data.draw(terms((), A, 6)), {}).value
    assert is_value(V)
    assert derive_term((), V).type == A


@law(60)
@given(programs(w=UNHANDLED))
def test_nothing_but_an_operation_that_nobody_handles_is_stuck(p: Program) -> None:
    end = outcome(p.command, p.heap)
    assert isinstance(end, Unhandled) or is_value(end.value)


@law(60)
@given(programs())
def test_what_is_no_value_has_exactly_one_redex(p: Program) -> None:
    assert redexes(p.command) == (0 if is_result(p.command) else 1)
    for taken in steps_of(p.command, p.heap, 150):
        assert redexes(taken.before) == 1
        assert redexes(taken.after) == (0 if is_result(taken.after) else 1)


@law(60)
@given(programs())
def test_a_step_replaces_the_redex_in_its_context(p: Program) -> None:
    now: Subject = p.command
    for taken in steps_of(p.command, p.heap, 150):
        assert taken.before == now
        head = focus(now, None, None)
        assert plug(head[4], written(head)) == now
        now = taken.after


# -- the grammar of evaluation contexts, written down once more ----------------------------------------------------------------


def redexes(P: Subject) -> int:
    """How many decompositions ``P = K[M]`` with a redex M there are; an ``R`` or ``RH`` counts as one."""
    return sum(is_redex(M) for M in holes(P))


def is_result(P: Subject) -> bool:
    """Whether P is a value or ``⌊V⌋``."""
    return is_value(P.term) if isinstance(P, Return) else isinstance(P, Term) and is_value(P)


def holes(P: Subject) -> Iterator[Subject]:
    """Every M with ``P = K[M]`` for an evaluation context K."""
    pending = [P]
    while pending:
        M = pending.pop()
        yield M
        pending += _within(M)


def _within(M: Subject) -> list[Subject]:
    match M:
        case Bound() | Const() | Zero() | R() | RH() | Resume():
            return []
        case (
            Call(_, N) | Proj(_, _, N) | Let(N, _) | Return(N) | Perform(_, N) | RevHandle(N, _, _) | If(_, N) | IfCommand(_, N)
        ):
            return [N]
        case Map(N) | Scan(N):
            return [N]
        case Repeat(start=N):
            return [N]
        case Bind(P, _) | Handle(P, _):
            return [P]
        case Plus(L, N):
            return [L, N] if is_value(L) else [L]
        case Rd(W, _, V):
            return [W, V] if is_value(W) else [W]
        case Tuple(items):
            waiting = next((i for i, N in enumerate(items) if not is_value(N)), len(items))
            return list(items[: waiting + 1])


def is_redex(M: Subject) -> bool:
    """Whether a rule of Def. 5.4, Def. 5.10, Ex. 5.13 or §2.2.1 has M for its left side, up to what handles an operation."""
    match M:
        case Bound() | Const() | Zero() | Tuple() | Return() | Resume():
            return False
        case R() | RH():
            return True
        case Call(_, V) | Proj(_, _, V) | Let(V, _) | Perform(_, V) | RevHandle(V, _, _) | If(_, V) | IfCommand(_, V):
            return is_value(V)
        case Map(V) | Scan(V):
            return is_value(V)
        case Repeat(start=V):
            return is_value(V)
        case Plus(V, W) | Rd(V, _, W):
            return is_value(V) and is_value(W)
        case Bind(P, _) | Handle(P, _):
            return isinstance(P, Return) and is_value(P.term)
