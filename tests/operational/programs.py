"""Closed programs of the core, by name: what the laws of the reduction are tried on."""

from dataclasses import dataclass

import numpy as np

from rh_kernel.operational.binders import (
    Place,
    Plan,
    bind,
    bind_tuple,
    call,
    fixed,
    let,
    let_tuple,
    plus,
    rd,
    returned,
    tuple_from,
)
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.heap import Heap
from rh_kernel.syntax.core import (
    UNIT_VALUE,
    Bound,
    Call,
    Const,
    Defined,
    OrdinaryHandler,
    Primitive,
    Proj,
    RdOf,
    ReverseHandler,
    Scope,
    Term,
    Zero,
    constant,
)
from rh_kernel.syntax.types import SCALAR, Product, real
from tests.operational.nets import (
    ende,
    ende_handler,
    entrywise,
    fc,
    get,
    handle,
    infer,
    location,
    mlp,
    put,
    rev_handle,
    scope,
    sgd,
    swish,
    then,
    trained,
    weights,
)

W0, W1 = location("w0", 3, 2), location("w1", 1, 3)
E0, E1 = location("e0", 2, 4), location("e1", 4, 2)
HEAP = weights(7, W0, W1, E0, E1)

V, T = constant([0.3, -0.7]), constant([0.5])
H_MLP = sgd(0.1, T, SCALAR)
IDENTITY = ReverseHandler(SCALAR, scope(("x",), returned), (), "identity")


@dataclass(frozen=True)
class Program:
    """A closed term or command and the heap it starts from."""

    subject: Subject
    heap: Heap = HEAP


def function(name: str, n: int = 2) -> Primitive:
    return entrywise(name, n)


def proj(i: int, n: int, M: Place) -> Place:
    return lambda depth: Proj(i, n, M(depth))


# -- terms ---------------------------------------------------------------------------------------------------------------------

COTANGENT = constant([1.0, 2.0])
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


def derivative_of(body: "Body") -> Term:
    """``[1, 2].rd(x. body)([0.3, -0.7])``"""
    return rd(fixed(COTANGENT), "x", body, fixed(V))(0)


def _second_order(x: Place) -> Place:
    """The reverse derivative of ``y ↦ swish(y) + x`` at ``tanh(x)``."""
    return rd(x, "y", lambda y: plus(swish(2, y), x), call(function("tanh"), x))


from collections.abc import Callable  # noqa: E402

Body = Callable[[Place], Place]
