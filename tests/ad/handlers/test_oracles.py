"""The oracles O1–O36: what the thesis states, and what was worked out by hand or with another tool, for every mode."""

import pytest

from rh_kernel.ad.eff.typing.thesis_fragment import outside
from tests.ad.handlers.programs import computation, evaluations, library, of_list, value

MODES = ["d", "dc", "grad", "dt"]
LIFTS = {"d": "lift", "dc": "liftCont", "grad": "liftProp", "dt": "liftNamed"}
TERM = "{x -> let y = c 4 in term x y}"
PAIRS = [(outer, inner) for outer in MODES for inner in MODES]
GRADIENT = """
fun gradient2 f x y =
  let z = Prop x (new (c 0)) in
  let w = Prop y (new (c 0)) in
  (handle deriv (f z w) := <Smooth> (c 1) with reverse);
  [@(deriv z), @(deriv w)]
"""


def at(mode: str, program: str, point: str) -> float:
    """The derivative of a program at a point."""
    return value(f"handle {mode} {program} ({point}) with evaluate")


def test_o1_evaluation() -> None:
    """O1: 1 + 2³ − 4²"""
    assert value("handle term 2 4 with evaluate") == -7


@pytest.mark.parametrize(("dx", "dy", "slope"), [(1, 0, 12), (0, 1, -8)])
def test_o2_forward_mode_along_each_input(dx: int, dy: int, slope: int) -> None:
    """O2: 3x² = 12 and −2y = −8"""
    found = value(f"handle (handle term (Paired 2 {dx}) (Paired 4 {dy}) with diff) with evaluate")
    assert found == ("Paired", -7, slope)


@pytest.mark.parametrize(("mode", "operations"), [("d", 33), ("dc", 34), ("grad", 46), ("dt", 28)])
def test_o3_every_mode_and_how_many_operations_are_evaluated(mode: str, operations: int) -> None:
    """O3"""
    assert at(mode, TERM, "2") == 12
    assert evaluations(f"handle {mode} {TERM} 2 with evaluate") == operations


def test_o5_the_tape_from_its_end() -> None:
    """O5: names are 0 for x and then one for each operation that depends on it, so y·y has none"""
    m, (tape, (_, result, name)) = value(f"handle recorded {TERM} 2 with evaluate")
    assert (m, result, name) == (5, -7, ("Just", ("Name", 4)))
    assert tape == [
        ("Single", ("Name", 3), 1),
        ("Single", ("Name", 2), 1),
        ("Double", ("Name", 1), ("Name", 0), 2, 4),
        ("Double", ("Name", 0), ("Name", 0), 2, 2),
    ]


def test_o6_stateful_mode_for_all_inputs_at_once() -> None:
    """O6"""
    assert value("handle gradient2 term 2 4 with evaluate", GRADIENT) == [12, -8]


def test_o7_the_hessian_of_the_term() -> None:
    """O7: 6x = 12 and −2; x and y meet in the last sum only, where no second derivative is"""
    assert value(f"handle hessian {of_list('x, y', 'term x y')} [2, 4] with evaluate") == [
        [("Just", 12), ("Just", 0)],
        [("Just", 0), ("Just", -2)],
    ]


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_o8_the_second_derivative_by_any_two_modes(outer: str, inner: str) -> None:
    """O8: (x³)″ at 1"""
    assert at(outer, f"{{x -> {inner} {{y -> t y (t y y)}} x}}", "c 1") == 6


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_o9_a_variable_of_the_level_around_is_a_constant(outer: str, inner: str) -> None:
    """O9: d/dx (x · d/dy (x + y)) = 1"""
    assert at(outer, f"{{x -> t x ({inner} {{y -> p ({LIFTS[inner]} x) y}} (c 1))}}", "c 1") == 1


def test_o9_who_goes_round_the_levels_gets_the_wrong_number() -> None:
    """O9: with ``<Smooth>`` one may run the inner derivative at the outer level"""
    assert at("d", "{x -> t x (lift (<Smooth> (d {y -> p x y} (c 1))))}", "c 1") == 2


@pytest.mark.parametrize(("outer", "inner"), PAIRS)
def test_o10_a_product_with_the_variable_around(outer: str, inner: str) -> None:
    """O10: d/dx (x · d/dy (x · y)) = 2x"""
    assert at(outer, f"{{x -> t x ({inner} {{y -> t ({LIFTS[inner]} x) y}} (c 1))}}", "3") == 6


