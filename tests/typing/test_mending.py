"""Fixes: the text that they give is accepted, and means what was meant, whatever stands in the places of the operands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.typing.diagnostics.quick_fixes import is_typo
from tests.typing.cells import value, wrong

VECTORS = [
    "[1, 2]",
    "([1, 2] + [3, 4])",
    "(-[1, 2])",
    "-[1, 2]",
    "relu([1, 2])",
    "([1, 2], 3).1",
    "(let x <- [1, 2] in x - [1, 1])",
    "[[1, 2], [3, 4]] @ [1, 2]",
    "([1, 2])",
    "1.rd(x. dot(x, x))([1, 2])",
]
MATRICES = [
    "[[1, 2, 3], [4, 5, 6]]",
    "(2 * [[1, 2, 3], [4, 5, 6]])",
    "[[1, 4], [2, 5], [3, 6]]^T",
    "reshape[2, 3]([1, 2, 3, 4, 5, 6])",
]
MEANT = [
    # what was written with operands {0} and {1}, and what was meant by it
    ("{0} * 2", "2 * ({0})", VECTORS, [""]),
    ("[1, 1] + {0} * 3 - [2, 2]", "[1, 1] + (3 * ({0})) - [2, 2]", VECTORS, [""]),
    ("{1} @ {0}", "({1})^T @ ({0})", VECTORS, MATRICES),
    ("{0} @ {1}", "({1})^T @ ({0})", VECTORS, MATRICES),
    ("matmul({1}, {0})", "({1})^T @ ({0})", VECTORS, MATRICES),
    ("({1})^T * ({0})", "({1})^T @ ({0})", VECTORS, MATRICES),
    ("{0} - 1", "({0}) - [1, 1]", VECTORS, [""]),
    ("2 - {0}", "[2, 2] - ({0})", VECTORS, [""]),
    ("{1} @ 3", "3 * ({1})", [""], MATRICES),
    ("fun f(w : Real(3, 2)) : Real(3, 2) = 2 * w\nf({1})", "2 * ({1})^T", [""], MATRICES),
    ("let x <= {0} in return x", "{0}", VECTORS, [""]),
    ("let x <- return {0} in return x", "{0}", VECTORS, [""]),
    ("relu(return {0})", "relu({0})", VECTORS, [""]),
    ("fun f(x : Real(3)) : Real(3) = 2 * x\nf(1, -2, 3)", "2 * [1, -2, 3]", [""], [""]),
]


SLIPS = [
    ("weigths", "weights", True),
    ("layr", "layer", True),
    ("Target", "target", True),
    ("t", "T", True),
    ("w10", "w1", False),
    ("layer1", "layer2", False),
    ("block_1", "block_2", False),
    ("h'", "h", False),
    ("mean", "sum", False),
]


@pytest.mark.parametrize(("name", "known", "is_one"), SLIPS)
def test_a_name_is_replaced_where_it_is_surely_misspelt(name: str, known: str, is_one: bool) -> None:
    assert is_typo(name, known) is is_one
    found = wrong(f"const {known} = 1\n2 * {name}")[0]
    assert (found.fix is not None) is is_one
    if not is_one and name != "mean":
        assert found.hint == f"did you mean `{known}`?"


def mended(text: str) -> str:
    """The text after all its fixes, one after the other."""
    for _ in range(5):
        found = [d for d in wrong(text) if d.fix is not None]
        if not found or found[0].fix is None:
            return text
        span = found[0].fix.span
        text = text[: span.start] + found[0].fix.text + text[span.end :]
    return text


@pytest.mark.parametrize(("written", "meant", "vectors", "matrices"), MEANT, ids=[written for written, *_ in MEANT])
def test_a_fix_means_what_was_meant(written: str, meant: str, vectors: list[str], matrices: list[str]) -> None:
    @given(st.sampled_from(vectors), st.sampled_from(matrices))
    def for_all(v: str, w: str) -> None:
        assert wrong(written.format(v, w))
        assert value(mended(written.format(v, w))) == value(meant.format(v, w))

    for_all()
