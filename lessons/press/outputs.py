"""What cells show, as text, and where two such texts differ by more than the last digits of a number."""

import re
from collections.abc import Iterable
from itertools import groupby, zip_longest
from math import isclose

from lessons.press.texts import Notebook

LONGEST = 60
"""Lines of one output that are kept: the beginning of a long trace says enough."""

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+(?:e[-+]?\d+)?|e-\d+)")
"""A number with a fraction, or a small one. Sizes and counts are neither, and have to be the same."""

TIMED = re.compile(r"\b\d+(?:[.,]\d+)*\s*(?:samples/s|samples a second|ms|µs|s)\b")
"""A time or a speed, which is another on each machine."""

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def plain(cell: Notebook) -> str:
    """All that a cell shows, as text. In how many messages it was sent does not matter."""
    found: list[str] = []
    for name, run in groupby(cell.outputs, lambda output: output.name if output.output_type == "stream" else None):
        outputs = [*run]
        texts = ["".join([output.text for output in outputs])] if name else [*map(_text, outputs)]
        found += [kept for text in texts if (kept := _kept(text))]
    return "\n".join(found)


def differences(expected: str, found: str) -> Iterable[str]:
    """The first place where the texts differ, if there is one; numbers may differ by what rounding and the order of sums do."""
    for place, (old, new) in enumerate(zip_longest(expected.splitlines(), found.splitlines()), start=1):
        if old is None or new is None or not same(old, new):
            yield f"line {place} of the outputs was {old!r} and is {new!r}"
            return


def same(old: str, new: str) -> bool:
    """Whether two lines say the same."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(isclose(float(a), float(b), rel_tol=1e-3, abs_tol=2e-4) for a, b in pairs)


def _text(output: Notebook) -> str:
    """An output that is no stream as text."""
    return "\n".join(output.traceback) if output.output_type == "error" else output.data.get("text/plain", "")


def _kept(text: str) -> str:
    """The beginning of a text, without colours and times."""
    lines = TIMED.sub("‹time›", COLOURS.sub("", text)).rstrip().splitlines()
    return "\n".join(line.rstrip() for line in [*lines[:LONGEST], *(["…"] if len(lines) > LONGEST else [])])
