"""Output of results: text for people, one JSON object per line for programs (LANGUAGE §8)."""

import json
import os
import shutil
import sys
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import TextIO

from rh_kernel.display.data import Json
from rh_kernel.display.diagnostics import ansi, error
from rh_kernel.display.diagnostics import text as plain
from rh_kernel.display.registry import records
from rh_kernel.display.registry import text as text_of
from rh_kernel.display.text import visible
from rh_kernel.display.training.runs import progress_text
from rh_kernel.session.printed import apart_from_printed
from rh_kernel.session.races.runs import RaceProgress
from rh_kernel.session.results import Event, ItemFailed, Progress, Result
from rh_kernel.session.sweeps.runs import SweepProgress
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.workspace.status_line import Ticker

BETWEEN_UPDATES = 0.1


class Report:
    """Writes results to standard output; in text form, errors and progress go to standard error."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.failed = False
        self._drawn = ""
        self._drawn_at = 0.0
        self._printed: list[str] = []
        self._ticker = Ticker(self._tick)
        # Status lines are drawn by another thread.
        self._drawing = threading.RLock()

    @contextmanager
    def alive(self) -> Generator[None]:
        """Show a status line on a terminal while nothing else has been shown for a second, within the block."""
        if not sys.stderr.isatty():
            yield
            return
        try:
            with self._ticker.running():
                yield
        finally:
            self._erase()

    def note(self, event: Event) -> None:
        """Record what is being done."""
        self._ticker.note(event)

    def result(self, item: int, result: Result) -> None:
        """Write the result of item number ``item``."""
        self._erase()
        if isinstance(result, ItemFailed):
            self.failed = True
        printed, self._printed = self._printed, []
        if self.as_json:
            if printed and isinstance(result, ItemFailed):
                self.record({"item": item, "kind": "notice", "text": "\n".join(printed)})
            for record in records(item, result):
                self.record(record)
        elif isinstance(result, ItemFailed):
            self._print_diagnostics(result.diagnostics)
        else:
            self.text(text_of(apart_from_printed(result)))
        # Flush, so that the reader of a pipe gets each item when it is done.
        sys.stdout.flush()

    def printed(self, lines: Sequence[str]) -> None:
        """Print lines while an item runs; in JSON they become part of its record."""
        if self.as_json:
            self._printed += lines
            return
        self._erase()
        sys.stdout.writelines([f"{visible(line)}\n" for line in lines])
        sys.stdout.flush()

    def failure(self, diagnostics: Sequence[Diagnostic], item: int | None = None) -> None:
        """Report diagnostics of the whole text, or of one item."""
        self._erase()
        self.failed = True
        if self.as_json:
            for d in diagnostics:
                self.record({"item": item, **error(d)})
        else:
            self._print_diagnostics(diagnostics)

    def record(self, record: Mapping[str, Json]) -> None:
        """Write one JSON object on a line of its own."""
        self._write(json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n")

    def text(self, text: str) -> None:
        """Write text."""
        self._write(text.rstrip("\n") + "\n")

    def progress(self, progress: Progress | SweepProgress | RaceProgress) -> None:
        """Show the progress of a training run, a sweep or a race in one line; only if standard error is a terminal."""
        now = time.monotonic()
        if self.as_json or not sys.stderr.isatty() or now - self._drawn_at < BETWEEN_UPDATES:
            return
        match progress:
            case Progress():
                line = progress_text(progress)
            case SweepProgress():
                from rh_kernel.display.sweeps.view import progress_text as sweep_text

                line = sweep_text(progress)
            case RaceProgress():
                from rh_kernel.display.races.view import progress_text as race_text

                line = race_text(progress)
        self._draw(line.split("\n")[0])
        self._drawn_at = now
        self._ticker.heard()

    def _tick(self) -> None:
        if (line := self._ticker.line) is not None:
            self._draw(line)

    def _draw(self, line: str) -> None:
        """Replace the status line."""
        with self._drawing:
            self._erase()
            self._drawn = line[: shutil.get_terminal_size().columns - 1]
            sys.stderr.write(self._drawn)
            sys.stderr.flush()

    def _erase(self) -> None:
        with self._drawing:
            if self._drawn:
                sys.stderr.write("\r" + " " * len(self._drawn) + "\r")
                sys.stderr.flush()
                self._drawn = ""

    def _write(self, text: str) -> None:
        """Write to standard output; if that is a terminal, erase the status line first."""
        if sys.stdout.isatty():
            self._erase()
            self._ticker.heard()
        sys.stdout.write(text)

    def _print_diagnostics(self, diagnostics: Sequence[Diagnostic]) -> None:
        self._erase()
        sys.stdout.flush()
        render = ansi if coloured(sys.stderr) else plain
        for d in diagnostics:
            sys.stderr.write(render(d) + "\n")


def coloured(stream: TextIO) -> bool:
    """Whether to use colours: the stream is a terminal and NO_COLOR is not set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