@pytest.mark.parametrize(("x", "slope"), [(1, 4), (3, 12)])
def test_o11_three_levels(x: int, slope: int) -> None:
    """O11: d/dx (x · d/dy (y · d/dz (z · (y · x)))) at y = z = 1 is 4x"""
    program = "{x -> t x (d {y -> t y (d {z -> t z (t (lift y) (lift2 x))} (c 1))} (c 1))}"
    assert at("d", program, str(x)) == slope


def test_o12_a_derivative_of_higher_order() -> None:
    """O12 (Manzyuk and others): ds is d"""
    cube = "{y -> t y (t y y)}"
    assert at("ds", cube, "c 5") == at("d", cube, "c 5") == 75
    assert at("ds", f"{{x -> ds {cube} x}}", "c 5") == 30


@pytest.mark.parametrize("modes", [("d", "d", "d"), ("grad", "dc", "dt")])
def test_o13_the_third_derivative(modes: tuple[str, str, str]) -> None:
    """O13: (x⁴)‴ = 24x"""
    a, b, c = modes
    assert at(a, f"{{x -> {b} {{y -> {c} {{z -> t z (t z (t z z))}} y}} x}}", "2") == 48


def test_o14_the_printed_rule_for_unary_operations_forgets_what_was_bent_before() -> None:
    """O14: (−x²)″"""
    assert at("dd", "{x -> n (t x x)}", "2") == -2
    assert at("ddPrinted", "{x -> n (t x x)}", "2") == 0


@pytest.mark.parametrize(
    ("x", "right", "printed"),
    [("2", 10.801552683199628, 1.5136049906158564), ("0.5", 1.6904208841667665, -0.4948079185090459)],
)
def test_o15_the_second_derivative_of_a_sine(x: str, right: float, printed: float) -> None:
    """O15: sin(x²)″ = 2 cos x² − 4x² sin x²"""
    program = "{x -> sin_ (t x x)}"
    assert at("dd", program, x) == pytest.approx(right, rel=1e-14)
    assert at("d", f"{{x -> d {program} x}}", x) == pytest.approx(right, rel=1e-14)
    assert at("ddPrinted", program, x) == pytest.approx(printed, rel=1e-14)


def test_o16_where_the_printed_rule_is_right() -> None:
    """O16: (eˣ)″ and (x³)″ at 2"""
    assert at("dd", "{x -> exp_ x}", "2") == pytest.approx(7.38905609893065, rel=1e-15)
    assert at("ddPrinted", "{x -> exp_ x}", "2") == 0
    assert at("dd", "{x -> t x (t x x)}", "2") == at("ddPrinted", "{x -> t x (t x x)}", "2") == 12


CHECKPOINTS = """{x ->
  let y = c 2 in
  let z = checkpoint {p x y} in
  let a = checkpoint {let w = checkpoint {t x z} in p w y} in
  let out = p a x in
  SEEN out}"""


@pytest.mark.parametrize(("x", "slope"), [(2, 7), (5, 13)])
def test_o17_checkpoints_within_checkpoints(x: int, slope: int) -> None:
    """O17: x² + 3x + 2"""
    assert at("gradc", CHECKPOINTS.replace("SEEN", ""), str(x)) == slope


def test_o17_the_values_at_two() -> None:
    """O17"""
    program = CHECKPOINTS.replace("SEEN", "seen := [fwd z, fwd a, fwd out];")
    assert value(f"let seen = new [] in (handle gradc {program} 2 with evaluate); @seen") == [4, 10, 12]


@pytest.mark.parametrize(
    ("program", "right", "printed"),
    [("{x -> t x (checkpoint {x})}", 6, 3), ("{x -> let v = t x x in t v (checkpoint {v})}", 108, 54)],
)
def test_o18_a_checkpoint_may_give_a_number_that_has_a_derivative_already(program: str, right: int, printed: int) -> None:
    """O18: x² and x⁴ at 3"""
    assert at("gradc", program, "3") == right
    assert at("gradcPrinted", program, "3") == printed


@pytest.mark.parametrize("mode", ["gradh", "gradhc"])
@pytest.mark.parametrize(("f", "slope"), [("{y -> t y y}", 108), ("{y -> t x y}", 27)])
def test_o20_a_function_used_twice(mode: str, f: str, slope: int) -> None:
    """O20: x⁴ and x³ at 3"""
    assert at(mode, f"{{x -> let f = abs {f} in app f (app f x)}}", "3") == slope


