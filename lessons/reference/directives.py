"""``directives.md``: every directive with an example and what it shows; the limits."""

from collections.abc import Iterator, Mapping
from typing import Any

from lessons.reference.markdown import code, fence, link, slug, table
from lessons.reference.running import run
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.lines import PYTHON_CELL, RETURN_LINE, SECTION_LINES
from rh_kernel.session.directives.registry import all_directives, built_in
from rh_kernel.session.limits.bounds import DEFAULT, MEANINGS, value_of
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, LAMBDA_SECTION, PYTHON, RETURN, SECTIONS

_PARTS = {LAMBDA_SECTION: "The laboratory", EFF_SECTION: "Effects and handlers", RETURN: "The laboratory"}
"""Which part of the language stands behind a line."""

_MET: Mapping[str, str] = {
    "steps": "RH204",
    "nodes": "RH206",
    "equations": "RH231",
    "output": "RH209",
    "bytes": "RH241",
    "seconds": "RH208",
}


def _documented() -> list[Directive[Any]]:
    """The directives that come with the language, in the order of ``%help``."""
    own = {name for section in ("", *SECTIONS) for name in built_in(section)}
    return [directive for name, directive in all_directives().items() if name in own]


def overview_part() -> str:
    """All directives, a line each."""
    rows = [(link(f"%{directive.name}", code(directive.call)), directive.help) for directive in _documented()]
    rows.append((f"[{code(PYTHON)}](#{slug('Python cells')})", PYTHON_CELL))
    lines = {**SECTION_LINES, RETURN: RETURN_LINE}
    rows += [(link(_PARTS[line], code(line), "language.md"), text) for line, text in lines.items()]
    return table(("directive", "what it shows or does"), rows)


def directives_part() -> str:
    """Each directive with its example."""
    return "\n\n".join([part for directive in _documented() for part in _entry(directive)])


def _entry(directive: Directive[Any]) -> Iterator[str]:
    yield f"### %{directive.name}"
    yield f"{code(directive.call)}: {directive.help}."
    program = directive.example.strip()
    yield fence(program, "rh")
    if directive.runs_example:
        ran = run(program)
        if ran.diagnostics:
            raise KernelBug(f"the example of %{directive.name} fails:\n{ran.text}")
        yield fence(ran.text)
    yield directive.details.strip()


def limits_part() -> str:
    """What can be limited, to what it is at first, and the error that says so."""
    from lessons.reference.diagnostics import heading

    rows: list[tuple[str, str, str, str]] = []
    for name, meaning in MEANINGS.items():
        value = value_of(DEFAULT, name)
        first = f"{value:,}" if value is not None else "half of the memory" if name == "bytes" else "off"
        rows.append((code(name), meaning, first, link(heading(_MET[name]), _MET[name], "errors.md")))
    return table(("`%limit`", "bounds", "at first", "error"), rows)
