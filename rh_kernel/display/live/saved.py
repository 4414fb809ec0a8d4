"""What a saved page of a view has instead of a kernel: the answers of the questions that the view asks most.

A page in a file can ask nothing. So its record has, beside the opening record, pairs of a question and its answer, the most
useful first, up to ``MOST`` characters; ``widgets/saved.js`` finds in it what serves. Other questions are refused in words.
"""

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias, cast

from rh_kernel.display.data import Json, Record
from rh_kernel.display.live.confusion import ANY, PAGE
from rh_kernel.display.live.view import Unanswerable, View

MOST = 8_000_000
"""The most characters of JSON that the answers may take."""

MOST_IN_NOTEBOOK = 200_000
"""The most characters of the answers that a notebook keeps with an output: they are computed whenever it is shown."""

LARGEST_IN_NOTEBOOK = 400_000
"""The longest encoded record that a notebook keeps with an output, in characters."""

MIME = "application/vnd.rh.view+json"
"""The MIME type of a saved view in an output of a notebook: ``{"kind", "record"}``, the record encoded."""

WIDTHS = (90, 40)
"""The widths of lines, in columns, in which steps are saved: for a screen and for a phone."""

FEW_SAMPLES = 1_000
"""Of a confusion matrix of so many samples all are saved, of a larger one a page for each cell."""

Opened: TypeAlias = Mapping[str, Any]
Answers: TypeAlias = Iterator[tuple[Record, Record]]


def saved_record(view: View, most: int = MOST) -> Record:
    """Return ``{"kind", "opening", "answers", "whole"}`` for a view that no page has asked anything yet.

    ``whole`` says whether all answers are there that a saved page can have; else they took more than ``most`` characters.
    """
    opening = view.opening()
    answers: list[list[Record]] = []
    left = most
    for question, answer in _answers(view, opening):
        left -= len(json.dumps(answer, ensure_ascii=False))
        if left < 0:
            break
        answers.append([question, answer])
    return {"kind": view.kind, "opening": opening, "answers": cast(Any, answers), "whole": left >= 0}