@pytest.mark.parametrize("mode", ["gradh", "gradhc"])
def test_o21_a_function_within_a_function(mode: str) -> None:
    """O21: y · (y · y) at x, and x: 3x² + 1"""
    program = "{x -> let f = abs {y -> let g = abs {z -> t y z} in app g (app g y)} in p (app f x) x}"
    assert at(mode, program, "2") == 13


def test_o22_a_function_may_give_back_its_argument() -> None:
    """O22: x · id x"""
    program = "{x -> t x (app (abs {y -> y}) x)}"
    assert at("gradh", program, "3") == at("gradhc", program, "3") == 6
    assert at("gradhcPrinted", program, "3") == 3


def test_o23_where_the_tape_begins() -> None:
    """O23: the result need not be the last that depends on the input"""
    early, constant = "{x -> let y = t x x in let _ = t x y in y}", "{x -> let _ = t x x in c 5}"
    assert (at("dt", early, "3"), at("dt", constant, "3")) == (6, 0)
    assert (at("dtPrinted", early, "3"), at("dtPrinted", constant, "3")) == (27, 6)
    assert at("dtPrinted", "{x -> c 5}", "3") == 1


@pytest.mark.parametrize("mode", [*MODES, "gradc", "gradh", "gradhc"])
def test_o24_the_identity_and_a_constant(mode: str) -> None:
    """O24"""
    assert (at(mode, "{x -> x}", "3"), at(mode, "{x -> c 5}", "3")) == (1, 0)


def test_o25_the_example_of_the_introduction() -> None:
    """O25: z = h(g(f a, b), f a) of §2.2 with f = sin, g = ·, h = +"""
    program = "fun z a b = let x = sin_ a in let y = t x b in p y x"
    assert value("handle z 0.5 2 with evaluate", program) == pytest.approx(1.438276615812609, rel=1e-15)
    assert value("handle gradient2 z 0.5 2 with evaluate", program, GRADIENT) == pytest.approx(
        [2.6327476856711183, 0.479425538604203], rel=1e-15
    )
    assert second("z", program, 0.5, 2) == [
        pytest.approx([-1.438276615812609, 0.8775825618903728], rel=1e-15),
        pytest.approx([0.8775825618903728, 0], rel=1e-15),
    ]


def second(name: str, program: str, x: float, y: float) -> list[list[float]]:
    """The Hessian of a function of two numbers; what is not there is 0."""
    found = value(f"handle hessian {of_list('x, y', f'{name} x y')} [{x}, {y}] with evaluate", program)
    return [[float(h[1]) if h[0] == "Just" else 0.0 for h in row] for row in found]


def first(name: str, program: str, x: float, y: float) -> list[float]:
    """The gradient that the Hessian comes with."""
    found = value(f"handle gradientAndHessian {of_list('x, y', f'{name} x y')} [{x}, {y}] with evaluate", program)
    return [float(h[1]) for h in found[0]]


def test_o26_a_hessian_and_its_gradient() -> None:
    """O26: x²y + y³"""
    program = "fun z x y = p (t (t x x) y) (t (t y y) y)"
    assert second("z", program, 2, 3) == [[6, 4], [4, 18]]
    assert first("z", program, 2, 3) == [12, 31]


def test_o27_a_hessian_with_a_quotient() -> None:
    """O27: sin(xy) + eˣ/y"""
    program = "fun z x y = p (sin_ (t x y)) (divide (exp_ x) y)"
    assert second("z", program, 1, 2) == [
        pytest.approx([-2.2780487930732045, -2.914312147313267], rel=1e-13),
        pytest.approx([-2.914312147313267, -0.22972696971092044], rel=1e-13),
    ]
    assert first("z", program, 1, 2) == pytest.approx([0.5268472411352377, -1.0957172936619037], rel=1e-14)


def test_o28_nothing_where_inputs_do_not_meet() -> None:
    """O28: x · y, and z is not used"""
    nothing = ("Nothing",)
    assert value(f"handle hessian {of_list('x, y, z', 't x y')} [1, 2, 3] with evaluate") == [
        [("Just", 0), ("Just", 1), nothing],
        [("Just", 1), ("Just", 0), nothing],
        [nothing, nothing, nothing],
    ]


NEWTON = """
fun newton (i : Int) x y = if i <= 0 then y else newton (i - 1) x (t (c 0.5) (p y (divide x y)))
fun root x = newton 5 x (c 1)
"""


