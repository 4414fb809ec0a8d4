"""Sizes at a use: equations that wait for them hold in the end, and none is negative (LANGUAGE §2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.dimensions import DimMeta, dim
from rh_kernel.typing.unification.solving import roots
from tests.typing.cells import run, value, wrong

FORMS: dict[str, tuple[int, ...]] = {
    "n * n": (1, 4, 9, 16, 25, 36),
    "n * n + n": (2, 6, 12, 20, 30, 42),
    "n * n * n - n": (0, 6, 24, 60, 120, 210),
    "ceil(n / 2)": (1, 1, 2, 2, 3, 3),
    "(n * n) // 2": (0, 2, 4, 8, 12, 18),
}
"""The size of a location, from which n is not found, and what it is for n from 1 to 6."""

ARGUMENTS = ("x", "2 * x", "let y <- x in y", "(x, 1).1")


@given(
    st.sampled_from([*FORMS]), st.integers(1, 6), st.integers(1, 40), st.booleans(), st.sampled_from(ARGUMENTS), st.booleans()
)
def test_an_equation_that_waited_holds_in_the_end(form: str, n: int, near: int, exact: bool, argument: str, net: bool) -> None:
    asked = FORMS[form][n - 1]
    size = max(asked, 1) if exact else near
    taken = f"net Q[l : Loc({form})](x : Real(n)) = return x" if net else f"op Q[l : Loc({form})] : Real(n) -> Real(n)"
    text = f"loc u : Real({size}) = ones\n{taken}\nnet b(x : Real({n})) : Real({n}) = Q[u]({argument})"
    found = wrong(text)
    assert [d.code for d in found] == ([] if asked == size else ["RH102"])
    if found:
        assert "would be" in found[0].hint or found[0].hint == "", found


def test_the_sizes_that_hinder_are_named() -> None:
    (found,) = wrong("op R[l : Loc(m * n)] : Real(n) -> Real(m)\nloc u : Real(9) = ones\nnet b(x : Real(2)) = R[u](x)")
    assert (found.code, found.hint) == ("RH102", "`Real(m*n)` would be `Real(2*m)` here, but must also be `Real(9)`")


@given(st.integers(0, 6), st.integers(0, 6), st.integers(-6, 6), st.integers(1, 3))
def test_roots_are_those_that_trying_finds(a: int, b: int, c: int, power: int) -> None:
    """``(n − a) (n − b) (n − c) n^power`` and the like, and whether n is found from it."""
    n = dim(DimMeta(1))
    difference = (n - dim(a)) * (n - dim(b)) * (n - dim(c))
    for _ in range(power - 1):
        difference *= n
    expected = {d for d in (a, b, c, *([0] if power > 1 else [])) if d >= 0}
    assert roots(difference) == (1, tuple(sorted(expected)))


@pytest.mark.parametrize(("size", "found"), [(1, 1), (4, 2), (36, 6)])
def test_a_use_solves_for_a_square(size: int, found: int) -> None:
    text = "fun s(x : Real(n * n)) : Real(n, n) = reshape[n, n](x)\n"
    assert value(f"{text}s(fill[{size}](2))")[0] == f"Real({found}, {found})"
    assert [d.code for d in wrong(f"{text}s(fill[{size + 1}](2))")] == ["RH102"]


DECLARED = """\
fun g(x : Real(n + 3)) : Real = sum(x)
fun h(x : Real(n)) : Real = g(x)
fun i(x : Real(m)) : Real = h(x) + 1
net k(x : Real(n + 3)) : Real = return sum(x)
net j(x : Real(n)) : Real = k(x)
op Z : Real(n + 2) -> Real(n + 4)
handler q(a : Real(n + 2)) : rev handler(Real) = { return x -> return sum(a) * x }
"""


@pytest.mark.parametrize(
    ("use", "place", "said"),
    [
        ("g([1, 2])", "g", "`g` is used where `n` is -1"),
        ("h([1, 2])", "h", "`h` is used where `n - 3` is -1"),
        ("i([1, 2])", "i", "`i` is used where `m - 3` is -1"),
        ("rd[i](1, [1, 2])", "i", "`i` is used where `m - 3` is -1"),
        ("k([1, 2])", "k([1, 2])", "`k` is used where `n` is -1"),
        ("j([1, 2])", "j([1, 2])", "`j` is used where `n - 3` is -1"),
        ("let y <= Z(1) in return y", "Z(1)", "`Z` is used where `n` is -1"),
        ("rev handle (1) <u>. return u with q(1)", "q(1)", "`q` is used where `n` is -1"),
        ("fun f(x : Real(2)) : Real = g(x)", "g", "`g` is used where `n` is -1"),
    ],
)
def test_no_dimension_is_negative_at_a_use(use: str, place: str, said: str) -> None:
    found = wrong(DECLARED + use)
    assert [(d.code, d.span and d.span.text) for d in found] == [("RH117", place)]
    assert found[0].message == said


@pytest.mark.parametrize("use", ["g([1, 2, 3])", "h([1, 2, 3])", "i([1, 2, 3]) - 1", "k([1, 2, 3])", "j([1, 2, 3])"])
def test_a_dimension_may_be_zero(use: str) -> None:
    assert value(DECLARED + use)[1] == [6.0]


def test_a_handler_that_leaves_its_type_open_has_its_own_sizes_at_each_use() -> None:
    text = "handler s(a : Real(n)) = { return x -> return sum(a) * x }\n"
    uses = [f"rev handle ([{x}]) <u>. return u with s([{a}])" for x, a in (("1, 2", "3"), ("1", "2, 2"), ("1, 2, 3", "1, 1"))]
    results, _ = run(text + "\n".join(uses))
    assert len(results) == 4
    assert wrong(text + "\n".join(uses)) == []


@pytest.mark.parametrize("doublings", [17, 40, 2000])
def test_a_tuple_that_doubles_is_refused_with_its_size(doublings: int) -> None:
    """``let x <- (x, x) in`` again and again: the first tuple of more than 100,000 components has 2¹⁷."""
    (found,) = wrong("let x <- 1 in\n" + "  let x <- (x, x) in\n" * doublings + "  x")
    assert (found.code, found.span and found.span.position[0]) == ("RH241", 18)
    assert "131,072" in found.message


def test_a_wide_tuple_is_no_large_one() -> None:
    assert wrong(f"({', '.join(['1'] * 3000)}).3000") == []


ONES = ", ".join(["1"] * 61)
NESTED = f"{'[' * 61}1{']' * 61}"


@pytest.mark.parametrize("text", [f"loc a : Real({ONES}) = ones", NESTED, f"fill[{ONES}](2)", f"reshape[{ONES}]([1])"])
def test_an_array_with_more_axes_than_numpy_can_batch_is_refused(text: str) -> None:
    (found,) = wrong(text)
    assert (found.code, found.message, found.expected) == ("RH117", "this array has 61 axes", "at most 60")


def test_sixty_axes_are_computed_with() -> None:
    assert value(f"loc a : Real({ONES[3:]}) = ones\nlet w <= Get[a]() in return sum(w + {NESTED[1:-1]})")[1] == [2.0]