def encoded(record: Record) -> str:
    """Return a record as JSON, compressed (RFC 1950), in base64."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def notebook_form(view: View) -> Mapping[str, Any]:
    """Return ``MIME``, the form in which a notebook keeps a view that nothing has been asked yet; nothing if it is large."""
    record = encoded(saved_record(view, MOST_IN_NOTEBOOK))
    return {MIME: {"kind": view.kind, "record": record}} if len(record) <= LARGEST_IN_NOTEBOOK else {}


def _answers(view: View, opening: Record) -> Answers:
    """Yield the answers for a view of a kind that this module knows; any other has its opening record alone."""
    match view.kind:
        case "stepper":
            yield from _of_stepper(view, opening)
        case "rewriting":
            steps = max(int(cast(float, opening["steps"])), 1)
            yield from _asked(view, [{"ask": "step", "step": n, "width": w} for w in WIDTHS for n in range(steps)])
        case "player":
            yield from _of_player(view, opening)
        case "diagram":
            yield from _of_diagram(view, opening)
        case "derivation":
            yield from _of_derivation(view, opening)
        case "confusion":
            yield from _of_confusion(view, opening)
        case _:
            pass


def _asked(view: View, questions: Iterator[Record] | list[Record]) -> Answers:
    for question in questions:
        try:
            yield question, view.answer(question)
        except Unanswerable:
            continue


def _of_stepper(view: View, opening: Opened) -> Answers:
    """The phases, the heap after each change, and every step: in wide lines, then in narrow ones."""
    yield from _asked(view, [{"ask": "legs"}, {"ask": "heap", "state": 0}])
    yield from _asked(view, [{"ask": "heap", "state": put + 1} for put in opening["puts"]])
    for width in WIDTHS:
        begin = 0
        while begin < max(opening["steps"], 1):
            question: Record = {"ask": "window", "from": begin, "count": 100, "whole": False, "width": width}
            answer = view.answer(question)
            yield question, answer
            begin += max(len(cast(list[Any], answer["details"])), 1)


def _of_player(view: View, opening: Opened) -> Answers:
    """The other drawing, what is written in rounds, and large arrays."""
    for p, made in enumerate(opening["passes"]):
        yield from _asked(
            view, [{"ask": "layout", "pass": p, "folded": f} for f in made["foldings"] if f != made.get("folded")]
        )
        yield from _asked(view, [{"ask": "written", "pass": p, "from": 0, "to": made["frames"]}])
        cut = [(n, use) for n, use in enumerate(made["accesses"]) if use["after"]["values"] is None]
        yield from _asked(view, [{"ask": "access", "pass": p, "access": n} for n, _ in cut])
        large = [wire["id"] for wire in made["wires"] if wire["content"]["values"] is None]
        yield from _asked(view, [{"ask": "wire", "pass": p, "wire": wire} for wire in large])


def _of_diagram(view: View, opening: Opened) -> Answers:
    """The drawings with one fold more or less closed, with none and with all; the files; and other ways to draw rounds."""
    if opening["drawing"] is None:
        return
    shown, first = opening["rounds"]["shown"], opening["drawing"]["folded"]
    every = [fold["id"] for fold in opening["folds"]]
    kinds = dict.fromkeys([fold["kind"] for fold in opening["folds"]])
    of_kinds = [[fold["id"] for fold in opening["folds"] if fold["kind"] == kind] for kind in kinds]
    toggled = [sorted({*first} ^ {fold}) for fold in every]
    choices = {tuple(folded): folded for folded in ([], every, *of_kinds, *toggled) if folded != first}
    yield from _asked(view, [{"ask": "layout", "folded": folded, "rounds": shown} for folded in choices.values()])
    for form in ("svg", "tikz", "dot", "text"):
        yield from _asked(view, [{"ask": "export", "as": form, "folded": first, "rounds": shown}])
    others = [value for value, _ in opening["rounds"]["choices"] if value != shown]
    yield from _asked(view, [{"ask": "rounds", "rounds": value} for value in [*others, *([shown] if others else [])]])


def _of_derivation(view: View, opening: Opened) -> Answers:
    """All judgments, from the root on; the texts to copy; and the files."""
    for t in range(len(opening["trees"])):
        known: set[int] = set()
        waiting = [0]
        while waiting:
            node = waiting.pop(0)
            if node in known:
                continue
            question: Record = {"ask": "open", "tree": t, "node": node, "levels": 12}
            answer = view.answer(question)
            found = cast("list[dict[str, Any]]", answer["nodes"])
            known |= {each["id"] for each in found}
            waiting += [premise for each in found for premise in each["premises"] if premise not in known]
            yield question, answer
        yield from _asked(view, [{"ask": "judgment", "tree": t, "node": node} for node in sorted(known)])
    yield from _asked(view, [{"ask": "export", "as": form} for form in ("latex", "text")])


def _of_confusion(view: View, opening: Opened) -> Answers:
    """The samples of each cell, the first page of them, of small data all; then those of each row and column.

    A sample is in several cells, so ``{"ask": "pool"}`` has it once, and the other answers have the numbers of samples.
    """
    counts, columns = opening["counts"], [column["predicted"] for column in opening["columns"]]
    cells = [(i, j, count) for i, row in enumerate(counts) for j, count in zip(columns, row, strict=True)] or [
        (pair["target"], pair["predicted"], pair["count"]) for pair in opening["pairs"]
    ]
    rows = [(i, ANY, sum(row)) for i, row in enumerate(counts)]
    totals = [(ANY, j, sum([row[n] for row in counts])) for n, j in enumerate(columns)]
    known: set[int] = set()
    for target, predicted, count in ((ANY, ANY, opening["size"]), *cells, *rows, *totals):
        for start in range(0, max(count, 1) if opening["size"] <= FEW_SAMPLES else 1, PAGE):
            question: Record = {"ask": "samples", "target": target, "predicted": predicted, "from": start}
            for asked, answer in _asked(view, [question]):
                samples = cast("list[dict[str, Any]]", answer["samples"])
                numbers: list[Json] = [sample["number"] for sample in samples]
                new: list[Json] = [sample for sample in samples if sample["number"] not in known]
                known |= {sample["number"] for sample in samples}
                if new:
                    yield {"ask": "pool"}, {"samples": new}
                yield asked, {"numbers": numbers, "count": answer["count"]}
