"""Documents as texts of a bounded size, with what is marked in sight."""

import math
from dataclasses import dataclass

from rh_kernel.syntax.printing.doc import Doc, Mark, MarkKind, annotated_pieces

MOST = 4_000
"""So many bytes a text has at most, in UTF-8."""

BESIDE = 50
"""So many bytes at least are shown beside what is marked, on both sides together."""

DOTS = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text, and in it what is marked: both cut to ``MOST`` bytes. Of what is marked at least the beginning is in the text."""

    marked: str
    text: str


def excerpt(doc: Doc, kind: MarkKind = "redex", most: int = MOST) -> Excerpt:
    """What is around the first part of a document that is marked so, on one line; without a mark its beginning."""
    pieces, found = annotated_pieces(doc, math.inf)
    part = next((part for annotation, part in found if annotation == Mark(kind)), None)
    if part is None:
        return Excerpt("", _head(_line(pieces), most))
    return _cut(_line(pieces[: part.start]), _line(pieces[part]), _line(pieces[part.stop :]), most)


def _cut(before: str, inside: str, after: str, most: int) -> Excerpt:
    whole = before + inside + after
    if len(whole.encode()) <= most:
        return Excerpt(inside, whole)
    marked = _head(inside, most - BESIDE)
    if marked is not inside:
        return Excerpt(marked, _tail(before, BESIDE) + marked)
    # Each side has half of the room, and what the other one does not need.
    room = most - len(marked.encode())
    end = _head(after, max(room // 2, room - len(before.encode())))
    return Excerpt(marked, _tail(before, room - len(end.encode())) + marked + end)


def _line(pieces: list[str]) -> str:
    """Pieces of a text on one line. A blank at an end stays."""
    text = "".join(pieces)
    words = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if words and text[-1:].isspace() else ''}"


def _head(text: str, most: int) -> str:
    """The beginning of a text, so many bytes at most; the text itself if it has no more."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return encoded[: max(most - len(DOTS.encode()), 0)].decode(errors="ignore") + DOTS


def _tail(text: str, most: int) -> str:
    """The end of a text, likewise."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return DOTS + encoded[len(encoded) - max(most - len(DOTS.encode()), 0) :].decode(errors="ignore")
