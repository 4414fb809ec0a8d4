"""Strict, a program is stuck where a function is not smooth (RH Def. E.4), stepped and compiled alike; else nothing changes."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command, compile_term
from rh_kernel.arrays.execution import run
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Program as Compiled
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run as denote
from rh_kernel.loops.trees import leaves
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.operational.heap import Heap
from rh_kernel.operational.limits import Limits
from rh_kernel.operational.trace import Result
from rh_kernel.operational.trace import run as reduce
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.binding import instantiate_term
from rh_kernel.syntax.core import Array, Scope
from rh_kernel.syntax.runtime_errors import ImpossibleSize, NotSmooth
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import SCALAR
from tests.arrays.validation import validate
from tests.laws.readings import arrays, assert_close, assert_same_heap, nested
from tests.strategies import World, terms, types, values
from tests.strategies_of_commands import Program, programs
from tests.tiers import law

ROUGH = World(without=frozenset({"exp"}))
"""Programs that use what is not smooth, at points with many zeros."""


def reached(subject: Subject, heap: Mapping[Location, Array], *, strict: bool) -> Result | NotSmooth:
    """Where the reduction ends: at a value, or at a point where a function is not smooth."""
    try:
        return reduce(subject, Heap(heap), Limits(fuel=1500, strict=strict))
    except Stuck as stuck:
        match stuck.diagnostics:
            case (NotSmooth() as point,):
                return point
            case (OutOfFuel() | ImpossibleSize(),):
                reject()
            case _:
                raise


def stuck_at(program: Compiled, heap: Mapping[Location, Array]) -> NotSmooth | None:
    """The point where a run of the program is stuck, if it is."""
    try:
        run(validate(program), (), heap)
    except Stuck as stuck:
        (point,) = stuck.diagnostics
        assert isinstance(point, NotSmooth)
        return point
    return None


@law(60)
@given(programs(w=ROUGH))
def test_strict_and_not_strict_agree_where_strict_is_defined(p: Program) -> None:
    strict = reached(p.command, p.heap, strict=True)
    if isinstance(strict, NotSmooth):
        reject()
    free = reached(p.command, p.heap, strict=False)
    assert isinstance(free, Result)
    assert strict.value == free.value
    assert_same_heap(strict.heap, free.heap, 0)


@law(80)
@given(programs(w=ROUGH))
def test_a_strict_program_is_stuck_compiled_where_it_is_stuck_stepped(p: Program) -> None:
    stepped = reached(p.command, p.heap, strict=True)
    compiled = stuck_at(compile_command(p.command, options=CompileOptions(strict=True)), p.heap)
    match stepped:
        case NotSmooth(span=span, function=f):
            assert compiled is not None
            assert (compiled.function, compiled.span) == (f, span)
        case Result():
            assert compiled is None


@law(80)
@given(programs(w=ROUGH))
def test_a_strict_program_denotes_nothing_where_it_is_stuck_stepped(p: Program) -> None:
    stepped = reached(p.command, p.heap, strict=True)
    arrow = interpret((), Scope((), p.command))
    match stepped:
        case NotSmooth(function=f):
            with pytest.raises(Stuck) as stuck:
                denote(arrow, (), p.heap, strict=True)
            (point,) = stuck.value.diagnostics
            assert isinstance(point, NotSmooth)
            assert point.function == f
        case Result():
            denote(arrow, (), p.heap, strict=True)


@law(80)
@given(st.data())
def test_a_strict_term_is_stuck_compiled_where_it_is_stuck_stepped(data: st.DataObject) -> None:
    M = data.draw(terms((), data.draw(types()), 7, ROUGH))
    stepped = reached(M, {}, strict=True)
    compiled = stuck_at(compile_term(M, options=CompileOptions(strict=True)), {})
    match stepped:
        case NotSmooth(function=f):
            assert compiled is not None
            assert compiled.function == f
        case Result(value=V):
            assert compiled is None
            found, _ = run(compile_term(M, options=CompileOptions(strict=True)), (), {})
            expected = arrays(V)
            if all(np.isfinite(x).all() for x in expected):
                assert_close(leaves(found), expected)


@law(60)
@given(st.data())
def test_a_strict_batch_is_stuck_where_one_of_its_samples_is(data: st.DataObject) -> None:
    M = data.draw(terms((SCALAR,), SCALAR, 6, ROUGH))
    samples = [data.draw(values(SCALAR)) for _ in range(3)]
    program = batched(compile_term(M, (SCALAR,), options=CompileOptions(strict=True)), [True])
    stuck = [isinstance(reached(instantiate_term(Scope(("x",), M), V), {}, strict=True), NotSmooth) for V in samples]
    try:
        run(validate(program), [np.stack([leaves(nested(V))[0] for V in samples])], {})
    except Stuck:
        assert any(stuck)
    else:
        assert not any(stuck)
