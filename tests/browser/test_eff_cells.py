"""``%%eff`` cells in a page: highlighting in both themes, values, counts and steps, completion, and diagnostics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window
from tests.browser.test_highlighting import NUMBERED, looks

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

PROGRAM = """\
%%eff
include smooth
include evaluate
# forward mode
data Dual x = Dual x x
handler dual =
  return y -> y
  | <ap0 n -> k> -> k (Dual (ap0 n) (c 0))
  | <ap1 u (Dual x dx) -> k> -> k (Dual (ap1 u x) (t (der1 u x) dx))
  | <ap2 b (Dual x dx) (Dual y dy) -> k> ->
      k (Dual (ap2 b x y) (p (t (der2 L b x y) dx) (t (der2 R b x y) dy)))
fun slope f x =
  let Dual _ dy = handle f (Dual x (<Smooth> (c 1))) with dual in dy
handle slope {x -> t x (t x x)} 2 with evaluate"""
ASKED = """\
%%eff
print "before"; [sin 0.5, 2 / 3]
%count handle slope {x -> t x x} 2 with evaluate
%trace handle slope {x -> t x x} 2 with evaluate
%type slope"""
WRONG = "%%eff\nslope {x -> missing x} 2"

SAME = (("let", "in", "handle", "with", "return"), ("fun", "handler", "data", "include"))


def test_a_section_has_its_colours_by_day_and_by_night(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("effects.ipynb", PROGRAM, ASKED, f"{PROGRAM}\n%%rh\nlet with_ <- 1 in with_")
    window.page.evaluate(NUMBERED)
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        window.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
        is_light = str(theme.endswith("Light")).lower()
        window.page.wait_for_function("is => document.body.dataset.jpThemeLight === is", arg=is_light)
        window.page.wait_for_timeout(300)
        found, asked = looks(window, ".cell-0"), looks(window, ".cell-1")
        for texts in SAME:
            assert len({found[text] for text in texts}) == 1, (texts, found)
        assert found["let"] != found["Smooth"] == found["L"]
        assert asked["%count"] == asked["%%eff"] != asked["sin"]
    window.run_all()
    window.picture(tmp_path / "dark.png")
    window.page.evaluate("() => window.jupyterapp.commands.execute('apputils:change-theme', { theme: 'JupyterLab Light' })")
    window.page.wait_for_function("() => document.body.dataset.jpThemeLight === 'true'")
    window.picture(tmp_path / "light.png")
    declared, asked_for, _ = window.outputs()
    assert any("12" in text and "Float" in text for text in declared)
    assert any("before" in text for text in asked_for)
    assert any("handled by evaluate" in text for text in asked_for)
    assert window.errors == []


def test_what_is_wrong_is_underlined_while_one_writes(open_notebook: Open) -> None:
    window = open_notebook("wrong-effects.ipynb", PROGRAM, WRONG)
    window.run_all()
    window.page.click(".jp-CodeCell:nth-of-type(2) .cm-line:nth-of-type(2)")
    window.page.keyboard.press("End")
    window.page.keyboard.type(" ")
    window.page.wait_for_selector(".jp-CodeCell .rh-diagnostic", timeout=20_000)


def test_tab_offers_handlers_behind_with(open_notebook: Open) -> None:
    window = open_notebook("tab-effects.ipynb", PROGRAM, "%%eff\nhandle slope {x -> x} 2 with ")
    window.run_all()
    window.page.click(".jp-CodeCell:nth-of-type(2) .cm-line:nth-of-type(2)")
    window.page.keyboard.press("End")
    window.page.keyboard.press("Tab")
    window.page.wait_for_selector(".jp-Completer-item")
    offered = window.page.evaluate("() => [...document.querySelectorAll('.jp-Completer-item')].map(item => item.textContent)")
    assert any("dual" in text for text in offered)
    assert any("evaluate" in text for text in offered)
