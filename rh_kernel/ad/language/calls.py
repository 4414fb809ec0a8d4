"""Inlining of calls of declared functions: ``f(M)`` becomes the body of f, with M bound by ``let``."""

from dataclasses import dataclass

from rh_kernel.ad.language.binding import count, renaming
from rh_kernel.ad.language.core import Program, Projection, Term, Tuple, Variable, lets
from rh_kernel.ad.language.names import Names
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.runtime_errors import TooManyNodes

MAX_NODES = 100_000
"""The most nodes that inlining may add to one item: in a chain of functions, two calls of the one before double the size."""


def inlined(f: Program, argument: Term, names: Names) -> Term:
    """The body of f with fresh names for its binders and its parameters bound to the components of the argument."""
    arguments = argument.components if isinstance(argument, Tuple) and len(f.parameters) != 1 else (argument,)
    bound: list[tuple[str, Term]] = []

    def named(M: Term, wanted: str) -> str:
        if isinstance(M, Variable):
            return M.name
        bound.append((names.fresh(wanted), M))
        return bound[-1][0]

    if len(arguments) != len(f.parameters):
        p = Variable(named(argument, "p"))
        arguments = tuple(Projection(i, p) for i in range(1, len(f.parameters) + 1))
    renamed = {x: named(M, x) for (x, _), M in zip(f.parameters, arguments, strict=True)}
    return lets(bound, renaming(f.body, renamed, names))


@dataclass(slots=True)
class InliningBudget:
    """How many nodes inlining may still add to an item."""

    left: int = MAX_NODES

    def inline(self, f: Program, argument: Term, names: Names, span: Span) -> Term:
        """Inline the call at ``span``. Raises ``Rejected`` if the body exceeds the budget."""
        self.left -= count(f.body)
        if self.left < 0:
            hint = "calls are inlined: use let to name what is used twice"
            raise Rejected(TooManyNodes(span=span, limit=MAX_NODES, hint=hint))
        return inlined(f, argument, names)
