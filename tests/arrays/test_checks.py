"""Checks of a strict program: none is lost on the way, none is there that nobody asked for, and each names what was called."""

import re

import numpy as np
import pytest

from rh_kernel.arrays.batch import batched
from rh_kernel.arrays.compile import compile_command, compile_term, translate
from rh_kernel.arrays.execution import prepare, run
from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Program, Smooth
from rh_kernel.arrays.rewrites.listing import listing
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.core import Return, Term
from rh_kernel.syntax.types import real
from rh_kernel.typing.definitions import FunDefinition
from tests.arrays.validation import validate
from tests.declarations import declared


def body(text: str, shape: str = "2") -> Term:
    """The M of ``fun f(x : Real(…)) = M``, which leaves x loose."""
    definition = declared(f"fun f(x : Real({shape})) = {text}").get("f")
    assert isinstance(definition, FunDefinition)
    assert isinstance(definition.body.body, Term)
    return definition.body.body


def checks(program: Program) -> list[str]:
    return [e.operator.function.name for e in program.equations if isinstance(e.operator, Smooth)]


def compiled(text: str) -> Program:
    return validate(compile_term(body(text), (real(2),), ("x",), options=CompileOptions(strict=True)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("exp(x) + sin(x)", []),
        ("relu(x) + relu(x)", ["relu"]),
        ("let y <- log(x) in x", ["log"]),
        ("(log(x), x).2", ["log"]),
        ("0 * abs(x)", ["abs"]),
        ("0 / x", ["div"]),
        ("abs(relu(x))", ["relu", "abs"]),
        ("rd[relu](x, x)", ["relu"]),
        ("x.rd(y. relu(sqrt(y)))(x)", ["sqrt", "relu"]),
        ("rd[rd[relu]](x, (x, x))", ["relu"]),
    ],
)
def test_what_is_checked(text: str, expected: list[str]) -> None:
    """Once for each function and point; a derivative brings no symbols of its own, and what is not used is checked as well."""
    assert checks(compiled(text)) == expected
    assert compile_term(body(text), (real(2),)).checks == 0


def test_optimisation_loses_no_check() -> None:
    M = Return(body("let y <- recip(x) in sub(abs(y), abs(y))"))
    plain = translate(M, (real(2),), options=CompileOptions(strict=True))
    assert checks(plain) == ["recip", "abs", "abs"]
    assert checks(compile_command(M, (real(2),), options=CompileOptions(strict=True))) == ["recip", "abs"]


@pytest.mark.parametrize(("x", "point"), [([1.0, 0.0], "[1.0, 0.0]"), ([-0.0, 2.0], "[0.0, 2.0]")])
def test_a_run_is_stuck_at_the_point(x: list[float], point: str) -> None:
    with pytest.raises(Stuck, match=re.escape(f"RH203: relu is not smooth at {point}")):
        run(compiled("2 * relu(x)"), [np.array(x)], {})


def test_a_batch_names_the_first_sample_that_is_stuck() -> None:
    program = prepare(validate(batched(compiled("maximum(x, [1, 2])"), [True])))
    smooth = np.array([[0.0, 0.0], [3.0, 1.0]])
    (result, _) = program([smooth], {})
    assert np.array_equal(np.asarray(result), [[1.0, 2.0], [3.0, 2.0]])
    with pytest.raises(Stuck, match=re.escape("maximum is not smooth at ⟨[5.0, 2.0], [1.0, 2.0]⟩")):
        program([np.array([[0.0, 0.0], [5.0, 2.0], [1.0, 1.0]])], {})


def test_a_long_point_is_told_by_its_entry() -> None:
    program = compile_term(body("abs(x)", "4, 4"), (real(4, 4),), options=CompileOptions(strict=True))
    with pytest.raises(Stuck) as stuck:
        run(program, [np.eye(4) - np.eye(4)[::-1] + 1], {})
    (d,) = stuck.value.diagnostics
    assert (d.message, d.found) == ("abs is not smooth at ‹Real(4, 4)›", "0.0 in entry 1, 4")


def test_checks_are_listed_and_cost_nothing() -> None:
    program = compiled("relu(x) + x")
    assert "check relu(x)" in listing(program)
    assert "# 2 equations, 1 check, 4 flop" in listing(program)
    assert program.cost_of(1) == compile_term(body("relu(x) + x"), (real(2),)).cost_of(1)
