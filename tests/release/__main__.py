"""``make release-check``: builds what is released, and tries it on every Python of this machine, in environments of their own.

Its last lines are a table of Pythons; the exit code is 1 if anything is not as it should be. In ``dist`` are then the source
distribution, both wheels, the recipe for conda and the notes.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic

from lessons.reference.publication import ROOT, project, publication
from tests.distribution.environments import Environment, empty, pythons
from tests.release.artifacts import Artifacts, Wrong, build, check, tool, unpack
from tests.release.recipe import recipe, rendered
from tests.release.table import Row, table

DIST = ROOT / "dist"
PLACE = ROOT / "build" / "release"
TOUR = "00"
TRAINS = ROOT / "tests" / "distribution" / "trains.py"
PATIENCE = 1200
"""Seconds that all lessons may take."""

LOWEST = ("tests/primitives",)
"""The tests that are run, beside the first lesson, with the lowest versions of what the package needs."""


def main() -> int:
    """Do everything, tell what goes on, and say at the end how it went."""
    begin = monotonic()
    os.environ |= {"UV_CACHE_DIR": str(PLACE / "cache"), "RH_TIER": "quick"}
    PLACE.mkdir(parents=True, exist_ok=True)
    made: list[Artifacts] = []
    if not _took("the source distribution and the wheels are built", lambda: made.append(build(ROOT, DIST))):
        return 1
    [artifacts] = made
    steps: tuple[tuple[str, Callable[[], object]], ...] = (
        ("they have what they should, and the same bytes each time", lambda: check(artifacts, ROOT, _fresh("again"))),
        ("the recipe for conda is read and rendered", lambda: _conda(artifacts.source)),
        ("the notes are those of the changelog", _notes),
        ("the workflow and the citation are what GitHub reads", _read),
    )
    failed = [name for name, step in steps if not _took(name, step)]
    rows: list[Row] = []
    for row in _rows(artifacts, unpack(artifacts.source, _fresh("course"))):
        rows.append(row)
        print(f"{row.result.ljust(4)} Python {row.name}\n{row.problem}".rstrip(), flush=True)
    failed += [row.name for row in rows if row.problem]
    print(f"\n{table(rows)}\n\n{monotonic() - begin:.0f} s; the files are in {DIST.relative_to(ROOT)}")
    print(f"failed: {'; '.join(failed)}" if failed else "all is as it should be")
    return 1 if failed else 0


def _took(name: str, step: Callable[[], object]) -> bool:
    """Take a step, print how it went, and return whether it went well."""
    try:
        step()
    except Exception as problem:
        print(f"BAD  {name}\n{problem}", flush=True)
        return False
    print(f"ok   {name}", flush=True)
    return True


def _fresh(name: str) -> Path:
    """An empty folder for this run."""
    folder = PLACE / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _read() -> None:
    for workflow in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        tool("check-jsonschema", "--builtin-schema", "vendor.github-workflows", workflow, cwd=ROOT)
        tool("zizmor", "--offline", "--quiet", workflow, cwd=ROOT)
    tool("check-jsonschema", "--builtin-schema", "vendor.citation-file-format", ROOT / "CITATION.cff", cwd=ROOT)


def _conda(source: Path) -> None:
    file = DIST / "recipe.yaml"
    file.write_text(recipe(project(), source, publication().repository), encoding="utf-8")
    if (found := rendered(file)) != [project()["name"]]:
        raise Wrong(f"the recipe makes {found}")


def _notes() -> None:
    (DIST / "notes.md").write_text(publication().notes, encoding="utf-8")


# -- on each Python ------------------------------------------------------------------------------------------------------------


def _rows(artifacts: Artifacts, course: Path) -> Iterator[Row]:
    """The wheel for this platform on every Python, without a compiler; then the one for all, and the lowest versions."""
    here = pythons()
    *_, newest = here.items()
    for version, python in here.items():
        lesson = () if (version, python) == newest else (TOUR,)
        yield _row(version, python, artifacts.prebuilt, "prebuilt", _lessons(course, *lesson))
    oldest, python = next(iter(here.items()))
    yield _row(oldest, python, artifacts.wheel, "numpy_backend", _lessons(course, TOUR))
    yield _row(oldest, python, artifacts.wheel, "numpy_backend", _lessons_and_tests(course), lowest=True)


def _row(
    version: str, python: Path, wheel: Path, backend: str, use: Callable[[Environment], str], *, lowest: bool = False
) -> Row:
    """Install the wheel with JupyterLab on a Python, train a net, and use it."""
    name = f"{version}, {'lowest versions' if lowest else 'with the library' if backend == 'prebuilt' else 'without it'}"
    folder, begin = PLACE / f"{version}-{backend}{'-lowest' * lowest}", monotonic()
    installed = ""
    try:
        environment = empty(folder, python, secluded=True)
        wanted = ("--resolution", "lowest-direct", "-r", ROOT / "pyproject.toml", "--extra", "dev", "--extra", "lessons", wheel)
        words = wanted if lowest else (f"{wheel}[lessons]",)
        tool("uv", "pip", "install", "--quiet", "--python", environment.python, *words, cwd=folder)
        installed = f"{monotonic() - begin:.0f} s"
        found = json.loads(environment.ask("python", TRAINS, backend))["backend"]
        numpy, place = environment.ask(
            "python", "-c", "import numpy, rh_kernel as r; print(numpy.__version__, r.__file__)"
        ).split()
        if not Path(place).is_relative_to(folder):
            raise Wrong(f"what was imported is {place}")
        done = f"trained by {found}, NumPy {numpy}; {use(environment)}"
        return Row(name, installed, done, f"{monotonic() - begin:.0f} s")
    except Exception as problem:
        return Row(name, installed or "failed", "", f"{monotonic() - begin:.0f} s", str(problem) or repr(problem))


def _lessons(course: Path, *chosen: str) -> Callable[[Environment], str]:
    """Run lessons, with solutions and with stubs, and compare what they show."""

    def use(environment: Environment) -> str:
        done = environment.run("python", "-m", "lessons.press", "run", *chosen, cwd=course, timeout=PATIENCE)
        if done.returncode != 0:
            raise Wrong(done.stdout + done.stderr)
        return done.stdout.splitlines()[-1].removesuffix(" are as they should be")

    return use


def _lessons_and_tests(course: Path) -> Callable[[Environment], str]:
    """Run the first lesson, and some tests."""

    def use(environment: Environment) -> str:
        said = _lessons(course, TOUR)(environment)
        words = ("-q", "-p", "no:cacheprovider", "-n", "2", *LOWEST)
        done = environment.run("python", "-m", "pytest", *words, cwd=course, timeout=PATIENCE)
        if done.returncode != 0:
            raise Wrong(done.stdout + done.stderr)
        return f"{said}; {done.stdout.splitlines()[-1].partition(' in ')[0]} of the tests"

    return use


if __name__ == "__main__":
    sys.exit(main())
