"""Bundle the JavaScript modules of a view into one ES module, as anywidget requires, and its style sheets into one.

The modules in ``widgets/`` use a single form of import, ``import { a, b } from "./file.js";``, and export declarations only. So
concatenating them in dependency order, without the imports, is correct; a test checks that no name is declared twice.
"""

import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from rh_kernel.display.palette import ABOVE, BELOW, COLOURS, MARKS, triple
from rh_kernel.syntax.printing.doc import Role

KINDS = (
    "stepper",
    "player",
    "diagram",
    "derivation",
    "rewriting",
    "sweep",
    "confusion",
    "flow",
    "race",
    "surface",
    "sees",
    "knob",
)
"""The views; each is a module with a function of its name, and a style sheet."""

_MIXED = "color-mix(in srgb, rgb(var(--rh-{})) 55%, var(--rh-ink))"

_IMPORT = re.compile(r'^import \{[^}\n]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)


def folder() -> Path:
    """Return the folder of the modules: in the installed package, or beside the package in a checkout."""
    package = Path(str(files("rh_kernel")))
    inside = package / "widgets"
    return inside if inside.is_dir() else package.parent / "widgets"


@cache
def script(kind: str) -> str:
    """Return the ES module of a view with all that it imports; its default export has anywidget's ``render``."""
    modules = linked(folder(), "widget.js", f"{kind}.js")
    return f'{modules}\nexport default {{ render: rendererOf("{kind}", {kind}) }};\n'


@cache
def page_script(*kinds: str) -> str:
    """Return the ES module of a page with saved views of these kinds, which replace their static forms."""
    modules = linked(folder(), "saved_views.js", *[f"{kind}.js" for kind in kinds])
    return f"{modules}\nshowSavedViews({{ {', '.join(kinds)} }});\n"


@cache
def style(*kinds: str) -> str:
    """Return the palette, the shared style sheet, and those of these views."""
    sheets = ("live.css", *[f"{kind}.css" for kind in kinds])
    return "\n".join([colours(), *[(folder() / name).read_text(encoding="utf-8") for name in sheets]])


def colours() -> str:
    """Return the palette as CSS properties, and a class for each role, such as ``rh-role-keyword``.

    ``--rh-redex`` is ``r,g,b``; ``--rh-redex-ink`` is that colour mixed with the text colour of the page, for text and lines:
    it has contrast on marks, and in light and dark themes, without asking which theme there is.
    """
    letters = {role.value: triple(colour) for role, colour in COLOURS.items()}
    marks = {kind: MARKS[kind] for kind in ("redex", "contractum", "forward", "backward")}
    known = {**letters, **marks, "failure": MARKS["error"], "below": triple(BELOW), "above": triple(ABOVE)}
    properties = "".join([f"  --rh-{name}: {colour};\n" for name, colour in known.items()])
    properties += "".join([f"  --rh-{name}-ink: {_MIXED.format(name)};\n" for name in known])
    roles = [f".rh-live .rh-role-{role.value} {{ color: var(--rh-{role.value}-ink); }}" for role in COLOURS]
    bold = f".rh-live .rh-role-{Role.RULE.value}, .rh-live .rh-role-{Role.ERROR.value} {{ font-weight: 700; }}"
    return "\n".join([f".rh-live {{\n{properties}}}", *roles, bold])


def linked(where: Path, *names: str) -> str:
    """Return these modules preceded by everything that they import, directly or not."""
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
