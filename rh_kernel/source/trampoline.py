"""A trampoline, for recursion as deep as memory allows: a computation is a generator that yields those it depends on.

Each one yielded is computed first, on an explicit stack, and its result is sent back in. ``exhaust`` runs a generator alone.
"""

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar, cast

Found = TypeVar("Found")

Descent: TypeAlias = Generator["Descent[Found]", Found, Found]


def descend(computation: "Descent[Found]") -> Found:
    """Run a computation and return its result."""
    pending: list[Descent[Found]] = [computation]
    found: Any = None
    while pending:
        try:
            # A new generator is sent None, a suspended one the result it asked for.
            needed = pending[-1].send(found)
        except StopIteration as stop:
            pending.pop()
            found = stop.value
        else:
            pending.append(needed)
            found = None
    return cast(Found, found)


def exhaust(generator: Generator[Any, None, Found]) -> Found:
    """Run a generator to its end, ignore what it yields, and return its result."""
    while True:
        try:
            next(generator)
        except StopIteration as stop:
            return stop.value
