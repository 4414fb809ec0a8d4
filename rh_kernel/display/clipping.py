"""Commands and terms cut to a size that one can look at: what comes after so many lets is a variable called ``…``."""

from rh_kernel.syntax.core import RH, Bind, Bound, Command, Handle, Let, Return, RevHandle, Term
from rh_kernel.syntax.traversal import children, rebuilt

DOTS = "…"

LINKS = 20
"""So many lets and handlings are shown."""


def clipped(M: Term | Command, dots: int) -> Term | Command:
    """M with at most ``LINKS`` lets and handlings; the variable ``dots`` of its context stands for what is left out."""
    return _Clipping().cut(M, dots)


class _Clipping:
    """``room`` is how many lets and handlings are still shown; so the recursion is no deeper than that."""

    def __init__(self) -> None:
        self.room = LINKS

    def cut(self, M: Term | Command, dots: int) -> Term | Command:
        """M, under binders that make the index of ``…`` to be ``dots``. A term in a command is left as it is."""
        if not isinstance(M, Let | Bind | RevHandle | RH | Handle):
            return M
        if not self.room:
            return Bound(dots, DOTS) if isinstance(M, Let) else Return(Bound(dots, DOTS))
        self.room -= 1
        is_whole = isinstance(M, Let)
        return rebuilt(M, [self.cut(N, dots + n) if is_whole or isinstance(N, Command) else N for N, n in children(M)])
