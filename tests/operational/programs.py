"""Closed programs of the core, by name: what the laws of the reduction are tried on."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.operational.binders import (
    CommandAtDepth,
    TermAtDepth,
    bind,
    call,
    fixed,
    let,
    plus,
    rd,
    returned,
    tuple_from,
    variable,
)
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.slicing import SLICE
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.conditions import Compare, Condition, Relation
from rh_kernel.syntax.core import (
    Bound,
    Call,
    Command,
    Defined,
    If,
    IfCommand,
    Map,
    Primitive,
    Proj,
    RdOf,
    Repeat,
    ReverseHandler,
    Scan,
    Scope,
    Term,
    Zero,
)
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.types import SCALAR, Product, real
from rh_kernel.syntax.values import constant
from tests.operational.nets import (
    batch_mean,
    bind_pair,
    ende,
    ende_handler,
    entrywise,
    get,
    handle,
    infer,
    let_pair,
    location,
    mlp,
    normal,
    put,
    rev_handle,
    scope,
    sgd,
    swish,
    then,
    trained,
    twice,
    weights,
)

W0, W1 = location("w0", 3, 2), location("w1", 1, 3)
R0, R1 = location("r0", 3, 2), location("r1", 2, 3)
E0, E1 = location("e0", 2, 4), location("e1", 4, 2)
HEAP = weights(7, W0, W1, R0, R1, E0, E1)

V, T = constant([0.3, -0.7]), constant([0.5])
H_MLP = sgd(0.1, T, SCALAR)
VECTOR = ReverseHandler(real(2), scope(("x",), returned), (), "vector")
IDENTITY = ReverseHandler(SCALAR, scope(("x",), returned), (), "identity")
PAIR = Product((real(2), real(2)))

Body: TypeAlias = Callable[[TermAtDepth], TermAtDepth]


@dataclass(frozen=True)
class Program:
    """A closed term or command and the heap it starts from."""

    subject: Subject
    heap: Heap = HEAP


def function(name: str, n: int = 2) -> Primitive:
    return entrywise(name, n)


def proj(i: int, n: int, M: TermAtDepth) -> TermAtDepth:
    return lambda depth: Proj(i, n, M(depth))


DOUBLED_TANH = Defined(
    "doubled_tanh",
    real(2),
    real(2),
    scope(("x",), lambda x: let(call(function("tanh"), x), "y", lambda y: plus(y, y))),
    None,
)
STRAIGHT_THROUGH = Defined(
    "quantised",
    real(2),
    real(2),
    Scope(("x",), Call(function("round"), Bound(0, "x"))),
    Scope(("w", "x"), Bound(1, "w")),
)


def _tanh(x: TermAtDepth) -> TermAtDepth:
    return call(function("tanh"), x)


def map_rows(M: TermAtDepth, body: Body) -> TermAtDepth:
    """``map (y in M) do N`` over two numbers"""
    return lambda depth: Map(M(depth), Scope(("y",), body(variable(depth, "y"))(depth + 1)), real(2), real(2, 1))


def proj_first(x: TermAtDepth) -> TermAtDepth:
    """The first entry of two."""
    return call(instantiate("slice", SLICE[0], (dim(0), dim(1), dim(2))), x)


def is_above(bound: float, x: TermAtDepth) -> tuple[Condition, TermAtDepth]:
    """``sum(x) > bound``, and its operands"""
    total = instantiate("sum", SYMBOLS["sum"].schemes[0], ((dim(2),),))
    return Compare(Relation.GREATER, 0), tuple_from(call(total, x), fixed(constant([bound])))


def either(bound: float, x: TermAtDepth, M: TermAtDepth, N: TermAtDepth) -> TermAtDepth:
    """``if sum(x) > bound then M else N``"""
    condition, operands = is_above(bound, x)
    return lambda depth: If(condition, operands(depth), M(depth), N(depth))


def either_command(bound: float, x: TermAtDepth, P: CommandAtDepth, Q: CommandAtDepth) -> CommandAtDepth:
    """``if sum(x) > bound then P else Q``"""
    condition, operands = is_above(bound, x)
    return lambda depth: IfCommand(condition, operands(depth), P(depth), Q(depth))


BODIES: dict[str, Body] = {
    "variable": lambda x: x,
    "constant": lambda x: fixed(T),
    "zero": lambda x: fixed(Zero(real(2))),
    "function": _tanh,
    "composite": lambda x: _tanh(swish(2, x)),
    "definition": lambda x: call(DOUBLED_TANH, x),
    "sum": lambda x: plus(x, _tanh(x)),
    "let": lambda x: let(_tanh(x), "y", lambda y: plus(y, x)),
    "nested let": lambda x: let(let(x, "u", _tanh), "y", lambda y: let(plus(x, y), "z", lambda z: plus(z, y))),
    "tuple": lambda x: tuple_from(x, _tanh(x)),
    "projection": lambda x: proj(2, 2, tuple_from(x, _tanh(x))),
    "let of a tuple": lambda x: let_pair(tuple_from(_tanh(x), x), ("a", "b"), lambda a, b: plus(a, swish(2, b))),
    "projection of a let": lambda x: proj(1, 2, let(_tanh(x), "y", lambda y: tuple_from(y, x))),
    "derivative at a term": lambda x: rd(x, "y", lambda y: swish(2, y), _tanh(x)),
    "derivative that mentions": lambda x: rd(x, "y", lambda y: plus(swish(2, y), x), _tanh(x)),
    "derivative of a derivative": lambda x: rd(x, "y", lambda y: rd(y, "z", _tanh, y), x),
    "derivative of a projection": lambda x: rd(x, "y", lambda y: proj(2, 2, tuple_from(x, _tanh(y))), x),
    "derivative at a pair": lambda x: proj(
        1, 2, rd(x, "p", lambda p: plus(proj(1, 2, p), _tanh(proj(2, 2, p))), tuple_from(x, _tanh(x)))
    ),
    "derivative symbol": lambda x: call(RdOf(function("tanh")), tuple_from(x, x)),
    "map": lambda x: map_rows(x, lambda y: call(entrywise("tanh", 1), plus(y, proj_first(x)))),
    "conditional that holds": lambda x: either(-1, x, _tanh(x), swish(2, x)),
    "conditional that does not": lambda x: let(_tanh(x), "y", lambda y: either(0.5, plus(x, y), x, plus(y, swish(2, y)))),
    "conditional in a derivative": lambda x: rd(
        x, "y", lambda y: let(_tanh(y), "z", lambda z: either(0.5, plus(x, z), z, swish(2, plus(y, z)))), x
    ),
    "derivative in a branch": lambda x: either(-1, x, rd(x, "y", lambda y: swish(2, y), x), x),
    "second derivative symbol": lambda x: proj(2, 2, call(RdOf(RdOf(function("tanh"))), tuple_from(x, tuple_from(x, x)))),
}


def at_point(body: Body) -> Term:
    """``let x ← V in body``"""
    return let(fixed(V), "x", body)(0)


def derivative(cotangent: Term, body: Body, point: Term = V) -> Term:
    """``cotangent.rd(x. body)(point)``"""
    return rd(fixed(cotangent), "x", body, fixed(point))(0)


def residual(x: TermAtDepth) -> CommandAtDepth:
    """``R_ResNet`` of Example 4.2: the context holds more than one variable when the sum is met."""
    return bind(mlp(R0, R1, x), "z", lambda z: returned(plus(x, z)))


def autoencoder() -> Command:
    """Example 4.3: the outer handler trains what the inner one builds."""
    v = constant([0.1, -0.2, 0.3, 0.4])

    def inner(x: TermAtDepth) -> CommandAtDepth:
        return rev_handle(x, scope(("x_in",), lambda x_in: ende(E0, E1, x_in)), ende_handler(real(2)))

    return trained(inner, v, sgd(0.1, v, real(4)))


def nested_pair() -> Command:
    """An inner handler over two variables, whose argument is one variable of product type."""

    def inner(p: TermAtDepth) -> CommandAtDepth:
        return rev_handle(p, scope(("a", "b"), lambda a, b: returned(plus(a, b))), VECTOR)

    return rev_handle(fixed(Zero(PAIR)), scope(("p",), inner), ReverseHandler(PAIR, scope(("x",), returned), (), "outer"))(0)


def handled_inside() -> Command:
    """An ordinary handler at the head of a reverse one: H-Op and H-Return meet variables."""
    return trained(lambda x: handle(mlp(W0, W1, x), infer(SCALAR)), V, IDENTITY)


def passed_inside() -> Command:
    """An ordinary handler at the head of a reverse one that has no clause for what happens in it."""
    return trained(lambda x: handle(mlp(W0, W1, x), twice(SCALAR)), V, H_MLP)


def repeated(x: TermAtDepth) -> CommandAtDepth:
    """``repeat i < 2 from s = x do let y ⇐ ⌊s + s⌋ in ⌊s + y⌋``"""

    def one_round(s: TermAtDepth) -> CommandAtDepth:
        return bind(returned(plus(s, s)), "y", lambda y: returned(plus(s, y)))

    return lambda depth: Repeat("i", 0, dim(2), x(depth), scope(("s",), one_round))


def forwarded() -> Command:
    """A reverse handler without clauses forwards, and an ordinary handler outside takes what comes."""
    return handle(rev_handle(fixed(V), scope(("x",), lambda x: mlp(W0, W1, x)), IDENTITY), infer(real(2)))(0)


def scanned(x: TermAtDepth) -> CommandAtDepth:
    """Two rounds of a scan, each of which gives its state."""

    def rounds(depth: int) -> Command:
        y, s = variable(depth, "y"), variable(depth + 1, "s")
        P = returned(tuple_from(s, call(entrywise("tanh", 1), plus(y, s))))(depth + 2)
        return Scan(tuple_from(x, fixed(T))(depth), Scope(("y", "s"), P), real(2), real(2, 1))

    return bind_pair(rounds, ("b", "s"), lambda b, s: returned(s))


COMMANDS: dict[str, Command] = {
    "mlp": trained(lambda x: mlp(W0, W1, x), V, H_MLP),
    "scan": trained(scanned, V, H_MLP),
    "scan at a point": bind(returned(fixed(V)), "x", scanned)(0),
    "residual": trained(residual, V, sgd(0.1, constant([0.2, -0.1]), real(2))),
    "two variables": rev_handle(
        tuple_from(fixed(V), fixed(constant([1.0, 2.0]))), scope(("a", "b"), lambda a, b: mlp(W0, W1, plus(a, b))), H_MLP
    )(0),
    "no variable": rev_handle(tuple_from(), scope((), lambda: mlp(W0, W1, fixed(V))), H_MLP)(0),
    "autoencoder": autoencoder(),
    "nested pair": nested_pair(),
    "handled inside": handled_inside(),
    "passed inside": passed_inside(),
    "forwarded": forwarded(),
    "inferred": handle(mlp(W0, W1, fixed(V)), infer(SCALAR))(0),
    "bound to the left": trained(lambda x: bind(bind(mlp(W0, W1, x), "a", returned), "b", returned), V, H_MLP),
    "trained twice": then(
        lambda _: trained(lambda x: mlp(W0, W1, x), V, H_MLP), lambda _: trained(lambda x: mlp(W0, W1, x), V, H_MLP)
    )(0),
    "conditional": trained(
        lambda x: bind(
            either_command(-1, x, mlp(W0, W1, x), returned(fixed(T))),
            "y",
            lambda y: either_command(0.5, x, returned(fixed(T)), bind(mlp(W0, W1, x), "z", lambda z: returned(plus(y, z)))),
        ),
        V,
        H_MLP,
    ),
    "conditional outside": bind(
        get(W1), "w", lambda w: either_command(-1, fixed(V), then(put(W1, plus(w, w)), returned(w)), returned(w))
    )(0),
    "batch mean": bind(batch_mean(fixed(V)), "m", lambda m: returned(plus(m, m)))(0),
    "drawn": trained(lambda x: bind(normal(real(2).shape), "e", lambda e: mlp(W0, W1, plus(x, e))), V, H_MLP),
    "repeated": repeated(fixed(V))(0),
    "repeated and trained": trained(lambda x: bind(repeated(plus(x, x)), "y", lambda y: mlp(W0, W1, y)), V, H_MLP),
    "read and write": bind_pair(
        bind(get(W1), "w", lambda w: returned(tuple_from(w, plus(w, w)))),
        ("a", "b"),
        lambda a, b: then(put(W1, b), returned(a)),
    )(0),
}

PROGRAMS: dict[str, Program] = {
    **{f"{name} at a point": Program(at_point(body)) for name, body in BODIES.items()},
    **{name: Program(P) for name, P in COMMANDS.items()},
}
# Fig. 6 doubles its work at every let that it makes, so not every third derivative can be waited for.
DIFFERENTIATED = {
    name: body
    for name, body in BODIES.items()
    if name not in ("derivative of a derivative", "derivative of a projection", "second derivative symbol")
}
for _name, _body in DIFFERENTIATED.items():
    _W = {"tuple": tuple_from(fixed(V), fixed(V))(0), "constant": T, "map": constant([[1.0], [-2.0]])}.get(_name, V)
    PROGRAMS[f"derivative of {_name}"] = Program(derivative(_W, _body))
