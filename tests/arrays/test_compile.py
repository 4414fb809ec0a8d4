"""The programs that commands compile to, on the examples of RH §4: their values, their heap changes, and their re-use."""

import numpy as np
import pytest

from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.execution import run
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Array, Bound, Call, Rd, RdOf, Scope, Term
from rh_kernel.syntax.types import SCALAR, UNIT, Product, real
from rh_kernel.syntax.values import constant
from tests.arrays.commands import SINE, STRAIGHT, symbol
from tests.arrays.written import FC, Written, close, drawn, layers


def mlp(inner: int, hidden: int, outer: int) -> Written:
    """The declarations of Example 4.1."""
    return Written(
        f"""{FC}
loc w0 : Real({hidden}, {inner}) = zeros
loc w1 : Real({outer}, {hidden}) = zeros
net mlp(x : Real({inner})) : Real({outer}) = let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
"""
    )


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(("inner", "hidden", "outer"), [(2, 3, 1), (16, 32, 8)])
def test_example_4_1_takes_one_step_of_gradient_descent(inner: int, hidden: int, outer: int) -> None:
    world = mlp(inner, hidden, outer)
    program = world.program("rev handle (x) <u>. mlp(u) with sgd(0.1, t)", x=real(inner), t=real(outer))
    m0, m1 = drawn(1, hidden, inner), drawn(2, outer, hidden)
    for seed in (3, 4):  # one program serves all values of its inputs
        v, t = drawn(seed, inner), drawn(seed + 10, outer)
        result, heap = world.run(program, v, t, w0=m0, w1=m1)
        s = m0 @ v
        v1 = s * sigmoid(s)
        e = 0.1 * (m1 @ v1 - t)
        u = m1.T @ e * (sigmoid(s) + s * sigmoid(s) * (1 - sigmoid(s)))
        close(result, m0.T @ u)
        close(heap["w0"], m0 - np.outer(u, v))
        close(heap["w1"], m1 - np.outer(e, v1))


def test_example_4_2_a_residual_block_adds_the_cotangent_of_its_shortcut() -> None:
    world = Written(layers(2, 3))
    block = "let z <= deep(u) in return u + z"
    program = world.program(f"rev handle (x) <u>. {block} with sgd(1.0, t)", x=real(3), t=real(3))
    plain = world.program("rev handle (x) <u>. deep(u) with sgd(1.0, t)", x=real(3), t=real(3))
    m0, m1, v, t = drawn(1, 3, 3), drawn(2, 3, 3), drawn(3, 3), drawn(4, 3)
    result, heap = world.run(program, v, t, w0=m0, w1=m1)
    inside, heap_inside = world.run(plain, v, t - v, w0=m0, w1=m1)
    s = m0 @ v
    e = m1 @ (s * sigmoid(s)) + v - t
    close(result, np.asarray(inside) + e)
    close(heap["w0"], heap_inside["w0"])


def test_example_4_3_nested_reverse_handlers_train_an_autoencoder() -> None:
    world = Written(
        FC
        + """
loc e : Real(2, 4) = zeros
loc d : Real(4, 2) = zeros
op EnDe[l : Loc(m, n), r : Loc(n, m)] : Real(n) -> Real(m)
handler auto() : rev handler(Real(k)) = {
  return x -> return x
  EnDe[l, r](x) -> let y <= FC[l](x) in return (y, ()) | y, z -> FC[r](y)
}
"""
    )
    inside = "rev handle (u) <p>. EnDe[e, d](p) with auto()"
    program = world.program(f"rev handle (x) <u>. {inside} with sgd(0.5, x)", x=real(4))
    e, d, v = drawn(1, 2, 4), drawn(2, 4, 2), drawn(3, 4)
    result, heap = world.run(program, v, e=e, d=d)
    w = 0.5 * (d @ e @ v - v)
    close(heap["d"], d - np.outer(w, e @ v))
    close(heap["e"], e - np.outer(d.T @ w, v))
    close(result, e.T @ d.T @ w)


