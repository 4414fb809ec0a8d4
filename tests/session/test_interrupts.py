"""A cell can be interrupted anywhere, and then has no effect."""

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rh_kernel.session.session import Session
from tests.session.cells import run


@pytest.fixture(autouse=True)
def python_hears_of_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def session() -> Session:
    return run(Session.start(Path(__file__).parent), "const a : Real(4000, 4000) = fill[4000, 4000](0.5)")[1]


@pytest.mark.untraced
@pytest.mark.parametrize(
    "cell",
    [
        "loc r : Real(4000, 4000) = normal(1.0, seed=1)",
        "%evaluator stepped\ngelu(softplus(a))",
        "%evaluator denoted\ngelu(softplus(a))",
        "%evaluator compiled\ngelu(softplus(a))",
        "%evaluator stepped\n%strict on\nlog(a)",
    ],
)
def test_an_interrupt_does_not_wait_for_an_operation_on_large_arrays(session: Session, cell: str) -> None:
    """Interrupt once the operation runs in its thread, which is still running when the cell has ended."""
    before = set(threading.enumerate())

    def strike() -> None:
        while not set(threading.enumerate()) - before - {striker}:
            time.sleep(0.001)
        signal.raise_signal(signal.SIGINT)

    striker = threading.Thread(target=strike, daemon=True)
    striker.start()
    with pytest.raises(KeyboardInterrupt):
        run(session, cell)
    striker.join()
    left = set(threading.enumerate()) - before
    assert left, "the cell ended after the operation"
    for thread in left:
        thread.join()
