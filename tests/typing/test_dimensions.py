"""Dimensions (LANGUAGE §2): equality as polynomials, solving at a use, and what is no dimension there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.dimensions import Dim, ceil, dim, divides_by_zero, floor, impossible, substitute
from tests.typing.cells import value, wrong

EQUAL = [
    ("n + m", "m + n"),
    ("2 * n", "n + n"),
    ("n - n + 3", "3"),
    ("(n + 1) * (n - 1)", "n * n - 1"),
    ("m * (n + p)", "m * n + p * m"),
    ("ceil(n / 2) + 1", "1 + ceil(n / 2)"),
    ("ceil((n + m) / 2)", "ceil((m + n) / 2)"),
    ("ceil(n / 1)", "n"),
    ("(n + 0) // 2", "n // 2"),
    ("ceil(7 / 2)", "4"),
    ("7 // 2", "3"),
    ("0 * n + 2", "2"),
]
DIFFERENT = [
    ("n", "m"),
    ("n + 1", "n"),
    ("n * n", "n"),
    ("ceil(n / 2)", "n // 2"),
    ("ceil(n / 2)", "ceil(n / 3)"),
    ("ceil(n / 2) * 2", "n"),
    ("n * (m + 1)", "n * m + 1"),
]


def declared(left: str, right: str) -> str:
    return f"fun f(a : Real(n), b : Real(m), c : Real(p), x : Real({left})) : Real({right}) = x"


@pytest.mark.parametrize(("left", "right"), EQUAL)
def test_equal_dimensions_make_equal_types(left: str, right: str) -> None:
    assert not wrong(declared(left, right))


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_different_dimensions_make_different_types(left: str, right: str) -> None:
    assert [d.code for d in wrong(declared(left, right))] == ["RH102"]


SOLVED = [
    ("Real(n + 1)", "Real(n)", "fill[n](1)", "[1, 2, 3]", 2),
    ("Real(n - 1)", "Real(n)", "fill[n](1)", "[1, 2, 3]", 4),
    ("Real(2 * n + 1)", "Real(n)", "fill[n](1)", "[1, 2, 3, 4, 5]", 2),
    ("Real(n) * Real(m * n)", "Real(m)", "fill[m](1)", "([1, 2], [1, 2, 3, 4, 5, 6])", 3),
    ("Real(n, n)", "Real(n)", "fill[n](1)", "[[1, 2], [3, 4]]", 2),
    ("Real(n) * Real(ceil(n / 2))", "Real(n)", "fill[n](1)", "([1, 2, 3], [4, 5])", 3),
]


@pytest.mark.parametrize(("domain", "codomain", "body", "argument", "size"), SOLVED)
def test_a_use_solves_for_the_dimensions(domain: str, codomain: str, body: str, argument: str, size: int) -> None:
    assert value(f"fun f(x : {domain}) : {codomain} = {body}\nf({argument})") == (f"Real({size})", [1] * size)


UNFIT = [
    ("fun f(x : Real(2 * n)) : Real(n) = fill[n](1)\nf([1, 2, 3])", "RH102"),
    ("fun f(x : Real(n, n)) = x\nf([[1, 2]])", "RH102"),
    ("fun f(x : Real(n + 3)) : Real(n) = fill[n](1)\nf([1])", "RH117"),
    ("fun f(x : Real(n)) = sum(fill[n - 2](1))\nf([1])", "RH117"),
    ("net f(x : Real(n)) = return sum(fill[n - 2](1))\nnet g(x : Real(n)) = f(x)\ng([1])", "RH117"),
    ("net f(x : Real(n)) = return sum(fill[n - 2](1))\nnet g(x : Real(1)) = f(x)", "RH117"),
    (
        "handler h(t : Real(k)) : rev handler(Real(k)) = { return x -> return x + fill[k](sum(fill[k - 2](1))) }\n"
        "rev handle (1) <x>. return x with h(1)",
        "RH117",
    ),
    ("op Pool[p : Dim] : Real(n) -> Real(n // p)\nPool[0]([1, 2])", "RH117"),
    ("op Pool[p : Dim] : Real(n) -> Real(n // p)\nnet f[p : Dim](x : Real(n)) = Pool[p - 2](x)\nf[2]([1, 2])", "RH117"),
    ("const t : Real(-1) = 0", "RH117"),
    ("dim n = 1 - 2", "RH117"),
    ("dim n = 1 // 0", "RH117"),
    ("dim n = ceil(1 / (2 - 2))", "RH117"),
    ("dim n = m", "RH101"),
    ("dim n = [1]", "RH118"),
    ("fun f(x : Real(n / 2)) = x", "RH118"),
    ("fun f(x : Real(1.5)) = x", "RH118"),
    ("loc w : Real(n) = zeros", "RH101"),
    ("fun f(x : Real(N)) = x", "RH101"),
    ("op Noise : 1 -> Real(n)\nlet x <= Noise() in return 1", "RH119"),
    ("op Grid : 1 -> Real(m * n)\nlet x <= Grid() in return x + [1, 2]", "RH119"),
]


@pytest.mark.parametrize(("text", "code"), UNFIT, ids=[text[-50:] for text, _ in UNFIT])
def test_what_is_no_dimension_is_refused_where_it_is_used(text: str, code: str) -> None:
    assert [d.code for d in wrong(text)] == [code]


def test_a_clause_that_fails_at_one_size_is_stuck_there() -> None:
    """The clause is right for all large n; which operations meet it is known when it runs."""
    text = """op Tail : Real(n) -> Real(n)
