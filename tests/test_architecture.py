"""Rules of style that no other tool checks: docstrings, sizes, names, the start of the README."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "rh_kernel").rglob("*.py"))
LONGEST = 400
NAMES_THAT_SAY_NOTHING = {"common", "helper", "helpers", "util", "utils"}


def test_there_are_modules() -> None:
    assert ROOT / "rh_kernel" / "__init__.py" in MODULES


def test_a_module_says_what_it_holds(subtests: pytest.Subtests) -> None:
    for module in MODULES:
        with subtests.test(module=name(module)):
            docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
            assert docstring, "open it with the judgment it defines and the figure that states it"


def test_a_module_can_be_read_in_one_sitting(subtests: pytest.Subtests) -> None:
    for module in MODULES:
        with subtests.test(module=name(module)):
            lines = len(module.read_text(encoding="utf-8").splitlines())
            assert lines <= LONGEST, f"{lines} lines, and {LONGEST} are the limit: find the two nouns in it"


def test_a_module_is_named_for_a_thing(subtests: pytest.Subtests) -> None:
    for module in MODULES:
        with subtests.test(module=name(module)):
            assert not {part.removesuffix(".py") for part in Path(name(module)).parts} & NAMES_THAT_SAY_NOTHING


def test_every_law_goes_through_the_profile_of_the_tiers() -> None:
    """``tests/tiers.py`` alone sets the numbers of examples; fuzz tests are limited by time."""
    own = {"tests/tiers.py", "tests/conftest.py", "tests/fuzz/profile.py", "tests/test_architecture.py"}
    texts = {name(path): path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")}
    assert {path for path, text in texts.items() if "max_examples" in text or "@settings(" in text} <= own


def name(path: Path) -> str:
    """Return the path relative to the checkout."""
    return str(path.relative_to(ROOT))


def test_the_readme_opens_with_lab_and_test() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:sh|shell|bash|console)\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    commands = [line.partition("#")[0].strip() for line in lines]
    assert [command for command in commands if command][:2] == ["make lab", "make test"]
