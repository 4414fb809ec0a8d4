"""The examples of the papers as programs of ``%%lambda`` cells, each with a point, a cotangent and the gradient by hand.

The numbers are those of the papers and of their digests' oracles, cited by number; ``must`` are the systems that have to
support the program.
"""

import math
from dataclasses import dataclass

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import Point
from tests.ad.programs import program

CHAD = ("chad", "chad-forward", "chad-combinators", "chad-accumulated")
UNARY = ("unary", "direct")
LINEAR = ("linear-negation", "tape")
REVERSE = ("reverse-derivative", "reverse-handler")
EFFECTS = (
    "effects:forward",
    "effects:stateful",
    "effects:continuation",
    "effects:taped",
    "effects:second",
    "effects:hessian",
    "effects:checkpointed",
    "effects:higher-order",
    "effects:higher-order-checkpointed",
)
ALWAYS = ("finite-differences",)
FIRST = (*ALWAYS, *REVERSE, *CHAD, *UNARY, *LINEAR, *EFFECTS)
HIGHER = (*ALWAYS, *CHAD, *LINEAR, *EFFECTS)


@dataclass(frozen=True, slots=True)
class Example:
    """A program, a point, a cotangent, and the gradient, flat."""

    name: str
    program: Program
    point: Point
    cotangent: Value
    gradient: tuple[float, ...]
    must: tuple[str, ...]


def _example(
    name: str, text: str, point: Point, gradient: tuple[float, ...], must: tuple[str, ...], cotangent: Value = 1.0
) -> Example:
    return Example(name, program(text), point, cotangent, gradient, must)


A4 = (0.5, -1.0, 2.0, 0.25)

