"""The tests compile into a folder of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rh_kernel.arrays.native import driver_codegen, toolchain


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache stays as it is."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        yield folder


@pytest.fixture(params=["one function", "a table"])
def walk(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """However few the steps are, the second time they are walked through one by one."""
    if request.param == "a table":
        monkeypatch.setattr(driver_codegen, "FEW", 0)
    return request.param


@pytest.fixture(autouse=True)
def no_failure_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What went wrong with the compiler in one test is not told in another."""
    monkeypatch.setattr(toolchain, "_failures", [])
