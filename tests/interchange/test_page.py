"""The appendix shows what an import of its model gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rh_kernel.__main__ import main
from tests.interchange.running import available

PAGE = Path(__file__).parents[2] / "lessons" / "appendix" / "coming-from.md"

pytestmark = [pytest.mark.slow, pytest.mark.skipif("torch" not in available(), reason="PyTorch is in the extra oracles")]


def test_the_model_of_the_page_is_imported_as_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = PAGE.read_text(encoding="utf-8").split("## Bringing a model here")[1].split("\n## ")[0]
    python, program = re.findall(r"```(?:python)?\n(.*?)\n```", section, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    # In a process of its own: the functions of `rh_kernel` have one workspace in a process, with the folder that was current.
    subprocess.run([sys.executable, "-c", python], check=True, env={**os.environ, "PYTHONPATH": str(PAGE.parents[2])})
    assert (tmp_path / "model.rh").read_text(encoding="utf-8").strip() == program.strip()
    assert main(["run", "model.rh"]) == 0
