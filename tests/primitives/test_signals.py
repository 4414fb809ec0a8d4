"""Signals, images, pieces (RH Ex. 4.5, E.3, Def. E.4): values, derivatives, adjoints at random sizes, and what is no size."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rh_kernel.primitives.derivative import derivative
from rh_kernel.primitives.evaluation import evaluate
from rh_kernel.primitives.schemes import AtMost, instantiate, unmet
from rh_kernel.primitives.table import SYMBOLS, failing, kernel, require
from rh_kernel.primitives.values import to_array
from rh_kernel.source.diagnostic import Stuck
from rh_kernel.syntax.census import types_and_primitives_within
from rh_kernel.syntax.core import Array, Bound, Call, Const, Primitive, RdOf, Term, Tuple
from rh_kernel.syntax.dimensions import dim
from tests.primitives.big_step import apply, typed_zeros
from tests.primitives.instances import along, arrays, draw, inner, member, shapes, sizes_of
from tests.primitives.loops import LOOPS, looped
from tests.tiers import law

c, n, k, p = st.integers(0, 3), st.integers(0, 7), st.integers(1, 4), st.integers(1, 9)
rest = st.lists(st.integers(0, 2), max_size=3)
pooled = st.tuples(p, c, n)
tiled = st.tuples(p, c, n, n)
three = st.tuples(c, c, c)
orders = st.integers(1, 4).flatmap(lambda r: st.permutations(range(r)))

SIZES: dict[str, SearchStrategy[tuple[int, ...]]] = {
    "concat": st.tuples(n, n, rest).map(lambda s: (s[0], s[1], *s[2])),
    "slice": st.tuples(st.lists(n, min_size=3, max_size=3).map(sorted), rest).map(lambda s: (*s[0], *s[1])),
    "stack": st.lists(c, min_size=1, max_size=3).map(tuple),
    "permute": orders.flatmap(lambda order: st.tuples(*[st.just(i) for i in order], *[c for _ in order])),
    "conv1d": st.tuples(c, n, c, k).map(lambda s: (s[0], s[1] + s[3] - 1, s[2], s[3])),
    "windows1d": st.tuples(k, c, n).map(lambda s: (s[0], s[1], s[2] + s[0] - 1)),
    "overlap_add1d": st.tuples(c, k, n),
    "maxpool1d": pooled,
    "first_max1d": pooled,
    "sumpool1d": pooled,
    "spread1d": st.tuples(p, n, c),
    "pad1d": st.tuples(n, c, n).map(lambda s: (s[0] + s[2], s[1], s[2])),
    "crop1d": st.tuples(n, c, n).map(lambda s: (s[0], s[1], s[0] + s[2])),
    "upscale1d": st.tuples(n, c, p),
    "downsum1d": st.tuples(p, c, n),
    "conv2d": st.tuples(three, c, k, k).map(lambda s: (s[0][0], s[0][1] + s[2] - 1, s[0][2] + s[3] - 1, s[1], s[2], s[3])),
    "windows2d": st.tuples(k, k, three).map(lambda s: (s[0], s[1], s[2][0], s[2][1] + s[0] - 1, s[2][2] + s[1] - 1)),
    "overlap_add2d": st.tuples(c, k, k, c, c),
    "maxpool2d": tiled,
    "first_max2d": tiled,
    "avgpool2d": tiled,
    "sumpool2d": tiled,
    "spread2d": st.tuples(p, n, n, c),
}
"""What the families may be instantiated at; empty arrays, and blocks that are larger than the array, are among it."""

ADJOINTS = [("windows1d", "overlap_add1d"), ("sumpool1d", "spread1d"), ("pad1d", "crop1d"), ("upscale1d", "downsum1d")]
ADJOINTS += [("windows2d", "overlap_add2d"), ("sumpool2d", "spread2d"), ("permute", "permute")]

members = st.sampled_from(sorted(SIZES)).flatmap(lambda name: SIZES[name].map(lambda sizes: member(name, sizes)))
seeds = st.integers(0, 2**16)


def few_numbers(rng: np.random.Generator, f: Primitive) -> tuple[Array, ...]:
    """Arguments of f with so few different entries that the largest are often tied."""
    return tuple(rng.integers(-2, 3, size=shape).astype(np.float64) for shape in shapes(f.domain))


def point(values: tuple[Array, ...]) -> Term:
    return Const(values[0]) if len(values) == 1 else Tuple(tuple(Const(x) for x in values))


def test_the_families_tried_are_those_with_loops() -> None:
    assert set(SIZES) == set(LOOPS)


@law(400)
@given(members, seeds)
def test_a_value_is_what_loops_over_the_entries_find(f: Primitive, seed: int) -> None:
    values = few_numbers(np.random.default_rng(seed), f)
    found = kernel(f, np)(*values)
    assert (found.shape,) == shapes(f.codomain)
    np.testing.assert_allclose(found.reshape(-1), looped(f.name, sizes_of(f), *values), rtol=1e-12)


@law(200)
@given(members, seeds, st.permutations([(2, 3), (3,)]))
def test_a_kernel_of_samples_on_several_axes_is_the_kernel_of_each(
    f: Primitive, seed: int, front: list[tuple[int, ...]]
) -> None:
    rng, of = np.random.default_rng(seed), shapes(f.domain)
    front = front if len(of) == 2 else [(2, 3)]
    values = [rng.normal(size=(*b, *shape)) for b, shape in zip(front, of, strict=True)]
    g = kernel(f, np)
    found = g(*values)
    full = [np.broadcast_to(x, (2, 3, *shape)) for x, shape in zip(values, of, strict=True)]
    assert found.shape == (2, 3, *shapes(f.codomain)[0])
    for i in range(2):
        for j in range(3):
            np.testing.assert_allclose(found[i, j], g(*(x[i, j] for x in full)), rtol=1e-12, atol=1e-13)


@law(200)
@given(members, seeds)
def test_a_derivative_has_the_type_of_the_argument_also_where_that_is_empty(f: Primitive, seed: int) -> None:
    rng = np.random.default_rng(seed)
    W, V = draw(rng, f.codomain), draw(rng, f.domain)
    pulled = typed_zeros(apply(RdOf(f), Tuple((W, V))), f.domain)
    assert tuple(x.shape for x in arrays(pulled)) == shapes(f.domain)


@law(200)
@given(members, seeds)
def test_away_from_ties_the_derivative_is_the_slope(f: Primitive, seed: int) -> None:
    """The functions here are piecewise linear in each argument, so differences of any size give the slope, up to rounding."""
    rng = np.random.default_rng(seed)
    values = [(rng.permutation(math.prod(shape)) + 0.2 * rng.random(math.prod(shape))) for shape in shapes(f.domain)]
    V = point(tuple(x.reshape(shape) for x, shape in zip(values, shapes(f.domain), strict=True)))
    W, D = draw(rng, f.codomain), draw(rng, f.domain)
    ahead, behind = (inner(W, evaluate(f, along(V, h, D))) for h in (1e-3, -1e-3))
    pulled = typed_zeros(apply(RdOf(f), Tuple((W, V))), f.domain)
    assert inner(pulled, D) == pytest.approx((ahead - behind) / 2e-3, rel=1e-6, abs=1e-6)


def adjoint(f: Primitive) -> Primitive:
    """The g with ``rd[f](w, x) = g(w)``."""
    match derivative(f).body:
        case Call(Primitive() as g, Bound(1)):
            return g
        case other:
            raise AssertionError(other)


@law(200)
@given(st.sampled_from([*ADJOINTS, *(pair[::-1] for pair in ADJOINTS)]), st.data())
def test_adjoints_exchange_the_sides_of_an_inner_product(names: tuple[str, str], data: st.DataObject) -> None:
    f = member(names[0], data.draw(SIZES[names[0]]))
    g = adjoint(f)
    assert g.name == names[1]
    assert adjoint(g) == f
    rng = np.random.default_rng(data.draw(seeds))
    x, y = draw(rng, f.domain), draw(rng, g.domain)
    assert inner(evaluate(f, x), y) == pytest.approx(inner(x, evaluate(g, y)), rel=1e-9, abs=1e-9)


@law(60)
@given(SIZES["conv1d"], seeds)
def test_the_derivative_of_a_convolution_is_the_one_of_example_e_3(sizes: tuple[int, ...], seed: int) -> None:
    """With zero where the paper's indices leave the array."""
    c, n, d, k = sizes
    f, rng = member("conv1d", sizes), np.random.default_rng(seed)
    u, x, w = rng.normal(size=(d, n - k + 1)), rng.normal(size=(c, n)), rng.normal(size=(d, c, k))
    of_x, of_w = arrays(typed_zeros(apply(RdOf(f), Tuple((Const(u), Tuple((Const(x), Const(w)))))), f.domain))
    for h in range(c):
        for i in range(n):
            places = [(l, j) for l in range(d) for j in range(k) if 0 <= i - j < n - k + 1]
            assert of_x[h, i] == pytest.approx(sum(u[l, i - j] * w[l, h, j] for l, j in places), abs=1e-12)
        for l in range(d):
            for j in range(k):
                assert of_w[l, h, j] == pytest.approx(sum(u[l, i] * x[h, i + j] for i in range(n - k + 1)), abs=1e-12)


