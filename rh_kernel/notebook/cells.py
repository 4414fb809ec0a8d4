"""``%%rh``: a cell of an IPython notebook in the language, shown as the kernel shows it; one that is wrong has no traceback."""

import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from rh_kernel.display.diagnostics import htmls, texts
from rh_kernel.display.fault import fault
from rh_kernel.kernel.errors import Content, faulty, interrupted, occupied
from rh_kernel.notebook.errors import CellFailed, CellStopped
from rh_kernel.source.diagnostic import Diagnostic, Failure
from rh_kernel.source.span import Source
from rh_kernel.workspace.errors import Busy, Stopped, Wrong
from rh_kernel.workspace.outcomes import AnyOutcome, outcome
from rh_kernel.workspace.outputs import Outputs
from rh_kernel.workspace.showing import Shell, dressing, sender
from rh_kernel.workspace.workspace import Workspace


def run_cell(workspace: Workspace, source: Source, where: Shell) -> AnyOutcome | None:
    """Run a cell: its outputs are shown while it runs, and the value that it ends in is what it returns.

    Raises ``CellFailed`` and ``CellStopped``; then the session is as it was, but for a training run that was stopped.
    """
    send = sender(where)

    def say(message: str, content: dict[str, Any]) -> None:
        # IPython itself shows what a cell ends in, which is returned below.
        if message != "execute_result":
            send(message, content)

    limit = workspace.session.settings.bounds.output
    outputs = Outputs(say, where.execution_count, time.monotonic, dressing(where), limit)
    try:
        with outputs.alive():
            results = workspace.take(source, outputs.take)
    except (Wrong, Failure) as wrong:  # the latter if it would show too much
        undone = outputs.has_shown
        outputs.abandon("failed")
        send("display_data", {"data": _complaints(wrong.diagnostics), "metadata": {}})
        raise _failed(wrong.diagnostics, undone=undone) from None
    except Stopped as stopped:
        outputs.abandon("interrupted")
        summary, lines = _told(interrupted(kept=stopped.kept))
        raise CellStopped(summary, lines) from None
    except Busy as busy:
        raise CellFailed(*_told(occupied(busy))) from None
    except Exception as exception:  # a fault of ours: IPython would show a long traceback of it
        outputs.abandon("failed")
        raise CellFailed(*_told(faulty(fault(exception, version("rh_kernel"))))) from exception
    outputs.finish()
    return None if outputs.value is None else outcome(results[-1])


def _complaints(diagnostics: Sequence[Diagnostic]) -> dict[str, str]:
    return {"text/plain": "\n".join(texts(diagnostics)), "text/html": "".join(htmls(diagnostics))}


def _failed(diagnostics: Sequence[Diagnostic], *, undone: bool) -> CellFailed:
    """The failure in a line for each complaint; they stand above it in full."""
    lines = [f"{d.code} {d.title}: {d.message}{_place(d)}" for d in diagnostics]
    note = ["The effects of this cell were undone."] if undone else []
    return CellFailed(lines[0], [*lines, *note])


def _place(d: Diagnostic) -> str:
    return "" if d.span is None else f" (line {d.span.position[0]}, column {d.span.position[1]})"


def _told(content: Content) -> tuple[str, list[str]]:
    return content["evalue"], content["traceback"]
