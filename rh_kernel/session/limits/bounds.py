"""``%limit``: what bounds a cell, so that no program can take the kernel down; each bound has its own error (LANGUAGE §7)."""

from dataclasses import replace
from typing import Literal, TypeAlias

from rh_kernel.arrays.symbolic.builder import LONGEST
from rh_kernel.session.errors import DirectiveWords
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.stuck import readable
from rh_kernel.typing.definitions import NODES

Bound: TypeAlias = Literal["steps", "nodes", "equations", "output", "bytes", "seconds"]


@frozen
class Bounds:
    """The most that a cell may do; ``None`` is no bound, and for ``bytes`` half of the machine's memory.

    ``steps`` of a reduction, ``nodes`` of a program with its nets unfolded, ``equations`` of a compiled one, characters of
    ``output``, ``bytes`` of arrays at a time, and ``seconds``.
    """

    steps: int | None = 1_000_000
    nodes: int | None = NODES
    equations: int | None = LONGEST
    output: int | None = 10_000_000
    bytes: int | None = None
    seconds: int | None = None


DEFAULT = Bounds()

EVERYTHING = 1 << 60
"""More than anything has."""

LEAST_OUTPUT = 1_000
"""With fewer characters a cell could not even say that the limit is another one, and would fail."""

MEANINGS: dict[Bound, str] = {
    "steps": "steps of a reduction",
    "nodes": "nodes of a program, with the nets and handlers that it uses unfolded",
    "equations": "equations of a compiled program",
    "output": "characters that a cell shows",
    "bytes": "bytes of arrays at a time",
    "seconds": "seconds that a cell runs",
}

_UNITS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_LONGEST = 15


def changed_bounds(bounds: Bounds, item: items.Directive) -> tuple[Bounds, str]:
    """The bounds after ``%limit steps 5000``, and what is said about them. Raises ``Rejected``."""
    match item.words:
        case ():
            return bounds, "\n".join([_line(bounds, name) for name in MEANINGS])
        case (word,) if word in MEANINGS:
            return bounds, _line(bounds, word)
        case (word, "off" | "default" as how) if word in MEANINGS:
            return _with(bounds, word, None if how == "off" else _default(word))
        case (word, number) if word in MEANINGS and (found := _number(number)) is not None:
            if word == "output" and found < LEAST_OUTPUT:
                wanted = f"`output` from {LEAST_OUTPUT:,} characters on"
                hint = "with less, a cell could not show that the limit was raised again"
                raise Rejected(DirectiveWords(span=item.span, name="limit", wanted=wanted, found=f"`{number}`", hint=hint))
            return _with(bounds, word, found)
        case (word, number) if word in MEANINGS:
            wanted = f"a whole number from 1 on after `{word}`, or `off`, or `default`"
            hint = "`5k` and `2G` are numbers too; `%limit` alone shows the current limits"
            raise Rejected(DirectiveWords(span=item.span, name="limit", wanted=wanted, found=f"`{number}`", hint=hint))
        case words:
            wanted = f"{', '.join(f'`{name}`' for name in MEANINGS)}, and a number, `off` or `default`"
            found = f"`{' '.join(words)}`"
            hint = "for example `%limit steps 5000` or `%limit bytes 2G`; `%limit` alone shows the current limits"
            raise Rejected(DirectiveWords(span=item.span, name="limit", wanted=wanted, found=found, hint=hint))


def _with(bounds: Bounds, name: Bound, value: int | None) -> tuple[Bounds, str]:
    match name:
        case "steps":
            bounds = replace(bounds, steps=value)
        case "nodes":
            bounds = replace(bounds, nodes=value)
        case "equations":
            bounds = replace(bounds, equations=value)
        case "output":
            bounds = replace(bounds, output=value)
        case "bytes":
            bounds = replace(bounds, bytes=value)
        case "seconds":
            bounds = replace(bounds, seconds=value)
    return bounds, _line(bounds, name)


def value_of(bounds: Bounds, name: Bound) -> int | None:
    """What is set."""
    match name:
        case "steps":
            return bounds.steps
        case "nodes":
            return bounds.nodes
        case "equations":
            return bounds.equations
        case "output":
            return bounds.output
        case "bytes":
            return bounds.bytes
        case "seconds":
            return bounds.seconds


def _default(name: Bound) -> int | None:
    return value_of(DEFAULT, name)


def _line(bounds: Bounds, name: Bound) -> str:
    value = value_of(bounds, name)
    match value:
        case None if name == "bytes":
            shown = "half of the memory"
        case None:
            shown = "off"
        case number if name == "bytes":
            shown = readable(number)
        case number:
            shown = f"{number:,}"
    return f"{name:<9}  {shown:<18}  {MEANINGS[name]}"


def _number(word: str) -> int | None:
    """``5000``, ``5_000``, ``2G``; ``None`` for what is no number from 1 on."""
    digits, factor = (word[:-1], _UNITS[word[-1]]) if word[-1:] in _UNITS else (word, 1)
    plain = digits.replace("_", "").replace(",", "")
    if not (plain.isascii() and plain.isdecimal()) or len(plain) > _LONGEST:
        return None
    return int(plain) * factor or None
