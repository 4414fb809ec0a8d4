"""Programs as one reads them."""

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.rewrites.listing import lines, listing, totals
from rh_kernel.syntax.types import Product, real
from tests.arrays.written import Written

DECLARED = "loc w : Real(3, 2) = zeros\n"
P = "let w <= Get[w]() in let _ <= Put[w](w - 0.5 * outer(w @ x, x)) in return (w @ x, x)"


def test_a_program_is_listed_with_types_and_costs() -> None:
    assert (
        listing(Written(DECLARED).program(P, x=real(2)))
        == """\
x = input             # Real(2)
w = Get[w]()          # Real(3, 2)
t1 = matmul(w, x)     # Real(3), 12 flop
t2 = outer(t1, x)     # Real(3, 2), 6 flop
t3 = scale(0.5, t2)   # Real(3, 2), 6 flop
t4 = sub(w, t3)       # Real(3, 2), 6 flop
Put[w](t4)
return ⟨t1, x⟩
# 4 equations, 30 flop"""
    )


def test_a_batch_is_listed_with_costs_for_each_sample() -> None:
    program = batched(Written(DECLARED).program(P, x=real(2)), (True,))
    assert totals(program) == "4 equations, 12 + 24 b flop"
    shown = [f"{line.left} = {line.right}   # {line.note}" for line in lines(program)]
    assert "t1 = matmul(w, x)   # b × Real(3), 12 b flop" in shown
    assert "t2 = mean_outer(t1, x)   # Real(3, 2), 12 b flop" in shown


def test_no_two_registers_have_one_name() -> None:
    world = Written("loc t1 : Real(2) = zeros\nloc x : Real(2) = zeros\n")
    Q = "let a <= Get[t1]() in let b <= Get[x]() in return (sin(a + x.1), (b * [1.0, 2.0], cos(b)))"
    program = world.program(Q, x=Product((real(2), real(2))))
    named = [line.left for line in lines(program) if line.left]
    assert len(named) == len(set(named)) == len(program.shapes)
