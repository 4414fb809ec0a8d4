"""Descriptions of internal errors."""

from __future__ import annotations

import pytest

from rh_kernel.display.fault import LONGEST_MESSAGE, fault
from rh_kernel.source.span import Source


def test_a_fault_names_the_version_the_exception_and_the_place() -> None:
    with pytest.raises(IndexError) as caught:
        Source("a", "one line").line(7)
    shown = fault(caught.value, "1.2.3")
    assert "rh_kernel 1.2.3" in shown.text
    assert "IndexError: list index out of range" in shown.text
    assert "source.span, line" in shown.text
    assert "in line" in shown.text
    assert "Traceback" not in shown.text


def test_a_long_message_is_cut_and_put_on_one_line() -> None:
    shown = fault(ValueError("word\n" * 1000), "1")
    assert len(shown.summary) < LONGEST_MESSAGE + 30
    assert "\n" not in shown.summary


def test_an_exception_without_words_is_named() -> None:
    assert fault(ValueError(), "1").summary == "ValueError"


def test_running_out_of_memory_is_no_fault() -> None:
    assert "Fault" not in fault(MemoryError(), "1").text
