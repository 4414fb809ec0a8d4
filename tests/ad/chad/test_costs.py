"""The cost table of the digest (§5, rows A–H): the work of the naive derivative is superlinear, with accumulators it is linear.

``work`` is the sum of the evaluated nodes and entries, the created zeros and the additions. It is compared to the size of
programs without loops, and to the number of operations of programs with loops.
"""

from collections.abc import Callable

import pytest

from rh_kernel.ad.chad.systems import SYSTEMS
from rh_kernel.ad.language.binding import count
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.types import Real
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import VjpResult
from tests.ad.chad.growing import calls, captured, chain, components, entries, maps, nested

_BY_NAME = {system.name: system for system in SYSTEMS}


def result(name: str, program: Program) -> VjpResult:
    """Return the result of a system at some point."""
    reverse = _BY_NAME[name].reverse
    assert reverse is not None
    point: list[Value] = []
    for _, A in program.parameters:
        assert isinstance(A, Real)
        point.append(0.3 if A.size == 1 else tuple(0.1 * i for i in range(A.size)))
    return reverse(program, tuple(point), 1.0)


def work(found: VjpResult) -> int:
    """Return the sum of the counters that take time."""
    counters = dict(found.counters)
    return counters["visits"] + counters["zeros made"] + counters["additions"]


def ratios(name: str, row: Callable[[int], Program], sizes: tuple[int, ...]) -> list[float]:
    """Return the work for each node of the program."""
    return [work(result(name, row(n))) / count(row(n).body) for n in sizes]


ROWS = [(chain, (10, 40, 160)), (nested, (2, 6, 10)), (entries, (10, 40, 160)), (components, (8, 32, 128))]


@pytest.mark.parametrize(("row", "sizes"), ROWS, ids=lambda x: getattr(x, "__name__", None))
def test_rows_a_b_c_e_naive_work_for_a_node_grows(row: Callable[[int], Program], sizes: tuple[int, ...]) -> None:
    """One-hot contexts, dense zeros and repeated evaluation of bodies cost more for each node the longer the program is."""
    small, middle, large = ratios("chad", row, sizes)
    assert middle > 1.5 * small
    assert large > 1.5 * middle


@pytest.mark.parametrize(("row", "sizes"), [*ROWS, (calls, (4, 16, 64))], ids=lambda x: getattr(x, "__name__", None))
def test_rows_a_b_c_e_f_accumulated_work_for_a_node_is_flat(row: Callable[[int], Program], sizes: tuple[int, ...]) -> None:
    """With accumulators the work is at most 25 for each node of the program, however long it is."""
    assert max(ratios("chad-accumulated", row, sizes)) <= 25


def test_row_a_additions_of_the_naive_derivative_are_quadratic() -> None:
    """Each of the n lets adds a context of its length: 1 + … + n, of numbers; with accumulators nothing is added."""
    for n in (5, 10, 20):
        assert dict(result("chad", chain(n)).counters)["additions"] == n * (n + 1) // 2
        assert dict(result("chad-accumulated", chain(n)).counters)["additions"] == 0
        assert result("chad-accumulated", chain(n)).derivative == 3 * n


@pytest.mark.parametrize("d", [1, 2, 3, 6, 10])
def test_o30_nested_functions_run_exponentially_often(d: int) -> None:
    """O30: ``2^(d + 1) − 1`` runs of operations and as many of their derivatives at depth d, ``d + 1`` with accumulators."""
    naive, repaired = dict(result("chad", nested(d)).counters), dict(result("chad-accumulated", nested(d)).counters)
    assert naive["primitives run"] == naive["derivatives run"] == 2 ** (d + 1) - 1
    assert repaired["primitives run"] == repaired["derivatives run"] == d + 1
    combined = dict(result("chad-combinators", nested(d)).counters)
    assert combined["primitives run"] == combined["derivatives run"] == 2 ** (d + 1) - 1


def test_row_c_dense_one_hot_vectors() -> None:
    """C: n entries, whose naive cotangents are vectors of n numbers; sparse ones have one number."""
    for n in (10, 20, 40):
        assert dict(result("chad", entries(n)).counters)["additions"] == n * (n - 1)
        assert result("chad-accumulated", entries(n)).derivative == n - 1


def test_row_g_a_map_that_captures_an_array() -> None:
    """G: the naive derivative adds n contexts of n entries; with accumulators the operations are proportional to n."""
    naive = [result("chad", captured(n)) for n in (8, 32, 128)]
    small, middle, large = (found.derivative / found.primal for found in naive)
    assert middle > 2 * small
    assert large > 2 * middle
    repaired = [result("chad-accumulated", captured(n)) for n in (8, 32, 128)]
    assert all(found.derivative <= 3 * found.primal for found in repaired)


def test_row_h_maps_in_maps() -> None:
    """H: the body runs once for the value and again for the derivative, at each depth; once with accumulators."""
    naive = [result("chad", maps(d)) for d in (1, 3, 5)]
    small, middle, large = (found.derivative / found.primal for found in naive)
    assert small < middle < large
    for d in (1, 3, 5):
        found = result("chad-accumulated", maps(d))
        assert found.derivative <= 4 * found.primal
        assert dict(found.counters)["primitives run"] <= dict(result("chad", maps(d)).counters)["primitives run"]


@pytest.mark.slow
def test_a_thousand_lets() -> None:
    """Programs may be longer than Python's stack is deep, in every system."""
    program = chain(1000)
    found = [result(name, program) for name, system in _BY_NAME.items() if system.reverse is not None]
    assert len({round(x.gradient[0], 12) for x in found if isinstance(x.gradient[0], float)}) == 1
    forward = _BY_NAME["chad-forward"].forward
    assert forward is not None
    assert forward(program, (0.3,), (1.0,)).tangent == pytest.approx(found[0].gradient[0], abs=1e-12)


@pytest.mark.parametrize("row", [chain, nested, components, calls], ids=lambda x: x.__name__)
def test_p18_the_code_is_as_long_as_the_program(row: Callable[[int], Program]) -> None:
    """P18: with ``proj_i`` and ``coproj_i`` as one node, the derivative has at most 25 nodes for each of the program."""
    for n in (5, 20, 80):
        size = count(row(n).body)
        assert all(
            result(name, row(min(n, 8) if row is nested else n)).size <= 25 * size for name in ("chad", "chad-accumulated")
        )
