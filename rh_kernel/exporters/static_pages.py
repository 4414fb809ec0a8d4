"""Preparation of a notebook for a page: widgets are removed; their static forms and the records of their views remain."""

import base64
import mimetypes
import re
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from rh_kernel.display.live.saved import MIME

Notebook: TypeAlias = Any
"""A notebook of nbformat, or a part of one."""

LOCKED = re.compile(r"^%[ \t]*locked\b", re.MULTILINE)
"""A line that locks the cell from there on."""

WIDGET = "application/vnd.jupyter.widget-view+json"
NEED_SCRIPTS = (
    WIDGET,
    "application/vnd.jupyter.widget-state+json",
    "application/javascript",
    "text/vnd.mermaid",
    "application/pdf",
)
"""MIME types that need a script or another program."""

DISPLAY_PRIORITY = (
    "text/html",
    "text/markdown",
    "image/svg+xml",
    "image/png",
    "image/jpeg",
    "image/gif",
    "text/latex",
    "text/plain",
)
"""MIME types that a page can show, in order of preference."""


def without_live_outputs(notebook: Notebook, *, keeps_views: bool = False) -> Notebook:
    """Return a copy of the notebook without its live forms; with ``keeps_views`` the records of saved views remain."""
    made = deepcopy(notebook)
    made.metadata.pop("widgets", None)
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if _keep_static_forms(output, keeps_views=keeps_views)]
    return made


def picture_loader(folder: Path, home: Path | None = None) -> Callable[[str], str | None]:
    """Return a function that reads a picture as a ``data:`` URL.

    Addresses begin at ``folder``; those that lead out of ``home``, or of ``folder`` without it, give ``None``.
    """
    here = folder.resolve()
    home = here if home is None else home.resolve()

    def picture(address: str) -> str | None:
        kind = mimetypes.guess_type(address)[0] or ""
        try:
            file = (here / unquote(address)).resolve()
            if not kind.startswith("image/") or not file.is_relative_to(home):
                return None
            return f"data:{kind};base64,{base64.b64encode(file.read_bytes()).decode('ascii')}"
        except (OSError, ValueError):
            return None

    return picture


def _keep_static_forms(output: Notebook, *, keeps_views: bool) -> bool:
    """Remove the forms that cannot be shown, and an empty text beside a widget; return whether anything is left."""
    if output.output_type not in {"display_data", "execute_result"}:
        return True
    data = output.data
    if WIDGET in data and not data.get("text/html"):
        data.pop("text/html", None)
        if not data.get("text/plain"):
            data.pop("text/plain", None)
    kept = {MIME} if keeps_views else set[str]()
    for form in [form for form in data if form not in kept and (form in NEED_SCRIPTS or form not in DISPLAY_PRIORITY)]:
        del data[form]
    return any(form != MIME for form in data)
