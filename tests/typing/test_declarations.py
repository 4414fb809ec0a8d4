"""Elaboration of declarations (LANGUAGE §2, §3): families, generic functions and nets, redeclaration."""

from typing import Any

import pytest

from rh_kernel.session.results import DeclarationMade, TypeShown
from rh_kernel.session.session import Session
from tests.typing.cells import HERE, last, run, value, wrong

FC = "op FC[l : Loc(m, n)] : Real(n) -> Real(m)\n"
INFER = """handler infer = {
  return x -> return x
  FC[l](x), k -> let w <= Get[l]() in k(w @ x)
}
"""

DECLARED = [
    ("dim n = 3", "Dim"),
    ("dim n = 2 * 3 - 1", "Dim"),
    ("const t = [0.5, 1]", "Real(2)"),
    ("const t : Real * Real = (1, 2)", "Real(1) × Real(1)"),
    ("loc w : Real(3, 2) = zeros", "Loc(3, 2)"),
    ("loc w = [1, 2]", "Loc(2)"),
    ("fun f(x : Real(n)) : Real(n) = x * x", "Real(n) -> Real(n)"),
    ("fun f(x : Real(n)) = outer(x, x)", "Real(n) -> Real(n, n)"),
    ("fun f(x : Real(n), y : Real(m)) = (y, x)", "Real(n) × Real(m) -> Real(m) × Real(n)"),
    ("fun f() = 3", "Real(0) -> Real(1)"),
    ("fun f(x : Real(n)) : Real(n) = 0", "Real(n) -> Real(n)"),
    ("fun f(x : Real((n + 1) * (n - 1))) : Real(n*n - 1) = x", "Real(n*n - 1) -> Real(n*n - 1)"),
    ("fun flat(x : Real(m, n)) : Real(m*n) = reshape[n*m](x)", "Real(m, n) -> Real(m*n)"),
    ("fun f(x : Real(ceil(n / 2))) : Real(ceil((n + 0) / 2)) = x", "Real(ceil(n / 2)) -> Real(ceil(n / 2))"),
    (FC[:-1], "[l : Loc(m, n)] Real(n) -> Real(m)"),
    ("op Pool[p : Dim] : Real(c, n) -> Real(c, ceil(n / p))", "[p : Dim] Real(c, n) -> Real(c, ceil(n / p))"),
    ("op Drop[a : Real, b : Real(2)] : 1 -> Real", "[a : Real(1), b : Real(2)] Real(0) -> Real(1)"),
    ("net id(x : Real(n)) = return x", "Real(n) ~> Real(n)"),
    (FC + "net f[l : Loc(m, n)](x : Real(n)) = FC[l](x)", "[l : Loc(m, n)] Real(n) ~> Real(m)"),
    (FC + "loc w0 : Real(3, 2) = ones\nnet f(x : Real(2)) = FC[w0](x)", "Real(2) ~> Real(3)"),
    ("net f() = return ()", "Real(0) ~> Real(0)"),
    ("handler h = { return x -> return x }", "rev handler(A)"),
    ("handler h : rev handler(Real(k)) = { return x -> return x }", "rev handler(Real(k))"),
    (
        "handler h(a : Real, t : Real(k)) : rev handler(Real(k)) = { return x -> return a * (x - t) }",
        "(a : Real(1), t : Real(k)) -> rev handler(Real(k))",
    ),
    ("handler h : Real(2) => Real = { return x -> return sum(x) }", "Real(2) => Real(1)"),
    ("handler h = { return x -> return sum(x) }", "rev handler(Real(1))"),
    (FC + INFER[:-1], "A => A"),
]


@pytest.mark.parametrize(("text", "type"), DECLARED, ids=[text[-60:] for text, _ in DECLARED])
def test_a_declaration_has_its_type(text: str, type: str) -> None:
    made = last(text)
    assert isinstance(made, DeclarationMade)
    assert made.type == type


