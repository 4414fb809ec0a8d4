"""The tiers of the test suite: which tests run, and how many examples of each law.

``RH_TIER`` is ``quick``, ``test`` (the default), ``rest``, ``all``, ``deep`` or ``course``; see ``tests/README.md``. In CI,
laws are derandomized except in ``deep``.
"""

import os
from collections.abc import Sequence
from enum import Enum

from hypothesis import HealthCheck, Phase, settings


class Tier(Enum):
    """How much of the suite runs.

    ``rest`` is ``all`` without ``test``: the slow tests, and all examples of the laws. ``course`` is ``tests/course`` alone,
    which no other tier runs.
    """

    QUICK = "quick"
    TEST = "test"
    REST = "rest"
    ALL = "all"
    DEEP = "deep"
    COURSE = "course"


TIER = Tier(os.environ.get("RH_TIER", "test"))
RUNS_SLOW_TESTS = TIER in {Tier.REST, Tier.ALL, Tier.DEEP}

_SHARE = {Tier.QUICK: 0.05, Tier.TEST: 0.15, Tier.REST: 1.0, Tier.ALL: 1.0, Tier.DEEP: 20.0, Tier.COURSE: 1.0}[TIER]
"""The share of the examples of each law that this tier runs."""

_FEWEST = 4
_EXAMPLES = 100
"""The default number of examples of a law."""


def tried(examples: int, *, fewest: int = _FEWEST) -> int:
    """Return how many of so many examples this tier runs."""
    return max(round(examples * _SHARE), min(examples, fewest))


def law(examples: int = _EXAMPLES, *, fewest: int = _FEWEST, phases: Sequence[Phase] = tuple(Phase)) -> settings:
    """Return settings for a law with so many examples in the tier ``all``, and at least ``fewest`` in every tier."""
    return settings(
        max_examples=tried(examples, fewest=fewest),
        derandomize=bool(os.environ.get("CI")) and TIER is not Tier.DEEP,
        # A busy machine must not make a law fail.
        deadline=None,
        phases=phases,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
            HealthCheck.filter_too_much,
            HealthCheck.function_scoped_fixture,
        ],
    )
