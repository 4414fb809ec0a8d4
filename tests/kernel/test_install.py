"""The kernelspec: in the wheel, and as written by ``rh install``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from jupyter_client.kernelspec import KernelSpecManager

from rh_kernel.kernel.install import SPEC, install


def test_the_kernelspec_of_the_wheel_names_no_machine() -> None:
    spec = json.loads((SPEC / "kernel.json").read_text(encoding="utf-8"))
    assert spec["argv"][:3] == ["python", "-m", "rh_kernel.kernel"]
    assert spec["language"] == "rh"
    assert spec["interrupt_mode"] == "signal"


def test_an_installed_kernel_starts_the_python_that_installed_it(tmp_path: Path) -> None:
    folder = install(prefix=str(tmp_path))
    assert folder.parent == tmp_path / "share" / "jupyter" / "kernels"
    spec = KernelSpecManager(kernel_dirs=[str(folder.parent)]).get_kernel_spec("rh")
    assert spec.argv[0] == sys.executable
    assert any(file.name.startswith("logo") for file in folder.iterdir())
    install(prefix=str(tmp_path))
