"""The conformance tests that are made for all kernels (jupyter_kernel_test)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar

import jupyter_kernel_test
import pytest


@pytest.fixture(scope="module", autouse=True)
def installed(jupyter_path: Path) -> None:
    """The tests look for the kernel by its name."""
    os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [str(jupyter_path), os.environ.get("JUPYTER_PATH", "")]))


class RHKernelTests(jupyter_kernel_test.KernelTests):
    """A language without printing: its hello world is a help text."""

    kernel_name = "rh"
    language_name = "rh"
    file_extension = ".rh"
    completion_samples: ClassVar = [{"text": "swi", "matches": {"swish"}}, {"text": "%tra", "matches": {"%trace"}}]
    complete_code_samples: ClassVar = ["1 + 2", "dim n = 3", "let x <- 1.0 in x", "%heap"]
    incomplete_code_samples: ClassVar = ["sq(1.0,", "let x <- 1.0 in", "net f(x : Real) =", "handler h = {"]
    invalid_code_samples: ClassVar = ["1 + )", "dim = 2\n1 +"]
    code_generate_error = "nowhere"
    code_execute_result: ClassVar = [{"code": "1.0 + 2.0", "result": "3.0 : Real(1)"}]
    code_display_data: ClassVar = [{"code": "%type swish(1.0)", "mime": "text/html"}]
    code_inspect_sample = "swish"
    code_history_pattern = "1 +?2*"
    supported_history_operations = ("tail", "range", "search")
    code_clear_output = ""


del jupyter_kernel_test.KernelTests
