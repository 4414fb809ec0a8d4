"""The oracles of the CHAD digest (§7) as programs of ``%%lambda`` cells: value and gradient at a point, by their numbers."""

from dataclasses import dataclass

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import Point
from tests.ad.programs import program


@dataclass(frozen=True, slots=True)
class Oracle:
    """``f(V)`` and its gradient for a cotangent, flat; with a tangent, also ``Df(V; W)``."""

    name: str
    program: Program
    point: Point
    cotangent: Value
    value: tuple[float, ...]
    gradient: tuple[float, ...]
    tangent: Point | None = None
    pushed: tuple[float, ...] = ()


def _oracle(
    name: str,
    text: str,
    point: Point,
    value: tuple[float, ...],
    gradient: tuple[float, ...],
    cotangent: Value = 1.0,
    tangent: Point | None = None,
    pushed: tuple[float, ...] = (),
) -> Oracle:
    return Oracle(name, program(text), point, cotangent, value, gradient, tangent, pushed)


XS = (1.0, 2.0, 3.0)

ORACLES = (
    _oracle(
        "O1",
        "fun f(x : Real) : (Real * Real) * Real = let y <- 2*x in let z <- x*y in let w <- cos(z) in ((y, z), w)",
        (1.5,),
        (3.0, 4.5, -0.2107957994307797),
        (-7.067409647004709,),
        ((1.0, -2.0), 0.5),
        (1.0,),
        (2.0, 6.0, 5.865180705990582),
    ),
    _oracle(
        "O2",
        "fun f(x1 : Real, x2 : Real, x3 : Real, x4 : Real) : Real ="
        " let y <- x1*x4 + 2*x2 in let z <- y*x3 in let w <- z + x4 in sin(w)",
        (1.0, -0.5, 0.25, 2.0),
        (0.7780731968879212,),
        (-0.31408681136136957, -0.31408681136136957, -0.6281736227227391, -0.7852170284034239),
        1.0,
        (0.5, -1.0, 2.0, 0.25),
        (-1.2956080968656494,),
    ),
    _oracle(
        "O3",
        "fun f(x : Real) : Real(3) = let f <- λz : Real. x*z + 1 in map(z. f(z), replicate[3](x))",
        (1.5,),
        (3.25, 3.25, 3.25),
        (18.0,),
        XS,
        (1.0,),
        (3.0, 3.0, 3.0),
    ),
    _oracle(
        "O4",
        "fun f(x1 : Real, x2 : Real(3)) : Real = let f <- λu : Real. x1*u in let ys <- map(u. f(u), x2) in sum(ys)",
        (2.0, XS),
        (12.0,),
        (6.0, 2.0, 2.0, 2.0),
        1.0,
        (0.5, (1.0, 0.0, -1.0)),
        (3.0,),
    ),
    _oracle(
        "O5",
        "fun f(a : Real(2), b : Real(2)) : Real(2) = map2(x y. x*y, a, b)",
        ((1.0, 2.0), (3.0, 5.0)),
        (3.0, 10.0),
        (3.0, 50.0, 1.0, 20.0),
        (1.0, 10.0),
        ((1.0, 10.0), (100.0, 1000.0)),
        (103.0, 2050.0),
    ),
    _oracle(
        "O6",
        "fun f(x : Real, y : Real) : Real * Real = let z <- x + y in (z, z)",
        (3.0, 4.0),
        (7.0, 7.0),
        (7.0, 7.0),
        (2.0, 5.0),
    ),
    _oracle("O7", "fun f(x : Real) : Real = 2 * (λy : Real. y*y)(x) + 7*x + 3", (1.25,), (14.875,), (12.0,)),
    _oracle("O8", "fun f(x : Real) : Real = x * x * x", (1.25,), (1.953125,), (4.6875,)),
    _oracle(
        "O9",
        "fun f(c : Real, x : Real) : Real = let twice <- λf : Real -> Real. λu : Real. f(f(u)) in twice(λy : Real. c*(y*y))(x)",
        (3.0, 0.5),
        (1.6875,),
        (1.6875, 13.5),
        1.0,
        (1.0, 1.0),
        (15.1875,),
    ),
    _oracle(
        "O10",
        "fun f(c : Real, x : Real) : Real = let f <- λy : Real. sin(c*y) in f(x) + f(2*x)",
        (0.5, 1.0),
        (1.3208965234120995,),
        (1.9581871736266523, 0.9790935868133261),
    ),
    _oracle(
        "O11",
        "fun f(x : Real, y : Real) : Real = let cur <- λa : Real. λb : Real. a*exp(b) in let g <- cur(x) in g(y) * g(x)",
        (0.5, 1.0),
        (1.1204222675845161,),
        (5.60211133792258, 1.1204222675845161),
        1.0,
        (1.0, -1.0),
        (4.4816890703380645,),
    ),
    _oracle(
        "O12",
        "fun f(a : Real, b : Real, x : Real) : Real ="
        " (λp : (Real -> Real) * (Real -> Real). λu : Real. p.1(p.2(u)))((λy : Real. a*y, λy : Real. y*y + b))(x)",
        (2.0, 3.0, 1.5),
        (10.5,),
        (5.25, 2.0, 6.0),
    ),
    _oracle(
        "O13",
        "fun f(c : Real, x : Real) : Real = let f <- λy : Real. c*y in x*x",
        (3.0, 0.5),
        (0.25,),
        (0.0, 1.0),
    ),
    _oracle(
        "O14",
        "fun f(c : Real) : Real = (λk : (Real -> Real) -> Real. k(λy : Real. c*sin(y)))(λf : Real -> Real. f(c) * f(1))",
        (0.75,),
        (0.3226383217575385,),
        (1.2066972691187319,),
    ),
    _oracle(
        "O15",
        "fun f(x : Real, zs : Real(3)) : Real = sum(map(z. sin(x*z), zs))",
        (0.5, XS),
        (2.318391510016154,),
        (2.170398778629761, 0.4387912809451864, 0.2701511529340699, 0.03536860083385145),
    ),
    _oracle(
        "O16",
        "fun f(zs : Real(3)) : Real(3) = let s <- sum(zs) in map(z. z*s, zs)",
        (XS,),
        (6.0, 12.0, 18.0),
        (4.0, -2.0, -8.0),
        (1.0, 0.0, -1.0),
        ((1.0, 0.0, 0.0),),
        (7.0, 2.0, 3.0),
    ),
    _oracle(
        "O17",
        "fun f(x : Real, zs : Real(3)) : Real(3) = map(z. sum(map(u. x*(u*z), zs)), zs)",
        (2.0, XS),
        (12.0, 24.0, 36.0),
        (36.0, 24.0, 24.0, 24.0),
        (1.0, 1.0, 1.0),
    ),
    _oracle(
        "O18",
        "fun f(u : Real(3), v : Real(3), x : Real(3), b : Real(2)) : Real ="
        " sum(map(a. log(sigmoid(a)), [dot(u, x) + b[0], dot(v, x) + b[1]]))",
        ((0.1, 0.2, 0.3), (-0.4, 0.5, -0.6), XS, (0.5, -0.5)),
        (-2.0071727876692265,),
        (
            *(0.13010847436299788, 0.26021694872599577, 0.39032542308899365),
            *(0.8455347349164652, 1.6910694698329305, 2.5366042047493957),
            *(-0.32520304653028637, 0.4487890623308322, -0.4682882986409798),
            *(0.13010847436299788, 0.8455347349164652),
        ),
    ),
    _oracle("O21 abs", "fun f(x : Real) : Real = if 0 <= x then x else -x", (-1.5,), (1.5,), (-1.0,)),
    _oracle(
        "O21 left",
        "fun f(x : Real, y : Real) : Real = let s <- if y <= 0 then inl(x*x) else inr(x*y)"
        " in case s of inl a -> sin(a) | inr b -> b*x",
        (1.5, -2.0),
        (0.7780731968879212,),
        (-1.8845208681682175, 0.0),
    ),
    _oracle(
        "O21 right",
        "fun f(x : Real, y : Real) : Real = let s <- if y <= 0 then inl(x*x) else inr(x*y)"
        " in case s of inl a -> sin(a) | inr b -> b*x",
        (1.5, 2.0),
        (4.5,),
        (6.0, 2.25),
    ),
    _oracle(
        "O22",
        "fun f(c : Real, z : Real, s : Real(3)) : Real = foldl(a x. c*a*x + sin(x), z, s)",
        (0.5, 1.0, XS),
        (3.517272625510235,),
        (12.276718189324423, 0.75, 1.5604534588022096, 0.3818829837852087, 0.1353917092163437),
    ),
    _oracle(
        "O22b",
        "fun f(c : Real, z : Real, s : Real(3)) : Real(4) = scanl(a x. c*a*x + sin(x), z, s)",
        (0.5, 1.0, XS),
        (1.0, 1.3414709848078965, 2.250768411633578, 3.517272625510235),
        (-0.22752484456937383, -0.125, -0.26007557646703494, -0.31823581982100735, 0.06769585460817185),
        (0.0, 1.0, -2.0, 0.5),
    ),
    _oracle(
        "O23",
        "fun f(a : Real(3), z : Real) : Real = let b <- sum(a) in foldl(s x. x + s*b, z, [a[2], a[1], a[0]])",
        (XS, 0.0),
        (121.0,),
        (39.0, 44.0, 74.0, 216.0),
    ),
    _oracle(
        "O23b",
        "fun f(c : Real, xs : Real(3)) : Real(3) = let f <- λy : Real. sin(c*y) in map(x. f(x), xs)",
        (0.5, XS),
        (0.479425538604203, 0.8414709848078965, 0.9974949866040544),
        (2.826580180359823, 0.4387912809451864, 0.5403023058681398, -0.03536860083385145),
        (1.0, 2.0, -1.0),
        (0.25, (1.0, 0.0, -1.0)),
        (0.6581869214177796, 0.2701511529340699, 0.017684300416925723),
    ),
    _oracle(
        "O24",
        "fun f(c : Real, s : Real(2), r : Real(2)) : Real(2) = map2(x y. c*x*exp(y), s, r)",
        (2.0, (1.0, 2.0), (0.0, 0.5)),
        (2.0, 6.594885082800513),
        (-2.2974425414002564, 2.0, -3.2974425414002564, 2.0, -6.594885082800513),
        (1.0, -1.0),
    ),
    _oracle(
        "O25 gather",
        "fun f(xs : Real(3)) : Real(4) = [xs[2], xs[0], xs[2], xs[1]]",
        ((10.0, 20.0, 30.0),),
        (30.0, 10.0, 30.0, 20.0),
        (2.0, 4.0, 4.0),
        (1.0, 2.0, 3.0, 4.0),
    ),
    _oracle("O25 index", "fun f(xs : Real(3)) : Real = xs[2]", (XS,), (3.0,), (0.0, 0.0, 2.0), 2.0),
    _oracle(
        "O25 generate",
        "fun f(c : Real) : Real(4) = generate[4](i. sin(c*i))",
        (0.5,),
        (0.0, 0.479425538604203, 0.8414709848078965, 0.9974949866040544),
        (-0.5782280029032796,),
        (1.0, -2.0, 0.5, 3.0),
    ),
    _oracle(
        "O25 product",
        "fun f(xs : Real(3)) : Real = reduce(a x. a*x, 1, xs)",
        ((2.0, 3.0, 4.0),),
        (24.0,),
        (12.0, 8.0, 6.0),
    ),
    _oracle("O28 constant", "fun f(x : Real) : Real = 5", (2.0,), (5.0,), (0.0,)),
    _oracle("O28 unit", "fun f(x : Real) : 1 = ()", (2.0,), (), (0.0,), ()),
    _oracle(
        "O29",
        "fun f(x : Real, y : Real, z : Real) : Real = x*y + y*z + z*x",
        (1.0, 0.0, 1.0),
        (1.0,),
        (1.0, 2.0, 1.0),
    ),
    _oracle(
        "O31 O9",
        "fun f(c : Real, x : Real) : Real = c * ((c*(x*x)) * (c*(x*x)))",
        (3.0, 0.5),
        (1.6875,),
        (1.6875, 13.5),
    ),
    _oracle(
        "O31 O14",
        "fun f(c : Real) : Real = (c*sin(c)) * (c*sin(1))",
        (0.75,),
        (0.3226383217575385,),
        (1.2066972691187319,),
    ),
)
