"""The table at the end: what was installed on which Python, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """A Python: how long installing took, what was done, how long all of it took, and what went wrong, if anything did."""

    name: str
    installed: str
    done: str
    time: str
    problem: str = ""

    @property
    def result(self) -> str:
        """``ok`` or ``BAD``"""
        return "BAD" if self.problem else "ok"


def table(rows: Sequence[Row]) -> str:
    """The rows in columns, for a terminal."""
    head = ("Python", "install", "lessons", "all", "result")
    lines = [head, *[(row.name, row.installed, row.done or "–", row.time, row.result) for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
