"""Telling Jupyter about the kernel: a kernelspec that starts it with the running Python, and the language for its editors."""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_client.kernelspec import KernelSpecManager

NAME = "rh"
SPEC = Path(__file__).parent / "spec"
LABEXTENSION = Path(__file__).parent / "labextension"
"""What JupyterLab and Notebook load so that their editors know the language."""


def install(*, user: bool = False, prefix: str | None = None) -> Path:
    """Install the kernelspec and return its folder: for the user, under ``prefix``, or beside the running Python.

    The extension of the editors goes beside it. Raises ``OSError`` if that place cannot be written to.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / NAME
        shutil.copytree(SPEC, folder)
        file = folder / "kernel.json"
        spec = json.loads(file.read_text(encoding="utf-8"))
        spec["argv"][0] = sys.executable
        file.write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")
        where = None if user else prefix or sys.prefix
        installed = Path(KernelSpecManager().install_kernel_spec(str(folder), NAME, user=user, prefix=where))
    _install_labextension(installed.parents[1] / "labextensions")
    return installed


def _install_labextension(folder: Path) -> None:
    """Put the extension into a folder of extensions, in the place of an older one."""
    name = json.loads((LABEXTENSION / "package.json").read_text(encoding="utf-8"))["name"]
    shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(LABEXTENSION, folder / name)
