"""Dimensions are a commutative ring, substitution is a homomorphism, and numbers are a model (LANGUAGE §2)."""

from collections.abc import Mapping

from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rh_kernel.source.span import Source
from rh_kernel.syntax.dimensions import Dim, ceil, dim, divides_by_zero, floor, impossible, substitute, variables
from rh_kernel.syntax.parsing.parser import parse_expression
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.dimensions import elaborate_dim
from tests.tiers import law

NAMES: tuple[str, ...] = ("m", "n", "k")
NUMBERS = st.integers(-4, 7)


def dims(names: tuple[str, ...] = NAMES) -> SearchStrategy[Dim]:
    """Dimensions over these variables, with ``ceil`` and ``//`` among them."""
    leaves = st.one_of(NUMBERS.map(dim), st.sampled_from(names).map(dim))
    return st.recursive(leaves, _compound, max_leaves=6)


def _compound(smaller: SearchStrategy[Dim]) -> SearchStrategy[Dim]:
    two = st.tuples(smaller, smaller)
    return st.one_of(
        two.map(lambda p: p[0] + p[1]),
        two.map(lambda p: p[0] - p[1]),
        two.map(lambda p: p[0] * p[1]),
        two.map(lambda p: ceil(*p)),
        two.map(lambda p: floor(*p)),
    )


def images() -> SearchStrategy[dict[str, Dim]]:
    """A dimension for each of some variables."""
    return st.dictionaries(st.sampled_from(NAMES), dims())


@law(200)
@given(dims(), dims(), dims())
def test_dimensions_are_a_commutative_ring(a: Dim, b: Dim, c: Dim) -> None:
    zero, one = dim(0), dim(1)
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + zero == a == a * one
    assert a - a == zero == a * zero
    assert a * b == b * a
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert -(a - b) == b - a


@law(200)
@given(dims(), dims(), images())
def test_substitution_is_a_homomorphism(a: Dim, b: Dim, sigma: Mapping[str, Dim]) -> None:
    def image(d: Dim) -> Dim:
        return substitute(d, sigma)

    assert image(a + b) == image(a) + image(b)
    assert image(a * b) == image(a) * image(b)
    assert image(a - b) == image(a) - image(b)
    assert image(ceil(a, b)) == ceil(image(a), image(b))
    assert image(floor(a, b)) == floor(image(a), image(b))


@law(200)
@given(dims(), images(), images())
def test_substitutions_compose(a: Dim, sigma: Mapping[str, Dim], tau: Mapping[str, Dim]) -> None:
    both = {**tau, **{name: substitute(d, tau) for name, d in sigma.items()}}
    assert substitute(substitute(a, sigma), tau) == substitute(a, both)


@law(200)
@given(dims(), dims(), st.fixed_dictionaries(dict.fromkeys(NAMES, NUMBERS)))
def test_numbers_are_a_model(a: Dim, b: Dim, numbers: Mapping[str, int]) -> None:
    sigma = {name: dim(number) for name, number in numbers.items()}
    x, y = substitute(a, sigma), substitute(b, sigma)
    assume(x.constant is not None and y.constant is not None)
    m, n = x.constant or 0, y.constant or 0
    assert (x + y).constant == m + n
    assert (x * y).constant == m * n
    assert (x - y).constant == m - n
    assert impossible(x) == (m < 0)
    if n:
        assert floor(x, y).constant == m // n
        assert ceil(x, y).constant == -(-m // n)
    else:
        assert impossible(floor(x, y))
        assert impossible(ceil(x, y))


@law(200)
@given(dims())
def test_a_dimension_without_variables_is_a_number_or_impossible(a: Dim) -> None:
    if not variables(a):
        assert a.constant is not None or impossible(a)


@law(200)
@given(dims())
@example(floor(dim(0), ceil(dim(0), dim("m"))))
def test_what_is_printed_of_a_dimension_is_read_as_that_dimension(a: Dim) -> None:
    assume(not impossible(a) and not divides_by_zero(a))
    cx = Context(BUILT_IN).with_dims({name: dim(name) for name in NAMES})
    assert elaborate_dim(cx, parse_expression(Source("printed", str(a)))) == a
