"""The library of these tests: that of the checkout if it is up to date, otherwise one that is built for them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rh_kernel.arrays.native import available, diagnose
from rh_kernel.arrays.prebuilt import Prebuilt
from rh_kernel.arrays.prebuilt.build import build
from rh_kernel.arrays.prebuilt.library import Library, found_in, levels, library


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Library:
    found = library()
    if isinstance(found, Library):
        return found
    if not available():
        pytest.skip(diagnose())
    folder = tmp_path_factory.mktemp("prebuilt")
    build(folder)
    found = found_in(folder)
    assert isinstance(found, Library)
    return found


@pytest.fixture(params=levels(), ids=lambda level: level.name)
def prebuilt(request: pytest.FixtureRequest, built: Library) -> Prebuilt:
    """The back end at each level that the processor has."""
    if levels().index(request.param) > levels().index(built.level):
        pytest.skip("the processor does not have it")
    return Prebuilt(replace(built, level=request.param))
