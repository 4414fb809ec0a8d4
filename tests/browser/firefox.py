"""Firefox, driven over WebDriver BiDi: the protocol of the W3C that Firefox speaks itself, without a driver beside it."""

from __future__ import annotations

import base64
import itertools
import json
import re
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from websocket import WebSocket, create_connection

PATIENCE = 60
"""Seconds to wait for Firefox, and for an answer of it."""

_ADDRESS = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
_KEYS = {"ArrowRight": "\ue014", "ArrowLeft": "\ue012", "Enter": "\ue007", "Escape": "\ue00c", "Tab": "\ue004"}
_PREFERENCES = """
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("focusmanager.testmode", true);
user_pref("ui.systemUsesDarkTheme", %d);
user_pref("layout.css.prefers-color-scheme.content-override", %d);
"""


def found() -> str | None:
    """Return the path of Firefox, if it is installed."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


@dataclass
class Tab:
    """One tab; ``errors`` are the errors of its console, ``asked`` the addresses of its requests."""

    socket: WebSocket
    context: str
    errors: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def command(self, method: str, **parameters: object) -> Any:
        """Send a command and return its result, taking events meanwhile. Raises ``AssertionError`` if Firefox refuses it."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == number:
                assert message["type"] == "success", message
                return message["result"]
            self._take(message)

    def goto(self, url: str) -> None:
        """Open an address and wait until it has loaded."""
        self.command("browsingContext.navigate", context=self.context, url=url, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript, which may be a promise of it, by way of JSON."""
        wrapped = f"(async () => JSON.stringify((await ({expression})) ?? null))()"
        target = {"context": self.context}
        result = self.command("script.evaluate", expression=wrapped, target=target, awaitPromise=True)
        assert result["type"] == "success", result
        return json.loads(result["result"]["value"])

    def wait_for(self, expression: str) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + PATIENCE
        while not self.evaluate(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.1)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        texts = [_KEYS.get(key, key) for key in keys]
        actions = [{"type": kind, "value": text} for text in texts for kind in ("keyDown", "keyUp")]
        self.command("input.performActions", context=self.context, actions=[{"type": "key", "id": "keys", "actions": actions}])

    def resize(self, width: int, height: int) -> None:
        """Set the size of the viewport."""
        self.command("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def screenshot(self, file: Path) -> None:
        """Take a picture of the whole page."""
        shot = self.command("browsingContext.captureScreenshot", context=self.context, origin="document")
        file.write_bytes(base64.b64decode(shot["data"]))

    def _take(self, message: dict[str, Any]) -> None:
        event = message.get("params", {})
        match message.get("method"):
            case "log.entryAdded" if event["level"] == "error":
                self.errors.append(event["text"])
            case "network.beforeRequestSent":
                self.asked.append(event["request"]["url"])
            case _:
                pass


@contextmanager
def opened(program: str, *, dark: bool = False) -> Generator[Tab]:
    """Start Firefox without a window and yield its tab."""
    with TemporaryDirectory() as profile:
        # 0 is dark and 1 light for pages.
        (Path(profile) / "user.js").write_text(_PREFERENCES % (dark, not dark))
        log = Path(profile) / "log"
        command = [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0", "about:blank"]
        with log.open("w") as output:
            process = subprocess.Popen(command, stdout=output, stderr=output)
        socket = None
        try:
            socket = create_connection(f"{_address(log, process)}/session", timeout=PATIENCE, suppress_origin=True)
            tab = Tab(socket, "")
            tab.command("session.new", capabilities={})
            tab.command("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
            tab.context = tab.command("browsingContext.getTree")["contexts"][0]["context"]
            tab.command("browsingContext.activate", context=tab.context)
            yield tab
        finally:
            if socket is not None:
                socket.close()
            process.terminate()
            try:
                process.wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(log: Path, process: subprocess.Popen[bytes]) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        if told := _ADDRESS.search(log.read_text(errors="replace")):
            return told[1]
        time.sleep(0.1)
    raise AssertionError(f"Firefox did not start:\n{log.read_text(errors='replace')}")
