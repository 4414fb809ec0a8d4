"""``errors.md``: every error with its meaning, a program that has it, the message, and how to fix it."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import groupby
from pathlib import Path
from pkgutil import walk_packages

import rh_kernel
from lessons.reference.markdown import fence, link, slug, table
from lessons.reference.running import WARNED, WRONG, run, start
from rh_kernel.display.diagnostics import text
from rh_kernel.source.diagnostic import Diagnostic, KernelBug

_WORDS = Path(__file__).with_name("errors.toml")

_KINDS = {
    "RH0": ("Syntax", "The text is not a program yet. The other items of the cell are looked at all the same."),
    "RH1": (
        "Names and types",
        "The text is well formed, and a name or a type does not fit. Nothing has run, except after a warning.",
    ),
    "RH2": ("Running", "The program was accepted, and came to a point where it cannot go on, or met a limit."),
    "RH3": ("Data and files", "A data set or a file is not what was asked for."),
    "RH4": ("Devices", "The graphics card cannot be used. The program goes on without it."),
    "RH5": (
        "The laboratory",
        "What `%ad` is asked for in a `%%lambda` cell is not what the system does, or an item of a `%%eff` cell is wrong.",
    ),
}
_ORIGINS = {
    "RH04": "Directives",
    "RH34": "Contents of the heap",
    "RH35": "Clusters",
    "RH37": "Imports",
    "RH38": "The command line",
    "RH39": "Exports",
}


@cache
def classes() -> Mapping[str, type[Diagnostic]]:
    """Every kind of diagnostic by its code, in the order of the codes."""
    for module in walk_packages(rh_kernel.__path__, "rh_kernel."):
        if module.name.endswith((".errors", ".stuck")):
            import_module(module.name)
    ours = [c for c in Diagnostic.__subclasses__() if c.__module__.startswith("rh_kernel.")]
    return {c.code: c for c in sorted(ours, key=lambda c: c.code)}


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """What is written by hand about each code."""
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


def example(code: str) -> str | None:
    """The program that shows an error: the one that was chosen, or the smallest of the tests that has this error alone."""
    if code not in words():
        raise KernelBug(f"{_WORDS.name} says nothing about {code}")
    said = words()[code]
    if "elsewhere" in said:
        return None
    if "warned" in said:
        return (WARNED / f"{said['warned']}.rh").read_text(encoding="utf-8")
    if "program" in said:
        return said["program"]
    if "golden" in said:
        return (WRONG / f"{said['golden']}.rh").read_text(encoding="utf-8")
    programs = [g.with_suffix(".rh") for g in sorted(WRONG.glob("*.err")) if _codes(g) == [code]]
    if not programs:
        raise KernelBug(f"{code} has no example: name one in {_WORDS.name}")
    return min([p.read_text(encoding="utf-8") for p in programs], key=lambda program: (len(program), program))


def _codes(golden: Path) -> list[str]:
    return re.findall(r"^(RH\d{3}) ", golden.read_text(encoding="utf-8"), re.MULTILINE)


def message(code: str, program: str) -> str:
    """What the program is told. Raises ``KernelBug`` if that is something else than this error."""
    needs_data = any(f'data("{name}")' in program for name in ("identifiers", "words", "uneven"))
    ran = run(program, start(WRONG, given=needs_data))
    found = ran.warnings if classes()[code].is_warning else ran.diagnostics
    if code not in [d.code for d in found]:
        raise KernelBug(f"the example of {code} gives {[d.code for d in found]}")
    return "\n".join([text(d) for d in found])


def heading(code: str) -> str:
    """The heading under which an error stands."""
    return f"{code} {classes()[code].title}"


def errors_page() -> str:
    """The part of the page that follows from the code."""
    return "\n\n".join([*_contents(), *_sections()])


def _contents() -> Iterator[str]:
    for prefix, group in groupby(classes(), key=lambda code: code[:3]):
        title, _ = _KINDS[prefix]
        rows = [(link(heading(code), code), classes()[code].title) for code in group]
        half = (len(rows) + 1) // 2
        pairs = [(*rows[i], *(rows[half + i] if half + i < len(rows) else ("", ""))) for i in range(half)]
        yield f"**[{title}](#{slug(_title(prefix))})**"
        yield table(("code", "", "code", ""), pairs)


def _title(prefix: str) -> str:
    return f"{prefix}xx: {_KINDS[prefix][0].lower()}"


def _sections() -> Iterator[str]:
    for prefix, group in groupby(classes(), key=lambda code: code[:3]):
        yield f"## {_title(prefix)}"
        yield _KINDS[prefix][1]
        told: set[str] = set()
        for code in group:
            origin = _ORIGINS.get(code[:4], "")
            if origin and origin not in told:
                told.add(origin)
                yield f"**{origin}**"
            yield from _entry(code)


def _entry(code: str) -> Iterator[str]:
    program, said = example(code), words()[code]
    yield f"### {heading(code)}"
    yield said["means"]
    if program is None:
        yield said["elsewhere"]
    else:
        yield fence(program, f"rh {'warns' if classes()[code].is_warning else 'fails'} {code}")
        yield fence(message(code, program))
    yield f"**What to do.** {said['fix']}"
