"""Commands and terms cut to a size that one can look at: what comes after so many lets is a variable called ``…``."""

from typing import cast

from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Handle,
    Let,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Resume,
    Return,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)

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
        """M, under binders that make the index of ``…`` to be ``dots``."""
        match M:
            case Let() | Bind() | RevHandle() | RH() | Handle() if not self.room:
                return Bound(dots, DOTS) if isinstance(M, Let) else Return(Bound(dots, DOTS))
            case Let(N, scope):
                self.room -= 1
                return Let(self.term(N, dots), self.scope(scope, dots))
            case Bind(P, scope):
                self.room -= 1
                return Bind(self.command(P, dots), self.scope(scope, dots))
            case RevHandle(N, scope, H):
                self.room -= 1
                return RevHandle(N, self.scope(scope, dots), H)
            case RH(V, scope, H):
                self.room -= 1
                return RH(V, self.scope(scope, dots), H)
            case Handle(P, H):
                self.room -= 1
                return Handle(self.command(P, dots), H)
            case Bound() | Const() | Zero() | Call() | Plus() | Tuple() | Proj() | Rd() | R() | Return() | Perform() | Resume():
                return M

    def term(self, M: Term, dots: int) -> Term:
        """A term is cut to a term."""
        return cast(Term, self.cut(M, dots))

    def command(self, P: Command, dots: int) -> Command:
        """A command is cut to a command."""
        return cast(Command, self.cut(P, dots))

    def scope(self, scope: Scope, dots: int) -> Scope:
        """The scope around what its body is cut to."""
        return Scope(scope.hints, self.cut(scope.body, dots + scope.arity))
