"""Truncation of commands and terms after a number of lets: the variable ``…`` replaces the rest."""

from rh_kernel.syntax.core import RH, Bind, Bound, Command, Handle, Let, Repeat, Return, RevHandle, Term
from rh_kernel.syntax.traversal import children, rebuilt

DOTS = "…"

LINKS = 20
"""The largest number of lets and handlings shown."""


def clipped(M: Term | Command, dots: int) -> Term | Command:
    """Return M with at most ``LINKS`` lets and handlings; the variable with index ``dots`` in its context replaces the rest."""
    return _Clipping().cut(M, dots)


class _Clipping:
    """``left`` counts the lets and handlings that may still be shown, so it also bounds the recursion."""

    def __init__(self) -> None:
        self.left = LINKS

    def cut(self, M: Term | Command, dots: int) -> Term | Command:
        """Truncate M, in whose context ``…`` has the index ``dots``. Terms inside a command are unchanged."""
        if not isinstance(M, Let | Bind | RevHandle | RH | Handle | Repeat):
            return M
        if not self.left:
            return Bound(dots, DOTS) if isinstance(M, Let) else Return(Bound(dots, DOTS))
        self.left -= 1
        is_whole = isinstance(M, Let)
        return rebuilt(M, [self.cut(N, dots + n) if is_whole or isinstance(N, Command) else N for N, n in children(M)])
