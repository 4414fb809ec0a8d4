"""The modules of a view as one: anywidget takes a single ES module, and no address outside of it is ever asked for.

The modules in ``widgets/`` import each other in one form, ``import { a, b } from "./file.js";``, and export declarations only.
So each can stand once, behind those that it imports, without these lines; a test sees to it that no name is declared twice.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from rh_kernel.display.palette import ABOVE, BELOW, COLOURS, MARKS, triple
from rh_kernel.syntax.printing.doc import Role

KINDS = ("stepper", "player", "diagram", "derivation", "rewriting")
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
    """The palette, the style sheet that all views share, and that of this one."""
    return "\n".join([colours(), *[(folder() / name).read_text(encoding="utf-8") for name in ("live.css", f"{kind}.css")]])


def colours() -> str:
    """The palette as properties, ``--rh-redex: r,g,b``, and the looks of words by what they are, ``rh-role-keyword``."""
    letters = {role.value: triple(colour) for role, colour in COLOURS.items()}
    marks = {kind: MARKS[kind] for kind in ("redex", "contractum", "forward", "backward")}
    known = {**letters, **marks, "failure": MARKS["error"], "below": triple(BELOW), "above": triple(ABOVE)}
    properties = "".join([f"  --rh-{name}: {colour};\n" for name, colour in known.items()])
    roles = [f".rh-live .rh-role-{role.value} {{ color: rgb(var(--rh-{role.value})); }}" for role in COLOURS]
    bold = f".rh-live .rh-role-{Role.RULE.value}, .rh-live .rh-role-{Role.ERROR.value} {{ font-weight: 700; }}"
    return "\n".join([f".rh-live {{\n{properties}}}", *roles, bold])


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
