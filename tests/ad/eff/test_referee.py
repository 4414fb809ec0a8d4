"""``M ⇓ V`` by hand, by the machine and by the reducer: adaptors that permute instances, multi-shot continuations."""

from __future__ import annotations

import pytest

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.machine import running as machine
from rh_kernel.ad.eff.printing import terms as printing
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.syntax.printing.doc import plain

DECLARATIONS = """
effect Amb = amb : Bool
effect Scale = scale : Float -> Float
fun join xs ys = match xs | [] -> ys | x :: rest -> x :: join rest ys
handler both = return x -> [x] | <amb -> k> -> join (k True) (k False)
handler by n = return x -> x | <scale x -> k> -> k (x * n)
handler twice = return x -> x | <scale x -> k> -> k (k x)
"""

BY_2_3_5 = "handle handle handle {} with by 2 with by 3 with by 5"


@pytest.mark.parametrize(
    ("program", "value"),
    [
        (BY_2_3_5.format("scale 1 + 100 * <Scale> (scale 1)"), "302"),
        (BY_2_3_5.format("<Scale(s a b c -> s c a b)> (scale 1 + 100 * <Scale> (scale 1))"), "503"),
        (BY_2_3_5.format("<Scale(s a b -> s a a)> (scale 1 + 100 * <Scale> (scale 1))"), "303"),
        (BY_2_3_5.format("<Scale(s a b -> s b a)> <Scale> (scale 1 + 100 * <Scale> (scale 1))"), "502"),
        (BY_2_3_5.format("<Scale> <Scale(s a b -> s b a)> (scale 1 + 100 * <Scale> (scale 1))"), "305"),
        ("handle scale 1 + scale 2 with twice", "10"),
        ("handle (let r = new 0 in r := @r + scale 1; r := @r + scale 2; @r) with twice", "10"),
        (
            "let r = new 0 in handle (let b = amb! in r := @r + 1; let c = amb! in r := @r + 10; @r) with both",
            "[11, 21, 32, 42]",
        ),
        ("handle (if amb! then (<| amb!, False |>).1 else (<| True, amb! |>).1) with both", "[True, False, True]"),
    ],
)
def test_machine_and_reducer_agree_with_results_by_hand(program: str, value: str) -> None:
    definitions = loading.declared(DECLARATIONS)
    M = loading.checked(program, definitions).term
    ran, stepped = machine.run(M, definitions).value, reduction.run(M, definitions).value
    assert ran is not None
    assert stepped is not None
    assert plain(printing.value(ran)) == plain(printing.value(stepped)) == value
