"""Interactive diagrams and derivations in JupyterLab: folding by mouse and keyboard, and export."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.browser.conftest import Window
from tests.display.pages import MLP, PASS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

Open = Callable[..., Window]

PATIENCE = 15_000
LABELS = "() => [...document.querySelectorAll('.rh-diagram [data-box] > text')].map(text => text.textContent)"
JUDGMENTS = "() => document.querySelectorAll('.rh-derivation [role=treeitem]').length"


def test_a_diagram_folds_and_opens(open_notebook: Open, tmp_path: Path) -> None:
    window = open_notebook("explored.ipynb", MLP, f"%diagram {PASS}")
    window.run_all()
    page = window.page
    page.wait_for_selector(".rh-diagram [data-box]", timeout=PATIENCE)
    opened = page.evaluate(LABELS)
    assert "swish(z)" in opened
    page.locator(".rh-diagram [data-box]").filter(has_text="Get[w0]").click()
    assert "an operation" in page.locator(".rh-diagram-card").inner_text()
    page.keyboard.press("f")
    page.wait_for_function(f"({LABELS})().includes('⟦Qᶠ FC[w0]⟧')", timeout=PATIENCE)
    page.keyboard.press("Enter")
    page.wait_for_function(f"!({LABELS})().includes('⟦Qᶠ FC[w0]⟧')", timeout=PATIENCE)
    assert page.evaluate(LABELS) == opened
    page.get_by_role("button", name="fold everything").click()
    page.wait_for_function(f"({LABELS})().length === 2", timeout=PATIENCE)
    with page.expect_download() as saved:
        page.get_by_role("button", name="save as diagram.svg").click()
    saved.value.save_as(tmp_path / "diagram.svg")
    assert "⟦sgd(0.1, t)⟧" in (tmp_path / "diagram.svg").read_text(encoding="utf-8")
    assert window.errors == []


def test_a_derivation_opens_rule_by_rule(open_notebook: Open) -> None:
    window = open_notebook("derived.ipynb", MLP, f"%derivation {PASS}")
    window.run_all()
    page = window.page
    page.wait_for_selector(".rh-derivation [role=treeitem]", timeout=PATIENCE)
    at_first = page.evaluate(JUDGMENTS)
    page.locator(".rh-derivation .rh-proof-more").first.click()
    page.wait_for_function(f"({JUDGMENTS})() > {at_first}", timeout=PATIENCE)
    page.keyboard.press("Enter")
    page.wait_for_function(f"({JUDGMENTS})() === {at_first}", timeout=PATIENCE)
    page.keyboard.press("v")
    page.wait_for_selector(".rh-derivation .rh-proof-list", timeout=PATIENCE)
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('.rh-proof-card').innerText.includes('T-RHANDLE')", timeout=PATIENCE)
    assert window.errors == []
