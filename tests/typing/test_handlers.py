"""Elaboration of handlers (RH Fig. 3, §2.2.1; LANGUAGE §3): indices, generic clauses, D_Op, overriding, reach."""

from typing import Any

import pytest

from rh_kernel.display.data import value as as_data
from rh_kernel.session.results import DeclarationMade, TraceMade
from tests.typing.cells import last, value, wrong

FC = "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
W = "loc w0 : Real(2, 2) = [[1, 2], [3, 4]]\nloc w1 : Real(1, 2) = [[1, -1]]\n"
INFER = """handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k • (w @ x)
}
"""
SGD = """handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y
}
"""
LAYER = "op Layer : Real(n) -> Real(n)\n"
POOL = "op Pool[p : Dim] : Real(n) -> Real(ceil(n / p))\n"
DROP = "op Drop[a : Real] : Real(n) -> Real(n)\n"

HANDLED: list[tuple[str, str, Any]] = [
    # ordinary handlers: one clause for all indices, at several sizes; unannotated ones at several types
    (FC + W + INFER + "handle (let y <= FC[w0]([1, 1]) in FC[w1](y)) with infer", "Real(1)", [-4]),
    (
        FC + W + INFER + "let a <= handle FC[w0]([1, 1]) with infer in "
        "let b <= handle FC[w1]([1, 1]) with infer in return (a, b)",
        "Real(2) × Real(1)",
        {"tuple": [[3, 7], [0]]},
    ),
    (
        FC + W + INFER + "handle (let y <= FC[w0]([1, 1]) in return (y, 1)) with infer",
        "Real(2) × Real(1)",
        {"tuple": [[3, 7], [1]]},
    ),
    (LAYER + "handle Layer([1, 2]) with { return x -> return sum(x) ; Layer(x), k -> k(2 * x) }", "Real(1)", [6]),
    (LAYER + "handle Layer([1, 2]) with { return x -> return sum(x) ; Layer(x), k -> return 7 }", "Real(1)", [7]),
    (
        LAYER + "handle Layer(1) with { return x -> return x ; Layer(x), k -> let a <= k(x) in "
        "let b <= k(3 * x) in return a + b }",
        "Real(1)",
        [4],
    ),
    (
        POOL + "handle Pool[2]([1, 2, 3]) with { return x -> return x ; Pool[p](x), k -> k(fill[ceil(n / p)](sum(x))) }",
        "Real(2)",
        [6, 6],
    ),
    (
        POOL + "handle Pool[3]([1, 2, 3]) with { return x -> return x ; Pool[q](x), k -> k(fill[ceil(n / q)](sum(x))) }",
        "Real(1)",
        [6],
    ),
    # a location whose shape speaks of a dimension that is given after it, in the clause for one location and in that for all
    (
        "op C[l : Loc(d, p), p : Dim] : Real(n) -> Real(ceil(n / p))\nloc v : Real(1, 2) = ones\nloc w : Real(1, 3) = ones\n"
        "handle (let y <= C[w, 3]([1, 2, 3, 4, 5]) in C[v, 2](y)) with { return x -> return x\n"
        "  C[v, q](x), k -> k(fill[ceil(n / q)](7))\n"
        "  C[l, q](x), k -> let w <= Get[l]() in k(fill[ceil(n / q)](sum(w + fill[d, q](1)))) }",
        "Real(1)",
        [7],
    ),
    # a declared location fixes the dimensions of a parameter beside it, on whichever side of it that is
    (
        "op Two[l : Loc(m, n), v : Loc(m, n)] : Real(n) -> Real(m)\n" + W + "handle Two[w0, w0]([1, 1]) with {\n"
        "  return x -> return x\n  Two[l, w0](x), k -> let w <= Get[l]() in k(w @ x + [0, 1]) }",
        "Real(2)",
        [3, 8],
    ),
    (
        "op Two[l : Loc(m, n), v : Loc(m, n)] : Real(n) -> Real(m)\n" + W + "handle Two[w0, w0]([1, 1]) with {\n"
        "  return x -> return x\n  Two[w0, l](x), k -> let w <= Get[l]() in k(w @ x + [0, 1]) }",
        "Real(2)",
        [3, 8],
    ),
    (DROP + "handle Drop[0.5]([2, 4]) with { return x -> return x ; Drop[a](x), k -> k(a * x) }", "Real(2)", [1, 2]),
    (
        "op Two[a : Real, p : Dim] : 1 -> Real(p)\n"
        "handle Two[5, 2]() with { return x -> return x ; Two[b, q](_), k -> k(fill[q](b)) }",
        "Real(2)",
        [5, 5],
    ),
    (
        "op Add : Real * Real -> Real\nhandle Add(1, 2) with { return x -> return x ; Add(x, y), k -> k(10 * x + y) }",
        "Real(1)",
        [12],
    ),
    (
        "op Add : Real * Real -> Real\nhandle Add(1, 2) with { return x -> return x ; Add(p), k -> k(10 * p.1 + p.2) }",
        "Real(1)",
        [12],
    ),
    (
        "op Tick : 1 -> 1\nhandle (let _ <= Tick() in return 1) with { return x -> return x ; "
        "Tick(u), k -> let y <= k(u) in return y + 1 }",
        "Real(1)",
        [2],
    ),
    # handlers with parameters, which are closed values, at several sizes
    (
        LAYER + "handler scaled(a : Real) = { return x -> return x\n  Layer(x), k -> k(a * x) }\n"
        "handle Layer([1, 2]) with scaled(3)",
        "Real(2)",
        [3, 6],
    ),
    (
        "handler shift(t : Real(k)) : rev handler(Real(k)) = { return x -> return x - t }\n"
        "let a <= rev handle ([1, 2]) <x>. return x with shift([1, 1]) in "
        "rev handle (5) <x>. return x with shift(1)",
        "Real(1)",
        [4],
    ),
    (
        "const t = [1, 1]\nhandler h : rev handler(Real(2)) = { return x -> return x - t }\n"
        "rev handle ([1, 2]) <x>. return x with h",
        "Real(2)",
        [0, 1],
    ),
    # reverse handlers: D_Op is whatever the forward part keeps
    (
        LAYER + "rev handle (3) <x>. Layer(x) with { return y -> return 1 ; "
        "Layer(x) -> return (2 * x, ()) | y, z -> return 2 * y }",
        "Real(1)",
        [2],
    ),
    (
        LAYER + "rev handle (3) <x>. Layer(x) with { return y -> return 1 ; "
        "Layer(x) -> return (2 * x, 0) | y, z -> return 2 * y }",
        "Real(1)",
        [2],
    ),
    (
        LAYER + "rev handle (3) <x>. Layer(x) with { return y -> return 1 ; Layer(x) -> return (x, x) | y, x -> return y * x }",
        "Real(1)",
        [3],
    ),
    (
        LAYER + "rev handle (3) <x>. Layer(x) with { return y -> return 1 ; "
        "Layer(x) -> return (x, (x, (x, 2))) | y, (a, (b, c)) ->"
        " return c * (a + b) }",
        "Real(1)",
        [12],
    ),
    (
        LAYER + "rev handle ([3, 4]) <x>. Layer(x) with { return y -> return y ; "
        "Layer(x) -> return (x, outer(x, x)) | y, z ->"
        " return z @ y }",
        "Real(2)",
        [75, 100],
    ),
    # an operation without a clause is forwarded to the handlers outside
    (
        LAYER + DROP + "handle rev handle (3) <x>. (let y <= Drop[2](x) in Layer(y)) with "
        "{ return y -> return 1 ; Layer(x) -> return (5 * x, 0) | y, z -> return 5 * y }"
        " with { return x -> return x ; Drop[a](x), k -> k(a * x) }",
        "Real(1)",
        [0],
    ),
    # the overriding clause at a location
    (
        FC + W + INFER[:-2] + "  FC[w1](x), k -> k([10])\n}\nhandle (let y <= FC[w0]([1, 1]) in FC[w1](y)) with infer",
        "Real(1)",
        [10],
    ),
    (
        FC + W + "handler h = { return x -> return x\n  FC[w1](x), k -> k([10])\n"
        "  FC[l](x), k -> let w <= Get[l]() in k(w @ x) }\n"
        "handle (let y <= FC[w0]([1, 1]) in FC[w1](y)) with h",
        "Real(1)",
        [10],
    ),
    (
        FC + W + "rev handle ([1, 1]) <x>. FC[w1](x) with { return y -> return 1\n"
        "  FC[w1](x) -> return ([5], x) | y, x -> return x\n"
        "  FC[l](x) -> return (fill[m](0), 0) | y, z -> return 0 }",
        "Real(2)",
        [1, 1],
    ),
    # Get and Put have clauses too
    (
        "loc w = [1, 2]\nhandle Get[w]() with { return x -> return x ; Get[l](u), k -> let v <= Get[l]() in k(2 * v) }",
        "Real(2)",
        [2, 4],
    ),
    # a literal handler inside a handler's clause, and a reverse handler inside an ordinary one
    (
        LAYER + "handle Layer(2) with { return x -> return x ; Layer(x), k -> let y <= handle Layer(x) with "
        "{ return z -> return z ; Layer(z), j -> j(2 * z) } in k(10 * y) }",
        "Real(1)",
        [40],
    ),
    (
        LAYER + "handle (rev handle (2) <x>. Layer(x) with { return y -> return y }) with "
        "{ return x -> return x ; Layer(x), k -> k(x) }",
        "Real(1)",
        [0],
    ),
]


