"""``rh install`` and ``rh lab``: the way into a notebook."""

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec


def install(*, user: bool, prefix: str | None) -> int:
    """Register the kernel with Jupyter; 0 if that went well."""
    from rh_kernel.kernel.install import install as install_kernel

    try:
        folder = install_kernel(user=user, prefix=prefix)
    except OSError as error:
        sys.stderr.write(f"The kernel could not be installed: {error.strerror or error}.\n")
        sys.stderr.write("With --user it goes into your own folder, with --prefix into another one.\n")
        return 1
    sys.stdout.write(f"The kernel `rh` is installed in {folder}\n")
    return 0


def lab(arguments: Sequence[str]) -> int:
    """Become JupyterLab, to which ``arguments`` are passed on. Returns, with 1, only if there is none."""
    if find_spec("jupyterlab") is not None:
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        root = ["--allow-root"] if is_root and "--allow-root" not in arguments else []
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", *root, *arguments])
    sys.stderr.write('JupyterLab is not installed; pip install "rh_kernel[lessons]" brings it.\n')
    return 1
