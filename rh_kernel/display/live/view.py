"""A view: what a page may ask about one result, and the answers. Questions come from a page, so nothing in them is certain."""

from collections.abc import Callable
from typing import Protocol

from rh_kernel.display.data import Json, Record


class Unanswerable(Exception):
    """The question makes no sense; the words say why."""


class View(Protocol):
    """Answers about one result. ``kind`` names the module of the page that shows it."""

    @property
    def kind(self) -> str:
        """``stepper``, ``player``, ``diagram``, ``derivation`` or ``rewriting``."""
        ...

    def opening(self) -> Record:
        """What the page is told at once."""
        ...

    def answer(self, question: Record) -> Record:
        """The answer to a question ``{"ask": …}``. Raises ``Unanswerable``."""
        ...


def number(question: Record, name: str, low: int, high: int, otherwise: int | None = None) -> int:
    """The whole number that the question has under ``name``, from ``low`` to ``high``. Raises ``Unanswerable``."""
    found = question.get(name, otherwise)
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= high or found != int(found):
        raise Unanswerable(f"`{name}` is a whole number from {low} to {high}")
    return int(found)


def words(question: Record, name: str, most: int = 1000) -> str:
    """The text that the question has under ``name``, of at most so many characters. Raises ``Unanswerable``."""
    found: Json = question.get(name)
    if not isinstance(found, str) or len(found) > most:
        raise Unanswerable(f"`{name}` is a text of at most {most} characters")
    return found


def truth(question: Record, name: str) -> bool:
    """Whether the question says so under ``name``; it need not. Raises ``Unanswerable``."""
    found: Json = question.get(name)
    if found is None:
        return False
    if not isinstance(found, bool):
        raise Unanswerable(f"`{name}` is true or false")
    return found


def search(question: Record, count: int, look: Callable[[int], tuple[bool, int]], room: int) -> Record:
    """The first of ``count`` steps that fits, from where the question says, forwards or ``backwards``. Raises ``Unanswerable``.

    ``look`` tells whether a step fits, and what it cost to look; after a cost of ``room`` the search says how far it came.
    """
    backwards = truth(question, "backwards")
    start = number(question, "from", -1 if backwards else 0, count)
    for n in range(min(start, count - 1), -1, -1) if backwards else range(start, count):
        fits, cost = look(n)
        if fits:
            return {"step": n}
        room -= cost
        if room <= 0:
            return {"step": None, "reached": n - 1 if backwards else n + 1}
    return {"step": None}
