"""Text tables, truncation of long tables, and the table of the rules used in a trace or a derivation."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from rh_kernel.display.markup import FAINT, details, span, table
from rh_kernel.display.palette import COLOURS
from rh_kernel.paper import Rule
from rh_kernel.syntax.printing.doc import Role, cells
from rh_kernel.typing.derivation.derivations import TypingRule

S = TypeVar("S")
T = TypeVar("T")
AnyRule = TypeVar("AnyRule", Rule, TypingRule)


def columns(rows: Sequence[Sequence[str]], sides: str, widest: int | None = None) -> Iterator[str]:
    """Yield a line for each row, with two spaces between columns. Each column is aligned ``l`` (left) or ``r`` (right).

    A column is as wide as its widest cell, but at most ``widest``; longer cells overflow.
    """
    widths = [max(cells(row[i]) for row in rows) for i in range(len(sides))]
    widths = widths if widest is None else [min(width, widest) for width in widths]
    for row in rows:
        padding = [" " * (width - cells(cell)) for cell, width in zip(row, widths, strict=True)]
        parts = zip(row, padding, sides, strict=True)
        yield "  ".join([space + cell if side == "r" else cell + space for cell, space, side in parts]).rstrip()


def shortened_rows(rows: Sequence[T], most: int, cells: Callable[[T], S], note: Callable[[int], S]) -> list[S]:
    """``cells`` of each row; of more than ``most`` rows the first and the last, with ``note`` of the number omitted between."""
    if len(rows) <= most:
        return [*map(cells, rows)]
    first, last = rows[: most * 2 // 3], rows[-most // 3 :]
    return [*map(cells, first), note(len(rows) - len(first) - len(last)), *map(cells, last)]


def rules_table(style: str, verb: str, counts: Counter[AnyRule], gloss: Callable[[AnyRule], str]) -> str:
    """A ``<details>`` element ``3 rules fired`` with the name, count, figure in the paper and gloss of each rule."""
    rows = [
        [rule_name(rule), str(times), span(FAINT, rule.figure.value), span(FAINT, gloss(rule))]
        for rule, times in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0].value))
    ]
    return details(style, f"{len(rows)} rules {verb}", table(rows, ["rule", "times", "paper", ""], "lrlw"))


def rule_name(rule: Rule | TypingRule) -> str:
    """The name of a rule, as HTML."""
    return span(f"font-weight:bold;color:{COLOURS[Role.RULE]}", rule.value)
