"""Parts of a program that do not need each other: all of them are gone into, and what is wrong with them is told together."""

from types import TracebackType

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.typing.errors import DependsOnError, UnknownName
from rh_kernel.typing.unification.unify import Mark, Unifier

ENOUGH = 50
"""After so many parts with errors the others are not gone into."""


class Siblings:
    """``with siblings: …`` goes into one part, and keeps what is wrong with it for ``settle``.

    What such a part told the unifier is forgotten, so that no complaint about the next one is a consequence.
    """

    __slots__ = ("_failures", "_found", "_mark", "_unifier")

    def __init__(self, unifier: Unifier) -> None:
        self._unifier = unifier
        self._found: list[Diagnostic] = []
        self._failures = 0
        self._mark: Mark | None = None

    def open(self) -> None:
        """Begin a part that ``close`` will end."""
        self._mark = self._unifier.mark()

    def close(self, failure: Rejected | None) -> None:
        """End a part that was gone into elsewhere, and that failed or not."""
        if failure is not None:
            self._keep(failure)

    def __enter__(self) -> None:
        self.open()

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> bool:
        if not isinstance(value, Rejected):
            return False
        self._keep(value)
        return True

    def _keep(self, failure: Rejected) -> None:
        if self._mark is not None:
            self._unifier.back(self._mark)
        self._failures += 1
        self._found += failure.diagnostics
        if self._failures >= ENOUGH:
            self.settle()

    def settle(self) -> None:
        """Raises ``Rejected`` with what was wrong, if anything was; of complaints about one unknown name the first."""
        if not self._failures:
            return
        said: set[str] = set()
        distinct: list[Diagnostic] = []
        for d in self._found:
            if isinstance(d, UnknownName | DependsOnError):
                if d.name in said:
                    continue
                said.add(d.name)
            distinct.append(d)
        raise Rejected(*distinct)
