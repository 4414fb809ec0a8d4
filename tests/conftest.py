"""Options of the test run."""

import os

import pytest
from hypothesis import settings

# Kernels that tests start are not to write into the history of whoever runs the tests.
os.environ["RH_HISTORY"] = "off"

# No test fails because the machine is busy.
settings.register_profile("unhurried", settings.default, deadline=None)
settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-golden"))
