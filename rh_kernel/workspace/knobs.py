"""The knobs of a notebook and the outputs that follow them: what depends on a value that is changed in the page runs again.

An output follows from the heap from which its item first ran, so however often a value changes, each output shows what one run
with that value gives; the heap of the session stays. An output that is pinned, or cannot follow, says so. The value of a
handler's parameter is no part of the session: only the outputs that follow have it, and a cell that runs has what is written.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

from rh_kernel.display.data import Json, Record
from rh_kernel.display.knobs import nearest, shown
from rh_kernel.display.live.player import Player
from rh_kernel.display.live.view import Unanswerable, View
from rh_kernel.display.registry import Output, bundle, live_view, view_of
from rh_kernel.display.text import visible
from rh_kernel.primitives.values import to_array
from rh_kernel.session.knobs.events import Begun
from rh_kernel.session.knobs.knob import KnobShown
from rh_kernel.session.knobs.replay import SECONDS, Replay, is_out_of_time
from rh_kernel.session.knobs.show import Named, named
from rh_kernel.session.knobs.turning import declared_name, parameter_name, turned
from rh_kernel.session.knobs.what_if import changed
from rh_kernel.session.results import (
    Event,
    GradientMade,
    ItemFailed,
    Result,
    Running,
    Shown,
    ValueFound,
)
from rh_kernel.session.session import Session
from rh_kernel.source.diagnostic import Failure
from rh_kernel.syntax.core import Array, Term
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Declared, Definitions
from rh_kernel.workspace.errors import Busy
from rh_kernel.workspace.followers import Follower, may_follow, reasons
from rh_kernel.workspace.interrupts import Interrupts
from rh_kernel.workspace.knob_views import FollowerChanges, KnobView
from rh_kernel.workspace.outputs import AddWidgets, Bundle
from rh_kernel.workspace.widgets import Widgets, saved
from rh_kernel.workspace.workspace import Workspace

if TYPE_CHECKING:
    from rh_kernel.display.live.widget import Live

Update: TypeAlias = Callable[[str, Mapping[str, Any]], None]
"""Replaces the static output with this display id by a bundle."""

MOST_FOLLOWERS = 100
"""The most outputs that are kept to run again, over all cells; the oldest are forgotten first."""

MOST_REALS = 50_000
"""Items that ran from larger heaps do not run again: each of them would keep the contents of its locations in memory."""


DECLARED_AGAIN = "that was declared again; run this cell again"
RAN_AS_WRITTEN = "it shows what is written, and follows at the next move"


class Knobs:
    """The knobs and what follows them."""

    def __init__(self, workspace: Workspace, update: Update) -> None:
        self._workspace = workspace
        self._update = update
        self.views: list[tuple[str, KnobView]] = []
        self.followers: list[Follower] = []
        self._begun: Begun | None = None
        self._coming: Follower | None = None
        self._count = 0
        self._given: dict[str, Term] = {}

    def clear(self, cell: str) -> None:
        """Forget the outputs of a cell that runs again."""
        self.views = [(owner, view) for owner, view in self.views if owner != cell]
        self.followers = [f for f in self.followers if f.cell != cell]
        names = {view.knob.name for _, view in self.views}
        self._given = {name: value for name, value in self._given.items() if name in names}

    def display_of(self, cell: str, event: Event) -> str | None:
        """Note an event that is about to be shown; return the display id for an output that may change later, else ``None``."""
        self._coming = None
        match event:
            case Begun():
                self._begun = event
            case Shown(_, KnobShown() as knob):
                view = KnobView(self, replace(knob, value=self._given.get(knob.name, knob.value)), uuid4().hex)
                self.views.append((cell, view))
                return view.display
            case Shown(_, result) if self._begun is not None and may_follow(result):
                session = self._begun.session
                return self._followed(cell, result, Replay(self._begun.item, session)) if isinstance(session, Session) else None
            case _:
                pass
        return None

    def adding(self, widgets: Widgets, cell: str) -> AddWidgets:
        """Return what adds widgets to the outputs of a cell, with the views of knobs and of what follows them."""

        def add_widgets(result: Result | Running, static: Bundle) -> Iterable[Bundle]:
            view = self._view(result)
            shown = widgets.outputs(cell, result, static, view)
            self._opened(widgets.latest, view)
            return shown

        return add_widgets

    def _view(self, result: Result | Running) -> View | None:
        """Return the view of what is about to be shown if that is a knob or can run again with other numbers, else ``None``."""
        match result:
            case KnobShown() if self.views:
                return self.views[-1][1]
            case GradientMade() if self._coming is not None and not self._coming.never:
                self._coming.view = self._player(self._coming, result)
                return self._coming.view
            case _:
                return None

    def _player(self, follower: Follower, made: GradientMade) -> Player:
        return Player(made, FollowerChanges(self, follower, made))

    def run_changed(self, follower: Follower, point: Array | None, contents: Mapping[Location, Array]) -> GradientMade:
        """Return the pass of an output with other numbers, which has no effect. Raises ``Unanswerable``."""
        with Interrupts().watched():
            result = changed(follower.replay, point, contents).run(GradientMade, self.values_of(follower))
        if isinstance(result, GradientMade):
            return result
        raise Unanswerable(reasons(result) if isinstance(result, ItemFailed) else "this cannot run again")

    def _opened(self, widget: "Live | None", view: View | None) -> None:
        """Note the widget that shows the latest result."""
        if isinstance(view, KnobView):
            view.widget = widget
        elif self._coming is not None:
            self._coming.widget = widget

    def renew(self) -> None:
        """Show in all knobs what a cell has changed: values, and outputs that follow."""
        self._begun = self._coming = None
        self.views = [(cell, view) for cell, view in self.views if view.widget is None or view.widget.is_open]
        for _, view in self.views:
            now = self._named(view.knob)
            if now is not None:
                view.knob = replace(view.knob, value=now.value)
        for follower in self.followers:
            values = self.values_of(follower)
            changed = follower.changed(values)
            if any(name in follower.values for name in changed):
                self._run_again(follower)
            elif changed and not follower.behind:
                follower.behind = RAN_AS_WRITTEN
        self._show()

    def turn(self, knob: KnobShown, value: Term | None) -> None:
        """Give the name of a knob a value, and run again what depends on it; ``None`` for what is written.

        Raises ``Unanswerable``.
        """
        name, interrupts = knob.name, Interrupts()
        if self._named(knob) is None:
            raise Unanswerable(_gone(knob))
        with interrupts.watched():
            if parameter_name(name):
                others = {other: V for other, V in self._given.items() if other != name}
                self._given = others if value is None else {**others, name: value}
            elif value is not None:
                self._change(name, value)
            for _, view in self.views:
                if view.knob.name == name:
                    view.knob = replace(view.knob, value=value)
            for follower in self._of(name):
                self._run_again(follower)
        self._mark()

    def _change(self, name: str, value: Term) -> None:
        """Give a constant or a dimension of the session a value. Raises ``Unanswerable``."""
        try:
            with self._workspace.changing() as put:
                before = self._workspace.session
                put(replace(turned(before, name, value), past=before.past))
        except Busy:
            raise Unanswerable("a cell is running; the value changes when it is done") from None
        except Failure as failure:
            raise Unanswerable(reasons(ItemFailed(failure.diagnostics))) from None

    def pin(self, number: int, *, on: bool) -> None:
        """Pin an output, or let it follow again."""
        for follower in self.followers:
            if follower.number == number:
                follower.is_pinned = on
                if not on:
                    self._run_again(follower)
        self._show()

    def settle(self) -> None:
        """Renew the static forms of what has changed."""
        self._show()
        for _, view in self.views:
            static = bundle(view.knob)
            self._update(view.display, static if view.widget is None else view.widget.beside(static)[-1])
        for follower in self.followers:
            latest, follower.latest = follower.latest, None
            if latest is not None:
                if isinstance(latest, GradientMade) and follower.widget is not None and follower.widget.is_open:
                    # While values change, boxes keep their places; now they get the room that their texts need.
                    view = self._player(follower, latest)
                    if isinstance(follower.view, Player):
                        view.draw_like(follower.view, in_place=False)
                    follower.view = view
                    follower.widget.show(view)
                static = {**bundle(latest), **saved(latest)}
                self._update(follower.display, static if follower.widget is None else follower.widget.beside(static)[-1])

    def state_of(self, knob: KnobShown) -> Record:
        """Return the value of a knob, what follows it, and why it cannot be changed, if so."""
        now = self._named(knob)
        current = knob if now is None else replace(knob, value=now.value)
        declared = self._declared(knob.name)
        followers: list[Json] = [
            {
                "number": f.number,
                "label": f.label,
                "state": f.state,
                "why": f.behind,
                "follows": not f.never,
                "applications": f.replay.applications(knob.name),
            }
            if declared is not None and f.replay.knew(declared)
            else {"number": f.number, "label": f.label, "state": "behind", "why": DECLARED_AGAIN, "follows": False}
            for f in self.followers
            if f.depends_on(knob.name)
        ]
        return {
            "at": nearest(current),
            "value": shown(current, current.value),
            "gone": "" if now is not None else _gone(knob),
            "followers": followers,
        }

    def _named(self, knob: KnobShown) -> Named | None:
        """Return what the knob sets, with its current value; ``None`` if its name no longer stands for such a thing."""
        now = named(self._definitions, knob.name)
        if now is None or (now.type is None) != knob.is_dimension or not now.takes(to_array(knob.values[0]).shape):
            return None
        return replace(now, value=self._given.get(knob.name)) if parameter_name(knob.name) else now

    def _declared(self, name: str) -> Declared | None:
        """Return the declaration that a knob of this name sets."""
        return self._definitions.named.get(declared_name(name))

    @property
    def _definitions(self) -> Definitions:
        """What is declared now: in a cell that runs, at its current item."""
        running = None if self._begun is None else self._begun.session
        return (running if isinstance(running, Session) else self._workspace.session).definitions

    def _of(self, name: str) -> list[Follower]:
        """Return the outputs that depend on a name as it is declared now."""
        declared = self._declared(name)
        return [f for f in self.followers if declared is not None and f.depends_on(name) and f.replay.knew(declared)]

    def values_of(self, follower: Follower) -> dict[str, Term | None]:
        """Return the current values of the knobs that an output depends on, ``None`` for what is written."""
        found: dict[str, Term | None] = {}
        for name, knob in {view.knob.name: view.knob for _, view in self.views}.items():
            declared, now = self._declared(name), self._named(knob)
            if declared is not None and now is not None and follower.depends_on(name) and follower.replay.knew(declared):
                found[name] = now.value
        return found

    def _followed(self, cell: str, result: Result, replay: Replay) -> str | None:
        """Keep an output that may follow; return its display id if it can be changed."""
        session = replay.session
        self._count += 1
        follower = Follower(cell, replay, type(result), uuid4().hex, self._count)
        if sum([array.size for array in session.heap.values()]) > MOST_REALS:
            follower.never = "its heap is large"
            follower.replay = replace(replay, session=replace(session, heap=MappingProxyType({}), initial=MappingProxyType({})))
        elif replay.is_training:
            follower.never = "it trains a net"
        elif view_of(type(result)).output is Output.LINE:
            follower.never = "it is one of several lines"
        elif isinstance(result, ValueFound) and not self.values_of(follower):
            follower.never = "it ran before there was a knob"
        follower.values = {name: now.value for name in session.definitions.named if (now := named(session.definitions, name))}
        self.followers = [*self.followers[-MOST_FOLLOWERS + 1 :], follower]
        self._coming = follower
        return None if follower.never else follower.display

    def _run_again(self, follower: Follower) -> None:
        if follower.is_pinned:
            follower.behind = "pinned"
            return
        if follower.never:
            follower.behind = f"{follower.never}: run its cell again"
            return
        values = self.values_of(follower)
        result = follower.replay.run(follower.kind, values)
        if isinstance(result, ItemFailed):
            if is_out_of_time(result):
                follower.never = f"it takes longer than {SECONDS} s"
                follower.behind = f"{follower.never}: run its cell again"
            else:
                follower.behind = reasons(result)
            return
        follower.behind, follower.latest, follower.values, follower.offered = "", result, values, None
        if follower.widget is not None and follower.widget.is_open:
            view = self._player(follower, result) if isinstance(result, GradientMade) else live_view(result)
            if isinstance(view, Player) and isinstance(follower.view, Player):
                view.draw_like(follower.view)
            follower.view = view
            if view is not None:
                follower.widget.show(view)
        else:
            follower.latest = None
            self._update(follower.display, bundle(result))

    def _show(self) -> None:
        """Show in all knobs their values and what follows them, and mark the outputs."""
        for _, view in self.views:
            if view.widget is not None and view.widget.is_open:
                view.widget.show(view)
        self._mark()

    def _mark(self) -> None:
        """Mark the outputs in the page that depend on knobs: whether they show the current values."""
        for follower in self.followers:
            widget = follower.widget
            if widget is None or not widget.is_open:
                continue
            names = ", ".join(map(visible, self.values_of(follower)))
            if names:
                follower.names = names
                widget.mark = {"state": follower.state, "why": follower.behind, "names": names}
            elif follower.names:
                widget.mark = {"state": "behind", "why": DECLARED_AGAIN, "names": follower.names}


def _gone(knob: KnobShown) -> str:
    return f"`{visible(knob.name)}` is no longer declared with such a value"
