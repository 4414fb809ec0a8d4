"""What is built and handed out: always the same files, all that is needed and no more; it works where nothing else is."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from rh_kernel.display.live.assets import KINDS, script, style
from tests.distribution.conftest import ROOT, Built
from tests.distribution.environments import Environment, unsettled

pytestmark = pytest.mark.slow

BUILD = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = BUILD["project"]
SHARED = BUILD["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
PROGRAM = "fun cube(x : Real(n)) : Real(n) = x * x * x\ncube([1.0, 2.0])\n"
ANSWER = "[1.0, 8.0] : Real(2)"


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def sources(source: Path) -> dict[str, bytes]:
    """The files of the source distribution, by their paths in the checkout."""
    found: dict[str, bytes] = {}
    with tarfile.open(source) as archive:
        for member in archive.getmembers():
            file = archive.extractfile(member)
            if file is not None:
                found[member.name.partition("/")[2]] = file.read()
    return found


def written(folder: str) -> set[str]:
    """The files of a folder of the checkout, but for what Python, editors and builds leave behind."""
    files = [file for file in (ROOT / folder).rglob("*") if file.is_file()]
    parts = {str(file.relative_to(ROOT)): set(file.parts) for file in files}
    return {name for name, within in parts.items() if not within & {"__pycache__", ".ipynb_checkpoints", "built"}}


def test_the_wheel_is_the_same_whatever_it_is_made_of(built: Built) -> None:
    assert contents(built.wheel) == contents(built.direct)
    assert built.wheel.read_bytes() == built.direct.read_bytes()
    assert built.wheel.name == f"rh_kernel-{PROJECT['version']}-py3-none-any.whl"


def test_the_wheel_holds_the_package_and_what_jupyter_looks_for(built: Built) -> None:
    names = {name for name in contents(built.wheel) if ".dist-info/" not in name}
    data = {name for name in names if ".data/data/" in name}
    page = {name for name in written("widgets") if not name.startswith("widgets/tests/")}
    assert page
    assert names - data == written("rh_kernel") | {f"rh_kernel/{name}" for name in page}
    shared = {name.partition(".data/data/")[2] for name in data}
    assert shared == {name.replace(folder, where, 1) for folder, where in SHARED.items() for name in written(folder)}
    assert shared >= {"share/jupyter/kernels/rh/kernel.json", "etc/jupyter/nbgrader_config.json"}


def test_the_metadata_tells_what_it_is(built: Built) -> None:
    metadata = message_from_bytes(contents(built.wheel)[f"rh_kernel-{PROJECT['version']}.dist-info/METADATA"])
    assert metadata["Name"] == "rh_kernel"
    assert metadata["Version"] == PROJECT["version"]
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    payload = metadata.get_payload(decode=True)
    assert payload == (ROOT / "README.md").read_bytes()
    asked = [line.partition(";")[0].strip() for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(asked) == sorted(PROJECT["dependencies"])
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])


def test_the_source_distribution_holds_all_that_its_tests_need(built: Built) -> None:
    found = sources(built.source)
    texts = {f"lessons/{path.name}" for path in (ROOT / "lessons").glob("[0-9][0-9]-*.md")}
    assert texts
    parts = {f"lessons/{part}" for part in ("appendix", "browser", "pictures", "press", "reference")}
    folders = ("rh_kernel", "tests", "widgets", "binder", ".ci", ".github", *parts)
    files = {"pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "Makefile"}
    files |= {"SECURITY.md", "hatch_build.py", "lessons/exam.md", *texts}
    wanted = set.union(files, *map(written, folders))
    assert wanted <= set(found)
    assert set(found) - wanted <= {"PKG-INFO", ".gitignore"}
    assert {name for name in wanted if found[name] != (ROOT / name).read_bytes()} == set()


def test_what_lies_beside_the_lessons_is_not_handed_out(built: Built, tmp_path: Path) -> None:
    """With notebooks, checkpoints and weights in the checkout, the source distribution is the same to the byte."""
    others = (".git", ".venv", "build", "dist", "__pycache__", ".*_cache", ".hypothesis", ".ipynb_checkpoints")
    checkout = shutil.copytree(ROOT, tmp_path / "checkout", ignore=shutil.ignore_patterns(*others))
    strays = ("lessons/00-tour.ipynb", "lessons/.ipynb_checkpoints/00-tour-checkpoint.ipynb", "lessons/weights.npz")
    for name in strays:
        (checkout / name).parent.mkdir(exist_ok=True)
        (checkout / name).write_text("{}", encoding="utf-8")
    command = [sys.executable, "-m", "build", "--sdist", "--outdir", str(tmp_path), str(checkout)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    (source,) = tmp_path.glob("*.tar.gz")
    assert sources(source) == sources(built.source)


def test_the_tests_run_where_the_source_distribution_is_unpacked(built: Built, tmp_path: Path) -> None:
    with tarfile.open(built.source) as archive:
        # Older patches of Python 3.11 do not know the word.
        options: dict[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        archive.extractall(tmp_path, **options)
    (folder,) = tmp_path.iterdir()
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/test_architecture.py",
        "tests/test_paper.py",
    ]
    environment = unsettled() | {"RH_TIER": "test"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout


def test_the_kernel_answers_where_nothing_else_is_installed(alone: Environment, tmp_path: Path) -> None:
    listed = json.loads(alone.ask("jupyter", "kernelspec", "list", "--json"))["kernelspecs"]
    assert Path(listed["rh"]["resource_dir"]) == alone.folder / "share" / "jupyter" / "kernels" / "rh"
    program = tmp_path / "cube.rh"
    program.write_text(PROGRAM, encoding="utf-8")
    assert ANSWER in alone.ask("jupyter", "run", "--kernel=rh", program)


def test_the_command_line_works_where_nothing_else_is_installed(alone: Environment, tmp_path: Path) -> None:
    program = tmp_path / "cube.rh"
    program.write_text(PROGRAM, encoding="utf-8")
    assert ANSWER in alone.ask("rh", "run", program)
    prefix = tmp_path / "prefix"
    assert str(prefix) in alone.ask("rh", "install", "--prefix", prefix)
    spec = json.loads((prefix / "share" / "jupyter" / "kernels" / "rh" / "kernel.json").read_text(encoding="utf-8"))
    assert spec["argv"][0] == str(alone.python)


def test_what_runs_in_the_page_is_that_of_the_checkout(alone: Environment) -> None:
    names = "KINDS, folder, script, style"
    shown = "print(folder(), *map(script, KINDS), *map(style, KINDS), sep='\\n')"
    asked = f"from rh_kernel.display.live.assets import {names}; {shown}"
    folder, _, rest = alone.ask("python", "-c", asked).partition("\n")
    assert Path(folder).is_relative_to(alone.folder)
    assert rest == "\n".join([*map(script, KINDS), *map(style, KINDS)]) + "\n"


def test_what_others_look_for_is_found(classroom: Environment) -> None:
    """JupyterLab's extension, Pygments' lexer, nbconvert's exporters, papermill's translator."""
    listed = re.sub("\x1b\\[[0-9;]*m", "", classroom.run("python", "-m", "jupyterlab.labextensions", "list").stderr)
    assert re.search(r"rh-lang v\S+ enabled OK", listed)
    asked = (
        "from pygments.lexers import get_lexer_by_name",
        "from nbconvert.exporters import get_exporter",
        "from papermill.translators import papermill_translators",
        "import papermill",
        "print(type(get_lexer_by_name('rh')).__module__)",
        "print(get_exporter('rh_html').__module__)",
        "print(papermill_translators.find_translator('rh', 'rh').__module__)",
    )
    found = classroom.ask("python", "-c", "\n".join(asked)).split()
    assert found == ["rh_kernel.highlighting.lexer", "rh_kernel.exporters.exporter", "rh_kernel.parameters.translator"]
