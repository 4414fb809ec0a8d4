"""Alarms interrupt the code within them, once, and no other code."""

import threading
import time

import pytest

from rh_kernel.session.limits.alarm import Alarm, Late


def spin(seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


def test_it_goes_off_in_the_code_that_it_is_set_for() -> None:
    alarm = Alarm(0.05)
    with pytest.raises(Late), alarm:
        spin(10)
    with alarm:
        spin(0.1)


def test_it_goes_off_when_it_is_next_entered_if_it_was_not_set_at_its_time() -> None:
    alarm = Alarm(0.02)
    spin(0.1)
    with pytest.raises(Late), alarm:
        pass
    with alarm:
        pass


def test_a_closed_one_does_not_go_off() -> None:
    alarm = Alarm(0.02)
    alarm.close()
    spin(0.1)
    with alarm:
        spin(0.05)


def test_what_is_raised_at_the_same_time_is_not_lost() -> None:
    for microseconds in range(0, 1000, 25):
        alarm = Alarm(0.001)
        try:
            with alarm:
                spin(0.0005 + microseconds / 1e6)
        except Late:
            continue
        with pytest.raises(Late), alarm:
            spin(10)


def test_it_works_in_any_thread() -> None:
    found: list[str] = []

    def work() -> None:
        try:
            with Alarm(0.05):
                spin(10)
        except Late:
            found.append("late")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == ["late"]


class Dropping:
    """Takes long in its finaliser, where Python drops exceptions."""

    def __del__(self) -> None:
        spin(0.1)


def test_one_that_python_drops_is_raised_again_and_nothing_is_printed() -> None:
    def drop() -> None:
        Dropping()
        spin(10)

    alarm = Alarm(0.05)
    with pytest.raises(Late), alarm:
        drop()
