"""The modules of the page as one: anywidget takes a single ES module, and no address outside of it is ever asked for.

The modules in ``widgets/`` import each other in one form, ``import { a, b } from "./file.js";``, and export declarations only.
So each can stand once, behind those that it imports, without these lines; a test sees to it that no name is declared twice.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

ENTRY = "widget.js"

_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)


def folder() -> Path:
    """Where the modules are: in the package, or beside it in a checkout."""
    package = Path(str(files("rh_kernel")))
    inside = package / "widgets"
    return inside if inside.is_dir() else package.parent / "widgets"


@cache
def script() -> str:
    """All modules, each behind those that it imports, the entry last."""
    return linked(folder(), ENTRY)


@cache
def style() -> str:
    """All style sheets."""
    return "\n".join([sheet.read_text(encoding="utf-8") for sheet in sorted(folder().glob("*.css"))])


def linked(where: Path, entry: str) -> str:
    """The entry with everything that it imports, directly or not."""
    texts: dict[str, str] = {}
    _collect(where, entry, texts)
    return "\n".join(texts.values())


def _collect(where: Path, name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    text = (where / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        _collect(where, imported, texts)
    texts[name] = f"// {name}\n{_EXPORT.sub('', _IMPORT.sub('', text))}"