def test_example_4_6_a_straight_through_function_passes_the_cotangent_on() -> None:
    world = Written("fun quantised(x : Real(n)) : Real(n) = round(x) with rd(w, x) = w\n")
    body = "let y <= return quantised(u) in return y * y"
    program = world.program(f"rev handle (x) <u>. {body} with {{ return y -> return y }}", x=real(2))
    v = np.array([1.4, 2.6])
    result, _ = world.run(program, v)
    close(result, 2 * np.round(v) * np.round(v) ** 2)


def test_a_derivative_of_ones_own_is_asked_at_the_cotangent_zero_too() -> None:
    world = Written("fun leaky(x : Real(n)) : Real(n) = x with rd(w, x) = w + x\n")
    program = world.program(
        "rev handle (x) <u>. let y <= return leaky(u) in return 0 * y with {return y -> return 0}", x=real(2)
    )
    result, _ = world.run(program, np.array([1.0, 2.0]))
    close(result, [1.0, 2.0])


def test_an_operation_without_a_clause_is_forwarded_with_the_cotangent_zero() -> None:
    world = Written("loc w : Real(2) = zeros\n")
    P = "rev handle (x) <u>. let g <= Get[w]() in let _ <= Put[w](u) in return u * g with { return y -> return y }"
    program = world.program(P, x=real(2))
    result, heap = world.run(program, np.array([2.0, 3.0]), w=np.array([5.0, 7.0]))
    close(result, [2.0 * 25, 3.0 * 49])
    close(heap["w"], [2.0, 3.0])


def test_a_backward_clause_runs_for_its_effects_when_nothing_depends_on_its_result() -> None:
    world = Written("loc n : Real = zeros\nop Tick : Real -> Real\n")
    back = "let c <= Get[n]() in let _ <= Put[n](c + 1) in return 0"
    H = f"{{ return y -> return y\n  Tick(x) -> return (x, ()) | y, z -> {back} }}"
    program = world.program(f"rev handle (x) <u>. let a <= Tick(u) in let b <= Tick(u) in return u with {H}", x=SCALAR)
    result, heap = world.run(program, np.array([4.0]), n=np.array([10.0]))
    close(result, [4.0])
    close(heap["n"], [12.0])


def test_effects_of_backward_clauses_come_in_the_opposite_order() -> None:
    world = Written("loc n : Real = zeros\nop Mark[a : Real] : Real -> Real\n")
    back = "let c <= Get[n]() in let _ <= Put[n](10 * c + a) in return y"
    H = f"{{ return y -> return y\n  Mark[a](x) -> return (x, ()) | y, z -> {back} }}"
    program = world.program(f"rev handle (x) <u>. let a <= Mark[1.0](u) in Mark[2.0](a) with {H}", x=SCALAR)
    _, heap = world.run(program, np.array([4.0]), n=np.array([0.0]))
    close(heap["n"], [21.0])


def test_get_sees_the_last_put_and_otherwise_the_heap() -> None:
    world = Written("loc v : Real(2) = zeros\nloc w : Real(2) = zeros\n")
    P = "let a <= Get[v]() in let _ <= Put[v](x) in let b <= Get[v]() in let _ <= Put[w](a + b) in Get[w]()"
    program = world.program(P, x=real(2))
    result, heap = world.run(program, np.array([1.0, 2.0]), v=np.array([10.0, 20.0]), w=np.array([0.0, 0.0]))
    close(result, [11.0, 22.0])
    close(heap["v"], [1.0, 2.0])
    close(heap["w"], [11.0, 22.0])
    assert [location.name for _, location in program.reads] == ["v"]


