"""Environments of their own: each has a Python into which things are installed, and nobody else's settings count there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

_FOREIGN = ("COV", "JUPYTER", "PYTHON", "VIRTUAL_ENV", "XDG")
_OLDEST, _NEWEST = 11, 20
"""The minor versions of Python 3 that are looked for."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment, and beside it the home of the person who works in it.

    If it is ``secluded``, programs find no others than its own: no compiler, for example.
    """

    folder: Path
    secluded: bool = False

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    def run(self, *command: str | Path, cwd: Path | None = None, timeout: float = 300) -> subprocess.CompletedProcess[str]:
        """What a command of the environment wrote, whether or not it went well. ``timeout`` is in seconds."""
        kept = unsettled()
        home = self.folder.with_name(f"{self.folder.name}-home")
        home.mkdir(exist_ok=True)
        others = [] if self.secluded else [kept.get("PATH", os.defpath)]
        path = os.pathsep.join([str(self.folder / "bin"), *others])
        return subprocess.run(
            [str(self.folder / "bin" / command[0]), *map(str, command[1:])],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
            cwd=cwd or home,
            env={**kept, "HOME": str(home), "PATH": path, "NO_COLOR": "1"},
        )

    def ask(self, *command: str | Path, cwd: Path | None = None) -> str:
        """What a command that goes well writes."""
        done = self.run(*command, cwd=cwd)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def unsettled() -> dict[str, str]:
    """The variables of this process, but for those that tell Python, Jupyter and coverage where to look."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}


def pythons() -> dict[str, Path]:
    """The Pythons of this machine that the package supports, by their minor versions, such as ``3.12``.

    They are this one, those that pyenv has installed, and those on the path.
    """
    found = {f"3.{sys.version_info.minor}": Path(sys.executable)}
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for minor in range(_OLDEST, _NEWEST):
        here = shutil.which(f"python3.{minor}")
        # What pyenv puts on the path finds a Python only where pyenv has been told which.
        on_path = [Path(here)] if here and "shims" not in Path(here).parts else []
        for python in [*sorted(versions.glob(f"3.{minor}.*/bin/python")), *on_path][:1]:
            found.setdefault(f"3.{minor}", python)
    return dict(sorted(found.items()))


def pip(*words: str | Path) -> subprocess.CompletedProcess[str]:
    """The pip that runs these tests."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def empty(folder: Path, python: Path = Path(sys.executable), *, secluded: bool = False) -> Environment:
    """An environment of a Python with nothing in it, not even pip."""
    subprocess.run([str(python), "-m", "venv", "--clear", "--without-pip", str(folder)], check=True, timeout=60)
    return Environment(folder, secluded)


def install(environment: Environment, *words: str | Path) -> None:
    """What ``pip install`` does there. Fails the test if that does not go well."""
    done = pip("--python", environment.python, "install", "--quiet", *words)
    assert done.returncode == 0, done.stderr


def lend(environment: Environment) -> None:
    """Let the environment see the packages that these tests run with, after its own, and nbconvert's templates."""
    site = Path(sysconfig.get_path("purelib", vars={"base": str(environment.folder)}))
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    (environment.folder / "share" / "jupyter" / "nbconvert").symlink_to(Path(sys.prefix) / "share" / "jupyter" / "nbconvert")
