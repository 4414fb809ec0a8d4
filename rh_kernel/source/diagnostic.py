"""Diagnostics: what is wrong, where, what was expected and found, and what to do about it.

There are three kinds of failure: ``Rejected`` (the program is wrong, known before it runs), ``Stuck`` (a reduction has no next
step, or a limit was reached), and ``KernelBug`` (a bug in the kernel, shown with a request to report it).
"""

from dataclasses import dataclass, fields
from typing import Any, ClassVar

from rh_kernel.source.records import frozen, frozen_kw_only
from rh_kernel.source.span import Span

_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A secondary location that explains the primary one, e.g. "``w0 : Real(3, 2)`` is declared here"."""

    span: Span
    text: str


@frozen
class Fix:
    """A quick fix: replace ``span``, which may be empty, by ``text``."""

    span: Span
    text: str

    @property
    def words(self) -> str:
        """The edit in words."""
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


@frozen_kw_only
class Diagnostic:
    """One diagnostic. A subclass fixes ``code``, ``title`` and ``label``; its fields are inserted into the label.

    ``notes`` are secondary locations, the nearest cause first; ``rule`` is the violated rule of the paper. A warning is about a
    program that runs, and probably not as intended.
    """

    code: ClassVar[str]
    title: ClassVar[str]
    label: ClassVar[str]
    is_warning: ClassVar[bool] = False

    span: Span | None = None
    found: str = ""
    expected: str = ""
    hint: str = ""
    notes: tuple[Note, ...] = ()
    fix: Fix | None = None
    rule: str = ""

    @property
    def message(self) -> str:
        """The label with its fields inserted: one sentence without a newline."""
        facts: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        return self.label.format(**facts)


class Failure(Exception):
    """A failure with its diagnostics; there are none if it only follows from another failure, which has its own."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics

    def __reduce__(self) -> "tuple[type[Failure], tuple[Diagnostic, ...]]":
        return type(self), self.diagnostics


class Rejected(Failure):
    """The program is wrong: its text, its types, or the data it names."""


class Stuck(Failure):
    """An accepted program cannot go on: a function is undefined at a point, or a limit was reached."""


class KernelBug(Exception):
    """A violated invariant: something that cannot happen in an accepted program."""
