"""An output of a cell that can be made again, and follows the knobs that its item depends on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rh_kernel.display.live.view import View
from rh_kernel.display.registry import view_of
from rh_kernel.display.text import visible
from rh_kernel.primitives.values import to_array
from rh_kernel.session.knobs.replay import Replay
from rh_kernel.session.knobs.turning import parameter_name
from rh_kernel.session.knobs.what_if import Offered
from rh_kernel.session.results import CheckPassed, ItemFailed, ProgramMade, Result, SweepDone, TrainingDone, ValueFound
from rh_kernel.syntax.core import Term

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live

LONGEST = 60
"""Characters of an item in the list of those that follow a knob."""


@dataclass
class Follower:
    """An output that can be made again.

    ``display`` is the id of its static form. ``behind`` says why it shows earlier values, ``never`` why it always will.
    ``latest`` is the result that the page shows and the saved notebook does not yet.
    """

    cell: str
    replay: Replay
    kind: type[Result]
    display: str
    number: int
    widget: "Live | None" = None
    is_pinned: bool = False
    behind: str = ""
    never: str = ""
    latest: Result | None = None
    view: View | None = None
    values: Mapping[str, Term | None] = field(default_factory=dict[str, Term | None])
    names: str = ""
    offered: Offered | None = None
    known: dict[str, bool] = field(default_factory=dict[str, bool])

    def depends_on(self, name: str) -> bool:
        """Whether the item depends on a name."""
        if name not in self.known:
            self.known[name] = self.replay.depends_on(name)
        return self.known[name]

    def changed(self, values: Mapping[str, Term | None]) -> tuple[str, ...]:
        """Return the knobs with whose values the output was not made, nor was tried to be; ``values`` are the current ones.

        The parameter of a handler whose knob is gone has what is written again.
        """
        gone = [name for name, made in self.values.items() if parameter_name(name) and made is not None and name not in values]
        return (*gone, *[name for name, now in values.items() if not _is_same(self.values.get(name), now)])

    @property
    def label(self) -> str:
        """The cell and the text of the item, on one line."""
        span = self.replay.item.span
        text = " ".join(span.text.split())
        return visible(f"{span.source.name}: {text if len(text) <= LONGEST else f'{text[: LONGEST - 1]}…'}")

    @property
    def state(self) -> str:
        """``pinned``, ``behind`` or ``follows``"""
        return "pinned" if self.is_pinned else "behind" if self.behind else "follows"


def _is_same(one: Term | None, other: Term | None) -> bool:
    if one is None or other is None:
        return one is other
    return np.array_equal(to_array(one), to_array(other), equal_nan=True)


def may_follow(result: Result) -> bool:
    """Whether a result is one of an item that could run again."""
    has_name = isinstance(result, ValueFound | ProgramMade | TrainingDone | SweepDone | CheckPassed)
    return has_name or view_of(type(result)).live is not None


def reasons(failed: ItemFailed) -> str:
    """Return the errors on one line."""
    texts = [f"{d.code} {d.title}: {d.message}" for d in failed.diagnostics]
    return visible(" ".join("; ".join(texts).split()) or "it has an error")
