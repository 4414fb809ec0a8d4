"""Optimisation keeps what a program computes, and leaves out what need not be computed."""

import numpy as np
import pytest
from hypothesis import given

from rh_kernel.arrays.compile import translate
from rh_kernel.arrays.execution import run
from rh_kernel.arrays.optimise import optimise
from rh_kernel.arrays.program import Alias, Program
from rh_kernel.loops.trees import leaves
from rh_kernel.syntax.core import Command, Primitive
from rh_kernel.syntax.types import Product, real
from tests.arrays.commands import W0, W1, V, commands
from tests.arrays.validation import validate
from tests.arrays.written import Written, close, command, drawn
from tests.tiers import law


@law(50)
@given(commands((V, V), 3, act=False))
def test_optimisation_keeps_values_and_heap_changes(P: Command) -> None:
    heap, point = {W0: drawn(1, 2), W1: drawn(2, 2)}, (drawn(3, 2), drawn(4, 2))
    raw = validate(translate(P, (V, V)))
    short = validate(optimise(raw))
    assert len(short.equations) <= len(raw.equations)
    assert not any(isinstance(e.operator, Alias) for e in short.equations)
    assert len({(e.operator, e.arguments) for e in short.equations}) == len(short.equations)
    found, changes = run(raw, point, heap)
    again, changes_again = run(short, point, heap)
    for x, y in zip(leaves(found), leaves(again), strict=True):
        close(x, y, 1e-9)
    for at in heap:
        close(changes.get(at, heap[at]), changes_again.get(at, heap[at]), 1e-9)
    assert len(optimise(short).equations) <= len(short.equations)


def operators(program: Program) -> list[str]:
    return [e.operator.name for e in program.equations if isinstance(e.operator, Primitive)]


@pytest.mark.parametrize(
    ("M", "expected"),
    [
        ("x + 0", ["add"]),
        ("0 + x", ["add"]),
        ("x + -0.0 * [1.0, 1.0]", []),
        ("w @ x + 0", ["matmul"]),
        ("x - 0", []),
        ("0 - x", ["sub"]),
        ("-0.0 * [1.0, 1.0] - x", ["neg"]),
        ("--x", []),
        ("x + -x", ["sub"]),
        ("-x + y", ["sub"]),
        ("x - -y", ["add"]),
        ("-(x - y)", ["sub", "neg"]),
        ("1.0 * x", []),
        ("-1.0 * x", ["neg"]),
        ("x * [1.0, 1.0]", []),
        ("x / [1.0, 1.0]", []),
        ("0.0 * x", ["scale"]),
        ("x * fill[2](2.0 + 1.0)", ["mul"]),
        ("x * fill[2](sum(y))", ["sum", "scale"]),
        ("sum(fill[2](sum(x))) * y", ["sum", "dot", "scale"]),
        ("(w^T)^T @ x", ["matmul"]),
        ("outer(x, y)^T @ x", ["outer", "matmul"]),
        ("reshape[2](reshape[2, 1](reshape[1, 2](x)))", []),
        ("reshape[2](reshape[1, 2](sin(x)))", ["sin"]),
        ("reshape[2, 1](reshape[1, 2](sin(x)))", ["sin", "reshape"]),
        ("sin(x) * sin(x)", ["sin", "mul"]),
        ("x * y + y * x", ["mul", "add"]),
        ("(sin(x), cos(x)).1", ["sin"]),
        ("sin([1.0, 2.0])", []),
        ("let z <- exp(x) in x", []),
        ("w @ (0.0 * x)", ["scale", "matmul"]),
        ("fill[2](0.0) + reshape[2](reshape[2, 1](fill[2](0.0))) + x", ["add"]),
        ("slice[0, 2](x)", []),
        ("slice[0, 2](concat(x, sin(y)))", []),
        ("slice[2, 4](concat(x, sin(y)))", ["sin"]),
        ("slice[1, 3](concat(x, y))", ["concat", "slice"]),
        ("concat(slice[1, 1](x), y)", []),
        ("concat(y, slice[1, 1](x))", []),
        ("maxpool1d[1](pad1d[2](crop1d[2](upscale1d[2](w))))", []),
        ("pad1d[3](w)", ["pad1d"]),
    ],
)
def test_simplification(M: str, expected: list[str]) -> None:
    program = Written("").program(f"return {M}", x=real(2), y=real(2), w=real(2, 2))
    assert operators(program) == expected


def test_a_large_constant_is_not_computed_before_the_program_runs() -> None:
    program = Written("").program("return sum(sin(fill[1000, 1000](2.0)))", x=real(1))
    assert operators(program) == ["fill", "sin", "sum"]
    assert sum(program.sizes) > 2_000_000


def test_zeros_are_dropped_before_they_are_written_out() -> None:
    world = Written("")
    P, A = "rev handle (x) <u, v>. return u with { return y -> return y }", Product((real(2), real(2)))
    raw = translate(command(world.known, P, {"x": A}), (A,))
    assert len(raw.equations) == 2  # the two names
    program = world.program(P, x=A)
    v = drawn(1, 2)
    result, _ = world.run(program, (v, v))
    close(result[0], v)
    close(result[1], np.zeros(2))


def test_what_leads_to_where_gradients_are_stopped_is_not_gone_back_through() -> None:
    world = Written(
        "op Stop : Real(2) -> Real(2)\n"
        "handler stopping() : rev handler(Real(2)) = {return y -> return y  Stop(x) -> return (x, ()) | y, z -> return 0}\n"
    )
    program = world.program("rev handle (x) <u>. let y <= Stop(sin(u)) in return exp(y) + u with stopping", x=real(2))
    assert operators(program) == ["sin", "exp", "add"]  # no cos


def test_what_nobody_reads_is_not_read() -> None:
    world = Written("loc v : Real(2) = zeros\n")
    program = world.program("let g <= Get[v]() in return x", x=real(2))
    assert program.reads == ()
