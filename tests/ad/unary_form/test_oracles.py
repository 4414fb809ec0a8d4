"""The oracles of the digest by number, by both systems: values, gradients, and central differences."""

import math

import pytest

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.evaluation import run
from rh_kernel.ad.system import Point, System
from rh_kernel.ad.unary_form.systems import SYSTEMS
from tests.ad.programs import finite_differences, flat, program

A4 = (0.5, -1.0, 2.0, 0.25)
THREE = "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = "
PROD = "fun f(A : Real(4)) : Real = reduce(a x. a * x, 1, A)"
RESIDUAL = (
    "fun f(A : Real(4), B : Real(4), w : Real, c : Real) : Real = "
    "reduce(a x. a + x, 0, map2(a t. let d <- (w * a + c) - t in d * d, A, B))"
)
NESTED = "fun f(A : Real(3), B : Real(3), x : Real) : Real = sum(map2(a b. a * sum(map2(c d. sin(c * b + d * x), A, B)), A, B))"
FREE = "fun f(A : Real(4), x : Real) : Real = reduce(a b. a + b + x * a * b, 0, A)"
HORNER = "fun f(A : Real(4), x : Real, s0 : Real) : Real = foldl(s c. s * x + c, s0, A)"
WAVES = "fun f(A : Real(4), x : Real, s0 : Real) : Real = foldl(s c. sin(s * x + c), s0 * s0, A)"
CHOICE = THREE + "if x1 <= 0 then sin(x3) else x1 * x2"
ROOT = "fun f(x : Real) : Real = if x <= 0 then 0 * x else sqrt(x)"

ORACLES: tuple[tuple[str, str, Point, float, tuple[float, ...]], ...] = (
    ("O1", THREE + "let w1 <- x1 * x2 in let w2 <- w1 * x1 in w2", (3.0, 4.0, 5.0), 36, (24, 9, 0)),
    ("O2", THREE + "exp(cos(x2))", (0.5, 1.2, -2.0), 1.43671284, (0, -1.339072523, 0)),
    ("O3", "fun f(x : Real) : Real = let w <- x * x in w * w + w", (1.5,), 7.3125, (16.5,)),
    ("O4", "fun f(x : Real, y : Real) : Real = let x <- x * x in x * y", (3.0, 2.0), 18, (12, 9)),
    (
        "O5",
        THREE + "let p <- (x1 * x2, sin(x3)) in p.1 * (p.2 + x1)",
        (0.7, -1.3, 2.1),
        -1.422520524,
        (-2.942172177, 1.094246557, 0.459409955),
    ),
    ("O6", PROD, ((2.0, 3.0, 5.0, 7.0),), 210, (105, 70, 42, 30)),
    ("O7", PROD, ((2.0, 0.0, 3.0, 4.0),), 0, (0, 24, 0, 0)),
    ("O7'", PROD, ((2.0, 0.0, 0.0, 4.0),), 0, (0, 0, 0, 0)),
    ("O8", "fun f(A : Real(4)) : Real = reduce(a x. a + x, 0, A)", ((2.0, 3.0, 5.0, 7.0),), 17, (1, 1, 1, 1)),
    (
        "O9",
        "fun f(A : Real(4), B : Real(4)) : Real = reduce(a x. a + x, 0, map2(a b. a * b, A, B))",
        ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)),
        70,
        (5, 6, 7, 8, 1, 2, 3, 4),
    ),
    (
        "O10",
        RESIDUAL,
        ((0.0, 1.0, 2.0, 3.0), (1.0, 3.0, 4.0, 8.0), 2.0, 0.5),
        3,
        (-2, -2, 2, -6, 1, 1, -1, 3, -8, -4),
    ),
    (
        "O11",
        "fun f(A : Real(4)) : Real = let m <- 0.25 * sum(A) in sum(map(a. let d <- a - m in d * d, A))",
        ((1.0, 2.0, 4.0, 9.0),),
        38,
        (-6, -4, 0, 10),
    ),
    (
        "O12",
        "fun f(A : Real(4)) : Real = log(sum(map(a. exp(a), A)))",
        (A4,),
        2.369278998,
        (0.154234825, 0.034414441, 0.691232531, 0.120118203),
    ),
    (
        "O13",
        "fun f(A : Real(4), B : Real(4), c : Real) : Real = tanh(dot(A, B) + c)",
        ((0.1, -0.2, 0.3, 0.4), (1.0, 2.0, -1.0, 0.5), 0.05),
        -0.336375544,
        (
            *(0.886851493, 1.773702986, -0.886851493, 0.443425747),
            *(0.088685149, -0.177370299, 0.266055448, 0.354740597),
            0.886851493,
        ),
    ),
    (
        "O14",
        NESTED,
        ((0.5, -1.0, 2.0), (0.3, 0.7, -0.4), 1.7),
        -0.614729356,
        (0.210199657, 1.37999392, -0.140287647, 3.679877589, -1.977751447, 1.230920288, 0.098770105),
    ),
    (
        "O15",
        "fun f(A : Real(4)) : Real = reduce(a x. a * x, 1, map(a. sin(a), A))",
        ((0.5, 1.0, 1.5, 2.0),),
        0.365912288,
        (0.66979795, 0.234949578, 0.025948613, -0.167462523),
    ),
    ("O16", FREE, (A4, 1.7), -5.3645, (-4.389, 11.5995, -1.845375, -5.698, -7.9675)),
    ("O17", HORNER, (A4, 1.7, 0.3), 5.72213, (4.913, 2.89, 1.7, 1, 8.8306, 8.3521)),
    (
        "O18",
        WAVES,
        (A4, 1.7, 0.3),
        0.983285711,
        (0.331098331, 0.245212627, 0.14432069, -0.182069245, 0.022460848, 0.337720297),
    ),
    ("O18b", "fun f(A : Real(0), s0 : Real) : Real = foldl(s x. s * x, s0 * s0, A)", ((), 3.0), 9, (6,)),
    (
        "O19",
        "fun f(A : Real(4), x : Real) : Real = sum(map(a. exp(a * x), A))",
        (A4, 1.7),
        34.016020843,
        (3.977399648, 0.310561991, 50.938970081, 2.600303713, 61.297737602),
    ),
    ("O20", CHOICE, (0.7, -1.3, 2.1), -0.91, (-1.3, 0.7, 0)),
    ("O20'", CHOICE, (-0.7, -1.3, 2.1), 0.863209367, (0, 0, -0.504846105)),
    (
        "O21",
        "fun f(A : Real(4), w : Real) : Real = sum(map(a. let t <- w * a in if t <= 0 then 0 else t, A))",
        ((1.0, -2.0, 3.0, -4.0), 0.5),
        2,
        (0.5, 0, 0.5, 0, 4),
    ),
    ("O22", ROOT, (4.0,), 2, (0.25,)),
    ("O22'", ROOT, (-1.0,), 0, (0,)),
    (
        "O23",
        "fun f(x : Real, y : Real) : Real = sin(x) / (y + x * x)",
        (0.8, 1.1),
        0.412273615,
        (0.02130398, -0.236938859),
    ),
    (
        "O26",
        "fun f(x : Real, y : Real) : Real = let g <- \\t : Real. sin(t) * y in g(g(x))",
        (0.8, 1.1),
        0.780685044,
        (0.593895922, 1.265621077),
    ),
    ("O28", "fun f(A : Real(0)) : Real = reduce(a x. a + x, 0, A)", ((),), 0, ()),
    ("O28'", "fun f(A : Real(0)) : Real = reduce(a x. a * x, 1, A)", ((),), 1, ()),
)


