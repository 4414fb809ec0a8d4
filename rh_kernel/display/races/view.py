"""The view of a race: as text, as HTML with pictures and a table, and as a record."""

import csv
import io

from rh_kernel.display.data import Json, Record, strict_json
from rh_kernel.display.live.race import RaceView
from rh_kernel.display.markup import FAINT, MONOSPACE, box, code, element, span
from rh_kernel.display.palette import BACKGROUNDS
from rh_kernel.display.races.curves import Picture
from rh_kernel.display.races.looks import look
from rh_kernel.display.races.sources import clauses_html, differing_text
from rh_kernel.display.races.summary import ends, head, lowest, no_slice, pictures
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.sweeps.sheet import cut
from rh_kernel.display.tables import columns
from rh_kernel.display.text import visible
from rh_kernel.display.training.curves import chart, sparkline
from rh_kernel.display.values import short
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress, Racer

WIDEST = 28
CURVE = 16
BAR = 16


def text(race: RaceDone) -> str:
    """A summary, and a line for each handler: the first and last value of each measure, with its curve."""
    best = lowest(race.racers)
    lines = [head(race)]
    if best is not None:
        racer = race.racers[best]
        lines.append(f"lowest at the end: {racer.text}, with {short(racer.ends[-1])}")
    headings = ["", "handler"]
    for measure in race.measures:
        headings += [cut(visible(measure), WIDEST), ""]
    rows = [_cells(racer, is_best=n == best) for n, racer in enumerate(race.racers)]
    lines += columns([[*headings, "moved"], *rows], "ll" + "rl" * len(race.measures) + "r")
    lines += [no_slice(race)] if no_slice(race) else []
    return "\n".join([*lines, *differing_text(race.clauses, race.racers)])


def _cells(racer: Racer, *, is_best: bool) -> list[str]:
    cells = ["★" if is_best else "", visible(racer.text)]
    for curve in racer.curves:
        cells += [ends(curve), sparkline(curve, CURVE) if curve else ""]
    return [*cells, short(racer.moved)]


def progress(race: RaceProgress) -> dict[str, str]:
    """A race that is running, as a MIME bundle."""
    return {"text/plain": progress_text(race), "text/html": _html(race)}


def progress_text(race: RaceProgress) -> str:
    """One line: ``racing ██▌░░░ 12% · 0.31 · 0.29``."""
    share = sum([racer.share for racer in race.racers]) / max(len(race.racers), 1)
    full = round(share * BAR)
    ends = [short(racer.ends[-1]) for racer in race.racers if racer.ends]
    return " · ".join([f"racing {'█' * full}{'░' * (BAR - full)} {share:.0%}", *ends, *([race.ended] if race.ended else [])])


def html(race: RaceDone) -> str:
    """A summary, the pictures, the table, and the clauses that differ."""
    return _html(race) + clauses_html(race.clauses, race.racers)


def _html(race: RaceDone | RaceProgress) -> str:
    best = lowest(race.racers)
    words = [box("", span("", head(race)))]
    if best is not None and isinstance(race, RaceDone):
        racer = race.racers[best]
        name = code(racer.text, style="font-weight:bold")
        words.append(box("", span("", "★ lowest at the end: "), name, span("", " with "), code(short(racer.ends[-1]))))
    shown = [_card(picture) for picture in pictures(race)]
    note = [box(f"font-size:90%;{FAINT}", span("", no_slice(race)))] if no_slice(race) else []
    return "".join([*words, box("", *shown), *note, _table(race, best)])


def _card(picture: Picture) -> str:
    title = element("div", _TITLE, code(cut(picture.title, 60), style=f"{FAINT};font-size:90%"), title=picture.title)
    parts = [*picture.parts, *[line.svg for line in picture.lines]]
    image = chart(parts, picture.width, picture.height, picture.label)
    note = box(f"font-size:90%;{FAINT}", span("", picture.note)) if picture.note else ""
    style = f"display:inline-block;vertical-align:top;width:{picture.width}px;max-width:100%;margin:4px 14px 4px 0"
    return element("div", style, title, image, note)


_TITLE = "white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
_CELL = "padding:2px 12px;border:none;white-space:nowrap;vertical-align:middle;text-align:left"
_HEAD = f"{_CELL};font-weight:normal;font-size:88%;{FAINT};border-bottom:1px solid rgba(128,128,128,0.4)"


def _table(race: RaceDone | RaceProgress, best: int | None) -> str:
    heads = ["", "handler", *race.measures, "moved"]
    rows = [element("tr", "background:none", *[element("th", _HEAD, code(cut(t, WIDEST)), title=t) for t in heads])]
    for n, racer in enumerate(race.racers):
        mark = element("td", _CELL, "★" if n == best else "")
        name = element("td", _CELL, span(f"color:{look(n).colour};margin-right:0.5em", look(n).sign), code(racer.text))
        cells = [
            element(
                "td",
                f"{_CELL};{MONOSPACE}",
                code(ends(c)),
                span(f"{FAINT};margin-left:0.8em", sparkline(c, CURVE) if c else ""),
            )
            for c in racer.curves
        ]
        cells.append(element("td", f"{_CELL};{MONOSPACE};text-align:right", code(short(racer.moved))))
        background = f"background:{BACKGROUNDS['redex']};font-weight:bold" if n == best else "background:none"
        rows.append(element("tr", background, mark, name, *cells))
    return box("overflow-x:auto", element("table", "border-collapse:collapse;margin:6px 0;border:none", *rows))


def record(race: RaceDone) -> Record:
    """For each handler how far it moved and its measures; the clauses that differ, and the share of the plane."""
    runs: list[Json] = [
        {
            "handler": racer.text,
            "moved": strict_json(racer.moved),
            "measures": [
                {"text": text, "measure": strict_json([*curve])}
                for text, curve in zip(race.measures, racer.curves, strict=True)
            ],
        }
        for racer in race.racers
    ]
    stopped: Record = {"stopped": True} if race.stopped else {}
    clauses: list[Json] = [row.name for row in race.clauses.differing]
    plane: Record = (
        {"share": race.slice.share} if race.slice is not None else {"no_plane": race.no_slice} if race.no_slice else {}
    )
    return {
        "kind": "race",
        "epochs": race.epochs,
        "samples": race.samples,
        "runs": runs,
        "differ_in": clauses,
        **plane,
        **stopped,
    }


def to_csv(race: RaceDone) -> str:
    """The table as CSV with a heading: the handler, the first and the last value of each measure, and how far it moved."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["handler", *[f"{text} {end}" for text in race.measures for end in ("at first", "at the end")], "moved"])
    for racer in race.racers:
        found = [[repr(curve[0]), repr(curve[-1])] if curve else ["", ""] for curve in racer.curves]
        writer.writerow([racer.text, *[value for both in found for value in both], repr(racer.moved)])
    return file.getvalue()


RACE = ResultView(RaceDone, text=text, rich=as_html(html), records=lambda done: (record(done),), live=RaceView)
