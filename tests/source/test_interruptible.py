"""Calls on large arrays run in another thread and can be interrupted; results and exceptions are passed on."""

import signal
import threading
from collections.abc import Iterator
from hashlib import pbkdf2_hmac

import numpy as np
import pytest

from rh_kernel.source.interruptible import LARGE, interruptible, when_large

ROUNDS = 1_000_000
"""A library call that takes a good part of a second and releases the GIL."""


@pytest.fixture(autouse=True)
def python_hears_of_signals() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def thread() -> int:
    return threading.get_ident()


def test_a_result_and_an_error_are_those_of_the_call() -> None:
    assert interruptible(lambda: 3) == 3
    with pytest.raises(MemoryError, match="so much"):
        interruptible(lambda: _fail())


def _fail() -> int:
    raise MemoryError("so much")


def test_what_numpy_does_about_errors_holds_in_the_call() -> None:
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        interruptible(lambda: np.ones(1) / np.zeros(1))


def test_only_large_calls_are_made_elsewhere() -> None:
    assert when_large(LARGE, thread) == thread()
    assert when_large(LARGE + 1, thread) != thread()


def test_a_call_within_a_call_is_made_where_it_is() -> None:
    outer, inner = interruptible(lambda: (thread(), interruptible(thread)))
    assert outer == inner


def test_an_interrupt_does_not_wait_for_the_end_and_the_next_call_does() -> None:
    ended: list[str] = []

    def long() -> None:
        pbkdf2_hmac("sha256", b"a", b"b", ROUNDS)
        ended.append("first")

    threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,)).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(long)
    assert ended == []
    interruptible(lambda: ended.append("next"))
    # The first call has ended by now, but its thread was told to go no further.
    assert ended == ["next"]
