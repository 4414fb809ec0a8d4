"""What `make release-check` relies on: its recipe, its comparison of wheels, its table, and that it stays out of .venv."""

import re
import shutil
import subprocess
import tarfile
import tomllib
from io import BytesIO
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lessons.reference.publication import ROOT, project
from tests.distribution.environments import pythons
from tests.release.artifacts import BUILT, differences, unpack
from tests.release.recipe import on_conda, recipe
from tests.release.table import Row, table

PLAIN = {"rh_kernel/a.py": b"a", "rh_kernel-1.dist-info/WHEEL": b"any"}
PREBUILT = {"rh_kernel/a.py": b"a", "rh_kernel-1.dist-info/WHEEL": b"linux", f"{BUILT}x.so": b"x"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source distribution with a package, a lesson and a test."""
    file = tmp_path / "rh_kernel-1.0.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        for name in ("rh_kernel/a.py", "lessons/00-tour.md", "tests/test_a.py", "PKG-INFO", "pyproject.toml"):
            info = tarfile.TarInfo(f"rh_kernel-1.0/{name}")
            info.size = 1
            archive.addfile(info, BytesIO(b"x"))
    return file


def test_the_recipe_asks_for_what_the_project_asks_for(source: Path) -> None:
    found = yaml.safe_load(recipe(project(), source))
    assert found["context"]["version"] == project()["version"]
    run = [line.replace(" ", "") for line in found["requirements"]["run"][1:]]
    assert [line.replace("python-graphviz", "graphviz") for line in run] == project()["dependencies"]
    assert re.fullmatch(r"[0-9a-f]{64}", found["source"]["sha256"])
    assert found["source"]["url"].endswith(f"/{source.name}")
    assert "repository" not in found["about"]


def test_the_recipe_names_the_repository_once_there_is_one(source: Path) -> None:
    address = "https://github.com/owner/rh_kernel"
    about = yaml.safe_load(recipe(project(), source, address))["about"]
    assert (about["repository"], about["homepage"]) == (address, address)


def test_a_dependency_without_a_lower_bound_is_an_error() -> None:
    assert on_conda("graphviz>=0.20") == "python-graphviz >=0.20"
    with pytest.raises(ValueError, match="no lower bound"):
        on_conda("numpy")


def test_wheels_differ_in_the_library_and_the_platform_alone() -> None:
    assert [*differences(PLAIN, PREBUILT)] == []
    assert [*differences(PLAIN, PLAIN)] == ["has no library"]


@given(st.sampled_from(["rh_kernel/a.py", "rh_kernel/b.py", "rh_kernel-1.dist-info/METADATA"]), st.binary(min_size=2))
def test_any_other_file_that_differs_is_found(name: str, data: bytes) -> None:
    (found,) = differences(PLAIN, {**PREBUILT, name: data})
    assert found.endswith(name)


def test_what_is_unpacked_is_all_but_the_package(source: Path, tmp_path: Path) -> None:
    folder = unpack(source, tmp_path / "course")
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert found == {"lessons/00-tour.md", "tests/test_a.py", "pyproject.toml"}


def test_the_table_tells_which_python_failed() -> None:
    rows = [Row("3.11", "9 s", "21 of 21 lessons", "60 s"), Row("3.12", "failed", "", "1 s", "no such wheel")]
    head, first, second = table(rows).splitlines()
    assert head.split() == ["Python", "install", "lessons", "all", "result"]
    assert (first.split()[-1], second.split()[-1]) == ("ok", "BAD")
    assert head.index(" all ") + 1 == first.index("60 s") == second.index("1 s")


def test_the_pythons_are_those_that_the_project_names() -> None:
    found = pythons()
    assert found
    assert [*found] == sorted(found, key=lambda version: int(version.partition(".")[2]))
    for version, python in found.items():
        asked = [str(python), "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"]
        assert subprocess.run(asked, capture_output=True, text=True, check=True, timeout=60).stdout.strip() == version


def test_every_tool_has_a_lower_bound() -> None:
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]
    assert all(re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+", tool) for tool in groups["release"])


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_it_touches_nothing_in_the_environment_of_the_checkout(tmp_path: Path) -> None:
    command = ["make", "--dry-run", "--always-make", "release-check"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, cwd=ROOT)
    assert "tests.release" in done.stdout
    assert ".venv" not in done.stdout


def test_the_workflow_publishes_nothing_until_it_is_told_to() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8"))["jobs"]
    free = [name for name, job in jobs.items() if not job.get("needs") and job.get("if") != "vars.PUBLISH == 'true'"]
    assert free == []
    assert {name for name, job in jobs.items() if "id-token" in job["permissions"]} == {"publish"}
    assert set(jobs["publish"]["needs"]) == {"check", "wheels"}
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"[\w./-]+@v\d+\.\d+\.\d+", action) for action in used)
