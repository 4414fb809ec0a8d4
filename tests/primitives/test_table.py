"""LANGUAGE §4: every row's kernel is the function that the row names, sample by sample and batch by batch."""

import math
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.symbol import no_cost
from rh_kernel.primitives.table import SYMBOLS, cost, kernel
from rh_kernel.syntax.core import Array, Primitive
from rh_kernel.syntax.dimensions import dim
from tests.primitives.instances import INSTANCES, arrays, draw, label, member, shapes, sizes_of, smooth_point
from tests.primitives.loops import LOOPS, looped

each_instance = pytest.mark.parametrize("f", INSTANCES, ids=label)

NAMES = {
    "neg",
    "exp",
    "log",
    "sqrt",
    "square",
    "recip",
    "abs",
    "sign",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "relu",
    "swish",
    "softplus",
    "gelu",
    "round",
    "step",
    "add",
    "sub",
    "mul",
    "div",
    "maximum",
    "minimum",
    "scale",
    "fill",
    "sum",
    "mean",
    "matmul",
    "transpose",
    "outer",
    "dot",
    "reshape",
    "broadcast_rows",
    "sum_rows",
    "softmax",
    "logsumexp",
    "log_softmax",
    "cross_entropy",
    "same_argmax",
    "concat",
    "slice",
    "stack",
    "permute",
    "take",
    "put_rows",
    "one_hot",
    "conv1d",
    "maxpool1d",
    "pad1d",
    "upscale1d",
    "conv2d",
    "maxpool2d",
    "avgpool2d",
}

LANGUAGE = Path(__file__).parents[2] / "lessons" / "appendix" / "language.md"

ONE: dict[str, Callable[[float], float]] = {
    "neg": lambda x: 0 - x,
    "exp": math.exp,
    "log": math.log,
    "sqrt": lambda x: x**0.5,
    "square": lambda x: x**2,
    "recip": lambda x: x**-1,
    "abs": lambda x: max(x, -x),
    "sign": lambda x: math.copysign(1, x) if x else 0,
    "sin": math.sin,
    "cos": math.cos,
    "tanh": math.tanh,
    "sigmoid": lambda x: (1 + math.tanh(x / 2)) / 2,
    "relu": lambda x: max(0, x),
    "swish": lambda x: x * (1 + math.tanh(x / 2)) / 2,
    "softplus": lambda x: math.log(1 + math.exp(x)),
    "gelu": lambda x: x / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "round": round,
    "step": lambda x: 1 if x > 0 else 0,
}
TWO: dict[str, Callable[[float, float], float]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "maximum": lambda x, y: max(x, y),
    "minimum": lambda x, y: min(x, y),
}


def entries(x: Array) -> list[float]:
    return [float(e) for e in x.reshape(-1)]


def columns(x: Array) -> list[list[float]]:
    return [entries(x[:, j]) for j in range(x.shape[1])]


def inner(xs: list[float], ys: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(xs, ys, strict=True))


def argmax(x: Array) -> int:
    return entries(x).index(max(entries(x)))


def logsumexp(x: Array) -> float:
    return math.log(math.fsum(math.exp(e) for e in entries(x)))


ON_ARRAYS: dict[str, Callable[[Array, Array], list[float]]] = {
    "scale": lambda x, y: [float(x[0]) * e for e in entries(y)],
    "sum": lambda x, y: [math.fsum(entries(x))],
    "mean": lambda x, y: [math.fsum(entries(x)) / len(entries(x))],
    "matmul": lambda x, y: [inner(entries(row), column) for row in x for column in columns(y.reshape(y.shape[0], -1))],
    "transpose": lambda x, y: [e for column in columns(x) for e in column],
    "outer": lambda x, y: [a * b for a in entries(x) for b in entries(y)],
    "dot": lambda x, y: [inner(entries(x), entries(y))],
    "reshape": lambda x, y: entries(x),
    "sum_rows": lambda x, y: [math.fsum(column) for column in columns(x)],
    "take": lambda x, y: [float(e) for i in entries(y) for e in x[int(i)].reshape(-1)],
    "softmax": lambda x, y: [math.exp(e) / math.fsum(math.exp(d) for d in entries(x)) for e in entries(x)],
    "logsumexp": lambda x, y: [logsumexp(x)],
    "log_softmax": lambda x, y: [e - logsumexp(x) for e in entries(x)],
    "cross_entropy": lambda x, y: [math.fsum(t * (logsumexp(x) - e) for e, t in zip(entries(x), entries(y), strict=True))],
    "same_argmax": lambda x, y: [float(argmax(x) == argmax(y))],
}
"""The symbols that are not entrywise, at their arguments x and y (which is x again if there is one only)."""

