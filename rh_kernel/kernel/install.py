"""Install the kernelspec, which starts the kernel with the running Python, and the language support for Jupyter's editors."""

import json
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from jupyter_client.kernelspec import KernelSpecManager

NAME = "rh"
SPEC = Path(__file__).parent / "spec"
LABEXTENSION = Path(__file__).parent / "labextension"
"""The extension that teaches the editors of JupyterLab and Notebook the language."""


PRELOADED = {"provisioner_name": "rh-preloaded"}
"""The entry of a kernelspec with which kernels are forked from a process that has imported everything."""


def install(*, user: bool = False, prefix: str | None = None, preloaded: bool = False) -> Path:
    """Install the kernelspec and return its folder: for the user, under ``prefix``, or beside the running Python.

    ``preloaded`` kernels are forked, on Linux. Also installs the editor extension. Raises ``OSError`` if the target is not
    writable.
    """
    with TemporaryDirectory() as scratch:
        folder = Path(scratch) / NAME
        shutil.copytree(SPEC, folder)
        file = folder / "kernel.json"
        spec = json.loads(file.read_text(encoding="utf-8"))
        spec["argv"][0] = sys.executable
        if preloaded:
            spec["metadata"]["kernel_provisioner"] = PRELOADED
        file.write_text(json.dumps(spec, indent=2) + "\n", encoding="utf-8")
        where = None if user else prefix or sys.prefix
        installed = Path(KernelSpecManager().install_kernel_spec(str(folder), NAME, user=user, prefix=where))
    _install_labextension(installed.parents[1] / "labextensions")
    return installed


def _install_labextension(folder: Path) -> None:
    """Copy the extension into a folder of extensions, replacing an older one."""
    name = json.loads((LABEXTENSION / "package.json").read_text(encoding="utf-8"))["name"]
    shutil.rmtree(folder / name, ignore_errors=True)
    shutil.copytree(LABEXTENSION, folder / name)
