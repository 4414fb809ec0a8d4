"""Options of the test run, which tests a tier selects, and how they are spread over the workers."""

import os
import signal
import sys
from collections.abc import Generator, Iterable
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.tiers import TIER, Tier, law

# Kernels that tests start are not to write into the history of whoever runs the tests.
os.environ["RH_HISTORY"] = "off"

# A shell starts what runs in the background with SIGINT ignored, and every process that a test starts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("tier", law())
settings.load_profile("tier")

FOLDER = Path(__file__).parent
TRACER = sys.gettrace()
"""The tracer of coverage, if that is measured."""
SHARING = ("browser", "distribution", "export")
"""Folders whose files share what takes long to start: a server, an installed wheel."""
LONGEST = ("distribution", "binder", "browser", "fuzz", "kernel", "lessons", "laws", "ad", "arrays")
"""Folders that begin first, so that no worker is left alone with one of them."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files instead of comparing with them")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the slow tests to the tiers that have time for them; keep each file, or folder that shares, on one worker."""
    for item in items:
        if item.get_closest_marker("slow") is not None:
            item.user_properties.append(("slow", True))
    left = [item for item in items if not _is_selected(item)]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if _is_selected(item)]
    for item in items:
        folders = item.path.relative_to(FOLDER).parts
        item.add_marker(pytest.mark.xdist_group("/".join(folders[:1] if folders[0] in SHARING else folders)))
    items.sort(key=lambda item: _turn(item.path.relative_to(FOLDER).parts))


def _is_selected(item: pytest.Item) -> bool:
    """Whether the tier runs a test."""
    is_slow = item.get_closest_marker("slow") is not None
    is_in_test = not is_slow or item.get_closest_marker("essential") is not None
    match TIER:
        case Tier.QUICK:
            return not is_slow
        case Tier.TEST:
            return is_in_test
        case Tier.REST:
            return not is_in_test or _is_scaled(item)
        case Tier.ALL | Tier.DEEP:
            return True


def _is_scaled(item: pytest.Item) -> bool:
    """Whether a test does more in the tier ``rest`` than in ``test``: laws, and the tests that invent programs."""
    return isinstance(item, pytest.Function) and (is_hypothesis_test(item.obj) or item.path.parent.name == "fuzz")


def _turn(folders: Iterable[str]) -> int:
    """The place of a folder among those that begin first, or the one after them."""
    return next((LONGEST.index(folder) for folder in folders if folder in LONGEST), len(LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Coverage does not trace laws, nor tests with the marker ``untraced``.

    Which lines a law reaches is random, and tracing takes as long as the law itself. The marker ``no_cover`` of pytest-cov
    would do the same, but in the workers of pytest-xdist two tracers are active.
    """
    if sys.gettrace() is None and TRACER is not None:
        # An exception that hit the tracer itself, as that of a limit may, has switched it off.
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
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-golden"))