SPREADING = {"fill", "broadcast_rows"}
FORMULAS = {*ONE, *TWO, *ON_ARRAYS, *SPREADING, *LOOPS, "put_rows", "one_hot"}
"""The symbols of which a value is written here; what others compute, their examples show in the reference."""


def expected(f: Primitive, values: tuple[Array, ...]) -> list[float]:
    """The entries of the result in row-major order, from a formula that knows nothing of the kernels."""
    if f.name in ONE:
        return [float(ONE[f.name](e)) for e in entries(values[0])]
    if f.name in TWO:
        pairs = zip(entries(values[0]), entries(values[1]), strict=True)
        return [float(TWO[f.name](a, b)) for a, b in pairs]
    if f.name in SPREADING:
        size = math.prod(shapes(f.codomain)[0])
        return entries(values[0]) * (size // values[0].size)
    if f.name == "put_rows":
        rows, numbers = values[0].reshape(values[1].size, -1), entries(values[1])
        count = shapes(f.codomain)[0][0]
        return [
            math.fsum(row[j] for row, i in zip(rows, numbers, strict=True) if i == m)
            for m in range(count)
            for j in range(rows.shape[1])
        ]
    if f.name == "one_hot":
        return [float(i == j) for i in entries(values[0]) for j in range(shapes(f.codomain)[0][-1])]
    if f.name in LOOPS:
        return looped(f.name, sizes_of(f), *values)
    return ON_ARRAYS[f.name](values[0], values[-1])


def test_the_table_has_the_rows_of_the_language() -> None:
    assert set(SYMBOLS) >= NAMES
    assert not NAMES - FORMULAS
    assert all(name == row.name for name, row in SYMBOLS.items())
    assert {f.name for f in INSTANCES} == set(SYMBOLS)


def test_the_language_reference_lists_the_rows_of_the_language() -> None:
    tables = [line for line in LANGUAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    assert {name for line in tables for name in re.findall(r"\w+", line)} >= NAMES


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_a_row_is_documented(name: str) -> None:
    row = SYMBOLS[name]
    assert row.doc
    assert row.formula
    assert "\n" not in row.doc + row.formula
    assert all(signature.startswith(name) and "→" in signature for signature in row.signatures)


@pytest.mark.parametrize("f", [f for f in INSTANCES if f.name in FORMULAS], ids=label)
def test_a_kernel_computes_its_formula(f: Primitive) -> None:
    rng = np.random.default_rng(3)
    for _ in range(3):
        values = arrays(smooth_point(rng, f))
        result = kernel(f, np)(*values)
        assert (result.shape,) == shapes(f.codomain)
        np.testing.assert_allclose(result.reshape(-1), expected(f, values), rtol=1e-12, atol=1e-13)


@each_instance
def test_a_kernel_of_a_batch_is_the_batch_of_the_kernel(f: Primitive) -> None:
    """For every subset of the arguments that is batched; a batch of 3 could be taken for an axis of the sample."""
    rng = np.random.default_rng(5)
    g = kernel(f, np)
    for size in (1, 3):
        samples = [arrays(smooth_point(rng, f)) for _ in range(size)]
        for batched in product((False, True), repeat=len(samples[0])):
            if not any(batched):
                continue
            rows = [tuple(x if b else y for b, x, y in zip(batched, s, samples[0], strict=True)) for s in samples]
            together = [np.stack([row[i] for row in rows]) if b else samples[0][i] for i, b in enumerate(batched)]
            result = g(*together)
            assert result.shape == (size, *shapes(f.codomain)[0])
            np.testing.assert_allclose(result, np.stack([g(*row) for row in rows]), rtol=1e-12, atol=1e-13)


@each_instance
def test_a_kernel_keeps_the_dtype_and_its_arguments(f: Primitive) -> None:
    rng = np.random.default_rng(5)
    for dtype in (np.float32, np.float64):
        values = [x.astype(dtype) for x in arrays(smooth_point(rng, f))]
        kept = [x.copy() for x in values]
        for x in values:
            x.setflags(write=False)
        assert kernel(f, np)(*values).dtype == dtype
        assert all(np.array_equal(x, y) for x, y in zip(values, kept, strict=True))


def at(name: str, *shape: int) -> Primitive:
    """The instance of a family with one variable, at a shape or (``softmax`` and its kin) at a dimension."""
    scheme = SYMBOLS[name].schemes[0]
    try:
        return instantiate(name, scheme, (tuple(dim(d) for d in shape),))
    except ValueError:
        return instantiate(name, scheme, tuple(dim(d) for d in shape))


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("sigmoid", [-1000, 1000], [0, 1]),
        ("swish", [-1000, 1000], [0, 1000]),
        ("gelu", [-1000, 1000], [0, 1000]),
        ("softplus", [-1000, 1000], [0, 1000]),
        ("softmax", [1000, 0, 1000], [0.5, 0, 0.5]),
        ("logsumexp", [1000, 1000], [1000 + math.log(2)]),
        ("logsumexp", [-1000, -1000], [-1000 + math.log(2)]),
        ("logsumexp", [-math.inf, -math.inf], [-math.inf]),
        ("logsumexp", [math.inf, 0], [math.inf]),
        ("log_softmax", [0, -1000], [0, -1000]),
        ("round", [0.5, 1.5, -0.5, 2.4], [0, 2, 0, 2]),
        ("sign", [-2, 0, 3], [-1, 0, 1]),
        ("step", [-2, 0, 3], [0, 0, 1]),
    ],
)
def test_a_kernel_is_stable(name: str, x: list[float], y: list[float]) -> None:
    with np.errstate(all="ignore"):
        found = kernel(at(name, len(x)), np)(np.array(x, dtype=np.float64))
    np.testing.assert_allclose(found, y, rtol=1e-15)


