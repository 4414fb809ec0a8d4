"""Stepped and compiled, a program comes to the same value and leaves the same heap (both compute what RH §7 says)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.numpy_backend import flat, run
from rh_kernel.arrays.program import validate
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_command, instantiate_term
from rh_kernel.syntax.core import Scope
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.stuck import Unhandled
from tests.laws.profile import law
from tests.laws.readings import arrays, assert_close, assert_same_heap, nested, outcome, reached
from tests.strategies import JUMPING, World, contexts, heaps, terms, types, values
from tests.strategies_of_commands import USER, Program, commands, programs


@law(100)
@given(programs())
def test_a_compiled_program_does_what_its_steps_do(p: Program) -> None:
    result = reached(p.command, p.heap)
    found, changes = run(validate(compile_command(p.command)), (), p.heap)
    assert_close(flat(found), arrays(result.value))
    assert_same_heap({**p.heap, **changes}, result.heap)


@law(60)
@given(st.data())
def test_a_compiled_program_does_so_for_every_input(data: st.DataObject) -> None:
    delta, A, heap = data.draw(contexts()), data.draw(types()), data.draw(heaps())
    P = data.draw(commands((), delta, A))
    inputs = [data.draw(values(B)) for B in delta]
    result = reached(instantiate_command(Scope(("x",) * len(delta), P), *inputs), heap)
    found, changes = run(validate(compile_command(P, delta)), [nested(V) for V in inputs], heap)
    assert_close(flat(found), arrays(result.value))
    assert_same_heap({**heap, **changes}, result.heap)


@law(100)
@given(st.data())
def test_a_compiled_term_has_the_value_it_reduces_to(data: st.DataObject) -> None:
    gamma, A = data.draw(contexts()), data.draw(types())
    M = data.draw(terms(gamma, A, 6))
    inputs = [data.draw(values(B)) for B in gamma]
    result = reached(instantiate_term(Scope(("x",) * len(gamma), M), *inputs), {})
    found, _ = run(validate(compile_term(M, gamma)), [nested(V) for V in inputs], {})
    assert_close(flat(found), arrays(result.value))


@law(60)
@given(programs(w=World(dims=(dim(2), dim(3), dim(1), dim(0)), without=JUMPING)))
def test_a_compiled_program_does_so_at_the_edges_wherever_the_steps_give_numbers(p: Program) -> None:
    """With quotients, powers and empty arrays. Compiled, a factor 0 makes a product 0 also where the other is no number."""
    result = reached(p.command, p.heap)
    found, changes = run(validate(compile_command(p.command)), (), p.heap)
    expected = [*arrays(result.value), *result.heap.values()]
    heap = {**p.heap, **changes}
    for x, y in zip([*flat(found), *(heap[l] for l in result.heap)], expected, strict=True):
        there = np.isfinite(y)
        assert_close([x[there]], [y[there]])


@law(40)
@given(programs(w=World(operations=frozenset(USER))))
def test_a_program_that_is_stuck_cannot_be_compiled(p: Program) -> None:
    if isinstance(outcome(p.command, p.heap), Unhandled):
        with pytest.raises(Stuck, match="RH201"):
            compile_command(p.command)
    else:
        compile_command(p.command)
