"""Operations that cannot be imported, collected while a graph is read, so that all are named at once."""

from rh_kernel.interchange.errors import CannotImport
from rh_kernel.source.diagnostic import Rejected

MOST_PLACES = 6
"""The most places that an error names for one operation."""
LONGEST = 60
"""The most characters of a name in an error."""


WRONG = (ValueError, IndexError, KeyError, TypeError, ZeroDivisionError, OverflowError, AttributeError)
"""What reading an operation raises whose arguments are not what its specification says."""


class Refusals:
    """The refused operations so far, with their places."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str, str], list[str]] = {}

    def add(self, operation: str, place: str, why: str, instead: str) -> None:
        """Note an operation, where it stands, why it is refused, and what to use instead."""
        places = self._places.setdefault((shown(operation), why, instead), [])
        if shown(place) not in places:
            places.append(shown(place))

    def add_wrong(self, operation: str, place: str, failure: Exception) -> None:
        """Note an operation whose arguments are not what its specification says."""
        self.add(operation, place, "its inputs or attributes are not those of the operation", shown(str(failure)))

    def check(self) -> None:
        """Raise ``Rejected`` with a diagnostic for each operation and reason, if there is any."""
        if self._places:
            raise Rejected(
                *[
                    CannotImport(operation=operation, why=why, places=_listed(places), hint=instead)
                    for (operation, why, instead), places in self._places.items()
                ]
            )


def shown(name: str) -> str:
    """Return a name of a model as it stands in an error: on one line, and not longer than a line."""
    text = "".join([c if c.isprintable() else " " for c in name])
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _listed(places: list[str]) -> str:
    more = len(places) - MOST_PLACES
    return ", ".join(places[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")
