"""What knobs, and the outputs that follow them, answer to the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rh_kernel.display.data import Json, Record
from rh_kernel.display.knobs import range_text, shown
from rh_kernel.display.live.view import Unanswerable, bool_field, int_field, text_field
from rh_kernel.display.text import visible
from rh_kernel.session.knobs.knob import KnobShown
from rh_kernel.session.knobs.turning import parameter_name
from rh_kernel.session.knobs.what_if import Offered, offered
from rh_kernel.session.results import GradientMade
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.workspace.followers import Follower

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live


class Turning(Protocol):
    """What gives names their values and runs outputs again: the knobs of a notebook."""

    def turn(self, knob: KnobShown, value: Term | None) -> None:
        """Give the name of a knob a value; ``None`` for what is written. Raises ``Unanswerable``."""
        ...

    def pin(self, number: int, *, on: bool) -> None:
        """Pin an output, or let it follow again."""
        ...

    def settle(self) -> None:
        """Renew the static forms of what has changed."""
        ...

    def state_of(self, knob: KnobShown) -> Record:
        """Return the value of a knob, what follows it, and why it cannot be changed, if so."""
        ...

    def values_of(self, follower: Follower) -> Mapping[str, Term | None]:
        """Return the current values of the knobs that an output depends on."""
        ...

    def run_changed(self, follower: Follower, point: Array | None, contents: Mapping[Location, Array]) -> GradientMade:
        """Return the pass of an output with other numbers. Raises ``Unanswerable``."""
        ...


class KnobView:
    """The view of a knob in a page: the answers to its questions change values of the session."""

    kind = "knob"

    def __init__(self, knobs: Turning, knob: KnobShown, display: str) -> None:
        self._knobs = knobs
        self.knob = knob
        self.display = display
        self.widget: Live | None = None

    def opening(self) -> Record:
        """Return the name, the values as text, the index of the current one, and the outputs that follow."""
        knob = self.knob
        values: list[Json] = [shown(knob, V) for V in knob.values]
        return {
            "name": visible(knob.name),
            "values": values,
            "scale": knob.scale.value,
            "range": range_text(knob),
            "parameter": bool(parameter_name(knob.name)),
            **self._knobs.state_of(knob),
        }

    def answer(self, question: Record) -> Record:
        """Answer ``turn``, ``pin`` (the output ``number``), or ``settle``.

        ``turn`` is to the value ``at`` an index, or -1 for what is written. ``settle`` says that no further change follows at
        once: the outputs of the saved notebook are renewed. Raises ``Unanswerable``.
        """
        match text_field(question, "ask"):
            case "turn":
                at = int_field(question, "at", -1 if parameter_name(self.knob.name) else 0, len(self.knob.values) - 1)
                self._knobs.turn(self.knob, None if at < 0 else self.knob.values[at])
            case "pin":
                self._knobs.pin(int_field(question, "number", 0, 10**9), on=bool_field(question, "on"))
            case "settle":
                self._knobs.settle()
            case _:
                raise Unanswerable("one can ask for `turn`, `pin` and `settle`")
        return self._knobs.state_of(self.knob)


@dataclass(frozen=True, slots=True)
class FollowerChanges:
    """The changes of the input and of contents that a player may ask for."""

    knobs: Turning
    follower: Follower
    made: GradientMade

    def offered(self) -> Offered:
        """Return what can be changed, with what it was."""
        if self.follower.offered is None:
            self.follower.offered = offered(self.follower.replay, self.made, self.knobs.values_of(self.follower))
        return self.follower.offered

    def run(self, point: Array | None, contents: Mapping[Location, Array]) -> GradientMade:
        """Return the pass with these numbers. Raises ``Unanswerable``."""
        return self.knobs.run_changed(self.follower, point, contents)
