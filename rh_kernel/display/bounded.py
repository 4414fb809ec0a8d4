"""Excerpts of documents, cut to a bounded size around the marked part."""

import math
from dataclasses import dataclass

from rh_kernel.syntax.printing.doc import Doc, Mark, MarkKind, annotated_pieces

MOST = 4_000
"""The largest size of a text, in bytes of UTF-8."""

BESIDE = 50
"""The least number of bytes that are kept for the text before and after the marked part."""

DOTS = "…"


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A text and the marked part of it, of at most ``MOST`` bytes each. The text contains at least the part's beginning."""

    marked: str
    text: str


def excerpt(doc: Doc, kind: MarkKind = "redex", most: int = MOST) -> Excerpt:
    """Return one line around the first part with a mark of this kind, or the beginning of a document without one."""
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
    # Each side gets half of the remaining bytes, and what the other side does not need.
    left = most - len(marked.encode())
    end = _head(after, max(left // 2, left - len(before.encode())))
    return Excerpt(marked, _tail(before, left - len(end.encode())) + marked + end)


def _line(pieces: list[str]) -> str:
    """Join pieces of text on one line, with single spaces; a space at either end is kept."""
    text = "".join(pieces)
    words = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if words and text[-1:].isspace() else ''}"


def _head(text: str, most: int) -> str:
    """Return the first ``most`` bytes of a text; ``text`` itself if it has no more."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return encoded[: max(most - len(DOTS.encode()), 0)].decode(errors="ignore") + DOTS


def _tail(text: str, most: int) -> str:
    """Return the last ``most`` bytes of a text; ``text`` itself if it has no more."""
    encoded = text.encode()
    if len(encoded) <= most:
        return text
    return DOTS + encoded[len(encoded) - max(most - len(DOTS.encode()), 0) :].decode(errors="ignore")