def pulled(name: str, sizes: tuple[int, ...], w: object, x: object) -> Array:
    f = member(name, sizes)
    V = apply(RdOf(f), Tuple((Const(np.array(w, dtype=np.float64)), Const(np.array(x, dtype=np.float64)))))
    return to_array(typed_zeros(V, f.domain))


def test_a_tie_of_the_largest_is_the_first_ones() -> None:
    assert pulled("maxpool1d", (3, 1, 5), [[5, 7]], [[1, 2, 2, 4, 4]]).tolist() == [[0, 5, 0, 7, 0]]
    assert pulled("maxpool2d", (2, 1, 2, 3), [[[5, 7]]], [[[0, 3, 4], [3, 3, 4]]]).tolist() == [[[0, 5, 7], [0, 0, 0]]]


@pytest.mark.parametrize("name", ["maxpool1d", "first_max1d"])
@pytest.mark.parametrize(
    ("x", "rough"),
    [([1, 2, 2, 4, 3], True), ([1, 1, 2, 4, 3], False), ([1, 2, 3, 4, 4], True), ([3, 2, 1, 3, 1], False)],
)
def test_a_tie_of_the_largest_is_not_smooth(name: str, x: list[float], rough: bool) -> None:
    """Def. E.4 leaves any tie undefined; two entries below the largest do not matter for the value or the slope."""
    nonsmooth = SYMBOLS[name].nonsmooth
    assert nonsmooth is not None
    assert nonsmooth.at(member(name, (3, 1, 5)), np)(np.array([x], dtype=np.float64)).any() == rough


