"""The wheel in Notebook 7, in an environment of its own: a stepper and a slider in a real page."""

from __future__ import annotations

import shutil
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser.conftest import PATIENCE, TOKEN, Lab, opened, stop, wait_for
from tests.display.pages import MLP, PASS
from tests.distribution.conftest import Built
from tests.distribution.environments import empty, install, unsettled

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@contextmanager
def running_notebook(environment: Path, folder: Path) -> Generator[Lab]:
    """Notebook 7 of that environment, with its notebooks in ``folder``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "home").mkdir()
    command = [environment / "bin" / "python", "-m", "notebook", "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}"]
    command += ["--JupyterNotebookApp.expose_app_in_browser=True"]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, env={**unsettled(), "HOME": str(folder / "home")}, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, process, folder / "log")
            yield Lab(url, folder)
        finally:
            stop(process)


def test_a_stepper_and_a_slider_run_in_notebook_7(built: Built, tmp_path: Path) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no Chromium here")
    environment = empty(tmp_path / "environment")
    install(environment, built.direct, "notebook>=7.4")
    (tmp_path / "notebooks").mkdir()
    drive(environment.folder, tmp_path / "notebooks", chromium)


def drive(environment: Path, folder: Path, chromium: str) -> None:
    """Click the stepper on, and drag the slider to its end."""
    with running_notebook(environment, folder) as notebook:
        rate = "const alpha = 0.1\n%slider alpha 0.01 1 log"
        notebook.write("seven.ipynb", MLP, f"%trace {PASS}", rate, "10 * alpha")
        with opened(chromium, f"{notebook.url}/notebooks/seven.ipynb?token={TOKEN}") as window:
            page = window.page
            window.run_all()
            stepper = page.locator(".rh-stepper")
            stepper.locator("button", has_text="Show all").click(timeout=1000 * PATIENCE)
            stepper.get_by_role("button", name="step on", exact=True).click()
            page.wait_for_selector(".rh-status:has-text('Step 2 of')", timeout=1000 * PATIENCE)
            slider = page.locator(".rh-knob input")
            assert slider.is_enabled()
            slider.scroll_into_view_if_needed()
            slider.focus()
            page.keyboard.press("End")
            page.wait_for_selector(".jp-OutputArea-output:has-text('10 : Real(1)')", timeout=1000 * PATIENCE)
            assert [error for error in window.errors if "rh" in error] == []
