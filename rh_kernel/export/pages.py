"""A notebook made ready for a page without scripts: what is live goes, and its static form, which stands beside it, stays."""

import base64
import mimetypes
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

Notebook: TypeAlias = Any
"""A notebook as nbformat has it, or a part of one."""

LOCKED = re.compile(r"^%[ \t]*locked\b", re.MULTILINE)
"""The line from which on a cell is locked."""

WIDGET = "application/vnd.jupyter.widget-view+json"
RUNNING = (WIDGET, "application/vnd.jupyter.widget-state+json", "application/javascript", "text/vnd.mermaid", "application/pdf")
"""Forms that are nothing without a script, or without another program."""

SHOWN = ("text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "text/latex", "text/plain")
"""Forms that a page can show, the first of those that there are."""


def still(notebook: Notebook) -> Notebook:
    """The notebook without what is only live; the one that was given stays as it is."""
    made = deepcopy(notebook)
    made.metadata.pop("widgets", None)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if _stays(output)]
    return made


def pictures(folder: Path) -> Callable[[str], str | None]:
    """Sends the address of a picture in ``folder`` to a ``data:`` address that holds it; every other has none."""
    home = folder.resolve()

    def picture(address: str) -> str | None:
        kind = mimetypes.guess_type(address)[0] or ""
        try:
            file = (home / unquote(address)).resolve()
            if not kind.startswith("image/") or not file.is_relative_to(home):
                return None
            return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"
        except (OSError, ValueError):
            return None

    return picture


def _stays(output: Notebook) -> bool:
    """Whether there is something to show; what cannot be shown is taken out. An empty text beside a widget is nothing."""
    if output.output_type not in {"display_data", "execute_result"}:
        return True
    data = output.data
    if WIDGET in data and not data.get("text/html"):
        data.pop("text/html", None)
        if not data.get("text/plain"):
            data.pop("text/plain", None)
    for form in [form for form in data if form in RUNNING or form not in SHOWN]:
        del data[form]
    return bool(data)
