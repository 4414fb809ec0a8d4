"""``python -m rh_kernel.kernel -f connection.json``: the process that a notebook talks to."""

import gc
import sys
import warnings

from ipykernel.kernelapp import IPKernelApp
from traitlets import default

from rh_kernel.kernel.answering import ReadableSession
from rh_kernel.kernel.kernel import RHKernel

PATIENCE = 2.0
"""Seconds for the last words of the thread that serves the control channel."""


class RHKernelApp(IPKernelApp):
    """Ends the thread that serves the control channel before the one that it speaks through, or it would wait for that."""

    @default("session")
    def _readable_session(self) -> ReadableSession:
        return ReadableSession(parent=self)

    def start(self) -> None:
        """Serve until there is nothing more to serve."""
        super().start()
        if self.control_thread is not None and self.control_thread.is_alive():
            self.control_thread.stop()
            self.control_thread.join(PATIENCE)


def main() -> None:
    """Serve until a client says to shut down."""
    if not sys.warnoptions:
        # A warning of a library is written for Python programmers; what concerns a cell is said by its results.
        warnings.simplefilter("ignore")
    # Programs are trees of very many small nodes, without cycles: looking for cycles often makes cells and interrupts wait.
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    RHKernelApp.launch_instance(kernel_class=RHKernel, outstream_class="rh_kernel.kernel.python_cells.streams.Stream")


if __name__ == "__main__":
    main()
