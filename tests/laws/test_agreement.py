"""Stepped, denoted and compiled, a program comes to the same value and leaves the same heap."""

from collections.abc import Mapping
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import run
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.contexts import Subject
from rh_kernel.paper import Rule
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_command, instantiate_term
from rh_kernel.syntax.builtin import DRAWS
from rh_kernel.syntax.core import Array, Perform, Scope
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.runtime_errors import Unhandled
from rh_kernel.syntax.signature import Location
from tests.arrays.validation import validate
from tests.laws.readings import FUEL, arrays, assert_close, assert_same_heap, nested, outcome, reached, steps_of
from tests.strategies import JUMPING, World, contexts, heaps, terms, types, values
from tests.strategies_of_commands import USER, Program, commands, programs
from tests.tiers import law

OPTIONS = (CompileOptions(fewest=2), CompileOptions(fewest=2, checkpointing=2), CompileOptions(fewest=None))
"""Rounds are compiled as loops nearly always, so with checkpointing, and never."""


@pytest.mark.slow
@pytest.mark.essential
@law(500, fewest=200)
@given(programs())
def test_the_three_evaluators_agree_on_a_program(p: Program) -> None:
    """Value, heap, and the order of the uses of the heap, which the compiled program does not keep."""
    stepped = reached(p.command, p.heap)
    denoted = denote(interpret((), Scope((), p.command)), (), p.heap)
    outcomes = [(denoted.values, denoted.heap)]
    for options in OPTIONS:
        compiled, changes = run(validate(compile_command(p.command, options=options)), (), p.heap)
        outcomes.append((leaves(compiled), {**p.heap, **changes}))
    for found, heap in outcomes:
        assert_close(found, arrays(stepped.value))
        assert_same_heap(heap, stepped.heap)
    assert list(denoted.accesses) == accesses(p.command, p.heap)


def accesses(subject: Subject, heap: Mapping[Location, Array]) -> list[tuple[str, Location]]:
    """The uses of the heap in the order of the reduction."""
    found: list[tuple[str, Location]] = []
    for taken in steps_of(subject, heap, FUEL):
        if taken.rule in (Rule.GET, Rule.PUT, Rule.DRAW):
            op = cast(Perform, taken.redex).operation
            found.append((op.family.name, DRAWS if taken.rule is Rule.DRAW else cast(Location, op.indices[0])))
    return found


@law(60)
@given(st.data())
def test_the_three_evaluators_agree_for_every_input(data: st.DataObject) -> None:
    delta, A, heap = data.draw(contexts()), data.draw(types()), data.draw(heaps())
    P = data.draw(commands((), delta, A))
    scope, inputs = Scope(("x",) * len(delta), P), [data.draw(values(B)) for B in delta]
    stepped = reached(instantiate_command(scope, *inputs), heap)
    denoted = denote(interpret(tuple(delta), scope), [a for V in inputs for a in arrays(V)], heap)
    outcomes = [(denoted.values, denoted.heap)]
    for options in OPTIONS:
        compiled, changes = run(validate(compile_command(P, delta, options=options)), [nested(V) for V in inputs], heap)
        outcomes.append((leaves(compiled), {**heap, **changes}))
    for found, contents in outcomes:
        assert_close(found, arrays(stepped.value))
        assert_same_heap(contents, stepped.heap)


@law(100)
@given(st.data())
def test_a_compiled_term_has_the_value_it_reduces_to(data: st.DataObject) -> None:
    gamma, A = data.draw(contexts()), data.draw(types())
    M = data.draw(terms(gamma, A, 6))
    inputs = [data.draw(values(B)) for B in gamma]
    result = reached(instantiate_term(Scope(("x",) * len(gamma), M), *inputs), {})
    found, _ = run(validate(compile_term(M, gamma)), [nested(V) for V in inputs], {})
    assert_close(leaves(found), arrays(result.value))


@law(60)
@given(programs(w=World(dims=(dim(2), dim(3), dim(1), dim(0)), without=JUMPING)))
def test_the_three_evaluators_agree_at_the_edges_wherever_the_steps_give_numbers(p: Program) -> None:
    """With quotients, powers and empty arrays. What nobody uses gets a 0 back in the steps, and nothing elsewhere."""
    result = reached(p.command, p.heap)
    expected = [*arrays(result.value), *result.heap.values()]
    denoted = denote(interpret((), Scope((), p.command)), (), p.heap)
    compiled, changes = run(validate(compile_command(p.command)), (), p.heap)
    for values_found, heap in ((denoted.values, denoted.heap), (leaves(compiled), {**p.heap, **changes})):
        for x, y in zip([*values_found, *(heap[l] for l in result.heap)], expected, strict=True):
            there = np.isfinite(y)
            assert_close([x[there]], [y[there]])


@law(40)
@given(programs(w=World(operations=frozenset(USER), chooses=False)))
def test_a_program_that_is_stuck_is_so_for_every_evaluator(p: Program) -> None:
    arrow = interpret((), Scope((), p.command))
    if isinstance(outcome(p.command, p.heap), Unhandled):
        with pytest.raises(Stuck, match="RH201"):
            compile_command(p.command)
        with pytest.raises(Stuck, match="RH201"):
            denote(arrow, (), p.heap)
    else:
        compile_command(p.command)
        denote(arrow, (), p.heap)
