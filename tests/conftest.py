"""Options of the test run."""

import os
import sys
from collections.abc import Generator

import pytest
from hypothesis import is_hypothesis_test, settings

# Kernels that tests start are not to write into the history of whoever runs the tests.
os.environ["RH_HISTORY"] = "off"

# No test fails because the machine is busy.
settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Laws are not measured: which lines they reach is drawn by lot, and to count these lines takes as long as they do.

    The marker ``no_cover`` of pytest-cov is for that, but in the workers of a test run coverage is there twice.
    """
    tracer = sys.gettrace()
    if tracer is None or not isinstance(item, pytest.Function) or not is_hypothesis_test(item.obj):
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-golden"))
