"""The figures of the design page, drawn from the code: the layers of the package, and one program on its way through them."""

import ast
import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path
from textwrap import shorten

from lessons.reference.running import ROOT, run
from rh_kernel.source.records import frozen

PICTURES = ROOT / "lessons" / "appendix" / "pictures"
PACKAGE = ROOT / "rh_kernel"

INK, FAINT, LINE, BLUE, PAPER = "#1a202c", "#4a5568", "#cbd5e0", "#2b6cb0", "#f7fafc"
ROW = 26
"""Height of a row of the figure of layers, in pixels."""
LETTER, SPACING = 6.63, 16
"""Width of a monospaced character of 11 pixels, and distance of lines, in pixels."""


def figures() -> dict[Path, str]:
    """The text of each figure's SVG file."""
    return {PICTURES / "layers.svg": layers_figure(), PICTURES / "stages.svg": stages_figure()}


# -- the layers --------------------------------------------------------------------------------------------------------------


def layers() -> list[list[str]]:
    """The packages of each layer, the highest layer first: those of the import contract that ``lint-imports`` checks."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = next(entry for entry in settings["tool"]["importlinter"]["contracts"] if entry["type"] == "layers")
    found = [[name.strip(" ()") for name in layer.split("|")] for layer in contract["layers"]]
    return [packages for layer in found if (packages := [name for name in layer if (PACKAGE / name).is_dir()])]


@cache
def imports(package: str) -> set[str]:
    """The packages of the project that the modules of one package import, itself among them."""
    found = set[str]()
    for path in (PACKAGE / package).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.ImportFrom(module=str(module), level=0):
                    names = [module] if module != "rh_kernel" else [f"rh_kernel.{alias.name}" for alias in node.names]
                case ast.Import(names=aliases):
                    names = [alias.name for alias in aliases]
                case _:
                    continue
            found.update(name.split(".")[1] for name in names if name.startswith("rh_kernel."))
    return found


@cache
def layers_figure() -> str:
    """A row for each package with what it contains; a dot in a column for each package that it imports."""
    rows = [(package, number) for number, layer in enumerate(layers()) for package in layer]
    order = [package for package, _ in rows]
    top, left = 120, 760
    width, height = left + ROW * len(order) + 20, top + ROW * len(order) + 20
    parts = list[str]()
    for i, (package, number) in enumerate(rows):
        y = top + i * ROW
        if number % 2 == 0:
            parts.append(rectangle(10, y, width - 20, ROW, PAPER, PAPER))
        parts.append(label(20, y + 18, package, INK, "bold"))
        parts.append(label(140, y + 18, _summary(package), FAINT))
        x = left + i * ROW + ROW / 2
        parts.append(f'<text transform="translate({x + 4} {top - 8}) rotate(-60)" fill="{INK}">{escape(package)}</text>')
        parts.append(rectangle(left + i * ROW, y, ROW, ROW, LINE, LINE))
        imported = imports(package) - {package}
        parts += [
            f'<circle cx="{left + j * ROW + ROW / 2}" cy="{y + ROW / 2}" r="5" fill="{BLUE}"/>'
            for j, other in enumerate(order)
            if other in imported
        ]
    return svg(width, height, "The packages in layers, and which of them each one imports", parts)


def _summary(package: str) -> str:
    """The first sentence of the package's docstring, without its references."""
    text = ast.get_docstring(ast.parse((PACKAGE / package / "__init__.py").read_text(encoding="utf-8"))) or ""
    sentence = re.split(r"(?<!Fig)(?<!Def)\.(?: |$)", " ".join(text.split("\n\n")[0].split()))[0].replace("``", "")
    return shorten(re.sub(r" \((?:LANGUAGE|RH) [^)]*\)", "", sentence), 96, placeholder=" …")


# -- one program ---------------------------------------------------------------------------------------------------------------

DECLARATIONS = """op Scale[l : Loc(1)] : Real -> Real
loc w : Real = 3"""
COMMAND = """rev handle (2) <x>. Scale[w](x) with {
  return y -> return y - 10
  Scale[l](x) -> let w <= Get[l]() in return (w * x, (w, x))
    | y, z -> let (w, x) <- z in let _ <= Put[l](w - 0.1 * y * x) in return w * y
}"""
STATES = (0, 1, 2, -1)
"""Which states of the reduction are shown."""


@frozen
class Stage:
    """What the packages make of the program, as lines."""

    packages: str
    title: str
    lines: tuple[str, ...]

    @property
    def width(self) -> float:
        """In pixels."""
        return max(len(line) for line in (*self.lines, f"{self.packages}  {self.title}")) * LETTER + 24

    @property
    def height(self) -> float:
        """In pixels."""
        return (len(self.lines) + 1) * SPACING + 22