@pytest.mark.parametrize(("text", "type", "expected"), HANDLED, ids=[str(i) for i in range(len(HANDLED))])
def test_a_handled_command_has_its_type_and_value(text: str, type: str, expected: Any) -> None:
    assert value(text) == (type, expected)


@pytest.mark.parametrize(("text", "type", "expected"), HANDLED, ids=[str(i) for i in range(len(HANDLED))])
def test_the_steps_come_to_the_same(text: str, type: str, expected: Any) -> None:
    before, _, command = text.rpartition("\n") if not text.endswith("}") else _parted(text)
    traced = last(f"{before}\n%trace {command}")
    assert isinstance(traced, TraceMade)
    assert traced.value is not None
    assert (str(traced.type), as_data(traced.value)) == (type, expected)


def _parted(text: str) -> tuple[str, str, str]:
    """The declarations, and the command, which begins at the last line that no line of it continues."""
    lines = text.split("\n")
    start = max(i for i, line in enumerate(lines) if not line.startswith((" ", "}")))
    return "\n".join(lines[:start]), "\n", "\n".join(lines[start:])


TYPES = [
    (FC + INFER[:-1], "A => A"),
    (FC + SGD[:-1], "(alpha : Real(1), t : Real(k)) -> rev handler(Real(k))"),
    (LAYER + "handler h = { return x -> return (x, x)\n  Layer(x), k -> k(x) }", "A => A × A"),
    (LAYER + "handler h = { return x -> return 1\n  Layer(x), k -> k(x) }", "A => Real(1)"),
    (LAYER + "handler h = { return x -> return x\n  Layer(x) -> return (x, 0) | y, z -> return y }", "rev handler(A)"),
    (LAYER + "handler h = { return x -> return 2 * x\n  Layer(x), k -> k(x) }", "Real(s…) => Real(s…)"),
    (LAYER + "handler h : Real(k) => Real = { return x -> return sum(x)\n  Layer(x), k -> k(x) }", "Real(k) => Real(1)"),
]


