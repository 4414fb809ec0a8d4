"""The oracles O1 to O21: terms, points, values, gradients and the lengths of reductions."""

from dataclasses import dataclass

from rh_kernel.ad.linear_negation.calculus import (
    App,
    Arrow,
    Bang,
    Binding,
    Block,
    Fun,
    Lam,
    Num,
    Open,
    Pair,
    Plus,
    R,
    Term,
    Times,
    Type,
    Var,
    mul,
)
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.source import Source
from tests.ad.linear_negation.church import cell, church_list, church_numeral, network

RR = Arrow(R, R)
x, y = Var("x"), Var("y")


def f(symbol: str, *arguments: Term) -> Fun:
    """``f(t1, …, tk)``"""
    return Fun(symbol, arguments)


def sub(t: Term, u: Term) -> Term:
    """``t − u``"""
    return f("sub", t, u)


def lets(t: Term, *stack: Binding) -> Block:
    """``t[x1 := u1][x2 := u2]…`` in the order of the paper, the innermost first"""
    return Block(tuple(reversed(stack)), t)


def let(name: str, u: Term, A: Type = R) -> Bang:
    """``[x := u]``"""
    return Bang(name, A, u)


def lam(name: str, t: Term, A: Type = R) -> Lam:
    """``λx : A. t``"""
    return Lam(name, A, t)


def app(t: Term, *arguments: Term) -> Term:
    """``t u1 u2 …``"""
    for u in arguments:
        t = App(t, u)
    return t


def chain(n: int, step: type[Plus] | None = None) -> Term:
    """``z_n`` for ``z_{i+1} = z_i · z_i``, or ``z_i + z_i``, from ``z_0 = x``"""
    stack: list[Binding] = []
    z: Term = x
    for i in range(n):
        stack.append(let(f"z{i}", Plus(z, z) if step else mul(z, z)))
        z = Var(f"z{i}")
    return Block(tuple(stack), z)


def fibonacci(n: int) -> Term:
    """``z_n`` for ``z_i = z_{i−1} · z_{i−2}`` with ``z_1 = x`` and ``z_0 = y``"""
    stack: list[Binding] = []
    before, z = y, x
    for i in range(2, n + 1):
        stack.append(let(f"z{i}", mul(z, before)))
        before, z = z, Var(f"z{i}")
    return Block(tuple(stack), z)


def product(n: int) -> Term:
    """``x0 · x1 · …``"""
    t: Term = Var("x0")
    for i in range(1, n):
        t = mul(t, Var(f"x{i}"))
    return t


def source(t: Term, *inputs: str) -> Source:
    """``x1 : R, …, xn : R ⊢ t : R``"""
    return Source(tuple((name, R) for name in inputs), t, R)


@dataclass(frozen=True, slots=True)
class Oracle:
    """A program with a point, and all that is known of it there."""

    name: str
    term: Term
    inputs: tuple[str, ...]
    point: tuple[float, ...]
    value: float
    gradient: tuple[float, ...]
    size: int
    m: int
    ground: int
    evaluation: int
    steps: int
    parts: tuple[int, int, int]
    factorings: int
    arithmetic: tuple[int, int]
    injections: int
    bp: int
    forward: int
    beta: int

    @property
    def source(self) -> Source:
        """The term with its inputs."""
        return source(self.term, *self.inputs)


def _recurrent() -> Term:
    supply = NameSupply(["ε", "ρ"])
    return network([Num(1.0), Num(2.0), Num(3.0)], cell(supply), supply)


def _fold() -> Term:
    supply = NameSupply(["x"])
    step = lam("a", lam("acc", Plus(Var("acc"), f("sin", mul(Var("a"), x)))))
    return app(church_list([Num(0.5), Num(1.0), Num(2.0)], R, R, supply), step, Num(0.0))


def _numerals() -> Term:
    supply = NameSupply(["x", "q"])
    two, three = church_numeral(2, RR, supply), church_numeral(3, R, supply)
    return app(two, three, lam("q", Plus(Var("q"), Var("q"))), x)


_F, _G, _P, _Q, _Z = Var("f"), Var("g"), Var("p"), Var("q"), Var("z")
_SQUARE = lam("q", mul(_Q, _Q))
_THIRD = lam("F", mul(app(Var("F"), lam("q", mul(_Q, x))), y), Arrow(RR, R))
_W = (Var("w0"), Var("w1"), Var("b0"))

