"""``%%rh``: run an RH cell in an IPython notebook with the outputs of the kernel, and errors without a traceback."""

import time
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import version
from typing import Any

from rh_kernel.display.diagnostics import htmls, texts
from rh_kernel.display.fault import fault
from rh_kernel.kernel.errors import Content, faulty, interrupted, occupied
from rh_kernel.notebook.errors import CellFailed, CellStopped
from rh_kernel.session.results import Result
from rh_kernel.source.diagnostic import Diagnostic, Failure
from rh_kernel.source.span import Source
from rh_kernel.workspace.errors import Busy, Stopped, Wrong
from rh_kernel.workspace.ipython_display import Shell, knob_outputs, sender
from rh_kernel.workspace.outcome import Outcome
from rh_kernel.workspace.outcomes import Value, outcome
from rh_kernel.workspace.outputs import Outputs
from rh_kernel.workspace.workspace import Workspace


def run_cell(workspace: Workspace, source: Source, where: Shell) -> Outcome[Result] | None:
    """Run a cell, showing its outputs as they arrive, and return its final value.

    Raises ``CellFailed`` or ``CellStopped``; then the session is unchanged, except by an interrupted training run.
    """
    send = sender(where)

    def forward(message: str, content: dict[str, Any]) -> None:
        # IPython itself displays the returned value.
        if message != "execute_result" and not outputs.is_end(content):
            send(message, content)

    limit = workspace.session.settings.bounds.output
    add_widgets, display_of = knob_outputs(where)
    outputs = Outputs(forward, where.execution_count, time.monotonic, add_widgets, limit, display_of)
    try:
        with outputs.alive():
            results = workspace.take(source, outputs.take)
    except (Wrong, Failure) as wrong:  # the latter if it would show too much
        undone = outputs.has_shown
        outputs.abandon("failed")
        send("display_data", {"data": _rendered(wrong.diagnostics), "metadata": {}})
        raise _failed(wrong.diagnostics, undone=undone) from None
    except Stopped as stopped:
        outputs.abandon("interrupted")
        summary, lines = _summary_and_lines(interrupted(kept=stopped.kept))
        raise CellStopped(summary, lines) from None
    except Busy as busy:
        raise CellFailed(*_summary_and_lines(occupied(busy))) from None
    except Exception as exception:  # a bug of the kernel: IPython would show a long traceback
        outputs.abandon("failed")
        raise CellFailed(*_summary_and_lines(faulty(fault(exception, version("rh_kernel"))))) from exception
    outputs.finish()
    if outputs.value is None:
        return None
    found = outcome(results[-1])
    return replace(found, display=outputs.value_display) if isinstance(found, Value) else found


def _rendered(diagnostics: Sequence[Diagnostic]) -> dict[str, str]:
    return {"text/plain": "\n".join(texts(diagnostics)), "text/html": "".join(htmls(diagnostics))}


def _failed(diagnostics: Sequence[Diagnostic], *, undone: bool) -> CellFailed:
    """Return the failure with one line per diagnostic; the full diagnostics are shown above."""
    lines = [f"{d.code} {d.title}: {d.message}{_place(d)}" for d in diagnostics]
    note = ["The effects of this cell were undone."] if undone else []
    return CellFailed(lines[0], [*lines, *note])


def _place(d: Diagnostic) -> str:
    return "" if d.span is None else f" (line {d.span.position[0]}, column {d.span.position[1]})"


def _summary_and_lines(content: Content) -> tuple[str, list[str]]:
    return content["evalue"], content["traceback"]