def stages() -> tuple[Sequence[Stage], Sequence[Stage], Stage]:
    """The stages that follow one another, the three semantics side by side, and what all of them end with."""
    reduction = _shown("%trace ").split("\n\n")
    states = [line for i in STATES for line in (*reduction[i].split("\n"), "")][:-1]
    states.insert(-2, f"(… {len(reduction) - len(STATES)} more states)")
    passes = _shown("%compile --passes ").split("\n\n")
    program = [line.split("#")[0].rstrip() for line in passes[1].split("\n")[1:-1]]
    plan = next(text for text in passes if text.startswith("# in place")).split("\n")[1:]
    diagram = _shown("%diagram ").split("\n")[1:]
    line = (
        Stage("syntax", "a cell is parsed", (*DECLARATIONS.split("\n"), *COMMAND.split("\n"))),
        Stage("typing", "and elaborated to the typed core", (*reduction[0].split("\n")[1:], f": {_type()}")),
    )
    semantics = (
        Stage("operational", "it reduces", tuple(states)),
        Stage("denotational", "it denotes a string diagram", tuple(diagram)),
        Stage("arrays", "it compiles to a program, and to loops", (*program, "", *plan)),
    )
    return line, semantics, Stage("session, display", "the result, and the heap", tuple(_shown("").split("\n")))


def _shown(directive: str) -> str:
    """What the command shows, after the declarations."""
    return run(directive + COMMAND, run(DECLARATIONS).session).text


def _type() -> str:
    return _shown("").split("\n")[0].split(" : ")[-1]


@cache
def stages_figure() -> str:
    """The stages from top to bottom, with the three semantics side by side."""
    line, semantics, end = stages()
    gap, margin = 36, 16
    width = sum(stage.width for stage in semantics) + gap * (len(semantics) - 1) + 2 * margin
    parts, y = list[str](), float(margin)
    for stage in line:
        parts += _box(stage, (width - stage.width) / 2, y, stage.height)
        y += stage.height + gap
        parts.append(_arrow(width / 2, y - gap, width / 2, y)) if stage is not line[-1] else None
    tallest = max(stage.height for stage in semantics)
    x = float(margin)
    below = y + tallest + gap
    for stage in semantics:
        middle = x + stage.width / 2
        parts += _box(stage, x, y, tallest)
        parts.append(_arrow(width / 2 + (middle - width / 2) / 4, y - gap, middle, y))
        parts.append(_arrow(middle, y + tallest, width / 2 + (middle - width / 2) / 6, below))
        x += stage.width + gap
    parts += _box(end, (width - end.width) / 2, below, end.height)
    return svg(width, below + end.height + margin, "One program on its way through the packages", parts)


def _box(stage: Stage, x: float, y: float, height: float) -> Iterator[str]:
    yield rectangle(x, y, stage.width, height, PAPER, LINE)
    yield label(x + 12, y + 20, stage.packages, BLUE, "bold")
    yield label(x + 12 + (len(stage.packages) + 2) * LETTER, y + 20, stage.title, FAINT)
    for i, line in enumerate(stage.lines):
        yield f'<text x="{x + 12:g}" y="{y + 22 + (i + 1) * SPACING:g}" fill="{INK}" class="code">{escape(line)}</text>'


# -- SVG -----------------------------------------------------------------------------------------------------------------------


def svg(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A file with these parts on white."""
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" font-family="sans-serif"'
        ' font-size="12">',
        f"<title>{escape(title)}</title>",
        '<style>.code { font: 11px "DejaVu Sans Mono", monospace; white-space: pre }</style>',
        f'<defs><marker id="a" markerWidth="9" markerHeight="9" refX="8" refY="4.5" orient="auto" markerUnits="userSpaceOnUse">'
        f'<path d="M0 0 L9 4.5 L0 9 z" fill="{FAINT}"/></marker></defs>',
        rectangle(0, 0, width, height, "#ffffff", "#ffffff"),
        *parts,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def rectangle(x: float, y: float, width: float, height: float, fill: str, stroke: str) -> str:
    """A box."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" stroke="{stroke}"/>'


def label(x: float, y: float, text: str, colour: str, weight: str = "normal") -> str:
    """A line of text that begins at a point."""
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" font-weight="{weight}">{escape(text)}</text>'


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<path d="M{x1:g} {y1:g} L{x2:g} {y2:g}" stroke="{FAINT}" fill="none" marker-end="url(#a)"/>'
