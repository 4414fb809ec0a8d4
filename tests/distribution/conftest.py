"""The wheel and the source distribution of this checkout, and environments in which they are installed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.distribution.environments import Environment, empty, install, lend, pip

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True)
class Built:
    """A source distribution, the wheel that was made of it, and the wheel that was made of the checkout."""

    source: Path
    wheel: Path
    direct: Path


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skips where no package index answers."""
    folder = tmp_path_factory.mktemp("index")
    done = pip("download", "--quiet", "--no-deps", "--retries", "1", "--timeout", "20", "--dest", folder, "hatchling")
    if done.returncode != 0:
        pytest.skip("no package index answers, so nothing can be built or installed")


@pytest.fixture(scope="session")
def built(index: None, tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("built")
    _build(folder / "both")
    _build(folder / "direct", "--wheel")
    (source,) = (folder / "both").glob("*.tar.gz")
    (wheel,) = (folder / "both").glob("*.whl")
    (direct,) = (folder / "direct").glob("*.whl")
    return Built(source, wheel, direct)


def _build(folder: Path, *words: str) -> None:
    command = [sys.executable, "-m", "build", *words, "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def alone(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel in an environment of its own, with what it asks for and nothing else."""
    environment = empty(tmp_path_factory.mktemp("alone") / "environment")
    install(environment, built.direct)
    return environment


@pytest.fixture(scope="session")
def classroom(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel that was made of the source distribution, beside JupyterLab, nbgrader, nbmake and nbval."""
    environment = empty(tmp_path_factory.mktemp("classroom") / "environment")
    install(environment, "--no-deps", built.wheel)
    lend(environment)
    install(environment, "nbgrader>=0.9.6", "nbmake>=1.5", "nbval>=0.11")
    return environment
