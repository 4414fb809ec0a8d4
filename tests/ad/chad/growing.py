"""The programs of the digest's cost table (§5, rows A–H), which grow with n."""

from rh_kernel.ad.language.core import (
    Apply,
    Call,
    Index,
    Lambda,
    Let,
    Map,
    Program,
    Projection,
    Term,
    Total,
    Tuple,
    Variable,
    add,
    mul,
)
from rh_kernel.ad.language.types import SCALAR, Real

ZS = Real(3)


def chain(n: int) -> Program:
    """A: ``let x1 ← sin(x0) in … xn``, where the context grows"""
    body: Term = Variable(f"x{n}")
    for i in range(n, 0, -1):
        body = Let(f"x{i}", Apply("sin", (Variable(f"x{i - 1}"),)), body)
    return Program("chain", (("x0", SCALAR),), SCALAR, body)


def nested(d: int) -> Program:
    """B: ``(λx1. … (λxd. sin(xd))(sin(xd−1)) …)(sin(x0))``"""
    body: Term = Apply("sin", (Variable(f"x{d}"),))
    for i in range(d, 0, -1):
        body = Call(Lambda(f"x{i}", SCALAR, body), Apply("sin", (Variable(f"x{i - 1}"),)))
    return Program("nested", (("x0", SCALAR),), SCALAR, body)


def entries(n: int) -> Program:
    """C: ``xs[0] + … + xs[n − 1]``"""
    body: Term = Index(Variable("xs"), 0)
    for i in range(1, n):
        body = add(body, Index(Variable("xs"), i))
    return Program("entries", (("xs", Real(n)),), SCALAR, body)


def components(n: int) -> Program:
    """E: ``let t ← ⟨x, …, x⟩ in t.1 + … + t.n``"""
    body: Term = Projection(1, Variable("t"))
    for i in range(2, n + 1):
        body = add(body, Projection(i, Variable("t")))
    return Program("components", (("x", SCALAR),), SCALAR, Let("t", Tuple((Variable("x"),) * n), body))


def calls(n: int) -> Program:
    """F: one function called n times"""
    body: Term = Call(Variable("f"), Variable("x"))
    for _ in range(n - 1):
        body = add(body, Call(Variable("f"), Variable("x")))
    function = Lambda("y", SCALAR, mul(Variable("c"), Variable("y")))
    return Program("calls", (("c", SCALAR), ("x", SCALAR)), SCALAR, Let("f", function, body))


def captured(n: int) -> Program:
    """G: ``map(z. z * s, zs)`` with the array and its sum in the context, summed"""
    body = Map("z", mul(Variable("z"), Variable("s")), Variable("zs"))
    return Program("captured", (("zs", Real(n)),), SCALAR, Let("s", Total(Variable("zs")), Total(body)))


def maps(depth: int) -> Program:
    """H: maps in maps, over three entries"""
    body: Term = Variable(f"z{depth}")
    for i in range(depth, 0, -1):
        body = Total(Map(f"z{i}", mul(Variable(f"z{i}"), body), Variable("zs")))
    return Program("maps", (("zs", ZS),), SCALAR, body)
