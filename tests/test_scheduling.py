"""The tests of a file run on one worker."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.scheduling import group


@pytest.mark.parametrize("number", range(8))
def test_each_test_of_this_file_runs_on_the_same_worker(tmp_path_factory: pytest.TempPathFactory, number: int) -> None:
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None:
        pytest.skip("there are no workers")
    # Each worker has a folder of its own in a folder of all.
    seen = Path(tmp_path_factory.getbasetemp().parent, "scheduling")
    seen.mkdir(exist_ok=True)
    (seen / worker).touch()
    assert [each.name for each in seen.iterdir()] == [worker]


def test_files_with_shared_fixtures_are_one_group() -> None:
    assert group("tests/laws/test_repeat.py::test_one[a::b]") == "tests/laws/test_repeat.py"
    assert group("tests/browser/test_lab.py::test_two") == group("tests/browser/test_live.py::test_one") == "tests/browser"
    assert group("tests/test_paper.py::test_three") == "tests/test_paper.py"
