"""Space: tail calls use no stack, frames and closures hold no dead values, and deep values are made, read back and freed."""

import pytest

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.core import Literal
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.counting import Counts
from rh_kernel.ad.eff.machine.readback import readback
from rh_kernel.ad.eff.machine.running import Outcome, run, run_in_slices
from rh_kernel.ad.eff.machine.values import Tag, Value, list_value
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.trampoline import exhaust
from rh_kernel.syntax.runtime_errors import TooLarge

PROGRAMS = ("evaluate", "forward", "stateful", "checkpointed", "taylor")

# y ← y + 0.1 (x − y²), n times from 1: at once, in blocks, and in halves.
NEWTON = """\
fun step x y = let yy = t y y in let e = sub x yy in let h = c 0.1 in let e = t h e in p y e
fun go n x y = if n <= 0 then y else go (n - 1) x (step x y)
fun blocks m s x y = if m <= 0 then y else blocks (m - 1) s x (checkpoint {go s x y})
fun left m x y =
  if m <= 1 then step x y else
    let z = checkpoint {left (quotient m 2) x y} in
    left (quotient m 2) x z
fun both m x y =
  if m <= 1 then step x y else
    let z = checkpoint {both (quotient m 2) x y} in
    checkpoint {both (quotient m 2) x z}
"""


def outcome(text: str, declarations: str = "", *, counting: bool = False) -> Outcome:
    """The outcome of an expression."""
    definitions = loading.declared(declarations, loading.program(*PROGRAMS))
    return run(loading.checked(text, definitions).term, definitions, counting=counting)


def counts(text: str, declarations: str = "") -> Counts:
    """The counts of its run."""
    found = outcome(text, declarations, counting=True).counts
    assert found is not None
    return found


@pytest.mark.parametrize("mode", ["", "d "])
def test_resuming_in_tail_position_uses_no_stack(mode: str) -> None:
    def frames(n: int) -> int:
        function = f"{{x -> taylor {n} x}}"
        program = f"{mode}{function} (c 0.5)" if mode else f"taylor {n} (c 0.5)"
        return counts(f"handle {program} with evaluate").frames

    assert frames(10) == frames(100)


@pytest.mark.parametrize(
    ("program", "alive"),
    [
        # The input, the first y, and five for each step.
        ("grad {{x -> go {n} x (c 1)}}", {16: 82, 64: 322, 256: 1282}),
        # The input, the first y, one for each block, and the five for each step of one block.
        ("gradc {{x -> blocks {root} {root} x (c 1)}}", {16: 26, 64: 50, 256: 98}),
        # One more for each halving.
        ("gradc {{x -> left {n} x (c 1)}}", {16: 11, 64: 13, 256: 15}),
        ("gradc {{x -> both {n} x (c 1)}}", {16: 12, 64: 14, 256: 16}),
    ],
)
def test_the_most_live_cells(program: str, alive: dict[int, int]) -> None:
    for n, expected in alive.items():
        text = program.format(n=n, root=round(n**0.5))
        assert counts(f"handle {text} (c 2) with evaluate", NEWTON).cells_alive == expected


def test_a_frame_holds_only_live_variables() -> None:
    declared = "fun wait (n : Int) = if n <= 0 then new 0.0 else wait (n - 1)"
    # The last use of the cells a and b is before the frame is pushed; in the second program b is used later.
    assert counts("let a = new 1.0 in let x = @a in let c = wait 9 in x + @c", declared).cells_alive == 1
    assert counts("let b = new 1.0 in let c = wait 9 in @b + @c", declared).cells_alive == 2


def test_a_closure_holds_only_its_free_variables() -> None:
    declared = "fun apply f = f (new 0.0)"
    held = "let (a, b) = (new 1.0, new 2.0) in let f = {{r -> @r + @{}}} in apply f"
    assert counts(held.format("a"), declared).cells_alive == 2


def test_many_operations() -> None:
    found = outcome("handle d {x -> taylor 20000 x} (c 0.5) with evaluate")
    assert found.value == Literal(-3.9999999999999996)
    found = outcome("handle grad {x -> taylor 20000 x} (c 0.5) with evaluate")
    assert found.value == Literal(-4.0)


def test_deep_recursion_deep_lists_and_deep_numbers() -> None:
    declared = """\
data Nat = Zero | Suc Nat
fun nat n m = if n <= 0 then m else nat (n - 1) (Suc m)
fun depth m : Int = match m | Zero -> 0 | Suc m -> 1 + depth m
fun numbers (n : Int) = if n <= 0 then [] else n :: numbers (n - 1)
fun sum (xs : List Int) : Int = match xs | [] -> 0 | x :: rest -> x + sum rest
fun compose n f = if n <= 0 then f else compose (n - 1) {x -> f x}
"""
    assert outcome("depth (nat 100000 Zero)", declared).value == Literal(100_000)
    assert outcome("sum (numbers 100000)", declared).value == Literal(5_000_050_000)
    assert outcome("let f = compose 100000 {x -> x + 1.0} in f 2.0", declared).value == Literal(3.0)