USED: list[tuple[str, str, Any]] = [
    # one function at several sizes, and several dimension variables
    (
        "fun sq(x : Real(n)) = x * x\n(sq(2), sq([1, 2]), sq([1, 2, 3]))",
        "Real(1) × Real(2) × Real(3)",
        {"tuple": [[4], [1, 4], [1, 4, 9]]},
    ),
    ("fun f(x : Real(n), y : Real(m)) = outer(y, x)\nf([1, 2], [3])", "Real(1, 2)", [[3, 6]]),
    ("fun flat(x : Real(m, n)) : Real(m*n) = reshape[m*n](x)\nflat([[1, 2], [3, 4]])", "Real(4)", [1, 2, 3, 4]),
    ("fun head(x : Real(n + 1)) : Real(n) = fill[n](sum(x))\nhead([1, 2, 3])", "Real(2)", [6, 6]),
    ("fun halves(x : Real(2*n)) : Real(n) = fill[n](sum(x))\nhalves([1, 2, 3, 4])", "Real(2)", [10, 10]),
    ("dim n = 2\nfun f(x : Real(n)) = sum(x)\nf([1, 2])", "Real(1)", [3]),
    ("dim a = 2\ndim b = a * a\nconst c : Real(b) = [1, 2, 3, 4]\nc", "Real(4)", [1, 2, 3, 4]),
    ("const a = [1, 2]\nconst b = a + a\nb", "Real(2)", [2, 4]),
    # derivatives of a user's functions: by Fig. 6, or brought along; to any order
    ("fun sq(x : Real(n)) = x * x\nrd[sq]([1, 1], [3, 4])", "Real(2)", [6, 8]),
    ("fun sq(x : Real(n)) = x * x\nrd[rd[sq]]([1], ([1], [3]))", "Real(1) × Real(1)", {"tuple": [[6], [2]]}),
    ("fun f(x : Real, y : Real) = x * y\nrd[f](1, (3, 4))", "Real(1) × Real(1)", {"tuple": [[4], [3]]}),
    ("fun ste(x : Real(n)) = round(x) with rd(w, x) = w\nrd[ste]([5, 6], [1.4, 2.6])", "Real(2)", [5, 6]),
    ("fun ste(x : Real(n)) = round(x) with rd(w, x) = w\n[1].rd(x. sum(ste(x) * ste(x)))([1.4, 2.6])", "Real(2)", [2, 6]),
    ("fun f(x : Real, y : Real) = x with rd(w, (x, y)) = (w, w)\nrd[f](2, (3, 4))", "Real(1) × Real(1)", {"tuple": [[2], [2]]}),
    ("fun g(x : Real) = x * x with rd(w, x) = 3 * w * x\nrd[rd[g]](1, (2, 5))", "Real(1) × Real(1)", {"tuple": [[15], [6]]}),
    # nets: static parameters of every kind, at several sizes
    (
        FC + INFER + "loc u : Real(1, 2) = ones\nloc v : Real(2, 1) = ones\n"
        "net dense[l : Loc(m, n)](x : Real(n)) = FC[l](x)\n"
        "handle (let y <= dense[u]([1, 2]) in dense[v](y)) with infer",
        "Real(2)",
        [3, 3],
    ),
    ("net scaled[a : Real](x : Real(n)) = return a * x\nlet y <= scaled[2]([1, 2]) in scaled[3](y)", "Real(2)", [6, 12]),
    ("net two[a : Real, b : Real](x : Real) = return a * x + b\ntwo[2, 5](10)", "Real(1)", [25]),
    ("net ones[p : Dim]() = return fill[p](1)\nones[3]()", "Real(3)", [1, 1, 1]),
    ("net f[p : Dim, a : Real(p)](x : Real(p)) = return a * x\nf[2, [3, 4]]([1, 1])", "Real(2)", [3, 4]),
    ("net f[a : Real(p), p : Dim](x : Real(p)) = return a * x\nf[[3, 4], 2]([1, 1])", "Real(2)", [3, 4]),
    # a location whose shape speaks of a dimension that is given after it
    (
        "loc w : Real(3, 2) = ones\n"
        "net f[l : Loc(m, ceil(n / p)), p : Dim](x : Real(n)) = return fill[p](sum(x))\nf[w, 3]([1, 2, 3, 4, 5, 6])",
        "Real(3)",
        [21, 21, 21],
    ),
    (
        "net inner[a : Real](x : Real) = return a * x\n"
        "net outerly[a : Real](x : Real) = let y <= inner[a](x) in inner[2](y)\nouterly[3](5)",
        "Real(1)",
        [30],
    ),
    ("loc w : Real(2) = [1, 2]\nnet content[l : Loc(n)]() = Get[l]()\ncontent[w]()", "Real(2)", [1, 2]),
    ("loc w = [1, 2]\nlet _ <= Put[w]([3, 4]) in Get[w]()", "Real(2)", [3, 4]),
    ("loc m = [[1, 2], [3, 4]]\nlet w <= Get[m]() in return w^T", "Real(2, 2)", [[1, 3], [2, 4]]),
    ("net swap(x : Real(n), y : Real(m)) = return (y, x)\nswap([1], [2, 3])", "Real(2) × Real(1)", {"tuple": [[2, 3], [1]]}),
]


@pytest.mark.parametrize(("text", "type", "expected"), USED, ids=[text[-60:] for text, _, _ in USED])
def test_what_is_declared_can_be_used(text: str, type: str, expected: Any) -> None:
    assert value(text) == (type, expected)


INITIAL: list[tuple[str, Any]] = [
    ("zeros", [[0, 0], [0, 0]]),
    ("ones", [[1, 1], [1, 1]]),
    ("eye", [[1, 0], [0, 1]]),
    ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
    ("[[1, 2], [3, 4]]^T", [[1, 3], [2, 4]]),
    ("0", [[0, 0], [0, 0]]),
    ("2 * [[1, 2], [3, 4]]", [[2, 4], [6, 8]]),
    ("outer([1, 2], [3, 4])", [[3, 4], [6, 8]]),
]


