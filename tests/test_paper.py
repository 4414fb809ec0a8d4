"""The index to the paper: each figure has a home, whose docstring carries its label, and each rule a figure that states it."""

import ast
import re
from pathlib import Path

import pytest

from rh_kernel.paper import Figure, Rule
from rh_kernel.typing.derivation.derivations import TypingRule

ROOT = Path(__file__).parents[1]


def docstring(module: str) -> str:
    """What the module says it holds."""
    text = (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(text)) or ""


@pytest.mark.parametrize("figure", Figure)
def test_the_home_of_a_figure_says_so(figure: Figure) -> None:
    """Figures are listed, ``Fig. 2, 3``, so the kind and the number may stand apart."""
    kind, _, number = figure.value.rpartition(" ")
    said = docstring(figure.home)
    assert kind in said
    assert re.search(rf"{re.escape(number)}(?![\d.]*\d)", said), f"{figure.home} does not name {figure.value}"


@pytest.mark.parametrize("rule", [*Rule, *TypingRule])
def test_a_rule_is_stated_in_one_place(rule: Rule | TypingRule) -> None:
    assert isinstance(rule.figure, Figure)