def test_same_argmax_takes_the_first_of_the_largest() -> None:
    same = kernel(at("same_argmax", 3), np)
    assert same(np.array([1.0, 2, 2]), np.array([0.0, 5, 1])) == [1]
    assert same(np.array([2.0, 1, 2]), np.array([0.0, 0, 1])) == [0]


def test_a_cross_entropy_of_large_scores_keeps_its_digits() -> None:
    f = kernel(at("cross_entropy", 3), np)
    np.testing.assert_allclose(f(np.array([1000.0, 0, 1000]), np.array([1.0, 0, 0])), [math.log(2)], rtol=1e-14)
    np.testing.assert_allclose(f(np.array([0.0, -800, 0]), np.array([0.0, 1, 0])), [800 + math.log(2)], rtol=1e-14)


def test_no_entries_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    of_two_sizes = {"matmul", "transpose", "outer", "reshape", "broadcast_rows", "sum_rows", "take", "put_rows"}
    for name in NAMES - set(LOOPS) - of_two_sizes:
        f = at(name, 0)
        with np.errstate(all="ignore"):
            result = kernel(f, np)(*arrays(draw(rng, f.domain)))
        assert (result.shape,) == shapes(f.codomain)


@each_instance
def test_what_computes_has_a_cost(f: Primitive) -> None:
    assert (cost(f) == 0) is (SYMBOLS[f.name].cost is no_cost)


def test_what_moves_entries_costs_nothing() -> None:
    moves = {
        "fill",
        "transpose",
        "reshape",
        "broadcast_rows",
        "concat",
        "slice",
        "stack",
        "permute",
        "take",
        "pad1d",
        "upscale1d",
    }
    assert {name for name in NAMES if SYMBOLS[name].cost is no_cost} == moves


def test_costs_grow_with_the_work() -> None:
    m, k, n = dim(5), dim(7), dim(11)
    vector, matrix = SYMBOLS["matmul"].schemes
    assert cost(instantiate("matmul", vector, (m, n))) == 2 * 5 * 11
    assert cost(instantiate("matmul", matrix, (m, k, n))) == 2 * 5 * 7 * 11
    assert cost(instantiate("outer", SYMBOLS["outer"].schemes[0], (m, n))) == 55
    assert cost(at("swish", 4, 5)) == 20
    assert cost(at("dot", 4, 5)) == 40
    assert cost(at("sum", 4, 5)) == 20
    assert cost(at("softmax", 20)) == 2 * cost(at("softmax", 10))
    assert cost(member("conv1d", (2, 10, 3, 4))) == 2 * 3 * 2 * 4 * 7
    assert cost(member("conv2d", (2, 10, 9, 3, 4, 5))) == 2 * 3 * 2 * 4 * 5 * 7 * 5
    assert cost(member("maxpool1d", (3, 2, 10))) == 20


def test_a_kernel_or_a_cost_at_an_unknown_shape_is_refused() -> None:
    f = instantiate("fill", SYMBOLS["fill"].schemes[0], ((dim("n"),),))
    for ask in (lambda: kernel(f, np), lambda: cost(at_generic("mul"))):
        with pytest.raises(ValueError, match="not known"):
            ask()


def at_generic(name: str) -> Primitive:
    return instantiate(name, SYMBOLS[name].schemes[0], ((dim("n"),),))
