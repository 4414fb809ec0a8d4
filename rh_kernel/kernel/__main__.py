"""``python -m rh_kernel.kernel -f connection.json``: the kernel process that a notebook connects to."""

import gc
import sys
import warnings

from ipykernel.kernelapp import IPKernelApp
from traitlets import default

from rh_kernel.kernel.error_replies import ReadableSession
from rh_kernel.kernel.kernel import RHKernel

SHUTDOWN_TIMEOUT = 2.0
"""Seconds to wait for the control channel's thread to finish."""


class RHKernelApp(IPKernelApp):
    """Stops the control channel's thread before closing the I/O thread that it sends through; otherwise shutdown would hang."""

    @default("session")
    def _readable_session(self) -> ReadableSession:
        return ReadableSession(parent=self)

    def start(self) -> None:
        """Serve requests until the event loop ends."""
        super().start()
        if self.control_thread is not None and self.control_thread.is_alive():
            self.control_thread.stop()
            self.control_thread.join(SHUTDOWN_TIMEOUT)


def main() -> None:
    """Run the kernel until a client asks it to shut down."""
    if not sys.warnoptions:
        # Warnings of libraries are meant for Python programmers; cells report through their results.
        warnings.simplefilter("ignore")
    # Programs are acyclic trees of many small nodes, so frequent cycle collection only delays cells and interrupts.
    gc.freeze()
    gc.set_threshold(100_000, 20, 100)
    RHKernelApp.launch_instance(kernel_class=RHKernel, outstream_class="rh_kernel.kernel.python_cells.streams.Stream")


if __name__ == "__main__":
    main()