ORACLES = (
    Oracle(
        "O1", lets(f("sin", Var("z2")), let("z2", lets(mul(Var("z1"), Var("z1")), let("z1", sub(x, y))))), ("x", "y"), (5, 2),
        0.412118, (-5.46678, 5.46678), 10, 0, 10, 12, 91, (34, 32, 25), 1, (10, 3), 102, 30, 48, 74,
    ),
    Oracle(
        "O2", lets(f("exp", _Z), let("z", f("sin", x))), ("x",), (0.5,),
        1.61515, (1.41742,), 5, 0, 5, 6, 48, (16, 20, 12), 0, (6, 2), 52, 16, 22, 34,
    ),
    Oracle(
        "O3", Plus(mul(x, y), f("sin", x)), ("x", "y"), (2, 3),
        6.9093, (2.58385, 2), 6, 0, 6, 8, 80, (27, 36, 17), 1, (8, 3), 91, 20, 42, 61,
    ),
    Oracle("O4", x, ("x",), (4,), 4, (1,), 1, 0, 1, 2, 14, (4, 4, 6), 0, (0, 0), 18, 4, 2, 10),
    Oracle("O5", Plus(Num(7.0), x), ("x", "y"), (1, 1), 8, (1, 0), 3, 0, 3, 4, 34, (11, 13, 10), 0, (1, 1), 41, 6, 15, 27),
    Oracle(
        "O6", app(lam("f", app(_F, app(_F, x)), RR), _SQUARE), ("x",), (1.5,),
        5.0625, (13.5,), 11, 9, 7, 16, 80, (32, 30, 18), 2, (8, 2), 84, 24, 47, 72,
    ),
    Oracle(
        "O7", app(lam("f", Plus(app(_F, Num(2.0)), app(_F, Num(3.0))), RR), lam("q", mul(_Q, x))), ("x",), (10,),
        50, (5,), 13, 10, 7, 16, 100, (37, 41, 22), 1, (8, 3), 104, 26, 57, 75,
    ),
    Oracle(
        "O8", lets(mul(_P, _Q), Open("p", R, "q", R, Pair(mul(x, y), sub(x, y)))), ("x", "y"), (3, 2),
        6, (8, -3), 11, 1, 11, 14, 108, (41, 40, 27), 2, (11, 3), 119, 34, 57, 78,
    ),
    Oracle(
        "O8b", lets(mul(_P, _Q), Open("p", R, "q", R, _Z), let("z", Pair(mul(x, y), sub(x, y)), Times(R, R))),
        ("x", "y"), (3, 2), 6, (8, -3), 13, 9, 11, 16, 116, (46, 40, 30), 2, (11, 3), 127, 34, 59, 80,
    ),
    Oracle(
        "O9", app(lam("f", lam("s", app(_F, app(_F, app(_F, Var("s"))))), RR), lam("q", f("sin", _Q)), x), ("x",), (1,),
        0.67843, (0.264508,), 15, 13, 8, 22, 80, (33, 27, 20), 0, (9, 3), 84, 24, 46, 60,
    ),
    Oracle(
        "O10", _recurrent(), ("ε", "ρ"), (0.5, -0.3),
        0.573449, (0.214823, 0.153332), 31, 25, 26, 49, 311, (115, 127, 69), 4, (34, 12), 330, 100, 196, 243,
    ),
    Oracle(
        "O11", app(_THIRD, lam("g", app(_G, app(_G, Num(2.0))), RR)), ("x", "y"), (3, 0.5),
        9, (6, 18), 16, 11, 9, 21, 118, (44, 46, 28), 1, (10, 3), 131, 37, 66, 86,
    ),
    Oracle(
        "O12", _fold(), ("x",), (0.7,),
        1.97257, (1.57446,), 26, 22, 20, 39, 229, (87, 89, 53), 2, (23, 9), 233, 72, 141, 175,
    ),
    Oracle(
        "O13", chain(10), ("x",), (1.001,),
        2.78289, (2846.83,), 41, 0, 41, 42, 311, (117, 118, 76), 10, (40, 10), 315, 124, 192, 10361,
    ),
    Oracle(
        "O14", chain(10, Plus), ("x",), (1,),
        1024, (1024,), 41, 0, 41, 42, 267, (117, 74, 76), 10, (20, 10), 271, 84, 152, 6269,
    ),
    Oracle(
        "O15", product(6), tuple(f"x{i}" for i in range(6)), (1, 2, 3, 4, 5, 6),
        720, (720, 360, 240, 180, 144, 120), 11, 0, 11, 17, 173, (56, 76, 41), 0, (15, 5), 252, 60, 92, 125,
    ),
    Oracle(
        "O16", Plus(f("ReLU", x), mul(Num(2.0), f("ReLU", y))), ("x", "y"), (0, -1),
        0, (1, 0), 7, 0, 7, 8, 87, (27, 43, 17), 0, (10, 4), 100, 29, 50, 70,
    ),
    Oracle(
        "O17",
        app(lam("f", app(_F, y, app(_F, x, y)), Arrow(R, RR)), lam("u", lam("v", Plus(mul(Var("u"), Var("v")), Var("u"))))),
        ("x", "y"), (2, 3), 27, (12, 15), 18, 16, 11, 27, 133, (56, 46, 31), 3, (11, 4), 144, 32, 81, 106,
    ),
    Oracle(
        "O18",
        lets(
            mul(app(_F, x), app(_G, app(_F, y))),
            Open("f", RR, "g", RR, Pair(_SQUARE, lam("r", f("sin", Var("r"))))),
        ),
        ("x", "y"), (1.2, 0.4), 0.229418, (0.382364, 1.13729), 18, 15, 10, 25, 131, (50, 53, 28), 2, (14, 4), 142, 44, 80, 103,
    ),
    Oracle(
        "O19", lets(f("fma", _Z, _Z, y), let("z", f("fma", x, y, x))), ("x", "y"), (2, 3),
        67, (64, 33), 9, 0, 9, 11, 100, (37, 39, 24), 3, (11, 2), 111, 32, 55, 89,
    ),
    Oracle(
        "O20", f("log", f("sigmoid", Plus(mul(_W[0], Num(2.0)), Plus(mul(_W[1], Num(-1.0)), _W[2])))), ("w0", "w1", "b0"),
        (0.1, 0.2, 0.3), -0.554355, (0.851115, -0.425557, 0.425557),
        11, 0, 11, 12, 132, (42, 64, 26), 0, (14, 6), 162, 46, 80, 108,
    ),
    Oracle(
        "O21", _numerals(), ("x",), (1,),
        512, (512,), 24, 59, 35, 90, 293, (152, 67, 74), 9, (18, 9), 297, 72, 194, 3242,
    ),
)  # fmt: skip
