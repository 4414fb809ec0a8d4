"""``python -m tests.timing REPORT``: the time of a test run by folder, from its JUnit report.

Exits with 1 if a test that is not marked ``slow`` took longer than ``LONGEST`` seconds in the tier ``test``; other tiers have
no limit. The limit is multiplied by the load of the machine.
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
"""The most seconds of a test, including the fixtures that it starts, unless it is marked ``slow``."""
SHOWN = 15
"""The number of slowest tests to list."""


@dataclass(frozen=True, slots=True)
class Timed:
    """A test, and the seconds of its setup, call and teardown."""

    module: str
    name: str
    seconds: float
    slow: bool

    @property
    def folder(self) -> str:
        """The folder below ``tests``, or the module if there is none."""
        parts = self.module.split(".")
        return "/".join(parts[:2])


def read(report: Path) -> list[Timed]:
    """Parse a JUnit report. Raises ``OSError`` or ``ElementTree.ParseError``."""
    found = list[Timed]()
    for case in ElementTree.parse(report).iter("testcase"):
        slow = any(entry.get("name") == "slow" for entry in case.iter("property"))
        found.append(Timed(case.get("classname", ""), case.get("name", ""), float(case.get("time", "0")), slow))
    return found


def table(tests: Sequence[Timed]) -> Iterable[str]:
    """Yield a Markdown table with a row for each folder: the number of tests, their total time, and the longest."""
    by_folder = defaultdict[str, list[Timed]](list)
    for test in tests:
        by_folder[test.folder].append(test)
    yield "| folder | tests | seconds | longest |"
    yield "|---|---:|---:|---:|"
    for folder, its_tests in sorted(by_folder.items(), key=lambda entry: -_total(entry[1])):
        yield f"| {folder} | {len(its_tests)} | {_total(its_tests):.1f} | {max(test.seconds for test in its_tests):.1f} |"
    yield f"| all | {len(tests)} | {_total(tests):.1f} | {max((test.seconds for test in tests), default=0):.1f} |"


def too_long(tests: Sequence[Timed], limit: float) -> list[Timed]:
    """Return the tests that take longer than ``limit`` seconds and are not marked as slow."""
    return [test for test in tests if test.seconds > limit and not test.slow]


def load() -> float:
    """Return how many times as long something takes on a machine as busy as this one; at least 1."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def _total(tests: Sequence[Timed]) -> float:
    return sum(test.seconds for test in tests)


def _line(test: Timed) -> str:
    return f"{test.seconds:6.1f} s  {test.module}::{test.name}"


def main(report: str, longest: str = str(LONGEST)) -> int:
    """Print the table, the slowest tests, and those that exceed ``longest`` seconds and are not marked; return 1 if any do."""
    tests = sorted(read(Path(report)), key=lambda test: -test.seconds)
    print("\n".join(table(tests)))
    print("\nThe slowest:\n" + "\n".join(map(_line, tests[:SHOWN])))
    limit = float(longest)
    long = too_long(tests, limit * load()) if TIER is Tier.TEST else []
    if long:
        print(f"\nMark these as slow, or make them faster than {limit:.0f} s:\n" + "\n".join(map(_line, long)))
    return 1 if long else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
