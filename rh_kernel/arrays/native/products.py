"""The matrix products of a translated plan, with the kernel that computes each."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rh_kernel.arrays.arena import address, aligned
from rh_kernel.arrays.native.axes import reach
from rh_kernel.arrays.native.blas import Blas
from rh_kernel.arrays.native.codegen import Contest, Translation
from rh_kernel.arrays.native.kernel_choice import Times, compared, forced, measured_times
from rh_kernel.arrays.native.launch_table import table
from rh_kernel.arrays.native.machine import Machine, loaded
from rh_kernel.arrays.native.toolchain import Toolchain
from rh_kernel.loops.ir import Precision
from rh_kernel.source.records import frozen

LARGEST = 1 << 25
"""Numbers in the arrays of a product above which it is not measured, since the measurement needs arrays of its own."""


GENERATED, BLAS = "generated code", "OpenBLAS"


@frozen
class Product:
    """A product of an m × k and a k × n matrix: whether the BLAS computes it, and why.

    ``times`` are the seconds by either way, ``None`` if they are not known; measuring them took ``spent`` seconds, 0 if they
    were known already.
    """

    shape: tuple[int, int, int]
    precision: Precision
    by_blas: bool
    times: Times | None = None
    spent: float = 0.0

    def __str__(self) -> str:
        """The product and its kernel, in a line."""
        m, n, k = self.shape
        chosen, other = (BLAS, GENERATED) if self.by_blas else (GENERATED, BLAS)
        what = f"{m:,} × {k:,} by {k:,} × {n:,}: {chosen}"
        if self.times is None:
            return f"{what}, not measured"
        ratio = self.times.own / self.times.blas
        return f"{what}, {ratio if self.by_blas else 1 / ratio:.2f} × as fast here as {other}"


def products(translation: Translation, found: Toolchain, library: Blas, precision: Precision) -> list[Product]:
    """Choose a kernel for each product. Raises ``Unsupported`` if the library cannot be compiled."""
    return [_product(contest, translation, found, library, precision) for contest in translation.contests]


def _product(contest: Contest, translation: Translation, found: Toolchain, library: Blas, precision: Precision) -> Product:
    wanted = forced()
    views = (contest.step.output, contest.step.left, contest.step.right)
    sizes = [reach(view).high - reach(view).low + 1 for view in views]
    if wanted is not None or sum(sizes) > LARGEST:
        return Product(contest.product.shape, precision, bool(wanted))

    spent = 0.0

    def measure() -> Times:
        nonlocal spent
        own, blas = _alone(contest, translation, library, precision)
        start = time.perf_counter()
        times = compared(own, blas)
        spent = time.perf_counter() - start
        return times

    times = measured_times(found, library).of(contest.step, precision, measure)
    if times is None:
        return Product(contest.product.shape, precision, by_blas=False)
    return Product(contest.product.shape, precision, times.favour_blas, times, spent)


def _alone(contest: Contest, translation: Translation, library: Blas, precision: Precision) -> Iterator[Machine]:
    """Machines that run nothing but the kernel, on arrays of their own: without the BLAS, and with it."""
    dtype = np.dtype(precision)
    arrays: list[npt.NDArray[Any]] = []
    places: list[tuple[int, int]] = []
    for view in (contest.step.output, contest.step.left, contest.step.right):
        low, high = reach(view).low, reach(view).high
        arrays.append(aligned(high - low + 1, dtype))
        arrays[-1][:] = 1
        places.append((len(arrays) - 1, dtype.itemsize * (view.offset - low)))
    if contest.workspace:
        arrays.append(aligned(contest.workspace, dtype))
        places.append((len(arrays) - 1, 0))
    number = len(arrays)
    for by_blas in (0, 1):
        every = [*arrays, np.array([by_blas], dtype)]
        bases = [*[address(array) for array in every], library.gemm(precision)]
        steps = [(contest.kernel, [*places, (number + 1, 0), (number, 0)])]
        launches = table(steps, bases, (), None, dtype, every, release=True)
        yield loaded(translation.source, launches)