EXAMPLES = (
    # CHAD
    _example(
        "chad O1, Fig. 1(a)",
        "fun f(x : Real) : Real * Real * Real = let y <- 2 * x in let z <- x * y in let w <- cos(z) in (y, z, w)",
        (1.5,),
        (-7.067409647004709,),
        FIRST,
        (1.0, -2.0, 0.5),
    ),
    _example(
        "chad O2, Fig. 1(b)",
        "fun f(x1 : Real, x2 : Real, x3 : Real, x4 : Real) : Real ="
        " let y <- x1 * x4 + 2 * x2 in let z <- y * x3 in let w <- z + x4 in sin(w)",
        (1.0, -0.5, 0.25, 2.0),
        (-0.31408681136136957, -0.31408681136136957, -0.6281736227227391, -0.7852170284034239),
        FIRST,
    ),
    _example(
        "chad O3, Fig. 2(a)",
        "fun f(x : Real) : Real(3) = let g <- λz : Real. x * z + 1 in map(y. g(y), replicate[3](x))",
        (1.5,),
        (18.0,),
        (*ALWAYS, *CHAD, *EFFECTS),
        (1.0, 2.0, 3.0),
    ),
    _example(
        "chad O4, Fig. 2(b)",
        "fun f(x1 : Real, x2 : Real(3)) : Real = let g <- λu : Real. x1 * u in sum(map(y. g(y), x2))",
        (2.0, (1.0, 2.0, 3.0)),
        (6.0, 2.0, 2.0, 2.0),
        (*ALWAYS, *CHAD, *EFFECTS),
    ),
    _example(
        "chad O5, §7.3",
        "fun f(a : Real(2), b : Real(2)) : Real(2) = a * b",
        ((1.0, 2.0), (3.0, 5.0)),
        (3.0, 50.0, 1.0, 20.0),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (1.0, 10.0),
    ),
    _example(
        "chad O6",
        "fun f(x : Real, y : Real) : Real * Real = let z <- x + y in (z, z)",
        (3.0, 4.0),
        (7.0, 7.0),
        FIRST,
        (2.0, 5.0),
    ),
    _example("chad O7", "fun f(x : Real) : Real = 2 * (λy : Real. y * y)(x) + 7 * x + 3", (1.25,), (12.0,), HIGHER),
    _example("chad O8", "fun f(x : Real) : Real = x * x * x", (1.25,), (4.6875,), FIRST),
    _example(
        "chad O9, twice",
        "fun f(c : Real, x : Real) : Real ="
        " let twice <- λg : Real -> Real. λu : Real. g(g(u)) in twice(λy : Real. c * (y * y))(x)",
        (3.0, 0.5),
        (1.6875, 13.5),
        HIGHER,
    ),
    _example(
        "chad O10",
        "fun f(c : Real, x : Real) : Real = let g <- λy : Real. sin(c * y) in g(x) + g(2 * x)",
        (0.5, 1.0),
        (1.9581871736266523, 0.9790935868133261),
        HIGHER,
    ),
    _example(
        "chad O11, curried",
        "fun f(x : Real, y : Real) : Real = let cur <- λa : Real. λb : Real. a * exp(b) in let g <- cur(x) in g(y) * g(x)",
        (0.5, 1.0),
        (5.60211133792258, 1.1204222675845161),
        HIGHER,
    ),
    _example(
        "chad O12, a pair of functions",
        "fun f(a : Real, b : Real, x : Real) : Real ="
        " (λp : (Real -> Real) * (Real -> Real). λu : Real. p.1(p.2(u)))((λy : Real. a * y, λy : Real. y * y + b))(x)",
        (2.0, 3.0, 1.5),
        (5.25, 2.0, 6.0),
        HIGHER,
    ),
    _example(
        "chad O13, a closure that is not used",
        "fun f(c : Real, x : Real) : Real = let g <- λy : Real. c * y in x * x",
        (3.0, 0.5),
        (0.0, 1.0),
        HIGHER,
    ),
    _example(
        "chad O14, third order",
        "fun f(c : Real) : Real = (λk : (Real -> Real) -> Real. k(λy : Real. c * sin(y)))(λg : Real -> Real. g(c) * g(1))",
        (0.75,),
        (1.2066972691187319,),
        HIGHER,
    ),
    _example(
        "chad O15",
        "fun f(x : Real, zs : Real(3)) : Real = sum(map(z. sin(x * z), zs))",
        (0.5, (1.0, 2.0, 3.0)),
        (2.170398778629761, 0.4387912809451864, 0.2701511529340699, 0.03536860083385145),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "chad O16",
        "fun f(zs : Real(3)) : Real(3) = let s <- sum(zs) in map(z. z * s, zs)",
        ((1.0, 2.0, 3.0),),
        (4.0, -2.0, -8.0),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (1.0, 0.0, -1.0),
    ),
    _example(
        "chad O17, nested map",
        "fun f(x : Real, zs : Real(3)) : Real(3) = map(z. sum(map(u. x * (u * z), zs)), zs)",
        (2.0, (1.0, 2.0, 3.0)),
        (36.0, 24.0, 24.0, 24.0),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (1.0, 1.0, 1.0),
    ),
    _example(
        "chad O21, abs",
        "fun f(x : Real) : Real = case (if 0 <= x then inr(x) else inl(x)) of inl a -> -a | inr b -> b",
        (-1.5,),
        (-1.0,),
        (*ALWAYS, *CHAD),
    ),
    _example(
        "chad O21, mixed sums",
        "fun f(x : Real, y : Real) : Real = let s <- case (if 0 <= y then inr(y) else inl(y)) of inl a -> inl(x * x)"
        " | inr b -> inr(x * y) in case s of inl a -> sin(a) | inr b -> b * x",
        (1.5, 2.0),
        (6.0, 2.25),
        (*ALWAYS, *CHAD),
    ),
    _example(
        "chad O22, foldl",
        "fun f(c : Real, z : Real, s : Real(3)) : Real = foldl(a x. c * a * x + sin(x), z, s)",
        (0.5, 1.0, (1.0, 2.0, 3.0)),
        (12.276718189324423, 0.75, 1.5604534588022096, 0.3818829837852087, 0.1353917092163437),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "chad O22b, scanl",
        "fun f(c : Real, z : Real, s : Real(3)) : Real(4) = scanl(a x. c * a * x + sin(x), z, s)",
        (0.5, 1.0, (1.0, 2.0, 3.0)),
        (-0.22752484456937383, -0.125, -0.26007557646703494, -0.31823581982100735, 0.06769585460817185),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (0.0, 1.0, -2.0, 0.5),
    ),
    _example(
        "chad O24, zipWith",
        "fun f(c : Real, s : Real(2), r : Real(2)) : Real(2) = map2(x y. c * x * exp(y), s, r)",
        (2.0, (1.0, 2.0), (0.0, 0.5)),
        (-2.2974425414002564, 2.0, -3.2974425414002564, 2.0, -6.594885082800513),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (1.0, -1.0),
    ),
    _example(
        "chad O25, generate",
        "fun f(c : Real) : Real(4) = generate[4](i. sin(c * i))",
        (0.5,),
        (-0.5782280029032796,),
        (*ALWAYS, *REVERSE, *CHAD, *EFFECTS),
        (1.0, -2.0, 0.5, 3.0),
    ),
    # Unary form
    _example(
        "unary O1, Ex. 1.1",
        "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = let w1 <- x1 * x2 in let w2 <- w1 * x1 in w2",
        (3.0, 4.0, 5.0),
        (24.0, 9.0, 0.0),
        FIRST,
    ),
    _example(
        "unary O2",
        "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = exp(cos(x2))",
        (0.5, 1.2, -2.0),
        (0.0, -1.3390725230093535, 0.0),
        FIRST,
    ),
    _example("unary O3", "fun f(x : Real) : Real = let w <- x * x in w * w + w", (1.5,), (16.5,), FIRST),
    _example(
        "unary O4, shadowing", "fun f(x : Real, y : Real) : Real = let x <- x * x in x * y", (3.0, 2.0), (12.0, 9.0), FIRST
    ),
    _example(
        "unary O5",
        "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = let p <- (x1 * x2, sin(x3)) in p.1 * (p.2 + x1)",
        (0.7, -1.3, 2.1),
        (-2.9421721769, 1.0942465565, 0.4594099553),
        FIRST,
    ),
    _example(
        "unary O6, product",
        "fun f(xs : Real(4)) : Real = reduce(a x. a * x, 1, xs)",
        ((2.0, 3.0, 5.0, 7.0),),
        (105.0, 70.0, 42.0, 30.0),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O7, product with a zero",
        "fun f(xs : Real(4)) : Real = reduce(a x. a * x, 1, xs)",
        ((2.0, 0.0, 3.0, 4.0),),
        (0.0, 24.0, 0.0, 0.0),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O9, dot",
        "fun f(a : Real(4), b : Real(4)) : Real = reduce(s x. s + x, 0, map2(x y. x * y, a, b))",
        ((1.0, 2.0, 3.0, 4.0), (5.0, 6.0, 7.0, 8.0)),
        (5.0, 6.0, 7.0, 8.0, 1.0, 2.0, 3.0, 4.0),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O10, least squares",
        "fun f(a : Real(4), b : Real(4), w : Real, c : Real) : Real = sum(map2(x t. let d <- w * x + c - t in d * d, a, b))",
        ((0.0, 1.0, 2.0, 3.0), (1.0, 3.0, 4.0, 8.0), 2.0, 0.5),
        (-2.0, -2.0, 2.0, -6.0, 1.0, 1.0, -1.0, 3.0, -8.0, -4.0),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O11, variance",
        "fun f(xs : Real(4)) : Real = let m <- 0.25 * sum(xs) in sum(map(x. let d <- x - m in d * d, xs))",
        ((1.0, 2.0, 4.0, 9.0),),
        (-6.0, -4.0, 0.0, 10.0),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O12, logsumexp",
        "fun f(xs : Real(4)) : Real = log(sum(map(x. exp(x), xs)))",
        (A4,),
        (0.154234825, 0.034414441, 0.691232531, 0.120118203),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O16, reduce with a free variable",
        "fun f(xs : Real(4), x : Real) : Real = reduce(a b. a + b + x * a * b, 0, xs)",
        (A4, 1.7),
        (-4.389, 11.5995, -1.845375, -5.698, -7.9675),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O17, Horner",
        "fun f(xs : Real(4), x : Real, s0 : Real) : Real = foldl(s c. s * x + c, s0, xs)",
        (A4, 1.7, 0.3),
        (4.913, 2.89, 1.7, 1.0, 8.8306, 8.3521),
        (*ALWAYS, *REVERSE, *CHAD, *UNARY, *EFFECTS),
    ),
    _example(
        "unary O20, a conditional",
        "fun f(x1 : Real, x2 : Real, x3 : Real) : Real = if x1 <= 0 then sin(x3) else x1 * x2",
        (0.7, -1.3, 2.1),
        (-1.3, 0.7, 0.0),
        (*ALWAYS, *CHAD, *UNARY),
    ),
    _example(
        "unary O23, quotient",
        "fun f(x : Real, y : Real) : Real = sin(x) / (y + x * x)",
        (0.8, 1.1),
        (0.0213039797, -0.2369388588),
        FIRST,
    ),
    _example(
        "unary O26, a function that is evaluated away",
        "fun f(x : Real, y : Real) : Real = let g <- λt : Real. sin(t) * y in g(g(x))",
        (0.8, 1.1),
        (0.5938959215, 1.2656210771),
        (*HIGHER, *UNARY),
    ),
    # Linear negation
    _example(
        "linear O1, Fig. 1",
        "fun f(x : Real, y : Real) : Real = let z1 <- x - y in let z2 <- z1 * z1 in sin(z2)",
        (5.0, 2.0),
        (-5.466781571308061, 5.466781571308061),
        FIRST,
    ),
    _example(
        "linear O2, eq. 4",
        "fun f(x : Real) : Real = let z <- sin(x) in exp(z)",
        (0.5,),
        (math.exp(math.sin(0.5)) * math.cos(0.5),),
        FIRST,
    ),
    _example("linear O5", "fun f(x : Real, y : Real) : Real = 7 + x", (2.0, 3.0), (1.0, 0.0), FIRST),
    _example("linear O6", "fun f(x : Real) : Real = (λg : Real -> Real. g(g(x)))(λq : Real. q * q)", (1.5,), (13.5,), HIGHER),
    _example(
        "linear O17",
        "fun f(x : Real, y : Real) : Real = (λg : Real -> Real -> Real. g(y)(g(x)(y)))(λu : Real. λv : Real. u * v + u)",
        (2.0, 3.0),
        (12.0, 15.0),
        HIGHER,
    ),
    _example(
        "linear O20",
        "fun f(w0 : Real, w1 : Real, b0 : Real) : Real = log(sigmoid(w0 * 2 + (w1 * -1 + b0)))",
        (0.1, 0.2, 0.3),
        (0.851114966, -0.425557483, 0.425557483),
        FIRST,
    ),
    _example(
        "linear O15, Speelpenning",
        "fun f(a : Real, b : Real, c : Real, d : Real, e : Real, g : Real) : Real = a * b * c * d * e * g",
        (1.0, 2.0, 3.0, 4.0, 5.0, 6.0),
        (720.0, 360.0, 240.0, 180.0, 144.0, 120.0),
        FIRST,
    ),
)
