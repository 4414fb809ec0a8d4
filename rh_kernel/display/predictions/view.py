"""The view of ``%confusion``: a matrix with the most wrong samples below it; as text and as a record, too."""

from rh_kernel.display.data import Json, Record
from rh_kernel.display.html import escape
from rh_kernel.display.live.confusion import ConfusionView
from rh_kernel.display.markup import FAINT, box, element, span
from rh_kernel.display.palette import ABOVE, BELOW, triple
from rh_kernel.display.predictions.cells import MOST_CLASSES, Sample, columns_of, head, name_of, pairs, samples
from rh_kernel.display.registry import ResultView, as_html
from rh_kernel.display.tables import columns
from rh_kernel.display.thumbnails import thumbnail_html
from rh_kernel.session.predictions import ConfusionShown

SHOWN = 24
"""The most wrong samples that are shown in a page without a kernel."""

LISTED = 8
"""The most wrong samples that are listed in text."""

LISTED_IN_RECORD = 100
"""The most wrong samples that are in a record."""


def _text(shown: ConfusionShown) -> str:
    """The heading, the matrix, and the numbers of the most wrong samples."""
    lines = [head(shown)]
    if shown.classes <= MOST_CLASSES:
        counts, order = shown.counts.tolist(), columns_of(shown)
        rows = [["target", *map(name_of, order), "right"]]
        rows += [[str(i), *[str(row[j] or "·") for j in order], _share(row, i)] for i, row in enumerate(counts)]
        lines += columns(rows, "r" * (len(order) + 2))
    else:
        lines += [f"{pair.count:,} of class {pair.target} taken for {name_of(pair.predicted)}" for pair in pairs(shown)]
    wrong = _wrong(shown, LISTED)
    if wrong:
        lines.append(f"the most wrong: {'; '.join([sample.label for sample in wrong])}")
    return "\n".join(lines)


def _share(row: list[int], i: int) -> str:
    return f"{100 * row[i] / total:.0f} %" if (total := sum(row)) else ""


def _wrong(shown: ConfusionShown, most: int) -> list[Sample]:
    return [*samples(shown, shown.chosen(None, None)[: min(most, shown.size - shown.right)])]


def _html(shown: ConfusionShown) -> str:
    """The heading, the matrix, and the most wrong samples as pictures or numbers."""
    wrong = _wrong(shown, SHOWN)
    figures = "".join([_figure(sample) for sample in wrong])
    count = shown.size - shown.right
    title = f"the {len(wrong)} most wrong" if len(wrong) < count else "the wrong ones, the most wrong first"
    return box("", escape(head(shown))) + _matrix(shown) + (box(FAINT, escape(title)) + box("", figures) if wrong else "")


def _matrix(shown: ConfusionShown) -> str:
    if shown.classes > MOST_CLASSES:
        lines = [f"{pair.count:,} of class {pair.target} taken for {name_of(pair.predicted)}" for pair in pairs(shown)]
        return "".join([box("", escape(line)) for line in lines])
    counts, order = shown.counts.tolist(), columns_of(shown)
    heading = [element("th", _HEAD, span(FAINT, "target ↓ taken for →")), *[_heading(name_of(j)) for j in order]]
    body = [
        element("tr", "background:none", _heading(str(i)), *[_cell(row, i, j) for j in order], _heading(_share(row, i)))
        for i, row in enumerate(counts)
    ]
    rows = [element("tr", "background:none", *heading, _heading("right")), *body]
    return box("overflow-x:auto", element("table", "border-collapse:collapse;margin:4px 0;border:none", *rows))


def _heading(text: str) -> str:
    return element("th", _HEAD, escape(text))


def _cell(row: list[int], i: int, j: int) -> str:
    strength = shade(row[j], sum(row))
    colour = triple(BELOW if i == j else ABOVE)
    style = f"{_CELL};background-color:rgba({colour},{strength:.2f})" if row[j] else f"{_CELL};{FAINT}"
    return element("td", style, str(row[j] or "·"))


def shade(count: int, total: int) -> float:
    """The opacity of a cell: so that one sample of many is seen, too."""
    return 0.12 + 0.5 * (count / total) ** 0.5 if count else 0.0


def _figure(sample: Sample) -> str:
    words = f"{sample.target} → {name_of(sample.predicted)}"
    shown = escape(sample.numbers) if sample.picture is None else thumbnail_html(sample.picture, sample.label)
    caption = element("div", f"font-size:85%;{FAINT}", escape(words))
    return element("div", _FIGURE, shown, caption, title=sample.label)


_HEAD = "font-weight:normal;font-size:85%;padding:2px 6px;border:none;text-align:right"
_CELL = "padding:2px 6px;border:none;text-align:right;min-width:1.6em"
_FIGURE = "display:inline-block;margin:2px 10px 4px 0;text-align:center;vertical-align:top"


def _record(shown: ConfusionShown) -> Record:
    wrong: list[Json] = [
        {"sample": sample.number, "target": sample.target, "predicted": None if sample.predicted < 0 else sample.predicted}
        for sample in _wrong(shown, LISTED_IN_RECORD)
    ]
    counts: list[Json] = [[*row[: shown.classes]] for row in shown.counts.tolist()]
    return {
        "kind": "confusion",
        "data": shown.data,
        "samples": shown.size,
        "right": shown.right,
        "counts": counts,
        "wrong": wrong,
    }


CONFUSION = ResultView(
    ConfusionShown, text=_text, rich=as_html(_html), records=lambda shown: (_record(shown),), live=ConfusionView
)