def test_what_is_put_back_unchanged_is_no_change() -> None:
    world = Written("loc v : Real(2) = zeros\n")
    program = world.program("let a <= Get[v]() in Put[v](a)", x=UNIT)
    assert program.writes == ()
    assert program.equations == ()


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("let a <= k(x) in let b <= k(x + x) in return a + b", 2.0 * 3 * 3 + 4.0 * 3 * 3),
        ("return x", 2.0),
        ("k(x)", 2.0 * 3 * 3),
    ],
)
def test_a_continuation_is_used_as_often_as_the_clause_says(clause: str, expected: float) -> None:
    world = Written("op Flip : Real -> Real\n")
    H = f"{{ return y -> return 3.0 * y\n  Flip(x), k -> {clause} }}"
    program = world.program(f"handle let a <= Flip(x) in return 3.0 * a with {H}", x=SCALAR)
    close(world.run(program, np.array([2.0]))[0], [expected])


def test_a_continuation_that_crosses_a_reverse_handler_runs_it_twice() -> None:
    world = Written("op Flip : Real -> Real\nop Both : Real -> Real\n")
    back = "{ return y -> return y\n  Both(x) -> let a <= Flip(x) in return (a * a, a) | y, z -> return y * z }"
    H = "{ return y -> return y\n  Flip(x), k -> let a <= k(x) in let b <= k(2.0 * x) in return a + b }"
    program = world.program(f"handle rev handle (x) <u>. let a <= Both(u) in return sin(a) with {back} with {H}", x=SCALAR)
    x = 0.7
    close(world.run(program, np.array([x]))[0], [sum(np.sin(a * a) * np.cos(a * a) * a for a in (x, 2 * x))])


def test_an_operation_that_passes_an_ordinary_handler_comes_back_inside_it() -> None:
    world = Written("loc w : Real = zeros\n")
    inside = "handle let _ <= Put[w](u) in return u with { return y -> return 2.0 * y }"
    program = world.program(f"rev handle (x) <u>. {inside} with {{ return y -> return y }}", x=SCALAR)
    result, heap = world.run(program, np.array([3.0]), w=np.array([0.0]))
    close(result, [12.0])
    close(heap["w"], [3.0])


def test_an_operation_that_nobody_handles_is_refused() -> None:
    world = Written("op Flip : Real -> Real\n")
    with pytest.raises(Stuck, match="Flip"):
        world.program("Flip(x)", x=SCALAR)


def test_a_handlers_argument_may_be_an_input() -> None:
    world = Written(
        "op Shift[a : Real(2)] : Real(2) -> Real(2)\nhandler h(b : Real(2)) : rev handler(Real(2)) = {\n"
        "  return x -> return x * b\n  Shift[a](x) -> return (x + a, ()) | y, z -> return y * a * b\n}\n"
    )
    program = world.program("rev handle (x) <u>. Shift[s](u) with h(t)", x=real(2), s=real(2), t=real(2))
    x, s, t = drawn(1, 2), drawn(2, 2), drawn(3, 2)
    close(world.run(program, x, s, t)[0], (x + s) * t * s * t)


def rd(N: Term, V: Term, W: Term | None = None) -> Term:
    return Rd(constant([1.0, 1.0]) if W is None else W, Scope(("x",), N), V)


def test_a_derivative_can_be_differentiated() -> None:
    x = Bound(0)
    first = rd(Call(symbol("sin", 1), x), Bound(0))  # cos x
    second = rd(first, Bound(0))
    program = compile_term(second, (real(2),))
    v = drawn(1, 2)
    close(run(program, (v,), {})[0], -np.sin(v))


def test_derivatives_of_function_symbols_to_the_second_order() -> None:
    v, w, u = drawn(1, 2), drawn(2, 2), drawn(3, 2)
    twice = compile_term(Call(RdOf(RdOf(SINE)), Bound(0)), (Product((real(2), Product((real(2), real(2))))),))
    found, _ = run(twice, ((u, (w, v)),), {})
    close(found[0], u * (np.cos(v) + 2 * v))
    close(found[1], u * w * (2 - np.sin(v)))
    own = compile_term(Call(RdOf(RdOf(STRAIGHT)), Bound(0)), (Product((real(2), Product((real(2), real(2))))),))
    found, _ = run(own, ((u, (w, v)),), {})
    close(found[0], 2 * u)
    close(found[1], 0 * u)
