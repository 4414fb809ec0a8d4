"""Blocks: a regrouped program computes the same, and the names that a block binds are used only in it."""

import pytest
from hypothesis import given

from rh_kernel.ad.handlers.blocks import MIN_OPERATIONS, in_blocks, operations
from rh_kernel.ad.language.binding import binders, subterms
from rh_kernel.ad.language.core import Let, Program, Term, Variable
from rh_kernel.ad.language.evaluation import OpCounter, run
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.types import SCALAR
from rh_kernel.ad.language.typing import check, type_of
from tests.ad.examples import EXAMPLES, Example
from tests.ad.programs import FIRST_ORDER, HIGHER_ORDER, Sample, flat, program, programs
from tests.tiers import law


def regrouped(f: Program) -> Program:
    """The program in blocks."""
    return in_blocks(f, Names([*(x for x, _ in f.parameters), *binders(f.body)]))


def spine(f: Program) -> list[tuple[str, Term]]:
    """The outermost lets."""
    found: list[tuple[str, Term]] = []
    M = f.body
    while isinstance(M, Let):
        found.append((M.name, M.bound))
        M = M.body
    return found


@law(150)
@given(programs(FIRST_ORDER))
def test_a_program_in_blocks_is_well_typed_and_does_the_same(sample: Sample) -> None:
    """The same value, to the last digit, by as many operations."""
    g = regrouped(sample.program)
    check(g)
    before, after = OpCounter(), OpCounter()
    V, W = run(sample.program, sample.point, before), run(g, sample.point, after)
    assert flat(V) == flat(W)
    assert before == after


@law(50)
@given(programs(HIGHER_ORDER))
def test_functions_are_not_divided(sample: Sample) -> None:
    """A binding of a function is in a block only if all bindings that it uses are."""
    g = regrouped(sample.program)
    check(g)
    assert flat(run(sample.program, sample.point)) == flat(run(g, sample.point))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_no_binder_of_a_block_is_used_outside(example: Example) -> None:
    """A block is a number, and all names that it binds are used only inside of it."""
    g = regrouped(example.program)
    types = dict(g.parameters)
    M = g.body
    while isinstance(M, Let):
        types[M.name] = type_of(M.bound, types)
        if isinstance(M.bound, Let):
            assert types[M.name] == SCALAR
            outside = {N.name for N in subterms(M.body) if isinstance(N, Variable)}
            assert outside.isdisjoint(binders(M.bound))
        M = M.body


@pytest.mark.parametrize(("length", "blocks"), [(4, 2), (9, 3), (16, 4), (100, 10)])
def test_a_chain_of_n_operations_becomes_as_many_blocks_as_each_is_long(length: int, blocks: int) -> None:
    """``x0 = x``, ``x1 = sin x0``, …: √n blocks of √n operations."""
    lets = " ".join(f"let x{i + 1} <- sin(x{i}) in" for i in range(length))
    f = program(f"fun f(x0 : Real) : Real = {lets} x{length}")
    found = [M for _, M in spine(regrouped(f))]
    assert len(found) == blocks
    assert [operations(M) for M in found] == [length // blocks] * blocks


def test_a_binding_that_two_blocks_use_is_in_neither() -> None:
    """``a`` is used by y and z, which are used by the result; ``b`` by y alone; z goes to the result."""
    f = program("fun f(x : Real) : Real = let a <- x * x in let b <- sin(x) in let y <- a + b in let z <- exp(a) in y * z")
    assert MIN_OPERATIONS == 2
    assert [x for x, _ in spine(regrouped(f))] == ["a", "y", "y'"]
