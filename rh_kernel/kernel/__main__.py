"""``python -m rh_kernel.kernel -f connection.json``: the process that a notebook talks to."""

import sys
import warnings

from ipykernel.kernelapp import IPKernelApp

from rh_kernel.kernel.kernel import RHKernel


def main() -> None:
    """Serve until a client says to shut down."""
    if not sys.warnoptions:
        # A warning of a library is written for Python programmers; what concerns a cell is said by its results.
        warnings.simplefilter("ignore")
    IPKernelApp.launch_instance(kernel_class=RHKernel)


if __name__ == "__main__":
    main()
