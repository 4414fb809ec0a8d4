"""Elaboration of terms (LANGUAGE §1, RH Fig. 2): each construct, and the sugar that types resolve, by type and value."""

import math
from typing import Any

import pytest

from tests.typing.cells import value, wrong

SIGMOID_1 = 1 / (1 + math.exp(-1))

TERMS: list[tuple[str, str, Any]] = [
    # constants
    ("0.5", "Real(1)", [0.5]),
    ("-0.5", "Real(1)", [-0.5]),
    ("[1.0, 2.0]", "Real(2)", [1, 2]),
    ("[[1, 2], [3, -4]]", "Real(2, 2)", [[1, 2], [3, -4]]),
    ("[[[1], [2]]]", "Real(1, 2, 1)", [[[1], [2]]]),
    ("()", "Real(0)", []),
    # the literal 0, at the type its context asks for
    ("0", "Real(1)", [0]),
    ("0.0", "Real(1)", [0]),
    ("0 + [1, 2]", "Real(2)", [1, 2]),
    ("[1, 2] + 0", "Real(2)", [1, 2]),
    ("(1, [2, 3]) + 0", "Real(1) × Real(2)", {"tuple": [[1], [2, 3]]}),
    ("(0, [2, 3]) + (1, 0)", "Real(1) × Real(2)", {"tuple": [[1], [2, 3]]}),
    ("() + 0", "Real(0)", []),
    ("[1, 2] - 0", "Real(2)", [1, 2]),
    ("maximum([-1, 2], 0)", "Real(2)", [0, 2]),
    ("let x <- 0 in x + [1, 2]", "Real(2)", [1, 2]),
    ("let x <- 0 in let y <- x in y", "Real(1)", [0]),
    ("0 * [1, 2]", "Real(2)", [0, 0]),
    ("relu(0)", "Real(1)", [0]),
    # tuples and projections
    ("(1, [2, 3])", "Real(1) × Real(2)", {"tuple": [[1], [2, 3]]}),
    ("⟨1, 2⟩", "Real(1) × Real(1)", {"tuple": [[1], [2]]}),
    ("((1, 2), 3)", "(Real(1) × Real(1)) × Real(1)", {"tuple": [{"tuple": [[1], [2]]}, [3]]}),
    ("(1, [2, 3]).2", "Real(2)", [2, 3]),
    ("proj_1(1, [2, 3])", "Real(1)", [1]),
    ("((1, 2), 3).1.2", "Real(1)", [2]),
    ("let p <- (1, (2, 3)) in p.2.1 + p.1", "Real(1)", [3]),
    # let and patterns
    ("let x <- 2 in x * x", "Real(1)", [4]),
    ("let x ← 2 in x + x", "Real(1)", [4]),
    ("let x <- 2 in let x <- 3 in x", "Real(1)", [3]),
    ("let (x, y) <- (1, [2, 3]) in (y, x)", "Real(2) × Real(1)", {"tuple": [[2, 3], [1]]}),
    ("let (x, (y, z)) <- (1, (2, 3)) in (z, y, x)", "Real(1) × Real(1) × Real(1)", {"tuple": [[3], [2], [1]]}),
    ("let (_, (y, _)) <- (1, (2, 3)) in y", "Real(1)", [2]),
    ("let _ <- 1 in 2", "Real(1)", [2]),
    ("let (x, y) <- (let (a, b) <- (1, 2) in (b, a)) in x - y", "Real(1)", [1]),
    ("let x <- 1 in (let x <- 2 in x) + x", "Real(1)", [3]),
    # + at every type, and the operators that types resolve
    ("1 + 2", "Real(1)", [3]),
    ("(1, [2, 3]) + (4, [5, 6])", "Real(1) × Real(2)", {"tuple": [[5], [7, 9]]}),
    ("[1, 2] - [3, 5]", "Real(2)", [-2, -3]),
    ("-[1, 2]", "Real(2)", [-1, -2]),
    ("2 * [1, 2]", "Real(2)", [2, 4]),
    ("[2] * [[1, 2]]", "Real(1, 2)", [[2, 4]]),
    ("[1, 2] * [3, 4]", "Real(2)", [3, 8]),
    ("2 * 3", "Real(1)", [6]),
    ("2 · [1, 2]", "Real(2)", [2, 4]),
    ("[2, 4] / 2", "Real(2)", [1, 2]),
    ("[2, 4] / [1, 2]", "Real(2)", [2, 2]),
    ("3 / 2", "Real(1)", [1.5]),
    ("[[1, 2], [3, 4]] @ [1, 1]", "Real(2)", [3, 7]),
    ("[[1, 2], [3, 4]] @ [[1], [1]]", "Real(2, 1)", [[3], [7]]),
    ("[[1, 2, 3]]^T", "Real(3, 1)", [[1], [2], [3]]),
    ("[[1, 2], [3, 4]]ᵀ @ [1, 0]", "Real(2)", [1, 2]),
    ("1 - 2 - 3", "Real(1)", [-4]),
    ("1 + 2 * 3", "Real(1)", [7]),
    ("-2 * 3", "Real(1)", [-6]),
    # function symbols, which may have several schemes
    ("sigmoid(1)", "Real(1)", [SIGMOID_1]),
    ("add([1, 2], [3, 4])", "Real(2)", [4, 6]),
    ("matmul([[1, 2]], [3, 4])", "Real(1)", [11]),
    ("matmul([[1, 2]], [[3], [4]])", "Real(1, 1)", [[11]]),
    ("outer([1, 2], [3, 4, 5])", "Real(2, 3)", [[3, 4, 5], [6, 8, 10]]),
    ("dot([1, 2], [3, 4])", "Real(1)", [11]),
    ("let p <- ([1, 2], [3, 4]) in dot(p)", "Real(1)", [11]),
    ("dot(([1, 2], [3, 4]))", "Real(1)", [11]),
    ("fill[2, 2](3)", "Real(2, 2)", [[3, 3], [3, 3]]),
    ("reshape[3, 2]([1, 2, 3, 4, 5, 6])", "Real(3, 2)", [[1, 2], [3, 4], [5, 6]]),
    ("reshape[1 + 1]([[1, 2]])", "Real(2)", [1, 2]),
    ("broadcast_rows[2]([1, 2])", "Real(2, 2)", [[1, 2], [1, 2]]),
    ("permute[1, 0]([[1, 2, 3], [4, 5, 6]])", "Real(3, 2)", [[1, 4], [2, 5], [3, 6]]),
    ("permute[2, 0, 1]([[[1, 2, 3], [4, 5, 6]]])", "Real(3, 1, 2)", [[[1, 4]], [[2, 5]], [[3, 6]]]),
    ("permute[0]([1, 2])", "Real(2)", [1, 2]),
    ("stack([1, 2], [3, 4])", "Real(2, 2)", [[1, 2], [3, 4]]),
    ("stack(1, 2)", "Real(2, 1)", [[1], [2]]),
    # derivatives: the cotangent first, the point second
    ("rd[permute[2, 0, 1]]([[[7, 8]], [[9, 10]]], [[[1, 2], [3, 4]]])", "Real(1, 2, 2)", [[[7, 9], [8, 10]]]),
    ("[[1, 0], [0, 2]].rd(x. stack(x, x * x))([3, 4])", "Real(2)", [1, 16]),
    ("rd[square](1, 3)", "Real(1)", [6]),
    ("rd[sum](2, [1, 1, 1])", "Real(3)", [2, 2, 2]),
    ("rd[mul](1, (3, 4))", "Real(1) × Real(1)", {"tuple": [[4], [3]]}),
    ("rd[matmul]([1, 1], ([[1, 2], [3, 4]], [1, 1]))", "Real(2, 2) × Real(2)", {"tuple": [[[1, 1], [1, 1]], [4, 6]]}),
    ("rd[rd[square]](1, (1, 3))", "Real(1) × Real(1)", {"tuple": [[6], [2]]}),
    ("rd[reshape[2, 1]]([[1], [2]], [5, 6])", "Real(2)", [1, 2]),
    ("[1].rd(x. x * x)(3)", "Real(1)", [6]),
    ("(1, 0).rd(x. (x * x, x))(3)", "Real(1)", [6]),
    ("[1].rd((x, y). x * y)((3, 4))", "Real(1) × Real(1)", {"tuple": [[4], [3]]}),
    ("let y <- 5 in [1].rd(x. x * y)(3)", "Real(1)", [5]),
    ("[1].rd(x. [1].rd(z. z * z * z)(x))(2)", "Real(1)", [12]),
    ("[0].rd(x. x)(1)", "Real(1)", [0]),
    # undefined points give nan and infinities, and no error
    ("log([0, 1])", "Real(2)", ["-inf", 0]),
    ("1 / 0.0", "Real(1)", ["inf"]),
    ("sqrt(-1)", "Real(1)", ["nan"]),
    ("log([0, 1]) + recip([0, 1])", "Real(2)", ["nan", 1]),
]


