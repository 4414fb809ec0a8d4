"""What is released: a source distribution, a wheel for all platforms and one for this; and what has to be true of them."""

import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BUILT = "rh_kernel/arrays/prebuilt/built/"
"""Where the wheel for one platform has the library of the prebuilt back end."""

REPEATED = ("W002", "W004")
"""Findings of check-wheel-contents that are intended: data files that the package has too, libraries that are no modules."""


class Wrong(Exception):
    """Something that a release must not have; the message says what."""


@dataclass(frozen=True, slots=True)
class Artifacts:
    """The files of a release in their folder."""

    source: Path
    wheel: Path
    prebuilt: Path


def call(*command: str | Path, cwd: Path, **variables: str) -> str:
    """What a program writes. Raises ``Wrong``, with all of it, if it fails."""
    words = [str(word) for word in command]
    env = {**os.environ, **variables}
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, check=False, cwd=cwd, env=env)
    if done.returncode != 0:
        raise Wrong(f"{' '.join(words)}\n{done.stdout}{done.stderr}")
    return done.stdout


def tool(name: str, *words: str | Path, cwd: Path, **variables: str) -> str:
    """What a program of this environment writes. Raises ``Wrong`` if it fails."""
    return call(Path(sys.executable).with_name(name), *words, cwd=cwd, **variables)


def build(root: Path, folder: Path) -> Artifacts:
    """Build what is released into a folder, in which there is no other release then. Raises ``Wrong``.

    The wheel is made of the source distribution.
    """
    folder.mkdir(exist_ok=True)
    for old in folder.glob("rh_kernel-*"):
        old.unlink()
    command = (sys.executable, "-m", "build", "--installer", "uv", "--outdir", folder, root)
    call(*command, cwd=root, RH_PREBUILT="0")
    call(*command, "--wheel", cwd=root, RH_PREBUILT="1")
    wheels = sorted(folder.glob("*.whl"), key=lambda wheel: not wheel.name.endswith("-none-any.whl"))
    return Artifacts(*folder.glob("*.tar.gz"), *wheels)


def check(artifacts: Artifacts, root: Path, scratch: Path) -> None:
    """Raise ``Wrong`` if the files are not the same when they are made again, or not what an index and an installer want."""
    tool("twine", "check", "--strict", artifacts.source, artifacts.wheel, artifacts.prebuilt, cwd=root)
    ignored = ("--ignore", ",".join(REPEATED))
    tool("check-wheel-contents", *ignored, artifacts.wheel, artifacts.prebuilt, cwd=root)
    for made in scratch.glob("rh_kernel-*"):
        made.unlink()
    # Of the checkout, without the way through the source distribution.
    command = (sys.executable, "-m", "build", "--installer", "uv", "--outdir", scratch)
    call(*command, "--sdist", "--wheel", root, cwd=root, RH_PREBUILT="0")
    for first in (artifacts.source, artifacts.wheel):
        if first.read_bytes() != (scratch / first.name).read_bytes():
            raise Wrong(f"{first.name} has other bytes when it is built of the checkout once more")
    for problem in differences(contents(artifacts.wheel), contents(artifacts.prebuilt)):
        raise Wrong(f"{artifacts.prebuilt.name} {problem}")


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel by their names."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def differences(plain: dict[str, bytes], prebuilt: dict[str, bytes]) -> Iterator[str]:
    """What a wheel for one platform has or lacks, beside the library and the file that names its platform."""
    if not any(name.startswith(BUILT) for name in prebuilt):
        yield "has no library"
    for name in sorted(plain.keys() | prebuilt.keys()):
        if name.startswith(BUILT) or name.endswith((".dist-info/WHEEL", ".dist-info/RECORD")):
            continue
        if plain.get(name) != prebuilt.get(name):
            yield f"differs from the one for all platforms in {name}"


def unpack(source: Path, folder: Path) -> Path:
    """The lessons, the tests and the settings of a source distribution in a folder, without the package itself."""
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            content = archive.extractfile(member)
            member.name = member.name.partition("/")[2]
            if content is not None and not member.name.startswith(("rh_kernel/", "PKG-INFO")):
                (folder / member.name).parent.mkdir(parents=True, exist_ok=True)
                (folder / member.name).write_bytes(content.read())
    return folder
