"""The conformance tests for all kernels (jupyter_kernel_test)."""

from __future__ import annotations

import os
import time
from pathlib import Path

import jupyter_kernel_test
import pytest


@pytest.fixture(scope="module", autouse=True)
def installed(jupyter_path: Path) -> None:
    """The tests find the kernel by its name."""
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(jupyter_path), os.environ.get("JUPYTER_PATH", "")]))


class RHKernelTests(jupyter_kernel_test.KernelTests):
    """The language has no streams and no pager of its own, so streams and clearing are tested with Python cells."""

    kernel_name = "rh"
    language_name = "rh"
    file_extension = ".rh"
    code_hello_world = "%%python\nprint('hello, world')"
    code_stderr = "%%python\nimport sys\nprint('a word aside', file=sys.stderr)"
    code_clear_output = "%%python\nfrom IPython.display import clear_output\nclear_output()"
    code_generate_error = "nowhere"
    code_inspect_sample = "swish"
    code_history_pattern = "1.0 +?2*"
    supported_history_operations = ("tail", "range", "search")

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.completion_samples = [{"text": "swi", "matches": {"swish"}}, {"text": "%tra", "matches": {"%trace"}}]
        cls.complete_code_samples = ["1 + 2", "dim n = 3", "let x <- 1.0 in x", "%heap", "", "# nothing", "%%python\n1 + 2"]
        cls.incomplete_code_samples = ["sq(1.0,", "let x <- 1.0 in", "net f(x : Real) =", "handler h = {", "%%python\nif x:"]
        cls.invalid_code_samples = ["1 + )", "dim = 2\n1 +", "%%python\n1 +* 2"]
        cls.code_execute_result = [
            {"code": "1.0 + 2.0", "result": "3.0 : Real(1)"},
            {"code": "%%python\n6 * 7", "result": "42"},
        ]
        cls.code_display_data = [
            {"code": "%type swish(1.0)", "mime": "text/html"},
            {"code": "%compile swish(1.0)", "mime": "text/html"},
            {"code": "%%python\nfrom IPython.display import SVG, display\ndisplay(SVG('<svg/>'))", "mime": "image/svg+xml"},
        ]


def _unseen(_message: dict[str, object]) -> None:
    """Ignore the message."""


class RHWelcomeTests(jupyter_kernel_test.IopubWelcomeTests):
    """A subscriber to iopub gets a welcome message."""

    kernel_name = "rh"
    support_iopub_welcome = True

    @classmethod
    def setUpClass(cls) -> None:
        """Wait until the starting message has gone to another subscriber; otherwise it may come first."""
        super().setUpClass()
        before = cls.km.client()
        before.start_channels()
        try:
            before.wait_for_ready(timeout=60)
            before.execute_interactive("1 + 2", timeout=60, output_hook=_unseen)  # it ends when the kernel is idle again
        finally:
            before.stop_channels()

    @classmethod
    def tearDownClass(cls) -> None:
        """Wait for the heartbeat: jupyter_client's thread leaks sockets if it is stopped before."""
        until = time.monotonic() + 60
        while not cls.kc.hb_channel.is_beating() and time.monotonic() < until:
            time.sleep(0.01)
        super().tearDownClass()


del jupyter_kernel_test.KernelTests, jupyter_kernel_test.IopubWelcomeTests