@pytest.mark.parametrize(("text", "type", "expected"), TERMS, ids=[text for text, _, _ in TERMS])
def test_a_term_has_its_type_and_value(text: str, type: str, expected: Any) -> None:
    assert value(text) == (type, expected) or (value(text)[0] == type and value(text)[1] == pytest.approx(expected))


COMMANDS: list[tuple[str, str, Any]] = [
    ("return 2", "Real(1)", [2]),
    ("⌊2⌋", "Real(1)", [2]),
    ("let x <= return 2 in return x + 1", "Real(1)", [3]),
    ("let x ⇐ return 2 in let y ← x + 1 in return (x, y)", "Real(1) × Real(1)", {"tuple": [[2], [3]]}),
    ("let (x, _) <= return (1, 2) in return x", "Real(1)", [1]),
    ("let x <- 0 in return x + [1, 2]", "Real(2)", [1, 2]),
    ("let x <= (let y <= return 1 in return y + 1) in return x", "Real(1)", [2]),
    ("rev handle ([1, 2]) <x>. return x with { return y -> return 2 * y }", "Real(2)", [2, 4]),
    (
        "rev handle (1, [2, 3]) <x, y>. return x * y with { return z -> return z }",
        "Real(1) × Real(2)",
        {"tuple": [[13], [2, 3]]},
    ),
    ("rev handle (1, 2) <p>. return p.1 * p.2 with { return z -> return 1 }", "Real(1) × Real(1)", {"tuple": [[2], [1]]}),
    (
        "rev handle ⟨1, (2, 3)⟩ ⟨x, (y, z)⟩. return x * y * z with { return z -> return 1 }",
        "Real(1) × (Real(1) × Real(1))",
        {"tuple": [[6], {"tuple": [[3], [2]]}]},
    ),
    ("handle return 2 with { return x -> return (x, x) }", "Real(1) × Real(1)", {"tuple": [[2], [2]]}),
    (
        "let k <= return 3 in rev handle (k, 2) <k, x>. return k * x with { return y -> return 1 }",
        "Real(1) × Real(1)",
        {"tuple": [[2], [3]]},
    ),
]