def near(found: tuple[float, ...], wanted: tuple[float, ...], tolerance: float) -> bool:
    """Whether all numbers are the same, to so many digits."""
    return all(abs(a - b) <= tolerance * (1 + abs(b)) for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
@pytest.mark.parametrize(("text", "point", "value", "gradient"), [o[1:] for o in ORACLES], ids=[o[0] for o in ORACLES])
def test_oracle(system: System, text: str, point: Point, value: float, gradient: tuple[float, ...]) -> None:
    f: Program = program(text)
    assert system.reverse is not None
    found = system.reverse(f, point, 1.0)
    assert near(flat(found.value), (value,), 1e-8)
    assert near(flat(found.gradient), gradient, 1e-8)
    assert near(flat(found.value), flat(run(f, point)), 1e-12)
    assert near(finite_differences(f, point, 1.0), gradient, 1e-5)


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_o24_the_side_condition_of_reduce_is_needed(system: System) -> None:
    """Lemma A.2: a start that is no unit still gets 0, which is wrong; ``foldl`` gives it what is right."""
    at = (3.0, (1.0, 2.0, 3.0))
    assert system.reverse is not None
    gradients = {
        form: system.reverse(program(f"fun f(x1 : Real, A : Real(3)) : Real = {form}(a x. a + x, x1, A)"), at, 1.0).gradient
        for form in ("reduce", "foldl")
    }
    assert gradients == {"reduce": (0.0, (1.0, 1.0, 1.0)), "foldl": (1.0, (1.0, 1.0, 1.0))}


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda s: s.name)
def test_an_affine_monoid_closed_form_of_o16(system: System) -> None:
    """``reduce (a, b. a + b + x*a*b) 0 A = (∏(1 + x*a_i) − 1) / x``, and its derivative by a_k is ``∏_{i≠k}(1 + x*a_i)``"""
    assert system.reverse is not None
    x = 1.7
    found = system.reverse(program(FREE), (A4, x), 1.0)
    assert near(flat(found.value), ((math.prod(1 + x * a for a in A4) - 1) / x,), 1e-12)
    others = tuple(math.prod(1 + x * b for j, b in enumerate(A4) if j != k) for k in range(4))
    assert near(flat(found.gradient)[:4], others, 1e-12)