@pytest.mark.parametrize(("initial", "expected"), INITIAL)
def test_a_location_has_its_initial_content(initial: str, expected: Any) -> None:
    assert value(f"loc w : Real(2, 2) = {initial}\nGet[w]()") == ("Real(2, 2)", expected)


def test_a_random_content_is_the_same_every_time() -> None:
    first, again, other = (value(f"loc w : Real(2, 2) = glorot(seed={s})\nGet[w]()")[1] for s in (1, 1, 2))
    assert first == again != other


# -- redeclaration -------------------------------------------------------------------------------------------------------------


def later(before: str, after: str) -> tuple[str, Any]:
    """The last value of a second cell in the session that the first one leaves."""
    _, session = run(before)
    return value(after, session)


def test_a_net_keeps_the_constant_it_was_built_on() -> None:
    assert later("const a = 2\nnet f(x : Real) = return a * x", "const a = 5\nlet y <= f(1) in return (y, a)")[1] == {
        "tuple": [[2], [5]]
    }


def test_a_function_keeps_the_function_it_was_built_on() -> None:
    assert later("fun g(x : Real) = 2 * x\nfun f(x : Real) = g(x)", "fun g(x : Real) = 5 * x\n(f(1), g(1))")[1] == {
        "tuple": [[2], [5]]
    }


def test_a_net_keeps_the_location_it_was_built_on() -> None:
    before = "loc w = [1, 2]\nnet old() = Get[w]()"
    assert later(before, "loc w = [3]\nlet a <= old() in let b <= Get[w]() in return (a, b)") == (
        "Real(2) × Real(1)",
        {"tuple": [[1, 2], [3]]},
    )


def test_a_net_keeps_the_operation_it_was_built_on() -> None:
    before = "op Op : Real -> Real\nnet old(x : Real) = Op(x)"
    after = """op Op : Real -> Real(2)
handle old(1) with { return x -> return x ; Op(x), k -> k([1, 2]) }"""
    _, session = run(before)
    assert [d.code for d in wrong(after, session)] == ["RH201"]


def test_a_handler_keeps_the_dimension_it_was_built_on() -> None:
    before = "dim n = 2\nhandler h : rev handler(Real(n)) = { return x -> return x }"
    _, session = run(before)
    _, session = run("dim n = 3", session)
    assert value("rev handle ([1, 2]) <x>. return x with h", session)[0] == "Real(2)"
    assert [d.code for d in wrong("rev handle ([1, 2, 3]) <x>. return x with h", session)] == ["RH102"]


def test_a_name_may_change_its_kind() -> None:
    assert later("const f = 1", "fun f(x : Real) = x + 1\nf(1)")[1] == [2]
    assert later("fun relu(x : Real) = 7 * x", "relu(2)")[1] == [14]


def test_a_cell_sees_its_own_declarations_in_order() -> None:
    assert value("const a = 1\nconst b = a + 1\nconst a = 10\n(a, b)")[1] == {"tuple": [[10], [2]]}


def test_a_cell_with_an_error_declares_nothing() -> None:
    _, session = run("const a = 1")
    _, after = run("const a = 2\nconst b = [1, 2] + [1, 2, 3]", session)
    assert after is session
    assert value("a", after)[1] == [1]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("%type 1 + 2", "Real(1)"),
        ("%type (1, [2, 3])", "Real(1) × Real(2)"),
        ("%type return [1]", "Real(1)"),
        ("fun f(x : Real(n)) = x\n%type f", "Real(n) -> Real(n)"),
        ("const c = [1, 2]\n%type c", "Real(2)"),
    ],
)
def test_the_type_is_shown(text: str, shown: str) -> None:
    found = last(text, Session.start(HERE))
    assert isinstance(found, TypeShown)
    assert found.type == shown


def test_uniform_draws_from_the_smaller_number_to_the_larger() -> None:
    (found,) = wrong("loc a : Real(4) = uniform(2, -1, seed=1)")
    assert (found.code, found.span and found.span.text) == ("RH123", "2, -1")
    assert found.fix is not None
    assert found.fix.text == "-1, 2"
    assert value("loc a : Real(2) = uniform(1, 1, seed=1)\nGet[a]()")[1] == [1.0, 1.0]
    widest = value("loc a : Real(50) = uniform(-1.7e308, 1.7e308, seed=1)\nGet[a]()")[1]
    assert min(widest) < -1e308
    assert max(widest) > 1e308


def test_of_two_parameters_of_one_name_the_second_is_the_one_too_many() -> None:
    (found,) = wrong("net f[x : Real](x : Real) : Real = return x")
    assert (found.code, found.span and found.span.start) == ("RH121", 16)
    assert [note.span.start for note in found.notes] == [6]
