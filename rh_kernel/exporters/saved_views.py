"""The interactive views of an exported page: the records in the outputs, and one script and one style for all of them.

A record comes from the notebook, so it is untrusted. It is data in an element that is no script, in base64; the policy of the
page permits the package's own script by its digest and no other.
"""

import base64
import hashlib
import re
from typing import Any, cast

from rh_kernel.display.live.assets import KINDS, page_script, style
from rh_kernel.display.live.saved import MIME
from rh_kernel.display.saved_page import inlined_script
from rh_kernel.exporters.static_pages import Notebook

_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}\Z")


def view_record(output: Notebook) -> str:
    """Return the element with the record of an output, or an empty text if it has none that is well formed."""
    found = _record(output)
    return "" if found is None else f'<script type="application/json" data-kind="{found[0]}">{found[1]}</script>'


def view_style(notebook: Notebook) -> str:
    """Return the style sheet of the views in a notebook."""
    kinds = _kinds(notebook)
    return style(*kinds) if kinds else ""


def view_script(notebook: Notebook) -> str:
    """Return the script that shows the views of a notebook, or an empty text if it has none."""
    kinds = _kinds(notebook)
    return f'<script type="module">{_text(kinds)}</script>' if kinds else ""


def view_policy(notebook: Notebook) -> str:
    """Return what the policy of the page permits: this script, by its digest."""
    kinds = _kinds(notebook)
    if not kinds:
        return ""
    digest = base64.b64encode(hashlib.sha256(_text(kinds).encode()).digest()).decode("ascii")
    return f"; script-src 'sha256-{digest}'"


def _text(kinds: tuple[str, ...]) -> str:
    return f"\n{inlined_script(page_script(*kinds))}"


def _kinds(notebook: Notebook) -> tuple[str, ...]:
    """The kinds of the views of a notebook, in the order of ``KINDS``."""
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    found = {record[0] for output in outputs if (record := _record(output)) is not None}
    return tuple([kind for kind in KINDS if kind in found])


def _record(output: Notebook) -> tuple[str, str] | None:
    """The kind of the view of an output, and its encoded record."""
    data: dict[str, Any] = output.get("data", {})
    found = data.get(MIME)
    if not isinstance(found, dict):
        return None
    given = cast(dict[str, Any], found)
    kind, record = given.get("kind"), given.get("record")
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(record, str) or not _BASE64.match(record):
        return None
    return kind, record
