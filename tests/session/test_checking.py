"""`check M == N`: equality within a tolerance."""

from pathlib import Path

import pytest

from rh_kernel.session.results import CheckPassed, ItemFailed, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.cells import codes

INFINITE = "exp(1000)"
UNDEFINED = "log(-1)"


def passes(text: str) -> bool:
    """Whether the check passes; the only error of one that fails is `RH207`."""
    events = execute(Session.start(Path()), Source("cell", text))
    (result,) = [event.result for event in events if isinstance(event, Shown)]
    match result:
        case CheckPassed():
            return True
        case ItemFailed(diagnostics):
            assert [d.code for d in diagnostics] == ["RH207"]
            return False
        case other:
            raise AssertionError(other)


@pytest.mark.parametrize(
    "equation",
    [
        "1.0000009 == 1",
        "1000000.9 == 1000000",
        "1 == 3 within 1",
        "[1, 2] == [1.5, 2] within 0.5",
        "0 - 2 == -2",
        f"{INFINITE} == {INFINITE}",
        f"-{INFINITE} == -{INFINITE} within 0",
    ],
)
def test_what_is_near_enough_is_equal(equation: str) -> None:
    assert passes(f"check {equation}")


@pytest.mark.parametrize("within", ["", " within 0", " within 0.5", " within 1e300"])
@pytest.mark.parametrize(
    "equation",
    [
        f"3 == {INFINITE}",
        f"{INFINITE} == 3",
        f"-{INFINITE} == {INFINITE}",
        f"{INFINITE} == -{INFINITE}",
        f"[1, 2] == {INFINITE} * [1, 1]",
        f"{UNDEFINED} == {UNDEFINED}",
        f"{UNDEFINED} == {INFINITE}",
        f"1 == {UNDEFINED}",
    ],
)
def test_what_is_infinite_or_undefined_is_near_nothing(equation: str, within: str) -> None:
    assert not passes(f"check {equation}{within}")


def test_a_name_that_is_not_there_is_reported_once_by_the_checks_of_a_cell() -> None:
    session = Session.start(Path())
    text = "check answer(1) == 1\ncheck answer(2) == 2\ncheck answer ⊢ Real -> Real\ncheck other(3) == 3"
    in_cell = execute(session, Source("cell", text), cell="a")
    assert codes([event.result for event in in_cell if isinstance(event, Shown)]) == ["RH101", "RH101"]
    in_file = execute(session, Source("file", text), keep_going=True)
    assert codes([event.result for event in in_file if isinstance(event, Shown)]) == ["RH101"] * 4
