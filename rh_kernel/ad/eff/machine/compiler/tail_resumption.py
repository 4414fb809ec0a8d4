"""Clauses that resume in the end, as functions: ``<op p… -> k> -> … k V`` as ``λp…. … return V``."""

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.program import size
from rh_kernel.ad.eff.traversal import bound, free

RESULT = "%%"
"""Begins names for what a clause is given; nobody else has such names."""


LARGEST = 200
"""A calculation of more nodes is left to the machine, which does not nest."""


def given(clause: core.Clause) -> tuple[tuple[str, ...], core.Tuple]:
    """Names for what the clause is given, and all of it in one."""
    names = tuple([f"{RESULT}{n}" for n in range(len(clause.patterns))])
    return names, core.Tuple(tuple([core.Variable(x) for x in names]))


def result(clause: core.Clause) -> tuple[tuple[str, ...], core.Computation] | None:
    """What the clause resumes with, as a function of what it is given, if to resume is the last that it does."""
    found = resuming(clause.body, clause.continuation) if size(clause.body, LARGEST) <= LARGEST else None
    names, V = given(clause)
    return found and (names, core.Match(V, (core.Branch(core.TuplePattern(clause.patterns), found),), span=clause.span))


def resuming(M: core.Computation, k: str) -> core.Computation | None:
    """M with V in the place of ``k V`` at all its ends, if that is all it does with k."""
    match M:
        case core.Apply(core.Force(core.Variable(x)), V) if x == k:
            return core.Return(V, span=M.span) if k not in free(V) else None
        case core.Let(x, N, L) if x != k and k not in free(N):
            rest = resuming(L, k)
            return rest and core.Let(x, N, rest, span=M.span)
        case core.Match(V, branches) if k not in free(V):
            bodies = [resuming(branch.body, k) for branch in branches if k not in bound(branch.pattern)]
            found = [core.Branch(b.pattern, N, span=b.span) for b, N in zip(branches, bodies, strict=False) if N is not None]
            return core.Match(V, tuple(found), span=M.span) if len(found) == len(branches) else None
        case _:
            return None
