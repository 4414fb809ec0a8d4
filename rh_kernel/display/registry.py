"""The registry of views: how results of each class are shown.

The module of a built-in view is imported when such a result is shown for the first time. Other distributions register views
for their own subclasses of ``Result`` as entry points of the group ``rh_kernel.views``; their values are ``ResultView``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any, Generic, TypeVar, cast

from rh_kernel.display.data import Record
from rh_kernel.display.html import escape
from rh_kernel.display.live.view import View
from rh_kernel.display.markup import element
from rh_kernel.display.text import visible
from rh_kernel.session import results as r
from rh_kernel.session.data_summary import DataShown
from rh_kernel.session.flow.records import FlowMade
from rh_kernel.session.knobs.knob import KnobShown
from rh_kernel.session.predictions import ConfusionShown, SeenShown, SurfaceShown
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.results import Result

R = TypeVar("R", bound=Result)

GROUP = "rh_kernel.views"
"""The group of entry points."""


class Output(Enum):
    """Where a front end shows a result."""

    OWN = "in an output of its own"
    LINE = "in one output with the lines before it"
    VALUE = "in an output of its own, which is the value of the cell if it comes last"


def _nothing_more(_: object) -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class ResultView(Generic[R]):
    """How results of the class ``result`` are shown.

    ``text`` is for a terminal, without a final line end. ``records`` are the objects of ``rh run --json``, one or more, each
    with a ``kind``. ``rich`` gives other MIME types; without ``text/html`` a notebook shows the text. HTML has inline styles,
    no scripts, and escaped text (``display.markup``). ``live`` is the interactive view for a page, if the result has one.
    """

    result: type[R]
    text: Callable[[R], str]
    records: Callable[[R], Iterable[Record]]
    rich: Callable[[R], Mapping[str, str]] = _nothing_more
    live: Callable[[R], View | None] | None = None
    output: Output = Output.OWN


def as_html(html: Callable[[R], str]) -> Callable[[R], Mapping[str, str]]:
    """The ``rich`` of a view with HTML only."""
    return lambda result: {"text/html": html(result)}


_BUILT_IN: Mapping[type[Result], tuple[str, str]] = {
    r.DeclarationMade: ("items", "DECLARATION"),
    r.ValueFound: ("items", "VALUE"),
    r.TypeShown: ("items", "TYPE"),
    r.CheckPassed: ("items", "CHECK"),
    r.Notice: ("items", "NOTICE"),
    r.Overview: ("overview", "OVERVIEW"),
    r.HeapShown: ("heaps", "HEAP"),
    r.NamesShown: ("names", "NAMES"),
    r.ClusterShown: ("clusters", "CLUSTER"),
    r.ItemFailed: ("diagnostics", "FAILURE"),
    r.Warned: ("diagnostics", "WARNING"),
    r.TraceMade: ("traces.view", "TRACE"),
    r.ProgramMade: ("programs.view", "PROGRAM"),
    r.DerivationMade: ("derivations.view", "DERIVATION"),
    r.DiagramMade: ("diagrams.view", "DIAGRAM"),
    r.GradientMade: ("gradients.view", "GRADIENT"),
    DataShown: ("data_sets", "DATA"),
    ConfusionShown: ("predictions.view", "CONFUSION"),
    KnobShown: ("knobs", "KNOB"),
    r.TrainingDone: ("training.runs", "TRAINING"),
    SeenShown: ("predictions.seen", "SEEN"),
    SurfaceShown: ("training.surface_view", "SURFACE"),
    FlowMade: ("flow.view", "FLOW"),
    r.SweepDone: ("sweeps.view", "SWEEP"),
    RaceDone: ("races.view", "RACE"),
    r.Computed: ("lambda_cells.view", "VALUE"),
    r.Differentiated: ("lambda_cells.comparison", "COMPARISON"),
    r.FormsShown: ("lambda_cells.view", "FORMS"),
    r.RewritingShown: ("lambda_cells.view", "REWRITING"),
    r.Returned: ("eff_cells.view", "VALUE"),
    r.Counted: ("eff_cells.view", "COUNTS"),
    r.ReductionShown: ("eff_cells.view", "REDUCTION"),
}
"""The module in ``rh_kernel.display`` and the name of each view."""


def view_of(kind: type[R]) -> ResultView[R]:
    """The view for results of a class: its own, or that of the closest base class, or one that shows ``str(result)``."""
    return cast(ResultView[R], _find(kind))


@cache
def _find(kind: type[Result]) -> ResultView[Any]:
    for base in kind.__mro__:
        if base in _BUILT_IN:
            module, name = _BUILT_IN[base]
            return getattr(import_module(f"rh_kernel.display.{module}"), name)
        if base in _installed():
            return _installed()[base]
    return ResultView(kind, str, lambda result: ({"kind": "result", "text": str(result)},))


@cache
def _installed() -> Mapping[type[Result], ResultView[Any]]:
    from rh_kernel.source.plugins import plugins

    return {view.result: view for view in cast(Mapping[str, ResultView[Any]], plugins(GROUP, ResultView)).values()}


def text(result: Result) -> str:
    """The result as plain text, without a final line end."""
    return "\n".join([visible(line) for line in view_of(type(result)).text(result).split("\n")])


def bundle(result: Result) -> dict[str, str]:
    """The MIME bundle of a result: ``text/plain``, ``text/html``, and the other types of its view."""
    plain, rich = text(result), view_of(type(result)).rich(result)
    return {"text/plain": plain, **(rich if "text/html" in rich else {"text/html": preformatted(plain), **rich})}


def records(item: int, result: Result) -> tuple[Record, ...]:
    """The records of a result of item ``item``, counted from 1 (LANGUAGE §8)."""
    return tuple([{"item": item, **record} for record in view_of(type(result)).records(result)])


def live_view(result: Result | r.Running) -> View | None:
    """The interactive view for a page, if the result has one; a sweep that runs has it too."""
    match result:
        case r.SweepProgress():
            kind: type[Result] = r.SweepDone
        case r.RaceProgress():
            kind = RaceDone
        case _:
            kind = type(result)
    live = cast("Callable[[Result | r.Running], View | None] | None", view_of(kind).live)
    return None if live is None else live(result)


def preformatted(text: str) -> str:
    """Text as a ``<pre>`` that wraps long lines."""
    return element("pre", "margin:0;white-space:pre-wrap;background:none", escape(text))