@pytest.mark.parametrize(("text", "type"), TYPES)
def test_a_handler_has_the_most_general_type(text: str, type: str) -> None:
    made = last(text)
    assert isinstance(made, DeclarationMade)
    assert made.type == type


def test_a_clause_is_checked_for_all_sizes_of_its_operation() -> None:
    """At m = n the clause would be right, and it is used there only; it is wrong all the same."""
    text = FC + W + "handler h = { return x -> return x\n  FC[l](x), k -> k(x) }\nhandle FC[w0]([1, 1]) with h"
    assert [d.code for d in wrong(text)] == ["RH102", "RH120"]


def test_the_result_of_a_handler_does_not_depend_on_a_clause() -> None:
    text = LAYER + "handler h = { return x -> return x\n  Layer(x), k -> return x }"
    assert [(d.code, d.found) for d in wrong(text)] == [("RH129", "Real(n)")]


def test_the_result_may_have_the_name_of_a_dimension_outside() -> None:
    """``n`` of the net is not the ``n`` of the operation."""
    text = (
        LAYER
        + """net f(x : Real(n)) : Real(n) =
  handle Layer(x) with { return y -> return y ; Layer(z), k -> k(2 * z) }
f([1, 2])"""
    )
    assert value(text) == ("Real(2)", [2, 4])


