"""All modes agree on random programs: first derivatives, and second derivatives in three ways."""

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.ad.handlers.programs import value
from tests.ad.handlers.test_nesting import CURVED
from tests.tiers import law

PROGRAMS = """
data Step = Real Float | One Unary Int | Two Binary Int Int | Over Int Int

fun nth (i : Int) xs = match xs | [] -> c 0 | x :: rest -> if i <= 0 then x else nth (i - 1) rest

fun done step xs =
  match step
  | Real r -> c r
  | One u i -> ap1 u (nth i xs)
  | Two b i j -> ap2 b (nth i xs) (nth j xs)
  | Over i j -> let y = nth j xs in divide (nth i xs) (p (c 1.5) (t y y))

fun program steps xs =
  match steps | [] -> nth 0 xs | step :: rest -> program rest (done step xs :: xs)

fun programCheckpointed steps xs =
  match steps
  | [] -> nth 0 xs
  | step :: rest -> let y = checkpoint {done step xs} in programCheckpointed rest (y :: xs)

fun programApplied steps xs =
  match steps
  | [] -> nth 0 xs
  | One u i :: rest -> let y = app (abs {y -> ap1 u y}) (nth i xs) in programApplied rest (y :: xs)
  | Two b i j :: rest -> let y = app (abs {y -> ap2 b y (nth j xs)}) (nth i xs) in programApplied rest (y :: xs)
  | step :: rest -> programApplied rest (done step xs :: xs)

fun everyFirst steps x =
  [d {x -> program steps [x]} x,
   dc {x -> program steps [x]} x,
   grad {x -> program steps [x]} x,
   dt {x -> program steps [x]} x,
   gradc {x -> programCheckpointed steps [x]} x,
   gradh {x -> programApplied steps [x]} x,
   gradhc {x -> programApplied steps [x]} x]

fun everySecond steps x =
  [dd {x -> program steps [x]} x,
   curved {x -> program steps [x]} x,
   d {x -> d {y -> program steps [y]} x} x,
   ddPrinted {x -> program steps [x]} x]

fun see cell y = cell := fwd y; y

fun everyValue steps x =
  let (zero, one) = (c 0, c 1) in
  let cell = new x in
  let Paired u _ = (handle program steps [Paired x one] with diff) in
  let Cont v _ = (handle program steps [Cont x {z -> z}] with propagate) in
  let (_, (_, Named w _)) = recorded {x -> program steps [x]} x in
  let Triple a _ _ = (handle program steps [Triple x one zero] with diff2) in
  let _ = grad {x -> see cell (program steps [x])} x in
  let b = @cell in
  let _ = gradhc {x -> see cell (programApplied steps [x])} x in
  [program steps [x], u, v, w, a, b, @cell]

fun linearly steps x dx r =
  let Paired _ dy = (handle program steps [Paired x dx] with diff) in
  let Cont _ k = (handle program steps [Cont x {z -> t dx z}] with propagate) in
  [d {x -> program steps [x]} x, dy, k r]
"""
"""A program is a list of steps, each of which computes one more number; number 0 is the newest one."""

DECLARATIONS = (CURVED, PROGRAMS)


def _step(i: int) -> st.SearchStrategy[str]:
    """A step after which there are i + 1 numbers."""
    place = st.integers(0, i - 1)
    return st.one_of(
        st.builds("One {} {}".format, st.sampled_from(["Negate", "Sin", "Cos", "Tanh", "Sigmoid", "Softplus"]), place),
        st.builds("Two {} {} {}".format, st.sampled_from(["Plus", "Subtract", "Times"]), place, place),
        st.builds("Over {} {}".format, place, place),
        st.builds("Real ({})".format, st.sampled_from([-2.0, 0.5, 3.0])),
    )


PROGRAM = st.tuples(*(_step(i) for i in range(1, 13))).map(", ".join)
POINT = st.sampled_from([-1.25, 0.5, 2.0])


def numbers(text: str) -> list[float]:
    """The list of numbers that a program returns."""
    found = value(text, *DECLARATIONS)
    assert isinstance(found, list)
    return [float(x) for x in found]


@law(300)
@given(PROGRAM, POINT)
def test_all_modes_agree(program: str, x: float) -> None:
    """Up to rounding; taped and stateful mode exactly, since they compute the same sums."""
    every = numbers(f"handle everyFirst [{program}] ({x}) with evaluate")
    assume(all(math.isfinite(y) for y in every))
    assert every == pytest.approx([every[0]] * len(every), rel=1e-9, abs=1e-12)
    assert every[2] == every[3]


@law(300)
@given(PROGRAM, POINT)
def test_three_ways_to_a_second_derivative_agree(program: str, x: float) -> None:
    """Taylor polynomials with the right rule, Hessian mode, and forward mode twice"""
    taylor, hessian, twice, _ = numbers(f"handle everySecond [{program}] ({x}) with evaluate")
    assume(all(math.isfinite(y) for y in (taylor, hessian, twice)))
    assert (taylor, hessian) == pytest.approx((twice, twice), rel=1e-8, abs=1e-9)


@law(100)
@given(PROGRAM, POINT)
def test_every_mode_computes_the_value(program: str, x: float) -> None:
    """Parametricity: the same operations are performed in the same order for any type of numbers."""
    every = numbers(f"handle everyValue [{program}] ({x}) with evaluate")
    assume(math.isfinite(every[0]))
    assert every == [every[0]] * len(every)


@law(100)
@given(PROGRAM, POINT, st.sampled_from([-3.0, 0.25, 12.0]), st.sampled_from([-1.5, 1.0, 2.5]))
def test_theorems_8_2_3_and_8_3_2(program: str, x: float, dx: float, r: float) -> None:
    """If x is a function of something, with derivative dx, then the tangent is f'(x) dx, and r goes back to r f'(x) dx"""
    slope, tangent, back = numbers(f"handle linearly [{program}] ({x}) ({dx}) ({r}) with evaluate")
    assume(math.isfinite(slope))
    assert (tangent, back) == pytest.approx((slope * dx, r * slope * dx), rel=1e-9, abs=1e-9)
