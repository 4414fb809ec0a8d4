"""A cell is driven in slices of ten milliseconds; between them the kernel answers messages."""

import asyncio
import time
from collections.abc import Callable, Generator
from typing import TypeVar

from rh_kernel.workspace.interrupts import Interrupts

Event = TypeVar("Event")
Value = TypeVar("Value")

SLICE = 0.01
"""Seconds that a cell may run before others have their turn."""

TURNS = 5
"""A message goes through so many hands until it is answered; each of them has its turn in every pause."""


async def drive(events: Generator[Event, None, Value], take: Callable[[Event], None], interrupts: Interrupts) -> Value:
    """What ``events`` return, after ``take`` was given each of them. Raises what they raise."""
    try:
        while True:
            end = time.perf_counter() + SLICE
            while time.perf_counter() < end:
                try:
                    event = interrupts.step(events)
                except StopIteration as stop:
                    return stop.value
                interrupts.show(take, event)
            for _ in range(TURNS):
                await asyncio.sleep(0)
    finally:
        events.close()
