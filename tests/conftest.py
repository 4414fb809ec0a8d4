"""Options of the test run, which tests a tier selects, and how they are spread over the workers."""

import os
import signal
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings
from xdist.remote import Producer

from tests.scheduling import FileScheduling
from tests.tiers import TIER, Tier, law

# Kernels started by tests must not write into the user's history.
os.environ["RH_HISTORY"] = "off"

# A shell starts background jobs with SIGINT ignored, which every process started by a test would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("tier", law())
settings.load_profile("tier")

FOLDER = Path(__file__).parent
TRACER = sys.gettrace()
"""The trace function of coverage, if it is measured."""
LONGEST = ("distribution", "binder", "browser", "fuzz", "kernel", "lessons", "laws", "ad", "arrays")
"""Folders that are run first, so that none of them is left for the end on one worker."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests outside the tier."""
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.user_properties.append(("slow", True))
    deselected = [item for item in items if not _is_selected(item)]
    if deselected:
        config.hook.pytest_deselected(items=deselected)
        items[:] = [item for item in items if _is_selected(item)]
    items.sort(key=lambda item: _rank(item.path.relative_to(FOLDER).parts))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling:
    """Keep each file, or folder with shared fixtures, on one worker."""
    return FileScheduling(config, log)


def _is_selected(item: pytest.Item) -> bool:
    """Whether the tier runs a test. Those in ``course`` need servers that only ``make test-course`` installs."""
    if (item.path.parent.name == "course") is not (TIER is Tier.COURSE):
        return False
    is_slow = item.get_closest_marker("slow") is not None
    is_in_test = not is_slow or item.get_closest_marker("essential") is not None
    match TIER:
        case Tier.QUICK:
            return not is_slow
        case Tier.TEST:
            return is_in_test
        case Tier.REST:
            return not is_in_test or _is_scaled(item)
        case Tier.ALL | Tier.DEEP | Tier.COURSE:
            return True


def _is_scaled(item: pytest.Item) -> bool:
    """Whether a test tries more examples in the tier ``rest`` than in ``test``: laws and fuzz tests."""
    return isinstance(item, pytest.Function) and (is_hypothesis_test(item.obj) or item.path.parent.name == "fuzz")


def _rank(folders: Iterable[str]) -> int:
    """Return the index of a folder in ``LONGEST``, or its length."""
    return next((LONGEST.index(folder) for folder in folders if folder in LONGEST), len(LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Exclude laws, and tests with the marker ``untraced``, from coverage.

    The lines that a law reaches are random, and tracing doubles its time. The marker ``no_cover`` of pytest-cov does not work
    in the workers of pytest-xdist, where two trace functions are active.
    """
    if sys.gettrace() is None and TRACER is not None:
        # An asynchronous exception, as of a limit, that was raised in the trace function has removed it.
        sys.settrace(TRACER)
    tracer = sys.gettrace()
    if tracer is None or not isinstance(item, pytest.Function) or not _is_untraced(item):
        return (yield)
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(tracer)


def _is_untraced(item: pytest.Function) -> bool:
    return is_hypothesis_test(item.obj) or item.get_closest_marker("untraced") is not None


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether to rewrite the golden files."""
    return bool(request.config.getoption("--update-golden"))
