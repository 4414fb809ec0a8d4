"""``python -m tests.timing REPORT``: where the time of a test run goes, by folder, from its JUnit report.

Exits with 1 if a test that is not marked ``slow`` took longer than ``LONGEST`` seconds in the tier ``test``. In deeper tiers a
law takes the time of its examples. A test that shares the processors with other programs takes longer by that share, so the
limit grows with the load of the machine.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tests.tiers import TIER, Tier

LONGEST = 10.0
"""Seconds that a test may take, with the fixtures that it starts, unless it is marked ``slow``."""
SHOWN = 15
"""How many of the slowest tests are listed."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A test, and how many seconds its setup, call and teardown took."""

    module: str
    name: str
    seconds: float
    slow: bool

    @property
    def folder(self) -> str:
        """The folder below ``tests``, or the module where there is none."""
        parts = self.module.split(".")
        return "/".join(parts[:2])


def read(report: Path) -> list[Timed]:
    """The tests of a JUnit report. Raises ``OSError`` or ``ElementTree.ParseError`` if it is none."""
    found = list[Timed]()
    for case in ElementTree.parse(report).iter("testcase"):
        slow = any(entry.get("name") == "slow" for entry in case.iter("property"))
        found.append(Timed(case.get("classname", ""), case.get("name", ""), float(case.get("time", "0")), slow))
    return found


def table(tests: Sequence[Timed]) -> Iterable[str]:
    """A row for each folder, in Markdown: how many tests it has, how long they take together, and the longest of them."""
    by_folder = defaultdict[str, list[Timed]](list)
    for test in tests:
        by_folder[test.folder].append(test)
    yield "| folder | tests | seconds | longest |"
    yield "|---|---:|---:|---:|"
    for folder, of_it in sorted(by_folder.items(), key=lambda entry: -_total(entry[1])):
        yield f"| {folder} | {len(of_it)} | {_total(of_it):.1f} | {max(test.seconds for test in of_it):.1f} |"
    yield f"| all | {len(tests)} | {_total(tests):.1f} | {max((test.seconds for test in tests), default=0):.1f} |"


def too_long(tests: Sequence[Timed], limit: float) -> list[Timed]:
    """The tests that take longer than ``limit`` seconds without being marked as slow."""
    return [test for test in tests if test.seconds > limit and not test.slow]


def _total(tests: Sequence[Timed]) -> float:
    return sum(test.seconds for test in tests)


def _written(test: Timed) -> str:
    return f"{test.seconds:6.1f} s  {test.module}::{test.name}"


def main(report: str, longest: str = str(LONGEST)) -> int:
    """Print the table, the slowest tests, and those that take longer than ``longest`` seconds without being marked."""
    tests = sorted(read(Path(report)), key=lambda test: -test.seconds)
    print("\n".join(table(tests)))
    print("\nThe slowest:\n" + "\n".join(map(_written, tests[:SHOWN])))
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    limit = float(longest)
    long = too_long(tests, limit * max(1.0, load)) if TIER is Tier.TEST else []
    if long:
        print(f"\nMark these as slow, or make them faster than {limit:.0f} s:\n" + "\n".join(map(_written, long)))
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
