"""Nets, handlers and heaps of RH §4, written as core trees with binder-taking constructors."""

from collections.abc import Callable
from typing import TypeAlias, overload

import numpy as np

from rh_kernel.operational.binders import (
    CommandAtDepth,
    TermAtDepth,
    bind,
    bind_tuple,
    call,
    fixed,
    let_tuple,
    plus,
    returned,
    tuple_from,
    variable,
)
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.primitives import formulas as f
from rh_kernel.primitives import linear
from rh_kernel.primitives.schemes import Scheme, instantiate
from rh_kernel.syntax.builtin import BATCH_MEAN, GET, NORMAL, PUT
from rh_kernel.syntax.core import (
    Array,
    Bound,
    Command,
    Handle,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Perform,
    Primitive,
    Resume,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
)
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.signature import Family, Loc, Location, LocationVar, LocKind, Parameter, Pattern
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Real, Shape, Type, real
from rh_kernel.syntax.values import UNIT_VALUE, constant

Opened: TypeAlias = Callable[[int], Subject]
"""A place or a plan."""


@overload
def scope(hints: tuple[()], body: Callable[[], Opened]) -> Scope: ...
@overload
def scope(hints: tuple[str], body: Callable[[TermAtDepth], Opened]) -> Scope: ...
@overload
def scope(hints: tuple[str, str], body: Callable[[TermAtDepth, TermAtDepth], Opened]) -> Scope: ...
def scope(hints: tuple[str, ...], body: Callable[..., Opened]) -> Scope:
    """``x1, …, xn. body`` with nothing else free."""
    return Scope(hints, body(*[variable(i, hint) for i, hint in enumerate(hints)])(len(hints)))


def let_pair(M: TermAtDepth, hints: tuple[str, str], body: Callable[[TermAtDepth, TermAtDepth], TermAtDepth]) -> TermAtDepth:
    """``let ⟨x, y⟩ ← M in N``"""
    return let_tuple(M, hints, body)


def bind_pair(
    P: CommandAtDepth, hints: tuple[str, str], body: Callable[[TermAtDepth, TermAtDepth], CommandAtDepth]
) -> CommandAtDepth:
    """``let ⟨x, y⟩ ⇐ P in Q``"""
    return bind_tuple(P, hints, body)


def then(P: CommandAtDepth, Q: CommandAtDepth) -> CommandAtDepth:
    """``let _ ⇐ P in Q``"""
    return bind(P, "_", lambda _: Q)


def entrywise(name: str, *shape: int | str) -> Primitive:
    return instantiate(name, f.ENTRYWISE, (shape_of(*shape),))


def shape_of(*dims: int | str | Dim) -> tuple[Dim, ...]:
    return tuple([d if isinstance(d, Dim) else dim(d) for d in dims])


def prim(name: str, scheme: Scheme, at: tuple[Shape | Dim, ...], *arguments: TermAtDepth) -> TermAtDepth:
    return call(instantiate(name, scheme, at), tuple_from(*arguments))


def swish(n: int, x: TermAtDepth) -> TermAtDepth:
    return call(entrywise("swish", n), x)


def sub(shape: Shape, x: TermAtDepth, y: TermAtDepth) -> TermAtDepth:
    return prim("sub", f.OF_ONE_SHAPE, (shape,), x, y)


def scale(shape: Shape, a: TermAtDepth, x: TermAtDepth) -> TermAtDepth:
    return prim("scale", linear.SCALE, (shape,), a, x)


def matvec(m: Dim, n: Dim, w: TermAtDepth, x: TermAtDepth) -> TermAtDepth:
    return prim("matmul", f.MATRIX_VECTOR, (m, n), w, x)


def transposed(m: Dim, n: Dim, w: TermAtDepth) -> TermAtDepth:
    return prim("transpose", linear.TRANSPOSE, (m, n), w)


def outer(m: Dim, n: Dim, y: TermAtDepth, x: TermAtDepth) -> TermAtDepth:
    return prim("outer", linear.OUTER, (m, n), y, x)


M, N = dim("m"), dim("n")
FC = Family("FC", (Parameter("l", LocKind((M, N))),), real("n"), real("m"), ("m", "n"))
ENDE = Family(
    "EnDe",
    (Parameter("l0", LocKind((M, N))), Parameter("l1", LocKind((N, M)))),
    real("n"),
    real("m"),
    ("m", "n"),
)
FLIP = Family("Flip", (), SCALAR, SCALAR, ())
L = LocationVar("l", (M, N))


def location(name: str, *shape: int) -> Location:
    return Location(name, shape_of(*shape))


def perform(op: Operation, argument: TermAtDepth) -> CommandAtDepth:
    return lambda depth: Perform(op, argument(depth))


def get(at: Loc) -> CommandAtDepth:
    return perform(Operation(GET, (at,), (at.shape,), UNIT, Real(at.shape)), fixed(UNIT_VALUE))


def batch_mean(x: TermAtDepth, n: int = 2) -> CommandAtDepth:
    A = real(n)
    return perform(Operation(BATCH_MEAN, (), (A.shape,), A, A), x)


def normal(shape: Shape) -> CommandAtDepth:
    return perform(Operation(NORMAL, (), (shape,), UNIT, Real(shape)), fixed(UNIT_VALUE))


