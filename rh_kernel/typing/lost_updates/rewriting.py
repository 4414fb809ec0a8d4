"""The quick fix for a lost update: the clause reads the location again on the way back, ``let w' <= Get[l]() in …``."""

import re

from rh_kernel.source.diagnostic import Fix
from rh_kernel.source.span import Span
from rh_kernel.typing.lost_updates.contents import StalePut

_NAME = re.compile(r"[^\W\d][\w']*")


def mention_of(stale: StalePut) -> str:
    """The text that stands for the content that was read on the way forward: ``w`` or ``z.1``."""
    return next((read.place.text for read in stale.kept if read.place is not None), "w")


def rewritten(stale: StalePut, clause: Span | None) -> Fix | None:
    """Replace the stale content in what is put back by a new name, bound before; ``None`` if no single place is before all."""
    put = stale.put.span
    places = sorted({read.place for read in stale.kept if read.place is not None}, key=lambda place: place.start)
    if put is None or clause is None or not places or any(place.source is not clause.source for place in places):
        return None
    starts = [start for start in stale.starts if start.start <= places[0].start]
    if not starts:
        return None
    start = max(starts, key=lambda start: start.start)
    index = _index(put.text)
    if index is None or not all(start.start <= span.start and span.end <= start.end for span in (*places, put)):
        return None
    mention, arrow = mention_of(stale), "⇐" if "⇐" in clause.text else "<="
    new = _fresh(mention if _NAME.fullmatch(mention) else "w", clause.text)
    whole = Span(start.source, start.start, places[-1].end)
    text, at = "", whole.start
    for place in places:
        text += whole.source.text[at : place.start] + new
        at = place.end
    return Fix(whole, f"let {new} {arrow} Get[{index}]() in{_separator(start)}{text}")


def _separator(start: Span) -> str:
    """A line end and the indentation of a command that has a line of its own or several lines, otherwise a space."""
    line, column = start.source.position(start.start)
    is_first = not start.source.line(line)[: column - 1].strip()
    return f"\n{' ' * (column - 1)}" if is_first or "\n" in start.text else " "


def _index(put: str) -> str | None:
    """The text between the brackets of ``Put[…](…)``."""
    depth, first = 0, put.find("[")
    for i in range(first, len(put)) if first >= 0 else ():
        depth += {"[": 1, "]": -1}.get(put[i], 0)
        if depth == 0:
            return put[first + 1 : i].strip()
    return None


def _fresh(name: str, text: str) -> str:
    taken = set(_NAME.findall(text))
    while name in taken:
        name += "'"
    return name
