"""Telling Jupyter about the kernel: a kernelspec that starts it with the Python that is running."""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_client.kernelspec import KernelSpecManager

NAME = "rh"
SPEC = Path(__file__).parent / "spec"
LABEXTENSION = Path(__file__).parent / "labextension"


def install(*, user: bool = False, prefix: str | None = None) -> Path:
    """Install the kernelspec and return its folder: for the user, under ``prefix``, or beside the running Python.

    Raises ``OSError`` if that place cannot be written to.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / NAME
        shutil.copytree(SPEC, folder)
        file = folder / "kernel.json"
        spec = json.loads(file.read_text(encoding="utf-8"))
        spec["argv"][0] = sys.executable
        file.write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")
        where = None if user else prefix or sys.prefix
        return Path(KernelSpecManager().install_kernel_spec(str(folder), NAME, user=user, prefix=where))
