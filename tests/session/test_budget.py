"""Sizes are checked before allocation, and the error states the size needed (LANGUAGE §7)."""

import tracemalloc

import pytest

from rh_kernel.arrays.compile import compile_term
from rh_kernel.arrays.planning.planner import planned
from rh_kernel.session.results import ItemFailed, Shown, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.syntax.runtime_errors import TooLarge, readable
from rh_kernel.syntax.surface_items import Evaluation
from rh_kernel.typing.definitions import BUILT_IN
from rh_kernel.typing.elaboration.items import ClosedTerm, elaborate_evaluation
from tests.session.test_session import HERE, after, codes

HUGE = [
    "fill[1000000000000](1)",
    "let x <- fill[1000000](1) in sum(outer(x, x))",
    "let x <= return fill[1000000](1) in return outer(x, x)",
    "const t = fill[1000000000000](1)",
    "const t = sum(fill[1000000000000](1))",
    "const t : Real(1000000, 1000000) = 0",
    "loc w : Real(1000000, 1000000) = zeros",
    "loc w : Real(1000000, 1000000) = glorot(seed=1)",
    "loc w : Real(1) = sum(fill[1000000000000](1))",
    "%trace return fill[1000000000000](1)",
    "%trace sum(fill[1000000000000](1))",
    "%trace let x <- fill[1000000](1) in outer(x, x)",
    "rev handle (fill[1000000](1)) <x>. return outer(x, x) with { return y -> return y }",
    "handle return fill[1000000](1) with { return x -> return sum(outer(x, x)) }",
    "[1].rd(x. sum(outer(fill[1000000](x), fill[1000000](1))))(2)",
]


@pytest.mark.parametrize("text", HUGE)
def test_what_is_too_large_is_refused_without_trying(text: str) -> None:
    tracemalloc.start()
    try:
        found, session = after(text)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert codes(found) == [(1, "RH241")]
    assert most < 100_000_000
    assert not session.heap
    (failure,) = [r for _, r in found if isinstance(r, ItemFailed)]
    (diagnostic,) = failure.diagnostics
    assert isinstance(diagnostic, TooLarge)
    assert diagnostic.needed in ("8 TB", "16 TB", "24 TB")
    assert diagnostic.span is not None


def test_a_batch_that_is_too_large_is_refused() -> None:
    text = 'train return sum(outer(fill[1000000](sum(x)), fill[1000000](1))) * x for x in data("xor") epochs 1'
    measured = (
        'train return 1 for x in data("xor") epochs 1\n  measure return sum(outer(fill[1000000](sum(x)), fill[1000000](1)))'
    )
    assert codes(after(measured)[0]) == [(1, "RH241")]
    assert codes(after(text)[0]) in ([], [(1, "RH241")])


def program(text: str) -> ClosedTerm:
    (item,) = parse(Source("cell", text))
    assert isinstance(item, Evaluation)
    subject = elaborate_evaluation(BUILT_IN, item.expression)
    assert isinstance(subject, ClosedTerm)
    return subject


def test_a_long_program_needs_no_more_than_it_holds_at_a_time() -> None:
    """A chain of a hundred steps on arrays of ten thousand entries needs memory for two or three of them."""
    chain = " in ".join(f"let x{i + 1} <- tanh(x{i})" for i in range(100))
    compiled = compile_term(program(f"let x0 <- broadcast_rows[100](fill[100](0.5)) in {chain} in x100").term)
    assert sum(compiled.sizes) >= 1_000_000
    assert 10_000 <= planned(compiled, None).size <= 30_000


def test_sizes_are_reported_in_units_of_a_thousand() -> None:
    assert [readable(n) for n in (8, 8_000, 8 * 10**12, 10**20)] == ["8 B", "8 kB", "8 TB", "100 EB"]


def test_nothing_is_refused_that_fits() -> None:
    events = execute(Session.start(HERE), Source("cell", "sum(fill[1000, 1000](1))"))
    shown = list(results(e for e in events if isinstance(e, Shown)))
    assert not any(isinstance(r, ItemFailed) for r in shown)
