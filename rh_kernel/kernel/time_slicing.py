"""Run a cell in slices of ten milliseconds, so that the kernel can answer messages in between."""

import asyncio
import time
from collections.abc import Callable, Generator
from typing import TypeVar

from rh_kernel.workspace.interrupts import Interrupts

Event = TypeVar("Event")
Value = TypeVar("Value")

SLICE = 0.01
"""Seconds that a cell runs before the event loop gets its turn."""

LOOP_ITERATIONS = 5
"""Event-loop iterations per pause: a message passes through this many tasks until it is answered."""


async def drive(events: Generator[Event, None, Value], take: Callable[[Event], None], interrupts: Interrupts) -> Value:
    """Pass each of ``events`` to ``take`` and return the generator's result. Raises what the generator raises."""
    try:
        while True:
            end = time.perf_counter() + SLICE
            while time.perf_counter() < end:
                try:
                    event = interrupts.step(events)
                except StopIteration as stop:
                    return stop.value
                interrupts.show(take, event)
            for _ in range(LOOP_ITERATIONS):
                await asyncio.sleep(0)
    finally:
        events.close()
