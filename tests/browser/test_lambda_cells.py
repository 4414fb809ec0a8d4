"""``%%lambda`` cells in a page: highlighting in both themes, tables, and diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Lab, Window
from tests.browser.test_highlighting import NUMBERED, looks

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

PROGRAM = """\
%%lambda
# the length of a vector, and a function of a function
fun norm(xs : Real(3)) : Real = sqrt(sum(map(x. x * x, xs)))
fun twice(g : Real -> Real, x : Real) : Real = g(g(x))
fun f(x : Real, y : Real) : Real =
  let z <- twice(λt : Real. t * y, x) in
  if z <= 0 then 0 else case inl(z) of inl a -> sin(a) | inr b -> b
%ad all f(3, 0.5)"""
ASKED = "%%lambda\n%ad chad-forward norm([3, 0, 4]) along [1, 0, 0]\n%ad unary f\n%ad linear-negation norm([3, 0, 4]) --trace"
WRONG = "%%lambda\n%ad chat f(1, 2)"

SAME = (("fun", "let", "if", "then", "else", "case", "of", "inl", "λ"), ("sqrt", "sum", "map", "sin"), ("norm", "twice", "f"))


def test_a_section_has_its_colours_by_day_and_by_night(open_notebook: Open, tmp_path: Path) -> None:
    """Keywords of the section look like keywords, its functions like functions; below ``%%rh`` they are names."""
    window = open_notebook("laboratory.ipynb", PROGRAM, ASKED, f"{PROGRAM}\n%%rh\nlet map <- [1, 2] in map + map")
    window.page.evaluate(NUMBERED)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        window.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        is_light = str(theme.endswith("Light")).lower()
        window.page.wait_for_function("is => document.body.dataset.jpThemeLight === is", arg=is_light)
        window.page.wait_for_timeout(300)
        found, asked = looks(window, ".cell-0"), looks(window, ".cell-1")
        for texts in SAME:
            assert len({found[text] for text in texts}) == 1, (texts, found)
        assert len({found[text] for text, *_ in SAME}) == len(SAME)
        assert asked["chad-forward"] == asked["along"] == found["let"]
        assert asked["%ad"] == asked["%%lambda"]
    window.run_all()
    window.picture(tmp_path / "dark.png")
    window.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")
    window.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")
    window.picture(tmp_path / "light.png")
    declared, (pushed, forms, steps, *_), _ = window.outputs()
    assert "Real(3) -> Real" in declared[0]
    table = next(text for text in declared if "system" in text)
    assert all(name in table for name in ("chad", "chad-forward", "unary", "finite-differences"))
    assert "tangent: 0.6" in pushed
    assert "Unary form" in forms
    assert "Step 1 of" in steps
    assert window.errors == []


def test_a_wrong_system_is_underlined_while_one_writes(open_notebook: Open) -> None:
    """Diagnostics before a run, without running anything."""
    window = open_notebook("wrong.ipynb", PROGRAM, WRONG)
    window.run_all()
    window.page.click(".jp-CodeCell:nth-of-type(2) .cm-line:nth-of-type(2)")
    window.page.keyboard.press("End")
    window.page.keyboard.type(" ")
    window.page.wait_for_selector(".jp-CodeCell .rh-diagnostic", timeout=20_000)


def test_tab_offers_the_systems(open_notebook: Open, lab: Lab) -> None:
    """After ``%ad``, each with its description."""
    window = open_notebook("tab.ipynb", "%%lambda\nfun f(x : Real) : Real = x", "%%lambda\n%ad chad-")
    window.run_all()
    window.page.click(".jp-CodeCell:nth-of-type(2) .cm-line:nth-of-type(2)")
    window.page.keyboard.press("End")
    window.page.keyboard.press("Tab")
    window.page.wait_for_selector(".jp-Completer-item")
    offered = window.page.evaluate(
        "() => [...document.querySelectorAll('.jp-Completer-match')].map(found => found.textContent)"
    )
    assert sorted(offered) == ["chad-accumulated", "chad-combinators", "chad-forward"]
