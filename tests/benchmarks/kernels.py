"""Which kernel computes each large matrix product on this machine, and how long it takes to find out.

``python -m tests.benchmarks.kernels`` prints a table of the products in W1–W7, with an empty cache and then with what was kept.
"""

import os
import tempfile
import time
from collections.abc import Iterator

from rh_kernel.arrays.native import Native, available, kernel_choice
from rh_kernel.arrays.native.blas import blas
from rh_kernel.arrays.native.compiled import NativeRunner
from rh_kernel.arrays.native.products import Product
from rh_kernel.arrays.native.toolchain import Missing, toolchain
from rh_kernel.loops.ir import Precision
from tests.benchmarks.peers.ours import StepByStep
from tests.benchmarks.problems import IMAGES, PROBLEMS

PRECISIONS: tuple[Precision, ...] = ("float64", "float32")


def products() -> Iterator[tuple[str, Product]]:
    """The products of each problem in both precisions."""
    for problem in (*PROBLEMS, *IMAGES):
        for precision in PRECISIONS:
            runner = StepByStep(problem, problem.arrays(), precision, Native).runner
            assert isinstance(runner, NativeRunner)
            yield from [(problem.key, product) for product in runner.products]


def main() -> None:
    """Print the table."""
    found = toolchain()
    if isinstance(found, Missing) or not available():
        print("There is no C compiler.")
        return
    library = blas()
    print(f"{found.isa}, {library.name if library else 'no OpenBLAS'}")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        rows = list(products())
        for key, product in rows:
            print(f"{key:18} {product.precision}  {product}")
        cold = [product.spent for _, product in rows if product.spent]
        kernel_choice.measured_times.cache_clear()
        begin = time.perf_counter()
        if library is not None:
            kernel_choice.measured_times(found, library).read()
        cached = time.perf_counter() - begin
    print(f"cold: {len(cold)} products measured in {1e3 * sum(cold):.0f} ms, {1e3 * sum(cold) / max(1, len(cold)):.1f} ms each")
    print(f"cached: the file of all of them is read in {1e3 * cached:.2f} ms, once in a process")


if __name__ == "__main__":
    main()
