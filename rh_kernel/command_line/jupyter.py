"""``rh install`` and ``rh lab``: register the kernel with Jupyter and start JupyterLab."""

import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec


def install(*, user: bool, prefix: str | None, preloaded: bool) -> int:
    """Register the kernel with Jupyter; return 0 on success."""
    from rh_kernel.kernel.install import install as install_kernel

    try:
        folder = install_kernel(user=user, prefix=prefix, preloaded=preloaded)
    except OSError as error:
        sys.stderr.write(f"The kernel could not be installed: {error.strerror or error}.\n")
        sys.stderr.write("With --user it goes into your own folder, with --prefix into another one.\n")
        return 1
    sys.stdout.write(f"The kernel `rh` is installed in {folder}\n")
    return 0


def lab(arguments: Sequence[str]) -> int:
    """Replace this process by JupyterLab, passing ``arguments`` on. Returns 1 if JupyterLab is not installed."""
    if find_spec("jupyterlab") is not None:
        is_root = hasattr(os, "geteuid") and os.geteuid() == 0
        root = ["--allow-root"] if is_root and "--allow-root" not in arguments else []
        sys.stdout.flush()
        os.execv(sys.executable, [sys.executable, "-m", "jupyterlab", *root, *arguments])
    sys.stderr.write('JupyterLab is not installed; pip install "rh_kernel[lessons]" brings it.\n')
    return 1
