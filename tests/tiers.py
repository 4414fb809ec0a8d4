"""The tiers of the suite: which tests run, and on how many examples a law is tried.

``RH_TIER`` is ``quick``, ``test`` (the default), ``rest``, ``all`` or ``deep``. ``tests/README.md`` says what each is for and
what it costs. In CI the examples of a law are the same in each run, except in ``deep``.
"""

import os
from collections.abc import Sequence
from enum import Enum

from hypothesis import HealthCheck, Phase, settings


class Tier(Enum):
    """How much of the suite runs. ``rest`` is what ``all`` adds to ``test``: the slow tests, and the laws on all examples."""

    QUICK = "quick"
    TEST = "test"
    REST = "rest"
    ALL = "all"
    DEEP = "deep"


TIER = Tier(os.environ.get("RH_TIER", "test"))
RUNS_SLOW_TESTS = TIER in {Tier.REST, Tier.ALL, Tier.DEEP}

_SHARE = {Tier.QUICK: 0.05, Tier.TEST: 0.15, Tier.REST: 1.0, Tier.ALL: 1.0, Tier.DEEP: 20.0}[TIER]
"""The share of its examples that a law is tried on."""

_FEWEST = 4
_EXAMPLES = 100
"""The examples of a law that does not say how many it needs."""


def tried(examples: int, *, fewest: int = _FEWEST) -> int:
    """How many of so many examples this tier tries."""
    return max(round(examples * _SHARE), min(examples, fewest))


def law(examples: int = _EXAMPLES, *, fewest: int = _FEWEST, phases: Sequence[Phase] = tuple(Phase)) -> settings:
    """Settings for a law that is tried on so many programs in the tier ``all``, and on ``fewest`` at least in every tier."""
    return settings(
        max_examples=tried(examples, fewest=fewest),
        derandomize=bool(os.environ.get("CI")) and TIER is not Tier.DEEP,
        # No law fails because the machine is busy.
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
