"""Tail-resumptive clauses: ``<op p… -> k> -> … k V`` as the function ``λp…. … return V``, which needs no continuation."""

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.program import size
from rh_kernel.ad.eff.traversal import bound, free

RESULT = "%%"
"""Prefix of the names of clause parameters; neither programs nor elaboration use it."""

LARGEST = 200
"""A computation of more nodes is not compiled to a nested Python function."""


def parameters_of(clause: core.Clause) -> tuple[tuple[str, ...], core.Tuple]:
    """Fresh names for the arguments of a clause, and the tuple of these."""
    names = tuple([f"{RESULT}{n}" for n in range(len(clause.patterns))])
    return names, core.Tuple(tuple([core.Variable(x) for x in names]))


def tail_resumption(clause: core.Clause) -> tuple[tuple[str, ...], core.Computation] | None:
    """The parameters of a clause and the computation of what it resumes with; ``None`` if it is not tail-resumptive."""
    found = _resumed(clause.body, clause.continuation) if size(clause.body, LARGEST) <= LARGEST else None
    names, V = parameters_of(clause)
    return found and (names, core.Match(V, (core.Branch(core.TuplePattern(clause.patterns), found),), span=clause.span))


def _resumed(M: core.Computation, k: str) -> core.Computation | None:
    """M with ``return V`` for each ``k V`` in tail position; ``None`` if a path ends otherwise or k has another use."""
    match M:
        case core.Apply(core.Force(core.Variable(x)), V) if x == k:
            return core.Return(V, span=M.span) if k not in free(V) else None
        case core.Let(x, N, L) if x != k and k not in free(N):
            rest = _resumed(L, k)
            return rest and core.Let(x, N, rest, span=M.span)
        case core.Match(V, branches) if k not in free(V):
            bodies = [_resumed(branch.body, k) for branch in branches if k not in bound(branch.pattern)]
            found = [core.Branch(b.pattern, N, span=b.span) for b, N in zip(branches, bodies, strict=False) if N is not None]
            return core.Match(V, tuple(found), span=M.span) if len(found) == len(branches) else None
        case _:
            return None