@pytest.mark.parametrize(
    "text",
    [
        LAYER + "net f(x : Real) = rev handle (x) <u>. Layer(u) with { return y -> return x }",
        LAYER + "net f(x : Real) = handle return x with { return y -> return y ; Layer(z), k -> k(x) }",
        LAYER + "net f(x : Real) = rev handle (1) <u>. return u + x with { return y -> return y }",
        LAYER + "let x <= return 1 in rev handle (1) <u>. Layer(x) with { return y -> return y }",
        "handler h(a : Real) : rev handler(Real) = { return y -> return a }\n"
        "net f(x : Real) = rev handle (x) <u>. return u with h(x)",
        DROP + "net f(x : Real) = Drop[x](1)",
        LAYER + "handle Layer(1) with { return y -> return y ; Layer(x), k -> handle k(x) with { return y -> k(y) } }",
    ],
)
def test_what_is_not_closed_is_out_of_reach(text: str) -> None:
    assert [d.code for d in wrong(text)] == ["RH112"]


@pytest.mark.parametrize(
    "text",
    [
        "net f[a : Real](x : Real) = rev handle (x) <u>. return a * u with { return y -> return a * y }\nf[3](1)",
        "handler h(a : Real) = { return y -> return a * y }\n"
        "net f[b : Real](x : Real) = rev handle (x) <u>. return b * u with h(b)\nf[3](1)",
        DROP + "net f[a : Real](x : Real) = handle Drop[a](x) with { return y -> return y ; "
        "Drop[b](z), k -> k(9 * z) }\nf[2](1)",
    ],
)
def test_static_parameters_are_in_reach_everywhere(text: str) -> None:
    assert value(text) == ("Real(1)", [9 if "Drop" in text else 27])


def test_the_ill_typed_h_train_is_rejected_with_both_types() -> None:
    """RH §2.2.2: the continuation would give Real(m), the clause returns Real(n)."""
    text = (
        FC
        + """handler h_train(alpha : Real, t : Real(1)) = {
  return y -> return alpha * (y - t)
  FC[l](x), k ->
    let w <= Get[l]() in
    let y <= k(w @ x) in
    let _ <= Put[l](w - outer(y, x)) in
    return w^T @ y
}"""
    )
    (diagnostic,) = wrong(text)
    assert diagnostic.code == "RH128"
    assert diagnostic.found == "Real(m) from `k`, and Real(n) from the clause"
    assert diagnostic.expected.startswith("Real(1) for both")
    forward, backward = diagnostic.hint.split("\n")[1:]
    head = "handler h_train(alpha : Real, t : Real(1)) = {\n  return y -> return alpha * (y - t)\n"
    cured = f"{FC}{W}{head}  {forward}\n  {backward}\n}}"
    assert value(f"{cured}\nrev handle ([1, 1]) <x>. FC[w1](x) with h_train(0.5, [2])") == ("Real(2)", [-1, 1])


def test_sgd_descends() -> None:
    text = FC + W + SGD + "let _ <= rev handle ([1, 1]) <x>. FC[w1](x) with sgd(0.5, [2]) in Get[w1]()"
    assert value(text) == ("Real(1, 2)", [[2, 0]])
