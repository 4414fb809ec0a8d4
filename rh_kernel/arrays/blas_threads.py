"""Threads of the matrix-product library (BLAS), whose number decides in which order it adds, and so the last digits."""

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which matrix products take one thread."""
    return with_blas_threads(1)


def with_blas_threads(count: int) -> AbstractContextManager[object]:
    """Return a context in which matrix products take so many threads."""
    # There are no threads in a browser, nor this library.
    return nullcontext() if sys.platform == "emscripten" else _controller().limit(limits=count, user_api="blas")


def blas_threads() -> int:
    """Return how many threads matrix products take at most."""
    if sys.platform == "emscripten":
        return 1
    return max([library["num_threads"] for library in _controller().info() if library["user_api"] == "blas"], default=1)


def openblas() -> tuple[str, str] | None:
    """Return the path of the OpenBLAS that is loaded, and its name with version and kind of processor; ``None`` if none is.

    One that uses OpenMP does not count: it has a number of threads for each thread that calls it.
    """
    if sys.platform == "emscripten":
        return None
    for library in _controller().info():
        if library["internal_api"] == "openblas" and library["threading_layer"] in {"pthreads", "disabled"}:
            return library["filepath"], f"OpenBLAS {library['version']} for {library['architecture']}"
    return None


@cache
def one_blas_thread_from_now_on() -> None:
    """Let matrix products in this process take one thread, for ever."""
    one_blas_thread().__enter__()


@cache
def _controller() -> Any:  # noqa: ANN401
    # NumPy loads the library that is looked for here.
    import numpy as np
    from threadpoolctl import ThreadpoolController

    assert np is not None
    return ThreadpoolController()
