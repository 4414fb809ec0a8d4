"""The protocol between a view in the page and the kernel: questions and answers. Questions are untrusted and are validated."""

from collections.abc import Callable
from typing import Protocol

from rh_kernel.display.data import Json, Record


class Unanswerable(Exception):
    """A malformed question, or one that cannot be answered; the text says why."""


class View(Protocol):
    """The kernel's side of the view of one result. ``kind`` names the JavaScript module that shows it."""

    @property
    def kind(self) -> str:
        """One of the ``KINDS`` of ``assets``, such as ``stepper``."""
        ...

    def opening(self) -> Record:
        """Return the initial record."""
        ...

    def answer(self, question: Record) -> Record:
        """Answer a question ``{"ask": …}``. Raises ``Unanswerable``."""
        ...


def int_field(question: Record, name: str, low: int, high: int, otherwise: int | None = None) -> int:
    """Return the integer field ``name``, between ``low`` and ``high``. Raises ``Unanswerable``."""
    found = question.get(name, otherwise)
    if isinstance(found, bool) or not isinstance(found, int | float) or not low <= found <= high or found != int(found):
        raise Unanswerable(f"`{name}` is a whole number from {low} to {high}")
    return int(found)


def text_field(question: Record, name: str, most: int = 1000) -> str:
    """Return the text field ``name`` of at most ``most`` characters. Raises ``Unanswerable``."""
    found: Json = question.get(name)
    if not isinstance(found, str) or len(found) > most:
        raise Unanswerable(f"`{name}` is a text of at most {most} characters")
    return found


def bool_field(question: Record, name: str) -> bool:
    """Return the Boolean field ``name``; false if it is absent. Raises ``Unanswerable``."""
    found: Json = question.get(name)
    if found is None:
        return False
    if not isinstance(found, bool):
        raise Unanswerable(f"`{name}` is true or false")
    return found


def search(question: Record, count: int, look: Callable[[int], tuple[bool, int]], budget: int) -> Record:
    """Find the first of ``count`` steps that fits, from step ``from`` on, forwards or ``backwards``.

    ``look(n)`` returns whether step n fits and the cost of looking; once the budget is spent, the answer has the step
    ``reached``.

    Raises ``Unanswerable``.
    """
    backwards = bool_field(question, "backwards")
    start = int_field(question, "from", -1 if backwards else 0, count)
    for n in range(min(start, count - 1), -1, -1) if backwards else range(start, count):
        fits, cost = look(n)
        if fits:
            return {"step": n}
        budget -= cost
        if budget <= 0:
            return {"step": None, "reached": n - 1 if backwards else n + 1}
    return {"step": None}
