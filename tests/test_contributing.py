"""Each recipe of ``CONTRIBUTING.md``, applied to a copy of the checkout."""

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
COPIED = ("rh_kernel", "lessons", "tests/plugins", "tests/programs", "widgets")


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
        case "python":
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
    printed = expected = ""
    for kind, body in re.findall(r"^```(\w+)\n(.*?)^```$", RECIPES[recipe], re.DOTALL | re.MULTILINE):
        if kind == "text":
            expected += body
        else:
            printed += apply(kind, body, tmp_path)
    assert expected
    assert printed == expected


def test_there_is_a_recipe_for_each_registry() -> None:
    titles = ["A function symbol", "A directive", "A data format", "An array back end", "A system of automatic differentiation"]
    assert list(RECIPES) == titles
