"""JupyterLab with the kernel, in a folder of its own, and a Chromium page that shows it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from lessons.press.texts import FOLDER
from rh_kernel.kernel.install import install

TOKEN = "for-this-test-alone"
PATIENCE = 60
OVERRIDES = FOLDER / "press" / "overrides.json"
"""The settings of JupyterLab that ``make lab`` makes."""

# What JupyterLab writes to the console of a browser on its own account.
OF_LAB = ("favicon", "Failed to load resource: the server responded with a status of 404")

KERNEL_IS_READY = """() => {
    const kernel = window.jupyterapp?.shell?.currentWidget?.context?.sessionContext?.session?.kernel;
    return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
}"""


@dataclass
class Lab:
    """A running JupyterLab."""

    url: str
    folder: Path

    def write(self, name: str, *cells: str) -> Path:
        """A notebook with these cells, none of which has been run."""
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        notebook.metadata["kernelspec"] = {"name": "rh", "display_name": "RH", "language": "rh"}
        notebook.metadata["language_info"] = {"name": "rh"}
        file = self.folder / name
        nbformat.write(notebook, file)
        return file


@dataclass
class Window:
    """A page that shows a notebook, and the errors of its console."""

    page: Page
    errors: list[str] = field(default_factory=list)

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(words in message.text for words in OF_LAB):
            self.errors.append(message.text)

    def command(self, name: str) -> None:
        """Start a command of JupyterLab without waiting for its end."""
        self.page.evaluate("name => { window.jupyterapp.commands.execute(name) }", name)

    def run_all(self) -> None:
        """Run all cells, and wait until each has its number."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_function(
            """() => {
                const prompts = [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')];
                return prompts.length > 0 && prompts.every(p => /\\[\\d+\\]/.test(p.textContent));
            }""",
            timeout=1000 * PATIENCE,
        )
        self.page.wait_for_timeout(300)

    def outputs(self) -> list[list[str]]:
        """The texts of the outputs of each cell, once all of them are drawn: a view is empty until its module has loaded."""
        self.page.wait_for_function(
            """() => [...document.querySelectorAll('.jp-Notebook .jp-OutputArea-output')].every(
                output => output.innerText.trim() || output.querySelector('svg, img, canvas'))""",
            timeout=1000 * PATIENCE,
        )
        return self.page.evaluate(
            """() => [...document.querySelectorAll('.jp-Notebook .jp-CodeCell')].map(
                cell => [...cell.querySelectorAll('.jp-OutputArea-output')].map(output => output.innerText))"""
        )

    def picture(self, file: Path) -> Path:
        """A screenshot of the whole notebook."""
        height = self.page.evaluate(
            """() => {
                const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')];
                return cells.reduce((sum, cell) => sum + cell.getBoundingClientRect().height + 10, 0);
            }"""
        )
        self.page.set_viewport_size({"width": 1100, "height": min(int(height) + 120, 8000)})
        self.page.wait_for_timeout(500)
        self.page.screenshot(path=file)
        return file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In CI, run a browser test that failed once more: a busy machine may draw a page later than a test expects."""
    if os.environ.get("CI"):
        for item in items:
            if item.get_closest_marker("browser"):
                item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("there is no Chromium here")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Chromium for pages that need no server."""
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("notebooks")) as running:
        yield running


@contextmanager
def running_lab(home: Path, folder: Path) -> Generator[Lab]:
    """JupyterLab with its settings in ``home`` and its notebooks in ``folder``, both empty."""
    install(prefix=str(home))
    (home / "application").mkdir()
    shutil.copyfile(OVERRIDES, home / "application" / "overrides.json")
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps({"windowingMode": "none"}))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        # Not measured: these kernels are interrupted, and coverage may hold a lock at that moment.
        **{name: value for name, value in os.environ.items() if not name.startswith("COV")},
        "HOME": str(home),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "share" / "jupyter"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "JUPYTER_PREFER_ENV_PATH": "0",  # the extension that was installed for this test, not the one beside Python
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--ServerApp.port={port}"]
    command += [f"--IdentityProvider.token={TOKEN}", f"--ServerApp.root_dir={folder}", "--LabApp.expose_app_in_browser=True"]
    command += [f"--LabApp.app_settings_dir={home / 'application'}"]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(url, process, home / "log")
            yield Lab(url, folder)
        finally:
            stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Ask JupyterLab to end, which shuts its kernels down, and kill it if it takes too long."""
    process.terminate()
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        try:
            with urlopen(f"{url}/api?token={TOKEN}", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()}")


@contextmanager
def opened(chromium: str, url: str) -> Generator[Window]:
    """A page with the notebook, whose kernel is ready."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        try:
            page = browser.new_page(viewport={"width": 1100, "height": 1000})
            window = Window(page)
            page.on("console", window.hear)
            page.on("pageerror", lambda error: window.errors.append(str(error)))
            page.goto(url, timeout=1000 * PATIENCE)
            page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=1000 * PATIENCE)
            page.wait_for_function(KERNEL_IS_READY, timeout=1000 * PATIENCE)
            yield window
        finally:
            browser.close()


@pytest.fixture
def open_notebook(chromium: str, lab: Lab) -> Iterator[object]:
    with ExitStack() as stack:

        def open_notebook(name: str, *cells: str) -> Window:
            lab.write(name, *cells)
            workspace = f"{lab.url}/lab/workspaces/{Path(name).stem}"
            return stack.enter_context(opened(chromium, f"{workspace}/tree/{name}?token={TOKEN}"))

        yield open_notebook
