"""Completion under ``%%rh``: names of the session instead of Python's."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from rh_kernel.kernel.completion.completing import completions
from rh_kernel.workspace.workspace import workspace_of

NAME = "rh"
MAGIC = f"%%{NAME}"

Found: TypeAlias = dict[str, Any]
"""The result of a matcher, as IPython expects it."""


class Context(Protocol):
    """IPython's argument to a matcher: the whole cell and the position of the cursor."""

    full_text: str
    cursor_position: int
    cursor_line: int


def matcher(where: object) -> Callable[[Context], Found]:
    """Return the matcher of a shell: it replaces all other completions in ``%%rh`` cells and finds nothing in others."""
    from IPython.core.completer import SimpleCompletion

    def match(context: Context) -> Found:
        lines = context.full_text.split("\n")
        if lines[0].split()[:1] != [MAGIC] or (context.cursor_line == 0 and context.cursor_position <= len(MAGIC)):
            return {"completions": [], "suppress": False}
        cursor = sum([len(line) + 1 for line in lines[: context.cursor_line]]) + context.cursor_position
        # Blank out the magic: it is not part of the program, but offsets must not change.
        text = context.full_text.replace(MAGIC, " " * len(MAGIC), 1)
        start, found = completions(workspace_of(where).session, text, cursor)
        fitting = [SimpleCompletion(text=c.text, type=c.kind) for c in found]
        return {"completions": fitting, "matched_fragment": text[start:cursor], "suppress": True}

    return match


def attach(where: object, matchers: list[Any]) -> None:
    """Add the matcher of a shell to ``matchers``, replacing an earlier one."""
    from IPython.core import completer

    made = cast(Any, completer).context_matcher(identifier=NAME)(matcher(where))
    matchers[:] = [m for m in matchers if getattr(m, "matcher_identifier", "") != NAME]
    matchers.append(made)
