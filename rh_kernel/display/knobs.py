"""The views of ``%slider`` and ``%knob``: the value and where it lies among the values that the page offers."""

import numpy as np

from rh_kernel.display.data import Json, Record, value
from rh_kernel.display.html import escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.values import value_text
from rh_kernel.primitives.values import to_array
from rh_kernel.session.knobs.knob import KnobShown, Scale
from rh_kernel.syntax.core import Term

WIDTH = 24
"""Characters of the bar of a slider."""

AS_WRITTEN = "as written"
"""What stands for the value of a handler's parameter before it is changed: each application has its own."""

LISTED = 8
"""Values of a list that are written out."""


def nearest(knob: KnobShown) -> int:
    """Return the index of the value that is closest to the current one; -1 if it has what is written."""
    if knob.value is None:
        return -1
    now = to_array(knob.value)
    return int(np.argmin([np.linalg.norm(to_array(V) - now) for V in knob.values]))


def shown(knob: KnobShown, V: Term | None) -> str:
    """Return a value as text; one of a dimension is a whole number."""
    if V is None:
        return AS_WRITTEN
    return str(int(to_array(V).item())) if knob.is_dimension else value_text(V)


def range_text(knob: KnobShown) -> str:
    """Return the values that the knob offers in words."""
    if knob.scale is Scale.LIST:
        listed = [shown(knob, V) for V in knob.values[:LISTED]]
        more = len(knob.values) - len(listed)
        return f"one of {', '.join(listed)}{f' and {more} more' if more else ''}"
    words = f"from {shown(knob, knob.values[0])} to {shown(knob, knob.values[-1])}"
    return f"{words}, logarithmic" if knob.scale is Scale.LOG else words


def _bar(knob: KnobShown) -> str:
    """Return a bar with a mark where the value lies; empty for a list."""
    if knob.scale is Scale.LIST or knob.value is None:
        return ""
    at = round((WIDTH - 1) * nearest(knob) / max(len(knob.values) - 1, 1))
    return f"├{'─' * at}●{'─' * (WIDTH - 1 - at)}┤"


def _equation(knob: KnobShown) -> str:
    return f"{knob.name} {AS_WRITTEN}" if knob.value is None else f"{knob.name} = {shown(knob, knob.value)}"


def _text(knob: KnobShown) -> str:
    bar = _bar(knob)
    return f"{_equation(knob)}{f'  {bar}' if bar else ''}  {range_text(knob)}"


def _html(knob: KnobShown) -> str:
    bar = _bar(knob)
    drawn = element("span", f"{MONOSPACE};white-space:pre", escape(f"  {bar}  "), **{"aria-hidden": "true"}) if bar else "  "
    return box("", code(_equation(knob)), drawn, span(FAINT, range_text(knob)))


def _record(knob: KnobShown) -> Record:
    values: list[Json] = [value(V) for V in knob.values]
    offered: Record = (
        {"values": values} if knob.scale is Scale.LIST else {"from": values[0], "to": values[-1], "scale": knob.scale.value}
    )
    return {"kind": "knob", "name": knob.name, "value": None if knob.value is None else value(knob.value), **offered}


KNOB = ResultView(KnobShown, text=_text, rich=as_html(_html), records=lambda knob: (_record(knob),))
