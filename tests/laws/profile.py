"""How many programs a law is tried on. ``RH_LAWS=deep`` tries twenty times as many; in CI they are always the same ones."""

import os

from hypothesis import HealthCheck, settings

DEEP = os.environ.get("RH_LAWS") == "deep"
IN_CI = bool(os.environ.get("CI")) and not DEEP


def law(examples: int) -> settings:
    """Settings for a law that is tried on so many programs; the larger ones take their time."""
    return settings(
        max_examples=examples * (20 if DEEP else 1),
        derandomize=IN_CI,
        deadline=None,
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.large_base_example,
            HealthCheck.filter_too_much,
        ],
    )