def test_a_tie_across_two_blocks_is_smooth() -> None:
    for name in ("maxpool2d", "first_max2d"):
        nonsmooth = SYMBOLS[name].nonsmooth
        assert nonsmooth is not None
        of = nonsmooth.at(member(name, (2, 1, 2, 4)), np)
        assert not of(np.array([[[1, 5.0, 5, 2], [3, 4, 3, 4]]])).any()
        assert of(np.array([[[1, 5.0, 2, 5], [3, 5, 3, 4]]])).tolist() == [[[True, False]]]


def test_a_block_larger_than_the_array_costs_no_more_than_the_array() -> None:
    huge, x = 10**15, np.array([[1.0, 3, 2]])
    assert kernel(member("maxpool1d", (huge, 1, 3)), np)(x) == 3
    assert kernel(member("first_max1d", (huge, 1, 3)), np)(x).tolist() == [[0, 1, 0]]
    assert kernel(member("spread1d", (huge, 3, 1)), np)(np.array([[4.0]])).tolist() == [[4, 4, 4]]
    assert kernel(member("avgpool2d", (huge, 1, 1, 3)), np)(x[None]) == 2


def test_an_infinite_entry_stays_in_its_place() -> None:
    x = np.array([[1.0, math.inf, 2, 3, math.nan, 5]])
    assert kernel(member("downsum1d", (3, 1, 6)), np)(x)[0, 1] == 5
    assert kernel(member("sumpool1d", (2, 1, 6)), np)(x)[0, 1] == 5
    assert kernel(member("overlap_add1d", (1, 2, 3)), np)(x.reshape(1, 2, 3))[0, 0] == 1
    assert kernel(member("maxpool1d", (2, 1, 6)), np)(-x)[0, :2].tolist() == [-1, -2]


