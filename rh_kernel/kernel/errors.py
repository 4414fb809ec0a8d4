"""Failures of a cell as the content of ``error`` messages."""

from collections.abc import Sequence
from typing import Any, TypeAlias

from rh_kernel.display.diagnostics import ansis
from rh_kernel.display.fault import Fault
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.workspace.errors import Busy

Content: TypeAlias = dict[str, Any]


def failed(diagnostics: Sequence[Diagnostic], *, undone: bool = False) -> Content:
    """A rejected or stuck program: a summary of its first error, all errors in the text; ``undone`` if outputs were shown."""
    first = diagnostics[0]
    note = ["The effects of this cell were undone."] if undone else []
    apart = [line for text in [*ansis(diagnostics), *note] for line in ("", text)]
    return _content(f"{first.code} {first.title}", first.message, apart[1:])


def interrupted(*, kept: bool) -> Content:
    """An interrupted cell; ``kept`` if its work so far stays, as in a training run."""
    after = "The work done so far is kept." if kept else "Nothing of this cell took effect."
    return _content("Interrupted", after, [f"Interrupted. {after}"])


def occupied(busy: Busy) -> Content:
    """A cell refused because another program is using its session."""
    return _content("Busy", str(busy), [str(busy)])


def malformed(wrong: Exception) -> Content:
    """The reply to a malformed request."""
    return {"status": "error", **_content("Malformed request", str(wrong), [])}


def faulty(fault: Fault) -> Content:
    """An internal error of the kernel."""
    return _content(fault.title, fault.summary, fault.text.split("\n"))


def _content(name: str, value: str, lines: list[str]) -> Content:
    return {"ename": name, "evalue": value, "traceback": lines}
