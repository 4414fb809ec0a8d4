"""The house rules that no other tool holds: docstrings, sizes, names, and how the README opens."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "rh_kernel").rglob("*.py"))
LONGEST = 400
NAMES_THAT_SAY_NOTHING = {"common", "helper", "helpers", "util", "utils"}

each_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))


def test_there_are_modules() -> None:
    assert ROOT / "rh_kernel" / "__init__.py" in MODULES


@each_module
def test_a_module_says_what_it_holds(module: Path) -> None:
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    assert docstring, "open it with the judgment it defines and the figure that states it"


@each_module
def test_a_module_can_be_read_in_one_sitting(module: Path) -> None:
    lines = len(module.read_text(encoding="utf-8").splitlines())
    assert lines <= LONGEST, f"{lines} lines, and {LONGEST} are the limit: find the two nouns in it"


@each_module
def test_a_module_is_named_for_a_thing(module: Path) -> None:
    names = {part.removesuffix(".py") for part in module.relative_to(ROOT).parts}
    assert not names & NAMES_THAT_SAY_NOTHING


def test_the_readme_opens_with_lab_and_test() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|shell|bash|console)\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    commands = [line.partition("#")[0].strip() for line in lines]
    assert [command for command in commands if command][:2] == ["make lab", "make test"]
