"""The garbage collector is paused within the block, and restored after it."""

import gc
from collections.abc import Iterator

import pytest

from rh_kernel.source.gc_pause import MANY, gc_paused


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Restore the garbage collector for the other tests."""
    was = gc.isenabled()
    gc.enable()
    yield
    if not was:
        gc.disable()


def test_it_is_put_off_inside_and_goes_on_outside() -> None:
    with gc_paused():
        assert not gc.isenabled()
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_goes_on_after_a_failure() -> None:
    with pytest.raises(ValueError, match="inside"), gc_paused():
        raise ValueError("inside")
    assert gc.isenabled()


def test_who_has_switched_it_off_finds_it_off() -> None:
    gc.disable()
    with gc_paused():
        pass
    assert not gc.isenabled()


def test_many_new_objects_are_not_searched_when_it_goes_on() -> None:
    with gc_paused():
        kept = [[number] for number in range(2 * MANY)]
    assert len(gc.get_objects(generation=0)) < MANY
    assert len(kept) == 2 * MANY


def test_few_new_objects_are_searched_as_ever() -> None:
    gc.collect()
    with gc_paused():
        kept = [[number] for number in range(100)]
    assert any(found is kept[0] for found in gc.get_objects(generation=0))
