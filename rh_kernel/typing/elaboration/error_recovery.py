"""Error recovery: independent parts of a program are all elaborated, and their errors are reported together."""

from types import TracebackType

from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.typing.errors import DependsOnError, UnknownName
from rh_kernel.typing.unification.unify import Mark, Unifier

MAX_FAILURES = 50
"""After this many failed parts, the others are skipped."""


class ErrorCollector:
    """``with siblings: …`` elaborates one part and keeps its errors for ``raise_errors``.

    The unifier is reset after a failed part, so that later errors are not mere consequences.
    """

    __slots__ = ("_failures", "_found", "_mark", "_unifier")

    def __init__(self, unifier: Unifier) -> None:
        self._unifier = unifier
        self._found: list[Diagnostic] = []
        self._failures = 0
        self._mark: Mark | None = None

    def open(self) -> None:
        """Begin a part; ``close`` ends it."""
        self._mark = self._unifier.mark()

    def close(self, failure: Rejected | None) -> None:
        """End a part that was elaborated elsewhere, with its error if it failed."""
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
        if self._failures >= MAX_FAILURES:
            self.raise_errors()

    def raise_errors(self) -> None:
        """Raise ``Rejected`` with the collected errors, if any; of several about one undefined name only the first."""
        if not self._failures:
            return
        reported: set[str] = set()
        distinct: list[Diagnostic] = []
        for d in self._found:
            if isinstance(d, UnknownName | DependsOnError):
                if d.name in reported:
                    continue
                reported.add(d.name)
            distinct.append(d)
        raise Rejected(*distinct)
