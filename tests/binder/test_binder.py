"""What mybinder.org makes of this repository: the steps of repo2docker, replayed in a clean folder."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent.parent
BINDER = ROOT / "binder"
FIRST = "lessons/00-tour.ipynb"
TOKEN = "for-this-test-alone"


def pinned() -> dict[str, str]:
    lines = [line.strip() for line in (BINDER / "requirements.txt").read_text().splitlines()]
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_versions_are_exact_and_are_those_that_the_project_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    declared = [*project["project"]["dependencies"], *extras["lessons"], *project["build-system"]["requires"]]
    asked = {requirement.name: requirement for requirement in map(Requirement, declared)}
    for extra in asked.pop("rh_kernel").extras:
        asked |= {requirement.name: requirement for requirement in map(Requirement, extras[extra])}
    pins = pinned()
    assert set(asked) == set(pins)
    for name, requirement in asked.items():
        assert pins[name] in requirement.specifier, f"{name}=={pins[name]} is not {requirement}"


def test_python_is_one_that_the_project_supports() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = (BINDER / "runtime.txt").read_text().strip().removeprefix("python-")
    assert f"Programming Language :: Python :: {version}" in project["classifiers"]


def test_repo2docker_takes_the_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    packs = pytest.importorskip(
        "repo2docker.buildpacks", reason="repo2docker is not installed: pip install jupyter-repo2docker"
    )
    monkeypatch.chdir(ROOT)
    pack = packs.PythonBuildPack("docker.io/library/buildpack-deps:jammy")
    pack.platform = "linux/amd64"
    assert pack.detect()
    steps = [line for line in pack.render().splitlines() if line.strip() and not line.startswith("#")]
    install = steps.index('RUN ${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir -r "binder/requirements.txt"')
    after = steps.index("RUN ./binder/postBuild")
    # What is installed does not change with the texts: mybinder.org keeps that layer.
    assert install < steps.index("COPY --chown=1000:1000 src/ ${REPO_DIR}/") < after


@pytest.mark.slow
def test_replay(tmp_path: Path) -> None:
    repo, home = tmp_path / "repo", tmp_path / "home"
    home.mkdir()
    listed = subprocess.run(
        ["git", "ls-files", "-coz", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (repo / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, repo / name)
    wanted = (BINDER / "runtime.txt").read_text().strip().replace("-", "")
    subprocess.run([_python(wanted), "-m", "venv", str(tmp_path / "env")], check=True)
    binaries = tmp_path / "env" / "bin"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON", "COV", "VIRTUAL"))}
    variables = {**kept, "HOME": str(home), "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}

    install = subprocess.run(
        [str(binaries / "pip"), "install", "--quiet", "--no-cache-dir", "-r", "binder/requirements.txt"],
        cwd=repo,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if install.returncode and re.search(r"Max retries|NewConnectionError|Temporary failure", install.stderr):
        pytest.skip("no package index answers")
    assert install.returncode == 0, install.stderr
    built = subprocess.run(["./binder/postBuild"], cwd=repo, env=variables, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr

    kernels = subprocess.run(
        [str(binaries / "jupyter"), "kernelspec", "list", "--json"], env=variables, capture_output=True, text=True, check=True
    )
    assert "rh" in json.loads(kernels.stdout)["kernelspecs"]
    texts = sorted(file.stem for file in (repo / "lessons").glob("[0-9][0-9]-*.md"))
    assert texts
    assert {f"{name}.ipynb" for name in texts} <= {file.name for file in (repo / "lessons").glob("*.ipynb")}
    for program in ("lab", "notebook", "server"):
        if program != "notebook" or (binaries / "jupyter-notebook").exists():
            assert opens_with(binaries / "jupyter", program, repo, variables) == f"/lab/tree/{FIRST}"
    ran = subprocess.run(
        [str(binaries / "jupyter"), "execute", "--timeout=120", FIRST],
        cwd=repo,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    # A reader's notebook ends at the first exercise, which nobody has solved yet.
    assert ran.returncode == 0 or "YOUR_CODE_HERE" in ran.stderr, ran.stderr


def _python(name: str) -> str:
    """The Python of this name, or the one that runs the tests."""
    found = shutil.which(name)
    answers = (
        found and subprocess.run([found, "-c", "import venv, ensurepip"], capture_output=True, check=False).returncode == 0
    )
    return str(found) if answers else sys.executable


def opens_with(jupyter: Path, program: str, folder: Path, variables: dict[str, str]) -> str:
    """Where Jupyter redirects its root address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(jupyter),
        program,
        "--no-browser",
        "--allow-root",
        f"--ServerApp.port={port}",
        f"--IdentityProvider.token={TOKEN}",
    ]
    process = subprocess.Popen(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 90
        while time.monotonic() < end:
            try:
                with urlopen(f"http://127.0.0.1:{port}/?token={TOKEN}", timeout=10) as answer:
                    return answer.url.split("?")[0].removeprefix(f"http://127.0.0.1:{port}")
            except (URLError, OSError):
                time.sleep(0.3)
        return f"{program} did not start"
    finally:
        process.terminate()
        process.wait(timeout=30)