def test_o29_newton_and_his_derivatives() -> None:
    """O29: √x at 2"""
    assert value("handle root 2 with evaluate", NEWTON) == pytest.approx(1.414213562373095, rel=1e-15)
    for mode in MODES:
        assert value(f"handle {mode} {{x -> root x}} 2 with evaluate", NEWTON) == pytest.approx(0.35355339059327373, rel=1e-14)
    for twice in ("d {x -> d {y -> root y} x}", "dd {x -> root x}"):
        assert value(f"handle {twice} 2 with evaluate", NEWTON) == pytest.approx(-0.08838834764831846, rel=1e-12)


@pytest.mark.parametrize(
    ("i", "values"),
    [
        (0, (1, 0, 0)),
        (1, (1.5, -1, 0)),
        (2, (1.75, -2, 2)),
        (3, (1.875, -2.75, 5)),
        (5, (1.96875, -3.5625, 10.5)),
        (10, (1.9990234375, -3.9765625, 15.4765625)),
        (20, (1.9999990463256836, -3.99995803833008, 15.9982299804688)),
    ],
)
def test_o30_the_series_of_one_over_x(i: int, values: tuple[float, float, float]) -> None:
    """O30"""
    program = f"{{x -> taylor {i} x}}"
    found = (value(f"handle taylor {i} 0.5 with evaluate"), at("d", program, "0.5"), at("dd", program, "0.5"))
    assert found == pytest.approx(values, rel=1e-14)


@pytest.mark.parametrize("mode", MODES)
def test_o33_the_eighth_power(mode: str) -> None:
    """O33: 8x⁷ at 1.1"""
    assert at(mode, "{x -> squarings 3 x}", "1.1") == pytest.approx(15.5897368, rel=1e-14)


POLYNOMIAL = "fun f x = p (p (t x x) (n x)) (c 5)"
SUM = "<choose -> k> -> let a = k True in let b = k False in p a b"
FORWARDED = "<ap0 i -> k> -> k (ap0 i) | <ap1 u y -> k> -> k (ap1 u y) | <ap2 o y z -> k> -> k (ap2 o y z)"
CHOICE = f"fun f x = handle (let b = choose! in if b then t x x else n x) with {{ return y -> y | {SUM} }}"
CHOICE_OF_EFF = CHOICE.replace(SUM, f"{SUM} | {FORWARDED}")


@pytest.mark.parametrize(("x", "y", "slope"), [(3, 11, 5), (-0.5, 5.75, -2)])
def test_o34_the_handlers_of_chapter_eight(x: float, y: float, slope: float) -> None:
    """O34: evaluation, forward mode with (x, 1), and the continuation of reverse mode at 1"""
    assert value(f"handle f ({x}) with evaluate", POLYNOMIAL) == y
    assert both(POLYNOMIAL, x, 1) == (y, slope)
    assert value(f"handle dc {{x -> f x}} ({x}) with evaluate", POLYNOMIAL) == slope


def both(program: str, x: float, dx: float) -> tuple[float, float]:
    """Value and tangent in forward mode."""
    _, y, dy = value(f"handle (handle f (Paired ({x}) ({dx})) with diff) with evaluate", program)
    return y, dy


def test_o35_the_chain_rule() -> None:
    """O35 (theorems 8.2.3 and 8.3.2): the input is itself a function of something, with derivative 12"""
    assert both(POLYNOMIAL, 8, 12) == (61, 180)
    back = "let Cont _ k = (handle f (Cont 8 {r -> t (c 12) r}) with propagate) in k 2.5"
    assert value(f"handle ({back}) with evaluate", POLYNOMIAL) == 450


@pytest.mark.parametrize("program", [CHOICE, CHOICE_OF_EFF])
def test_o36_a_program_that_goes_on_twice(program: str) -> None:
    """O36: choose between x·x and −x, and add both"""
    assert both(program, 3, 1) == (6, 5)
    assert value("handle dc {x -> f x} 3 with evaluate", program) == 5


def test_o36_handlers_of_eff_forward_nothing() -> None:
    """O36: in the calculus of chapter 7 the handler of choose needs clauses for the operations on numbers"""
    M = "handle (handle f (Paired 3 1) with diff) with evaluate"
    assert outside(library(POLYNOMIAL), computation(M, POLYNOMIAL)) == ()
    assert outside(library(CHOICE_OF_EFF), computation(M, CHOICE_OF_EFF)) == ()
    assert outside(library(CHOICE), computation(M, CHOICE)) == ("operations that go past a handler to another one",)
