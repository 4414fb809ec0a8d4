"""Running denotations on a heap: by hand and against the other evaluators, with copied wires, pairs and Get after Put."""

from typing import Any

import pytest

from tests.typing.cells import value

PAIR = "Real(1) × Real(1)"
F = "op F : Real(2) -> Real(2)\n"
BACK = "return x -> return x ; F(x) -> return (3 * x, 0) | y, z -> return 5 * y"

PROGRAMS: tuple[tuple[str, str, Any], ...] = (
    # the cotangents of a wire that two boxes read are added: [4, 8] + 5 · [4, 8]
    (F + "rev handle ([1, 2]) <x>. let y <= F(x) in return x + y with { " + BACK + " }", "Real(2)", [24, 48]),
    # … also where both are operations: 5 · [6, 12] twice
    (F + "rev handle ([1, 2]) <x>. let y <= F(x) in let z <= F(x) in return y + z with { " + BACK + " }", "Real(2)", [60, 120]),
    # the components of a cotangent keep their order
    (
        "op G : Real * Real -> Real * Real\nrev handle ((1, 2)) <x>. G(x) with { return x -> return x\n"
        "  G(x) -> return (x, 0) | (a, b), z -> return (a, 10 * b) }",
        PAIR,
        {"tuple": [[1], [20]]},
    ),
    # `Get` sees what was put before
    (
        "loc w : Real = 1\nlet x <= Get[w]() in let _ <= Put[w](x + 1) in let y <= Get[w]() in return (x, y)",
        PAIR,
        {"tuple": [[1], [2]]},
    ),
)


@pytest.mark.parametrize("evaluator", ["stepped", "compiled", "denoted"])
@pytest.mark.parametrize(("program", "A", "expected"), PROGRAMS)
def test_what_a_program_comes_to(evaluator: str, program: str, A: str, expected: Any) -> None:
    assert value(f"%evaluator {evaluator}\n{program}") == (A, expected)
