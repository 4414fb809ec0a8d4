"""The Tab key under ``%%rh``: the names of the session that fit, in the place of Python's."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, cast

from rh_kernel.kernel.completion.completing import completions
from rh_kernel.workspace.workspace import workspace_of

NAME = "rh"
MAGIC = f"%%{NAME}"

Found: TypeAlias = dict[str, Any]
"""What IPython takes from a matcher."""


class Context(Protocol):
    """What IPython tells a matcher: the whole cell, and where in it the cursor stands."""

    full_text: str
    cursor_position: int
    cursor_line: int


def matcher(where: object) -> Callable[[Context], Found]:
    """The matcher of a shell; in a cell of another language it finds nothing, in one of ours what it finds is all there is."""
    from IPython.core.completer import SimpleCompletion

    def match(context: Context) -> Found:
        lines = context.full_text.split("\n")
        if lines[0].split()[:1] != [MAGIC] or (context.cursor_line == 0 and context.cursor_position <= len(MAGIC)):
            return {"completions": [], "suppress": False}
        cursor = sum([len(line) + 1 for line in lines[: context.cursor_line]]) + context.cursor_position
        # The magic is no part of the program, but its place in the cell counts.
        text = context.full_text.replace(MAGIC, " " * len(MAGIC), 1)
        start, found = completions(workspace_of(where).session, text, cursor)
        fitting = [SimpleCompletion(text=c.text, type=c.kind) for c in found]
        return {"completions": fitting, "matched_fragment": text[start:cursor], "suppress": True}

    return match


def attach(where: object, matchers: list[Any]) -> None:
    """Put the matcher of a shell among ``matchers``, in the place of an earlier one."""
    from IPython.core import completer

    made = cast(Any, completer).context_matcher(identifier=NAME)(matcher(where))
    matchers[:] = [m for m in matchers if getattr(m, "matcher_identifier", "") != NAME]
    matchers.append(made)
