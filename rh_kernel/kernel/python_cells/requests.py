"""Tab, Shift-Tab and Enter in a ``%%python`` cell: IPython's answers in bounded time, however long the cell.

IPython and Jedi take more than linear time: minutes for a line of 100,000 characters. So they only see the lines around the
cursor, and if that still takes too long, IPython is asked again without Jedi.
"""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, TypeAlias

from rh_kernel.kernel.python_cells.time_limit import within

Reply: TypeAlias = dict[str, Any]

NEAR = 2_000
"""Characters before the cursor, in whole lines, that IPython sees of a longer cell."""
LINE = 500
"""Characters before the cursor that IPython sees of a longer line."""
SHORT, LONG = 3.0, 0.25
"""Time limits in seconds: for a short cell, where Jedi may have to analyse a library first, and for part of a longer one."""


def complete(shell: Any, text: str, start: int, cursor: int) -> Reply:
    """Complete at ``cursor`` in a cell whose Python begins at ``start``. Returns the content of a ``complete_reply``."""
    begin = _window_start(text, start, cursor)
    is_whole = begin == start and len(text) - start <= NEAR
    fragment = text[begin:] if is_whole else text[begin:cursor]
    found = _completions(shell, fragment, cursor - begin, SHORT if is_whole else LONG)
    if found is None:
        begin = max(begin, text.rfind("\n", start, cursor) + 1)
        with _without_jedi(shell.Completer):
            found = _completions(shell, text[begin:cursor], cursor - begin, LONG)
    types = [
        {"text": c.text, "type": c.type, "start": begin + c.start, "end": begin + c.end, "signature": c.signature}
        for c in found or ()
    ]
    return {
        "status": "ok",
        "matches": [c["text"] for c in types],
        "cursor_start": types[0]["start"] if types else cursor,
        "cursor_end": types[0]["end"] if types else cursor,
        "metadata": {"_jupyter_types_experimental": types},
    }


def inspect(shell: Any, text: str, start: int, cursor: int, detail_level: int, omit_sections: Any) -> Reply:
    """Describe the name at ``cursor``. Returns the content of an ``inspect_reply``."""
    from IPython.utils.tokenutil import token_at_cursor

    begin = _window_start(text, start, cursor)
    end = text.find("\n", cursor, cursor + LINE)
    fragment = text[begin : cursor + LINE if end < 0 else end]

    def ask() -> Reply:
        name = token_at_cursor(fragment, cursor - begin)
        return {"text/plain": shell.object_inspect_mime(name, detail_level, omit_sections)["text/plain"]}

    data: Reply = _within_limit(SHORT, ask) or {}
    return {"status": "ok", "found": bool(data), "data": data, "metadata": {}}


def is_complete(shell: Any, body: str) -> Reply:
    """Whether Enter should run a cell, and if not how to indent the next line: the content of an ``is_complete_reply``."""
    found = _within_limit(SHORT, lambda: shell.check_complete(body))
    if not found:
        return {"status": "unknown"}
    status, indent = found
    return {"status": status, "indent": indent} if status == "incomplete" else {"status": status}


def _window_start(text: str, start: int, cursor: int) -> int:
    """The start of the text before ``cursor`` that IPython sees: whole lines, or the end of a long line."""
    line = max(start, text.rfind("\n", start, cursor) + 1)
    if cursor - line > LINE:
        return cursor - LINE
    if cursor - start <= NEAR:
        return start
    return min(line, text.find("\n", cursor - NEAR, cursor) + 1 or line)


def _completions(shell: Any, fragment: str, cursor: int, seconds: float) -> list[Any] | None:
    """IPython's completions, with positions relative to the fragment; ``None`` if they take too long."""
    from IPython.core.completer import provisionalcompleter, rectify_completions

    def ask() -> list[Any]:
        with provisionalcompleter():
            return [*rectify_completions(fragment, shell.Completer.completions(fragment, cursor))]

    return _within_limit(seconds, ask)


def _within_limit(seconds: float, ask: Any) -> Any:
    """Return what ``ask`` finds within ``seconds``. It may run the user's code, which may raise: then nothing is found."""
    excepthook = sys.excepthook
    # IPython prints the traceback of an error here and carries on.
    sys.excepthook = _print_nothing
    try:
        return within(seconds, ask)
    except Exception:
        return ()
    finally:
        sys.excepthook = excepthook


def _print_nothing(*_: object) -> None:
    """An ``excepthook`` that prints nothing."""


@contextmanager
def _without_jedi(completer: Any) -> Generator[None]:
    before = completer.use_jedi
    completer.use_jedi = False
    try:
        yield
    finally:
        completer.use_jedi = before