def put(at: Loc, content: TermAtDepth) -> CommandAtDepth:
    return perform(Operation(PUT, (at,), (at.shape,), Real(at.shape), UNIT), content)


def fc(at: Loc, x: TermAtDepth) -> CommandAtDepth:
    assert isinstance(at.shape, tuple)
    m, n = at.shape
    return perform(Operation(FC, (at,), (m, n), real(n), real(m)), x)


def ende(encode: Location, decode: Location, x: TermAtDepth) -> CommandAtDepth:
    assert isinstance(encode.shape, tuple)
    m, n = encode.shape
    return perform(Operation(ENDE, (encode, decode), (m, n), real(n), real(m)), x)


def fc_clause() -> ReverseClause:
    """Q^f and Q^b of Example 4.1."""

    def forward(x: TermAtDepth) -> CommandAtDepth:
        return bind(get(L), "w", lambda w: returned(tuple_from(matvec(M, N, w, x), tuple_from(w, x))))

    def backward(y: TermAtDepth, z: TermAtDepth) -> CommandAtDepth:
        def body(w: TermAtDepth, x: TermAtDepth) -> CommandAtDepth:
            updated = sub((M, N), w, outer(M, N, y, x))
            return then(put(L, updated), returned(matvec(N, M, transposed(M, N, w), y)))

        return bind_pair(returned(z), ("w", "x"), body)

    return ReverseClause(
        Pattern(FC, ("l",), ("m", "n")),
        scope(("x",), forward),
        Product((real("m", "n"), real("n"))),
        scope(("y", "z"), backward),
    )


def sgd(alpha: float, target: Term, A: Real) -> ReverseHandler:
    """``H_MLP(α, t)`` of Example 4.1."""
    returns = scope(("x",), lambda x: returned(scale(A.shape, fixed(constant(alpha)), sub(A.shape, x, fixed(target)))))
    return ReverseHandler(A, returns, (fc_clause(),), "sgd")


def ende_handler(latent: Type) -> ReverseHandler:
    """``H_AE`` of Example 4.3."""
    l0, l1 = LocationVar("l0", (M, N)), LocationVar("l1", (N, M))
    forward = scope(("x",), lambda x: bind(fc(l0, x), "y", lambda y: returned(tuple_from(y, fixed(UNIT_VALUE)))))
    backward = scope(("y", "z"), lambda y, z: fc(l1, y))
    clause = ReverseClause(Pattern(ENDE, ("l0", "l1"), ("m", "n")), forward, UNIT, backward)
    return ReverseHandler(latent, scope(("x",), returned), (clause,), "autoencoder")


def infer(target: Type) -> OrdinaryHandler:
    """``H_infer`` of §2.2.1."""

    def clause(x: TermAtDepth, k: TermAtDepth) -> CommandAtDepth:
        return bind(get(L), "w", lambda w: resume(k, matvec(M, N, w, x)))

    return OrdinaryHandler(
        target,
        target,
        scope(("x",), returned),
        (OrdinaryClause(Pattern(FC, ("l",), ("m", "n")), scope(("x", "k"), clause)),),
        "infer",
    )


def twice(target: Type) -> OrdinaryHandler:
    """A handler for ``Flip`` alone, which uses its continuation twice and adds up."""

    def clause(x: TermAtDepth, k: TermAtDepth) -> CommandAtDepth:
        return bind(resume(k, x), "a", lambda a: bind(resume(k, plus(x, x)), "b", lambda b: returned(plus(a, b))))

    pattern = Pattern(FLIP, (), ())
    return OrdinaryHandler(
        target, target, scope(("x",), returned), (OrdinaryClause(pattern, scope(("x", "k"), clause)),), "twice"
    )


def flip(x: TermAtDepth) -> CommandAtDepth:
    return perform(Operation(FLIP, (), (), SCALAR, SCALAR), x)


def resume(k: TermAtDepth, argument: TermAtDepth) -> CommandAtDepth:
    def at(depth: int) -> Command:
        where = k(depth)
        assert isinstance(where, Bound)
        return Resume(where.index, "k", argument(depth))

    return at


def rev_handle(argument: TermAtDepth, closed: Scope, H: ReverseHandler) -> CommandAtDepth:
    return lambda depth: RevHandle(argument(depth), closed, H)


def handle(P: CommandAtDepth, H: OrdinaryHandler) -> CommandAtDepth:
    return lambda depth: Handle(P(depth), H)


def mlp(w0: Location, w1: Location, x: TermAtDepth) -> CommandAtDepth:
    """``R_MLP`` of Example 4.1."""
    hidden = sizes(w0)[0]
    return bind(
        fc(w0, x),
        "z_hid",
        lambda z: bind(
            returned(swish(hidden, z)),
            "x_hid",
            lambda h: bind(fc(w1, h), "z_out", returned),
        ),
    )


def trained(net: Callable[[TermAtDepth], CommandAtDepth], v: Term, H: ReverseHandler) -> Command:
    """``rev handle (v) ⟨x_in⟩. net with H``"""
    return rev_handle(fixed(v), scope(("x_in",), net), H)(0)


def weights(seed: int, *locations: Location) -> Heap:
    draw = np.random.default_rng(seed)
    return Heap({l: draw.normal(size=sizes(l)) for l in locations})


def sizes(l: Location) -> tuple[int, ...]:
    assert isinstance(l.shape, tuple)
    return tuple([d.constant or 0 for d in l.shape])


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))
