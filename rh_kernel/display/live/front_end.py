"""The modules of a view as one: anywidget takes a single ES module, and no address outside of it is ever asked for.

The modules in ``widgets/`` import each other in one form, ``import { a, b } from "./file.js";``, and export declarations only.
So each can stand once, behind those that it imports, without these lines; a test sees to it that no name is declared twice.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

KINDS = ("stepper", "player", "diagram", "derivation")
"""Each is a module with a function of its name, and a style sheet."""

_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)


def folder() -> Path:
    """Where the modules are: in the package, or beside it in a checkout."""
    package = Path(str(files("rh_kernel")))
    inside = package / "widgets"
    return inside if inside.is_dir() else package.parent / "widgets"


@cache
def script(kind: str) -> str:
    """The modules that a view needs, and what anywidget looks for: ``render``."""
    modules = linked(folder(), "widget.js", f"{kind}.js")
    return f'{modules}\nexport default {{ render: rendererOf("{kind}", {kind}) }};\n'


@cache
def style(kind: str) -> str:
    """The style sheet that all views share, and that of this one."""
    return "\n".join([(folder() / name).read_text(encoding="utf-8") for name in ("live.css", f"{kind}.css")])


def linked(where: Path, *names: str) -> str:
    """These modules with everything that they import, directly or not."""
    texts: dict[str, str] = {}
    for name in names:
        _collect(where, name, texts)
    return "\n".join(texts.values())


def _collect(where: Path, name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    text = (where / name).read_text(encoding="utf-8")
    for imported in _IMPORT.findall(text):
        _collect(where, imported, texts)
    texts[name] = f"// {name}\n{_EXPORT.sub('', _IMPORT.sub('', text))}"