NEEDS = [
    ("slice", (3, 2, 4), "lo ≤ hi", "lo = 3 and hi = 2", "slice[3, 2]"),
    ("slice", (1, 5, 4, 2), "hi ≤ n", "hi = 5 and n = 4", "slice[1, 5]"),
    ("slice", (-1, 2, 4), "0 ≤ lo", "lo = -1", "slice[-1, 2]"),
    ("conv1d", (2, 3, 4, 0), "1 ≤ k", "k = 0", "conv1d"),
    ("windows1d", (0, 1, 4), "1 ≤ k", "k = 0", "windows1d[0]"),
    ("overlap_add1d", (1, 0, 4), "1 ≤ k", "k = 0", "overlap_add1d"),
    ("maxpool1d", (0, 1, 4), "1 ≤ p", "p = 0", "maxpool1d[0]"),
    ("first_max1d", (0, 1, 4), "1 ≤ p", "p = 0", "first_max1d[0]"),
    ("sumpool1d", (0, 1, 4), "1 ≤ p", "p = 0", "sumpool1d[0]"),
    ("spread1d", (0, 4, 1), "1 ≤ p", "p = 0", "spread1d[0, 4]"),
    ("pad1d", (3, 1, 4), "n ≤ m", "n = 4 and m = 3", "pad1d[3]"),
    ("crop1d", (5, 1, 4), "m ≤ n", "m = 5 and n = 4", "crop1d[5]"),
    ("upscale1d", (5, 1, 0), "1 ≤ n", "n = 0", "upscale1d[5]"),
    ("downsum1d", (0, 1, 5), "1 ≤ n", "n = 0", "downsum1d[0]"),
    ("conv2d", (2, 3, 3, 4, 0, 1), "1 ≤ p", "p = 0", "conv2d"),
    ("windows2d", (1, 0, 1, 4, 4), "1 ≤ q", "q = 0", "windows2d[1, 0]"),
    ("overlap_add2d", (1, 0, 1, 4, 4), "1 ≤ p", "p = 0", "overlap_add2d"),
    ("conv2d", (2, 3, 3, 4, 1, 0), "1 ≤ q", "q = 0", "conv2d"),
    ("windows2d", (0, 1, 1, 4, 4), "1 ≤ p", "p = 0", "windows2d[0, 1]"),
    ("overlap_add2d", (1, 1, 0, 4, 4), "1 ≤ q", "q = 0", "overlap_add2d"),
    ("maxpool2d", (0, 1, 4, 4), "1 ≤ p", "p = 0", "maxpool2d[0]"),
    ("first_max2d", (0, 1, 4, 4), "1 ≤ p", "p = 0", "first_max2d[0]"),
    ("avgpool2d", (0, 1, 4, 4), "1 ≤ p", "p = 0", "avgpool2d[0]"),
    ("sumpool2d", (0, 1, 4, 4), "1 ≤ p", "p = 0", "sumpool2d[0]"),
    ("spread2d", (0, 4, 4, 1), "1 ≤ p", "p = 0", "spread2d[0, 4, 4]"),
]


@pytest.mark.parametrize(("name", "sizes", "need", "facts", "written"), NEEDS, ids=[f"{n}{s}" for n, s, *_ in NEEDS])
def test_what_types_do_not_show_is_asked_for(name: str, sizes: tuple[int, ...], need: str, facts: str, written: str) -> None:
    f = member(name, sizes)
    found = failing(f)
    assert found is not None
    assert (found.need, found.facts, found.member) == (need, facts, written)
    for ask in (lambda: require(f), lambda: kernel(f, np)):
        with pytest.raises(Stuck, match=f"RH205.*{need}, and here {facts}"):
            ask()


def test_every_need_is_asked_for_by_some_test() -> None:
    stated = {(name, str(need)) for name, row in SYMBOLS.items() for scheme in row.schemes for need in scheme.needs}
    assert stated == {(name, need) for name, _, need, *_ in NEEDS}


def test_a_need_that_depends_on_a_variable_is_left_open_unless_it_fails_for_all() -> None:
    lo, m = dim(0), dim("m")
    scheme = SYMBOLS["slice"].schemes[0]
    assert unmet(scheme, (lo, dim(3), m)) is None
    assert unmet(scheme, (lo, m + dim(1), m)) == (AtMost(dim("hi"), dim("n")), AtMost(m + dim(1), m))
    assert failing(instantiate("slice", scheme, (lo, m, m))) is None


@law(200)
@given(members)
def test_what_a_function_needs_is_all_that_its_derivatives_need(f: Primitive) -> None:
    assert failing(f) is None
    seen = {f}
    todo = [f]
    while todo:
        for _, g in types_and_primitives_within(derivative(todo.pop()))[1]:
            assert failing(g) is None, g
            if g not in seen and g.name in SIZES:
                seen.add(g)
                todo.append(g)


def test_an_index_that_is_not_known_is_refused() -> None:
    f = instantiate("maxpool1d", SYMBOLS["maxpool1d"].schemes[0], (dim("p"), dim(1), dim(4)))
    with pytest.raises(ValueError, match="the index p of maxpool1d is not known"):
        kernel(f, np)
