"""Interpretations of single commands (RH Def. 7.12, 7.13), as diagrams and as functions."""

import numpy as np
import pytest

from rh_kernel.denotational.arrows import Arrow, Choose, Effect, Iterate, Pure
from rh_kernel.denotational.commands import interpret
from rh_kernel.denotational.evaluate import run
from rh_kernel.denotational.provenance import Leg
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Bind, Bound, Command, Plus, Return, Scope, Term
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.types import Type, product, real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.definitions import NetDefinition
from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
from tests.declarations import declared

NET = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Twice : Real(2) -> Real(2)
loc w0 : Real(3, 2) = zeros
loc w1 : Real(2, 3) = zeros
net mlp(x : Real(2)) : Real(2) = let z <= FC[w0](x) in let h <= return swish(z) in FC[w1](h)
net residual(x : Real(2)) : Real(2) = let z <= mlp(x) in return x + z
net swapped(x : Real(2), y : Real(3)) : Real(3) * Real(2) = return (y, x)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""
KNOWN = declared(NET)


def command(text: str) -> Command:
    """A closed command."""
    found = elaborate_evaluation(KNOWN, parse_expression(Source("test", text)))
    assert isinstance(found, ClosedCommand)
    return found.command


def denote(text: str) -> Arrow:
    """``⟦P⟧``"""
    return interpret((), Scope((), command(text)))


def net(name: str, *domain: Type) -> Arrow:
    """``⟦◇ ; x : A ⊢ R⟧`` of a declared net."""
    definition = KNOWN.get(name)
    assert isinstance(definition, NetDefinition)
    return interpret(domain, definition.body)


def contents(a: Arrow) -> list[str]:
    """The contents of the boxes, in order."""
    found: list[str] = []
    for box in a.boxes:
        match box.content:
            case Pure(_, M, names, order):
                assert M is not None
                found.append("R'" * order + show(M, names=names))
            case Effect(op):
                found.append(op.family.name)
            case Choose():
                found.append("if")
            case Iterate():
                found.append("rounds")
    return found


def test_example_7_14_a_net_is_its_architecture() -> None:
    a = net("mlp", real(2))
    assert contents(a) == ["FC", "swish(z)", "FC"]
    assert [box.inputs for box in a.boxes] == [(0,), (1,), (2,)]
    assert a.types == (real(2), real(3), real(3), real(2))
    assert a.names == ("x", "z", "h", "")


def test_example_7_15_the_residual_connection_is_a_wire_beside_the_net() -> None:
    a = net("residual", real(2))
    assert contents(a) == ["FC", "swish(z)", "FC", "x + z"]
    assert a.boxes[-1].inputs == (0, 3)


def test_tuples_are_wiring() -> None:
    a = net("swapped", product((real(2), real(3))))
    assert a.boxes == ()
    assert a.codomain == (1, 0)


def test_example_7_14_a_handler_sandwiches_the_rest() -> None:
    a = denote("rev handle ([1, 2]) <x>. mlp(x) with sgd(0.5, [0, 0])")
    shown = [text for box, text in zip(a.boxes, contents(a), strict=True) if box.inputs]
    assert shown == [
        "Get",
        "w @ x",
        "swish(z)",
        "Get",
        "w @ x",
        "0.5 · (x - [0.0, 0.0])",
        "w - outer(y, x)",
        "Put",
        "wᵀ @ y",
        "R'swish(z)",
        "w - outer(y, x)",
        "Put",
        "wᵀ @ y",
    ]
    assert [(box.place[0].leg, box.place[0].level) for box in a.boxes if box.inputs] == [
        (Leg.FORWARD, 0),
        (Leg.FORWARD, 0),
        (Leg.FORWARD, 1),
        (Leg.FORWARD, 2),
        (Leg.FORWARD, 2),
        (Leg.RETURN, 3),
        (Leg.BACKWARD, 2),
        (Leg.BACKWARD, 2),
        (Leg.BACKWARD, 2),
        (Leg.BACKWARD, 1),
        (Leg.BACKWARD, 0),
        (Leg.BACKWARD, 0),
        (Leg.BACKWARD, 0),
    ]


def test_an_ordinary_handler_takes_the_rest_as_often_as_its_clause_says() -> None:
    clause = "return r -> return r; Twice(x), k -> let a <= k(x) in let b <= k(a + x) in return (a + b)"
    a = denote(f"handle let y <= Twice([1, 2]) in return y * y with {{ {clause} }}")
    assert contents(a).count("y * y") == 2
    (value,) = run(a, (), {}).values
    # k(x) = (1, 4), k((1, 4) + (1, 2)) = (4, 36)
    np.testing.assert_array_equal(value, [5, 40])


def test_an_operation_that_nobody_handles_stays_in_the_denotation() -> None:
    a = denote("Twice([1, 2])")
    assert contents(a) == ["[1.0, 2.0]", "Twice"]
    with pytest.raises(Stuck, match="RH201"):
        run(a, (), {})


def test_a_term_as_deep_as_memory_allows() -> None:
    M: Term = constant([1.0])
    for _ in range(3000):
        M = Plus(M, constant([1.0]))
    (value,) = run(interpret((), Scope((), Return(M))), (), {}).values
    assert value == 3001.0


def test_a_spine_of_lets_as_long_as_memory_allows() -> None:
    P: Command = Return(Bound(0, "x"))
    for _ in range(3000):
        P = Bind(Return(Plus(Bound(0, "x"), constant([1.0]))), Scope(("x",), P))
    (value,) = run(interpret((real(1),), Scope(("x",), P)), (np.zeros(1),), {}).values
    assert value == 3000.0
