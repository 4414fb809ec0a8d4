"""The index of the paper: the docstring of the module of a figure names it, and each rule belongs to a figure."""

import ast
import re
from pathlib import Path

import pytest

from rh_kernel.figures import Figure
from rh_kernel.paper import Rule
from rh_kernel.typing.derivation.rules import TypingRule

ROOT = Path(__file__).parents[1]


def docstring(module: str) -> str:
    """Return the docstring of a module."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


@pytest.mark.parametrize("figure", Figure)
def test_the_home_of_a_figure_says_so(figure: Figure) -> None:
    """Docstrings list figures as in ``Fig. 2, 3``, so that the kind and the number may be separated."""
    kind, _, number = figure.value.rpartition(" ")
    said = docstring(figure.home)
    assert kind in said
    assert re.search(rf"{re.escape(number)}(?![\d.]*\d)", said), f"{figure.home} does not name {figure.value}"


@pytest.mark.parametrize("rule", [*Rule, *TypingRule])
def test_a_rule_is_stated_in_one_place(rule: Rule | TypingRule) -> None:
    assert isinstance(rule.figure, Figure)