def test_unbounded_growth_is_stopped() -> None:
    definitions = loading.declared("fun f x = 1.0 + f x")
    M = loading.checked("f 1.0", definitions).term
    with pytest.raises(Stuck) as caught:
        exhaust(run_in_slices(M, Program(definitions), memory=1 << 24))
    assert caught.value.diagnostics[0].code == "RH241"
    doubled = """\
fun f (n : Int) (x : Int) : Int = if n <= 0 then x else f (n - 1) (x * x)
fun g (n : Int) x = if n <= 0 then x else g (n - 1) (x ++ x)
"""
    for text in ("f 64 3", 'g 64 "ab"'):
        with pytest.raises(Stuck) as caught:
            outcome(text, doubled)
        assert caught.value.diagnostics[0].code == "RH241"


def _stopped(text: str, declared: str = "", memory: int = 1 << 24) -> TooLarge:
    definitions = loading.declared(declared)
    with pytest.raises(Stuck) as caught:
        exhaust(run_in_slices(loading.checked(text, definitions).term, Program(definitions), memory=memory))
    (found,) = caught.value.diagnostics
    assert isinstance(found, TooLarge)
    return found


KEPT = """\
fun kept (n : Int) ts = if n <= 0 then ts else kept (n - 1) (tensor_filled [1000] 1.0 :: ts)
fun sums (n : Int) t ts = if n <= 0 then ts else sums (n - 1) t (tensor_plus t t :: ts)
fun parts (n : Int) t ts = if n <= 0 then ts else parts (n - 1) t (tensor_part 0 0 500 t :: ts)
fun last (n : Int) t = if n <= 0 then tensor_total t else last (n - 1) (tensor_plus t t)
"""


def test_the_bytes_of_live_tensors_are_bounded() -> None:
    """A tensor of 1,000 entries has 8,000 bytes: 2,000 of them are 16 MB, less than 2²⁴ bytes, and 2,100 are more."""
    ones = "tensor_filled [1000] 1.0"
    definitions = loading.declared(KEPT)
    for text in (
        f"let ts = sums 2000 ({ones}) [] in 1.0",
        "let ts = kept 20000 [] in 1.0",
        f"let ts = parts 10000 (tensor_scale 2.0 ({ones})) [] in 1.0",
        f"last 10000 (tensor_scale 0.0 ({ones}))",
    ):
        exhaust(run_in_slices(loading.checked(text, definitions).term, Program(definitions), memory=1 << 24))
    found = _stopped(f"let ts = sums 2100 ({ones}) [] in 1.0", KEPT)
    assert found.what == "what the tensors hold"
    assert found.expected == "at most 16.8 MB"


@pytest.mark.parametrize(
    "text",
    [
        "tensor_zeros [3000, 1000]",
        "tensor_normal 1 [3000, 1000]",
        "tensor_exp (tensor_filled [3000, 1000] 1.0)",
        "tensor_product (tensor_filled [3000, 1] 1.0) (tensor_filled [1, 1000] 1.0)",
        "tensor_reshape [3000000] (tensor_repeat 1 1000 (tensor_normal 1 [3000]))",
    ],
)
def test_a_tensor_that_is_too_large_is_not_allocated(text: str) -> None:
    """3,000,000 entries are 24 MB."""
    assert _stopped(text).needed == "24 MB"


def test_a_run_with_large_tensors_has_short_slices() -> None:
    """A step that reads 2,000,000 entries twice and writes as many is half the work of a slice."""
    definitions = loading.declared(KEPT)
    M = loading.checked("last 100 (tensor_scale 0.0 (tensor_filled [2000000] 1.0))", definitions).term
    assert sum(1 for _ in run_in_slices(M, Program(definitions))) >= 40
    M = loading.checked("last 100 (tensor_scale 0.0 (tensor_filled [2] 1.0))", definitions).term
    assert sum(1 for _ in run_in_slices(M, Program(definitions))) <= 10


def test_the_tensors_of_a_run_do_not_count_for_the_next_one() -> None:
    definitions = loading.declared(KEPT)
    program = Program(definitions)
    M = loading.checked("tensor_zeros [1000]", definitions).term
    first = exhaust(run_in_slices(M, program, memory=10_000)).value
    second = exhaust(run_in_slices(M, program, memory=10_000)).value
    assert first == second
    assert program.tensors.bytes == 8_000
    del first
    assert program.tensors.bytes == 8_000
    del second
    assert program.tensors.bytes == 0


@pytest.mark.slow
def test_deep_values_are_read_back() -> None:
    value: Value = list_value(range(100_000))
    deep: Value = ()
    for _ in range(100_000):
        deep = (Tag("Just"), (1.0, deep))
    assert readback(value) is not None
    assert readback(deep) is not None


def test_a_long_straight_program_is_compiled() -> None:
    lines = " in ".join(f"let y{n + 1} = p (t y{n} x) (c 0.5)" for n in range(2_000))
    found = outcome(f"handle d {{x -> let y0 = x in {lines} in y2000}} (c 0.5) with evaluate")
    # y ← y/2 + 1/2 has converged to 1, and its derivative, y' = y + x y', to 2.
    assert isinstance(found.value, Literal)
    assert found.value.value == pytest.approx(2.0)
