"""The Python packages that Pyodide does not bring: this one, what it needs, and the kernel of JupyterLite.

They are entered into the list that Pyodide loads from (``pyodide-lock.json``), and loaded when a kernel starts. So a
notebook has nothing to install, and no package index is asked for anything.
"""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from lessons.browser.distribution import Unbuildable, fetch, table

ROOT = Path(__file__).parent.parent.parent
LOCK = "pyodide-lock.json"

FETCHED = (
    "anywidget==0.11.0",
    "comm==0.2.3",
    "graphviz==0.21",
    "ipywidgets==8.1.7",
    "psygnal==0.16.1",
    "typing-extensions==4.16.0",
)
"""Pure Python from PyPI."""

NEEDS: Mapping[str, tuple[str, ...]] = {
    "rh-kernel": ("numpy", "anywidget", "ipywidgets", "graphviz", "pygments"),
    "anywidget": ("ipywidgets", "psygnal", "typing-extensions"),
    "ipywidgets": ("comm", "ipython", "traitlets"),
    "comm": (),
    "graphviz": (),
    "psygnal": (),
    "typing-extensions": (),
    "piplite": ("micropip",),
    "ipykernel": (),
    "pyodide-kernel": ("comm", "ipykernel", "ipython", "jedi"),
}
"""What each of them needs in a page. There the package does without ipykernel's server side and without safetensors."""

STARTED = ("micropip", "piplite", "ssl", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython", "rh_kernel")
"""What is loaded when a kernel starts: what that of JupyterLite would look for in an index, by its names, and this package."""

Lock: TypeAlias = dict[str, Any]

_WHEEL = re.compile(r"(?P<name>[A-Za-z\d_.]+)-(?P<version>[^-]+)-")


def collect(folder: Path, cache: Path, kernel: Iterable[Path]) -> None:
    """Put all wheels into ``folder``; those of JupyterLite's kernel are at hand.

    Raises ``Unobtainable`` for those that cannot be fetched, ``Unbuildable`` for the one of this package.
    """
    held = cache / "wheels"
    if {f"{_name(wheel)}=={_parts(wheel)['version']}" for wheel in held.glob("*.whl")} != {*FETCHED}:
        shutil.rmtree(held, ignore_errors=True)
        fetch(held, *FETCHED)
    for wheel in [*held.glob("*.whl"), *kernel]:
        if _name(wheel) in NEEDS:
            shutil.copyfile(wheel, folder / wheel.name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    made = subprocess.run([*command, "--wheel-dir", str(folder), str(ROOT)], capture_output=True, text=True, check=False)
    if made.returncode:
        raise Unbuildable(f"pip could not build the wheel of rh_kernel:\n{made.stderr}")


def enter(folder: Path) -> None:
    """Write the list of all packages in ``folder``. Raises ``Unbuildable`` if one is not there."""
    added = {_name(wheel): _entry(wheel) for wheel in sorted(folder.glob("*-py*-none-any.whl")) if _name(wheel) in NEEDS}
    if missing := set(NEEDS) - set(added):
        raise Unbuildable(f"there are no wheels of {', '.join(sorted(missing))}")
    packages = {**table()["packages"], **added}
    (folder / LOCK).write_text(json.dumps({"info": table()["info"], "packages": packages}, indent=1), encoding="utf-8")


def _entry(wheel: Path) -> Lock:
    """What Pyodide's list says of a package."""
    name = _name(wheel)
    return {
        "name": name,
        "version": _parts(wheel)["version"],
        "file_name": wheel.name,
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(),
        "install_dir": "site",
        "package_type": "package",
        "imports": [name.replace("-", "_")],
        "depends": [*NEEDS[name]],
        "unvendored_tests": False,
    }


def _parts(wheel: Path) -> re.Match[str]:
    parts = _WHEEL.match(wheel.name)
    assert parts is not None, wheel
    return parts


def _name(wheel: Path) -> str:
    """The name of a package, as an index has it."""
    return re.sub(r"[-_.]+", "-", _parts(wheel)["name"]).lower()
