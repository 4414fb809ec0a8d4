"""Recursion as deep as the memory allows: a computation that needs the results of others is a generator that yields them.

What it yields is computed first, on a stack of our own, and its result is sent back in.
"""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar, cast

Found = TypeVar("Found")

Descent: TypeAlias = Generator["Descent[Found]", Found, Found]


def descend(computation: "Descent[Found]") -> Found:
    """The result of a computation."""
    pending: list[Descent[Found]] = [computation]
    found: Any = None
    while pending:
        try:
            # One that has just begun is sent nothing; one that waits is sent the result of what it asked for.
            needed = pending[-1].send(found)
        except StopIteration as stop:
            pending.pop()
            found = stop.value
        else:
            pending.append(needed)
            found = None
    return cast(Found, found)
