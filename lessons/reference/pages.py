"""Which parts of which pages are generated, and how they stand in the page: between two comments."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from lessons.reference import (
    directives,
    effects,
    exports,
    laboratory,
    public_names,
    rules,
    scale,
    sizing,
    speed,
    teaching,
    words,
)
from lessons.reference.diagnostics import errors_page
from lessons.reference.markdown import anchored, contents
from lessons.reference.mentions import with_lessons
from lessons.reference.publication import publication
from lessons.reference.running import ROOT
from lessons.reference.symbols import symbols_page
from rh_kernel.source.diagnostic import KernelBug

APPENDIX = ROOT / "lessons" / "appendix"

COMMAND = "python -m lessons.reference"
"""What writes the pages."""

PARTS: Mapping[str, Callable[[], str]] = {
    "first program": words.first_part,
    "errors": partial(with_lessons, "errors.md", errors_page),
    "symbols": partial(with_lessons, "symbols.md", symbols_page),
    "rules": rules.contents_part,
    "rules of reduction": partial(with_lessons, "rules.md", rules.reduction_part),
    "rules of typing": partial(with_lessons, "rules.md", rules.typing_part),
    "figures": rules.figures_part,
    "directives": directives.overview_part,
    "each directive": partial(with_lessons, "directives.md", directives.directives_part),
    "limits": directives.limits_part,
    "reserved words": words.reserved_part,
    "words": words.words_part,
    "signs": words.signs_part,
    "letters": words.letters_part,
    "data sets": words.data_part,
    "library": words.library_part,
    "checks": words.checks_part,
    "systems": laboratory.systems_part,
    "fragments": laboratory.fragments_part,
    "words of the laboratory": laboratory.words_part,
    "words of effects": effects.words_part,
    "functions of effects": effects.functions_part,
    "programs of effects": effects.programs_part,
    "an exported step": exports.step_part,
    "exported symbols": exports.symbols_part,
    "overhead of steps": scale.scale_part,
    "public names": public_names.names_part,
    "badge": lambda: publication().badge(),
    "reporting": lambda: publication().reporting(),
    "speed": speed.speed_part,
    "times": teaching.times_part,
    "a class at work": sizing.load_part,
    "size of a server": sizing.sizing_part,
    "time for grading": sizing.grading_part,
}
"""The parts that follow from the code, by their names."""

_PART = re.compile(r"<!-- begin generated: (?P<name>[^\n]*?) -->\n(?P<text>.*?)<!-- end generated -->", re.DOTALL)


def pages() -> dict[str, str]:
    """The pages of the appendix with a generated part, as they are now."""
    found = {path.name: path.read_text(encoding="utf-8") for path in sorted(APPENDIX.glob("*.md"))}
    return {name: page for name, page in found.items() if _PART.search(page)}


def documents() -> dict[Path, str]:
    """The pages beside the appendix with a generated part, as they are now."""
    return {path: path.read_text(encoding="utf-8") for path in (ROOT / "README.md", ROOT / "SECURITY.md")}


def filled(page: str) -> str:
    """A page beside the appendix with every generated part as the code has it now. Raises ``KernelBug`` as ``written`` does."""
    return _PART.sub(_made, page)


def written(page: str) -> str:
    """The page with every generated part as the code has it now. Raises ``KernelBug`` for a part that nothing makes."""
    page = filled(page)
    return anchored(_PART.sub(partial(_with_contents, contents(page)), page))


def _made(part: re.Match[str]) -> str:
    name = part["name"]
    if name == "contents":
        return part[0]
    if name not in PARTS:
        raise KernelBug(f"no generated part is called {name!r}; there are {', '.join(PARTS)}")
    return _marked(name, PARTS[name]())


def _with_contents(text: str, part: re.Match[str]) -> str:
    return _marked("contents", text) if part["name"] == "contents" else part[0]


def _marked(name: str, text: str) -> str:
    return f"<!-- begin generated: {name} -->\n\n{text}\n\n<!-- end generated -->"


def names(page: str) -> list[str]:
    """The names of the generated parts of a page."""
    return [part["name"] for part in _PART.finditer(page)]
