"""The node tests of the ONNX backend: every one that is covered passes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.interchange.backend import counted, node_tests, status

onnx: Any = pytest.importorskip("onnx", reason="ONNX is in the extra interchange")

pytestmark = pytest.mark.slow

FEWEST = 430
"""How many node tests are covered at least."""


def test_every_covered_test_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {test: status(test, tmp_path) for test in node_tests()}
    with capsys.disabled():
        sys.stdout.write(f"\npassed, covered and all node tests of each operation:\n{counted(found)}\n")
    wrong = {str(test): how for test, how in found.items() if how not in ("passed", "refused")}
    assert not wrong
    assert sum(how == "passed" for how in found.values()) >= FEWEST
