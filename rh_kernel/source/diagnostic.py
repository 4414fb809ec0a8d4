"""Diagnostics: what is wrong, where, what was expected and found, and what to do about it.

Three classes of failure are kept apart: ``Rejected`` (the program is wrong, known before it runs), ``Stuck`` (a reduction has
no next step, or a limit was met), and ``KernelBug`` (our own fault, shown with a request to report it).
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from rh_kernel.source.records import frozen, frozen_by_name
from rh_kernel.source.span import Span

_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A second place that explains the first, e.g. "``w0 : Real(3, 2)`` is declared here"."""

    span: Span
    text: str


@frozen
class Fix:
    """What to write at ``span``, which may be empty, so that this complaint is gone."""

    span: Span
    text: str

    @property
    def words(self) -> str:
        """The change in words."""
        if self.span.text:
            return (
                f"replace {_quoted(self.span.text)} by {_quoted(self.text)}"
                if self.text
                else f"remove {_quoted(self.span.text)}"
            )
        line = self.span.position[0]
        if self.text.isspace():
            return f"indent line {line}"
        following = self.span.source.text[self.span.end :].split("\n")[0].split()
        place = f"in front of {_quoted(following[0])}" if following else f"at the end of line {line}"
        return f"insert {_quoted(self.text)} {place}"


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}`"


@frozen_by_name
class Diagnostic:
    """One complaint. A subclass fixes ``code``, ``title`` and ``label``; its fields are the facts put into the label.

    ``notes`` are the places that explain it, the nearest cause first; ``rule`` is the rule of the paper that does not hold.
    """

    code: ClassVar[str]
    title: ClassVar[str]
    label: ClassVar[str]

    span: Span | None = None
    found: str = ""
    expected: str = ""
    hint: str = ""
    notes: tuple[Note, ...] = ()
    fix: Fix | None = None
    rule: str = ""

    @property
    def message(self) -> str:
        """The label with its facts filled in: one sentence, no line end."""
        facts: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        return self.label.format(**facts)


class Failure(Exception):
    """A failure that carries its diagnostics: at least one, or none for what depends on something that has its own."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


class Rejected(Failure):
    """The program is wrong: its text, its types, or the data it names."""


class Stuck(Failure):
    """A program that was accepted cannot go on: an undefined point, or a limit that was met."""


class KernelBug(Exception):
    """Something that cannot happen in an accepted program has happened."""
