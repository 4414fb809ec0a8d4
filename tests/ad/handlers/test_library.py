"""The programs of the library: alone, all together, and their types in the thesis."""

import pytest

from rh_kernel.ad.eff import library as texts
from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.definitions import Function, Handler
from rh_kernel.ad.eff.printing.types import handler_scheme, scheme
from rh_kernel.ad.eff.reduction.reducer import run as reduced
from tests.ad.handlers.programs import computation, counted, library, of_list, outcome, value
from tests.ad.handlers.test_oracles import CHECKPOINTS, TERM

TYPES = {
    "c": "Float -> [Smooth x] x",
    "t": "x -> x -> [Smooth x] x",
    "der2": "Arg -> Binary -> x -> x -> [Smooth x] x",
    "dder2": "Bool -> Arg -> Arg -> Binary -> x -> x -> [Smooth x] x",
    "evaluate": "<Smooth Float> a -> a",
    "diff": "<Smooth (Paired a)> b -> [Smooth a] b",
    "d": "{Paired x -> [Smooth x, Smooth (Paired x)] Paired x} -> x -> [Smooth x] x",
    "lift": "x -> [Smooth x, Smooth (Paired x)] Paired x",
    "lift2": "x -> [Smooth x, Smooth (Paired x), Smooth (Paired (Paired x))] Paired (Paired x)",
    "reverse": "<Smooth (Prop a)> b -> [RefState, Smooth a] Unit",
    "grad": "{Prop x -> [RefState, Smooth x, Smooth (Prop x)] Prop x} -> x -> [RefState, Smooth x] x",
    "propagate": "<Smooth (Cont a [e])> b -> [Smooth a] b",
    "dc": "{Cont x [e] -> [e | Smooth x, Smooth (Cont x [e])] Cont x [e]} -> x -> [e | Smooth x] x",
    "record": "<Smooth (Named a)> b -> List (Pointer a) -> [Fresh, Smooth a] (List (Pointer a), b)",
    "dt": "{Named x -> [Smooth x, Smooth (Named x)] Named x} -> x -> [RefState, Smooth x] x",
    "diff2": "<Smooth (Triple a)> b -> [Smooth a] b",
    "runState": "<State a> b -> a -> (b, a)",
    "ds": "{Paired x -> [Smooth x, Smooth (Paired x)] Paired x} -> x -> [Smooth x] x",
}
"""As in the listings; a row that is not written has the variable ε, a tape is a parameter behind what is handled."""


@pytest.mark.parametrize("name", texts.names())
def test_each_program_can_be_included_alone(name: str) -> None:
    """Each program includes those that it uses."""
    assert name in loading.program(name).included


def test_no_name_is_declared_twice() -> None:
    """All programs can be included together"""
    assert [key for key in loading.program(*texts.names()).declared if "#" in key] == []


@pytest.mark.parametrize("name", TYPES)
def test_types_are_those_of_the_thesis(name: str) -> None:
    """Listings 4.1 to 5.1"""
    match library().declared[name]:
        case Function(_, found):
            assert scheme(found) == TYPES[name]
        case Handler(_, found):
            assert handler_scheme(found) == TYPES[name]
        case _:
            raise AssertionError


@pytest.mark.parametrize(
    "program",
    [
        *(f"{mode} {TERM} 2" for mode in ("d", "dc", "grad", "dt", "dd", "gradc", "gradh", "gradhc")),
        f"hessian {of_list('x, y', 'term x y')} [2, 4]",
        f"gradc {CHECKPOINTS.replace('SEEN', '')} 5",
        "gradhc {x -> let f = abs {y -> t x y} in app f (app f x)} 3",
        "grad {x -> t x (d {y -> t (lift x) y} (c 1))} 3",
    ],
)
def test_the_machine_agrees_with_reduction(program: str) -> None:
    """Adequacy, also outside of the thesis' calculus"""
    M = computation(f"handle {program} with evaluate")
    found = outcome(f"handle {program} with evaluate").value
    assert found is not None
    assert reduced(M, library()).value == found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "operations"),
    [("d", 22 * 5000 + 5), ("grad", 30 * 5000 + 6), ("gradc", 30 * 5000 + 6), ("gradh", 30 * 5000 + 6), ("dt", 26 * 5000 - 1)],
)
def test_a_long_program(mode: str, operations: int) -> None:
    """25,000 operations: Python's stack does not grow, not even in the backward pass"""
    program = f"handle {mode} {{x -> taylor 5000 x}} 0.5 with evaluate"
    assert counted(program).handled_by("evaluate") == operations
    assert value(program) == pytest.approx(-4, rel=1e-14)
