"""Threads of the matrix-product library (BLAS), whose number decides in which order it adds, and so the last digits."""

import sys
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any


def one_blas_thread() -> AbstractContextManager[object]:
    """Return a context in which matrix products take one thread."""
    # There are no threads in a browser, nor this library.
    return nullcontext() if sys.platform == "emscripten" else _controller().limit(limits=1, user_api="blas")


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