@pytest.mark.parametrize(("text", "type", "expected"), COMMANDS, ids=[text for text, _, _ in COMMANDS])
def test_a_command_has_its_type_and_value(text: str, type: str, expected: Any) -> None:
    assert value(text) == (type, expected)


TYPES = [
    ("Real", "Real(1)", "0.5"),
    ("Real(1)", "Real(1)", "[0.5]"),
    ("Real(0)", "Real(0)", "()"),
    ("1", "Real(0)", "()"),
    ("Real * Real(2)", "Real(1) × Real(2)", "(1, [2, 3])"),
    ("Real × (Real × 1)", "Real(1) × (Real(1) × Real(0))", "(1, (2, ()))"),
    ("Real(2 * 3)", "Real(6)", "[1, 2, 3, 4, 5, 6]"),
    ("Real(ceil(5 / 2), 7 // 4)", "Real(3, 1)", "[[1], [2], [3]]"),
    ("Real(2)", "Real(2)", "0"),
    ("Real(2) * Real", "Real(2) × Real(1)", "0"),
]


@pytest.mark.parametrize(("written", "type", "content"), TYPES)
def test_a_constant_has_the_type_that_is_written(written: str, type: str, content: str) -> None:
    assert value(f"const c : {written} = {content}\nc")[0] == type


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("[1, 2] * 2", "RH103"),
        ("(1, 2) * (1, 2)", "RH103"),
        ("[1, 2] @ [[1, 2], [3, 4]]", "RH103"),
        ("2 / [1, 2]", "RH103"),
        ("()^T", "RH103"),
        ("let (a, b) <- 1 in a", "RH110"),
        ("let x <- 1 in x.1", "RH111"),
        ("let x <= return 1 in x", "RH109"),
        ("return return 1", "RH108"),
        ("rev handle (1) <x>. x with { return y -> return y }", "RH109"),
    ],
)
def test_what_is_no_term(text: str, code: str) -> None:
    assert [d.code for d in wrong(text)] == [code]


def test_a_long_spine_of_lets_needs_no_deep_recursion() -> None:
    lets = " in ".join(f"let x{i + 1} <- x{i} + 1" for i in range(3000))
    assert value(f"let x0 <- 0 in {lets} in x3000") == ("Real(1)", [3000])
