"""The stepper and the player in JupyterLab, in Firefox."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import firefox
from tests.browser.conftest import KERNEL_IS_READY, TOKEN, Lab
from tests.browser.firefox import Tab
from tests.display.pages import MLP, PASS

pytestmark = [pytest.mark.browser, pytest.mark.slow]

OUTPUTS = "document.querySelectorAll('.jp-Notebook :is(.rh-stepper, .rh-player)')"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    program = firefox.found()
    if program is None:
        pytest.skip("there is no Firefox here")
    with firefox.opened(program) as tab:
        yield tab


def test_the_stepper_and_the_player_run_in_jupyterlab(tab: Tab, lab: Lab) -> None:
    lab.write("firefox.ipynb", MLP, f"%trace {PASS}", f"%reset\n%gradient {PASS}")
    tab.resize(1300, 1200)
    tab.goto(f"{lab.url}/lab/workspaces/firefox/tree/firefox.ipynb?token={TOKEN}")
    tab.wait_for("document.querySelector('.jp-Notebook .jp-Cell .cm-line') !== null")
    # A window without a screen has no focus, by which JupyterLab knows the current notebook.
    tab.evaluate("document.querySelector('.jp-NotebookPanel').dispatchEvent(new FocusEvent('focus')) && null")
    tab.wait_for(f"({KERNEL_IS_READY})()")
    tab.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells') && null")
    tab.wait_for(f"{OUTPUTS}.length === 2")
    for kind, keys, told in (("stepper", 5, "Step 6 of"), ("player", 4, "4 of")):
        tab.evaluate(f"document.querySelector('.rh-{kind}').focus()")
        # With all steps, the stepper moves by one.
        tab.press(*(["a"] if kind == "stepper" else []), *["ArrowRight"] * keys)
        tab.wait_for(f"document.querySelector('.rh-{kind} :is(.rh-status, .rh-player-count)').textContent.includes({told!r})")
    tab.wait_for("document.querySelectorAll('.rh-stepper .rh-line').length > 5")
    assert [error for error in tab.errors if "rh-" in error or "rh_" in error] == []
