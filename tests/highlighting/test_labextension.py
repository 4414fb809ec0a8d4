"""The JupyterLab extension: its files, whose names contain hashes of their content, and their installation."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import entry_points, version
from pathlib import Path

from jupyterlab_server.config import get_federated_extensions

from rh_kernel.kernel.install import LABEXTENSION, install

STATIC = LABEXTENSION / "static"
PACKAGE = json.loads((LABEXTENSION / "package.json").read_text(encoding="utf-8"))
ENTRY = LABEXTENSION / PACKAGE["jupyterlab"]["_build"]["load"]
DIGITS = 12


def digest(*files: Path) -> str:
    """The first digits of the hash of files, including their names unless there is only one."""
    texts = [file.read_text(encoding="utf-8") for file in files]
    names = [file.name for file in files] if len(files) > 1 else []
    return hashlib.sha256(json.dumps([names, texts]).encode()).hexdigest()[:DIGITS]


def test_a_page_never_takes_old_modules_for_new_ones() -> None:
    entries = list(STATIC.glob("remoteEntry.*"))
    assert len(entries) == 1
    modules = sorted(set(STATIC.iterdir()) - set(entries))
    text = entries[0].read_text(encoding="utf-8")
    assert f'const VERSION = "{digest(*modules)}";' in text, (
        f'write const VERSION = "{digest(*modules)}"; into {entries[0].name}'
    )
    name = f"remoteEntry.{digest(entries[0])}.js"
    assert entries[0].name == name, f"rename {entries[0].name} to {name}"
    assert entries[0] == ENTRY, f'write "load": "static/{name}" into package.json'


def test_every_module_is_loaded() -> None:
    imported = {
        name for file in STATIC.iterdir() for name in re.findall(r"[\"`]\./(\w+\.js)", file.read_text(encoding="utf-8"))
    }
    assert imported == {file.name for file in STATIC.iterdir()} - {ENTRY.name}


def test_it_has_the_version_of_the_kernel() -> None:
    assert PACKAGE["version"] == version("rh_kernel")


def test_it_is_installed_beside_the_kernel(tmp_path: Path) -> None:
    install(prefix=str(tmp_path))
    folder = tmp_path / "share" / "jupyter" / "labextensions"
    stale = folder / "rh-lang" / "static" / "remoteEntry.0.js"
    stale.write_text("")
    install(prefix=str(tmp_path))
    found = get_federated_extensions([str(folder)])
    assert found["rh-lang"]["jupyterlab"]["_build"]["load"] == f"static/{ENTRY.name}"
    assert not stale.exists()
    assert {file.name for file in (folder / "rh-lang" / "static").iterdir()} == {file.name for file in STATIC.iterdir()}


def test_the_wheel_brings_it() -> None:
    installed = next(iter(entry_points(group="pygments.lexers", name="rh"))).dist
    assert installed is not None
    files = {str(file) for file in installed.files or ()}
    assert any(file.endswith("share/jupyter/labextensions/rh-lang/package.json") for file in files)
