"""Exhaustiveness: a ``match`` has a branch for every value, and no branch is unreachable.

The patterns of ``let``, parameters and clauses have no alternatives, so they match every value.
"""

from collections.abc import Iterator, Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.errors import MissingBranches, UselessBranch
from rh_kernel.ad.eff.printing.patterns import pattern
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.ad.eff.types import Constructor
from rh_kernel.ad.eff.typing.coverage import coverage
from rh_kernel.ad.eff.typing.kinds import declaring
from rh_kernel.source.diagnostic import Diagnostic, Rejected

_MATCH = "`match` takes it apart with a branch for each case: match M | {pattern} -> N | {missing} -> L"
_CLAUSE = "use a name here, and a `match` with a branch for each case after the arrow"


def reject_uncovered(part: core.Computation | core.Clauses, definitions: Definitions) -> None:
    """Raise ``Rejected`` if a match of a well-typed term is not exhaustive, or has an unreachable branch."""
    found = [*_diagnostics(part, definitions)]
    if found:
        raise Rejected(*found)


def _diagnostics(part: core.Computation | core.Clauses, definitions: Definitions) -> Iterator[Diagnostic]:
    def siblings(constructor: str) -> Sequence[Constructor]:
        return declaring(constructor, definitions).constructors

    def alone(patterns: Sequence[core.Pattern], hint: str) -> Iterator[Diagnostic]:
        missing = coverage([tuple(patterns)], siblings).missing
        for p, left in zip(patterns, missing or (), strict=False):
            if not isinstance(left, core.AnyPattern):
                subject, value = "this pattern does not fit", pattern(left)
                hint = hint.format(pattern=pattern(p), missing=pattern(_whole(left)))
                yield MissingBranches(span=p.span, subject=subject, value=value, hint=hint)

    for node in nodes(part):
        match node:
            case core.Match(_, branches) if len(branches) == 1 and branches[0].span == node.span:
                yield from alone([branches[0].pattern], _MATCH)
            case core.Match(_, branches):
                found = coverage([(branch.pattern,) for branch in branches], siblings)
                if found.missing is not None:
                    (left,) = found.missing
                    subject, value = "no branch of this match fits", pattern(left)
                    hint = f"add the branch `{pattern(_whole(left))} -> …`"
                    yield MissingBranches(span=node.span, subject=subject, value=value, hint=hint)
                for n in found.useless:
                    p = branches[n].pattern
                    hint = "remove it, or move it before the branch that matches the same values"
                    yield UselessBranch(span=p.span, pattern=pattern(p), hint=hint)
            case core.Clause(_, _, patterns):
                yield from alone(patterns, _CLAUSE)
            case core.ReturnClause(p):
                yield from alone([p], _CLAUSE)
            case _:
                pass


def _whole(p: core.Pattern) -> core.Pattern:
    """A pattern that also matches all other values in the place of a literal."""
    match p:
        case core.LiteralPattern() | core.AnyPattern() | core.NamePattern():
            return core.AnyPattern()
        case core.TuplePattern(components):
            return core.TuplePattern(tuple(map(_whole, components)))
        case core.ConstructorPattern(K, fields):
            return core.ConstructorPattern(K, tuple(map(_whole, fields)))
