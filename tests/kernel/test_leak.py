"""A thousand cells of all kinds use no more memory than the first hundred."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.benchmarks import living
from tests.kernel.conftest import Start


@pytest.mark.slow
@pytest.mark.skipif(not living.STATUS.exists(), reason="memory is read from /proc")
def test_a_thousand_cells_leave_no_trace(start: Start, record_testsuite_property: Callable[[str, object], None]) -> None:
    client = start(measured=False)
    grown = living.grown(client.manager, client.client, 1000)
    record_testsuite_property("megabytes that a kernel grows by in 1,000 cells", round(grown, 1))
    assert grown < 20
    assert client.run("1 + 2").texts == ["3.0 : Real(1)"]


def test_the_first_cell_is_answered_soon() -> None:
    seconds = living.first_answer()
    assert seconds < 10  # two seconds on a machine that does nothing else
