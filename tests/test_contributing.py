"""Each recipe of ``CONTRIBUTING.md``, applied to a copy of the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^### (.*?)\n(.*?)(?=^### |\Z)", TEXT, re.DOTALL | re.MULTILINE))
COPIED = (".github", "rh_kernel", "lessons", "tests/plugins", "tests/programs", "widgets")


def patched(text: str, patch: list[str]) -> str:
    """Apply a patch whose context and removed lines must occur exactly once."""
    before = "".join(f"{line[1:]}\n" for line in patch if line[0] != "+")
    after = "".join(f"{line[1:]}\n" for line in patch if line[0] != "-")
    assert text.count(before) == 1, f"the context of the patch stands {text.count(before)} times in the file:\n{before}"
    return text.replace(before, after)


def apply(kind: str, body: str, folder: Path) -> str:
    """Carry out a block of a recipe and return what it prints."""
    first, _, rest = body.partition("\n")
    match kind:
        case "diff":
            file = folder / first.removeprefix("--- ")
            file.write_text(patched(file.read_text(encoding="utf-8"), rest.splitlines()), encoding="utf-8")
        case "python" | "rh":
            file = folder / first.removeprefix("# ")
            file.parent.mkdir(exist_ok=True)
            file.write_text(rest, encoding="utf-8")
        case "sh":
            path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
            environment = {**os.environ, "PYTHONPATH": str(folder), "PATH": path, "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8"}
            command = ["sh", "-ec", body]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False)
            assert done.returncode == 0, done.stderr
            return done.stdout
        case other:
            raise AssertionError(f"a block of {other}")
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_does_what_it_says(recipe: str, tmp_path: Path) -> None:
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.ipynb", "node_modules"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "SECURITY.md"):
        shutil.copy(ROOT / name, tmp_path)
    printed = expected = ""
    for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", RECIPES[recipe], re.DOTALL | re.MULTILINE):
        if kind == "text":
            expected += body
        else:
            printed += apply(kind, body, tmp_path)
    assert expected
    assert printed == expected


def test_there_is_a_recipe_for_everything_that_is_often_added() -> None:
    assert list(RECIPES) == [
        "A function symbol",
        "A term former",
        "A directive",
        "A library file",
        "A data format",
        "An array back end",
        "A system of automatic differentiation",
    ]


TERM_MATCHES = {
    "arrays/symbolic/terms.py",
    "denotational/terms.py",
    "operational/derivative.py",
    "operational/let_chains.py",
    "operational/telescopes.py",
    "syntax/printing/terms.py",
    "typing/derivation/derive.py",
    "typing/lost_updates/contents.py",
}
"""The modules with a match over all terms, outside of ``rh_kernel/ad``."""


@pytest.mark.slow
def test_pyright_names_each_match_in_which_a_new_term_needs_a_case(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rh_kernel", tmp_path / "rh_kernel", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CITATION.cff", "SECURITY.md"):
        shutil.copy(ROOT / name, tmp_path)
    core = tmp_path / "rh_kernel" / "syntax" / "core.py"
    node = '@frozen\nclass Stop(Node):\n    """``stop M``"""\n\n    of: "Term"\n\n\n'
    alias = "Unary: TypeAlias = Proj\n"
    core.write_text(
        patched(
            core.read_text(encoding="utf-8"),
            [f"-{alias[:-1]}", *[f"+{line}" for line in f"{node}{alias[:-1]} | Stop".splitlines()]],
        )
    )
    # The laboratory has terms of its own, and only a module with a ``match`` can lack a case.
    modules = [path for path in (tmp_path / "rh_kernel").rglob("*.py") if "ad" not in path.parts]
    with_match = [str(path) for path in modules if re.search(r"^ *match ", path.read_text(encoding="utf-8"), re.MULTILINE)]
    command = [sys.executable, "-m", "pyright", "--outputjson", "--project", str(tmp_path), *with_match]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    found = {
        Path(each["file"]).relative_to(tmp_path / "rh_kernel").as_posix()
        for each in json.loads(done.stdout)["generalDiagnostics"]
        if "do not exhaustively handle" in each["message"]
    }
    assert found == TERM_MATCHES
    for module in found:
        assert module in TEXT or f"`{Path(module).name}`" in TEXT