handler h = {
  return x -> return x
  Tail(x), k -> k(fill[n](sum(fill[n - 2](1))))
}
"""
    assert value(f"{text}handle Tail([1, 2, 3]) with h") == ("Real(3)", [1, 1, 1])
    assert value(f"{text}handle Tail([1, 2]) with h") == ("Real(2)", [0, 0])
    for command in ("handle Tail([1]) with h", "%trace handle Tail([1]) with h"):
        (diagnostic,) = wrong(text + command)
        assert diagnostic.code == "RH205"
        assert diagnostic.span is not None
        assert "fill[n - 2](1)" in diagnostic.span.text


def test_a_quotient_by_zero_in_a_clause_is_stuck() -> None:
    text = """op Pool[p : Dim] : Real(n) -> Real(n)
handler h = {
  return x -> return x
  Pool[p](x), k -> k(fill[n](sum(fill[n // (p - 2)](1))))
}
"""
    assert value(f"{text}handle Pool[3]([1, 2]) with h") == ("Real(2)", [2, 2])
    for command in ("handle Pool[2]([1]) with h", "%trace handle Pool[2]([1]) with h"):
        assert [d.code for d in wrong(text + command)] == ["RH205"]


# -- the polynomials themselves ------------------------------------------------------------------------------------------------

small = st.integers(-4, 4)
atoms: st.SearchStrategy[Dim] = st.one_of(small.map(dim), st.sampled_from("mn").map(dim))


def larger(inner: st.SearchStrategy[Dim]) -> st.SearchStrategy[Dim]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        pairs.map(lambda p: p[0] - p[1]),
        pairs.map(lambda p: ceil(*p)),
        pairs.map(lambda p: floor(*p)),
    )


dims: st.SearchStrategy[Dim] = st.recursive(atoms, larger, max_leaves=6)


@given(dims, dims, dims)
def test_dimensions_form_a_commutative_ring(c: Dim, d: Dim, e: Dim) -> None:
    assert c + d == d + c
    assert c * d == d * c
    assert (c + d) + e == c + (d + e)
    assert (c * d) * e == c * (d * e)
    assert c * (d + e) == c * d + c * e
    assert c - c == dim(0)
    assert c * dim(1) == c


@given(dims, dims, st.integers(0, 5), st.integers(0, 5))
def test_substitution_respects_the_operations(c: Dim, d: Dim, m: int, n: int) -> None:
    at = {"m": dim(m), "n": dim(n)}
    assert substitute(c + d, at) == substitute(c, at) + substitute(d, at)
    assert substitute(c * d, at) == substitute(c, at) * substitute(d, at)
    assert substitute(ceil(c, d), at) == ceil(substitute(c, at), substitute(d, at))


@given(dims, st.integers(0, 5), st.integers(0, 5))
def test_a_closed_dimension_is_a_number_or_divides_by_zero(d: Dim, m: int, n: int) -> None:
    closed = substitute(d, {"m": dim(m), "n": dim(n)})
    assert (closed.constant is None) == divides_by_zero(closed)
    assert impossible(closed) == (closed.constant is None or closed.constant < 0)
