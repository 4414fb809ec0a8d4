"""The wheel with the prebuilt library: on every Python here, where there is no C compiler, the library trains a net."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rh_kernel.arrays.native import available, diagnose
from rh_kernel.arrays.prebuilt.build import PRECISIONS
from rh_kernel.arrays.prebuilt.library import DIGEST, DRIVER, file_name, levels
from tests.distribution.conftest import ROOT, Built
from tests.distribution.environments import Environment, empty, pip, pythons

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not available(), reason=diagnose())]
PROGRAM = Path(__file__).with_name("trains.py")
FILES = {DRIVER, DIGEST, *[file_name(level, precision) for level in levels() for precision in PRECISIONS]}


@pytest.fixture(scope="module")
def wheel(index: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("prebuilt")
    command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)]
    environment = {**os.environ, "RH_PREBUILT": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = folder.glob("*.whl")
    return made


def prepared(folder: Path, python: Path, wheel: Path) -> Environment:
    """An environment with the wheel, and with what training needs, for that Python."""
    environment = empty(folder, python)
    for words in (("--no-deps", wheel), ("numpy>=2.0", "threadpoolctl>=3.5")):
        done = pip("--python", environment.python, "install", "--quiet", *words)
        assert done.returncode == 0, done.stderr
    return environment


def trained(environment: Environment, *words: str) -> dict[str, Any]:
    """What the program tells."""
    found: dict[str, Any] = json.loads(environment.ask("python", PROGRAM, *words))
    return found


def test_the_wheel_is_for_this_platform_and_for_every_python(wheel: Path, built: Built) -> None:
    _, _, python, abi, platform = wheel.stem.split("-")
    assert (python, abi) == ("py3", "none")
    assert platform != "any"
    prefix = "rh_kernel/arrays/prebuilt/built/"
    with zipfile.ZipFile(wheel) as archive, zipfile.ZipFile(built.direct) as other:
        names, plain = set(archive.namelist()), set(other.namelist())
    assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} == FILES
    assert {name for name in names if not name.startswith(prefix) and ".dist-info/" not in name} == {
        name for name in plain if ".dist-info/" not in name
    }


@pytest.mark.parametrize("python", pythons().values(), ids=pythons())
def test_a_net_is_trained_by_the_library_where_there_is_no_compiler(
    python: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = prepared(tmp_path / "environment", python, wheel)
    fast = trained(environment, "prebuilt")
    assert fast["backend"] == "prebuilt"
    # It is loaded by the first runner, and stays.
    assert sys.platform != "linux" or DRIVER in fast["files"]
    monkeypatch.setenv("RH_NATIVE", "0")
    slow = trained(environment, "numpy_backend")
    assert slow["files"] == []
    assert fast["weights"].keys() == slow["weights"].keys()
    for name, weights in slow["weights"].items():
        np.testing.assert_allclose(fast["weights"][name], weights, rtol=1e-9, atol=1e-12)


def test_without_the_library_numpy_trains(built: Built, tmp_path: Path) -> None:
    assert trained(prepared(tmp_path / "environment", Path(sys.executable), built.direct), "numpy_backend")["files"] == []
