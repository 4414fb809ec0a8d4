"""The view of ``%trace``."""

from rh_kernel.display.live.view import View
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.traces.html import trace_html
from rh_kernel.display.traces.records import end_record
from rh_kernel.display.traces.text import trace_text
from rh_kernel.session.results import TraceMade

STEPS = 60
"""The text of a longer trace leaves out steps in the middle."""


def _live(trace: TraceMade) -> View:
    from rh_kernel.display.live.stepper import Stepper

    return Stepper(trace)


TRACE = ResultView(
    TraceMade,
    text=lambda trace: trace_text(trace, STEPS),
    rich=as_html(trace_html),
    records=lambda trace: ({"kind": "trace", **end_record(trace)},),
    live=_live,
)
