"""Clause selection: which clause of a handler handles an operation (RH Def. 3.4, §4), and in which environment it runs.

A clause is specialised to an operation's dimensions once, and cached with the handler. Locations and closed values, which
differ from one operation to the next, are bound in the environment, so a thousand layers of one width, each with its own
location, share one specialised clause.
"""

from dataclasses import replace
from typing import TypeAlias, cast

from rh_kernel.arrays.stacks import Row
from rh_kernel.arrays.symbolic.rolled import NotRolledError
from rh_kernel.arrays.symbolic.tape import Environment, Names
from rh_kernel.arrays.symbolic.values import Slot, Symbolic, SymbolicZero
from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import (
    Bind,
    Command,
    IfCommand,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    Scope,
)
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import DeclaredLocations, Family, Location, LocationFamily, Pattern
from rh_kernel.syntax.types import Shape

MetIndex: TypeAlias = "Location | LocationFamily | Dim | Symbolic"
Key: TypeAlias = tuple[Family, tuple[Dim | Shape, ...], tuple[Dim | DeclaredLocations, ...]]


@frozen
class EvaluatedOperation:
    """``Op[i, …]`` at run time: its static indices are locations and dimensions, its closed values are evaluated."""

    operation: Operation
    indices: tuple[MetIndex, ...]


@frozen
class SpecialisedClause:
    """The scopes of a clause at given dimensions, ``a…, x. Q^f`` and ``a…, y, z. Q^b``, or ``a…, x, k. Q``, and its head.

    If Q resumes once, as the last thing that it does, ``resumed`` is Q with ``⌊M⌋`` in place of ``k • M``.
    """

    scopes: tuple[Scope, ...]
    pattern: Pattern
    resumed: Command | None = None


class Clauses:
    """The clauses of an installed handler, with a cache of their specialisations."""

    def __init__(self, H: ReverseHandler | OrdinaryHandler) -> None:
        self._clauses = H.clauses
        self._names_locations = any(isinstance(i, DeclaredLocations) for clause in H.clauses for i in clause.pattern.indices)
        self._cache: dict[Key, SpecialisedClause | None] = {}

    def find(self, met: EvaluatedOperation) -> SpecialisedClause | None:
        """Return the clause for the operation, specialised to its dimensions, or ``None`` if there is none.

        Raises ``NotRolledError`` if it may be another one in each round of a loop.
        """
        op = met.operation
        if self._names_locations and any(isinstance(i, Row) for i in met.indices):
            raise NotRolledError
        static = tuple(
            [i for i in met.indices if isinstance(i, Dim) or (self._names_locations and isinstance(i, DeclaredLocations))]
        )
        key = (op.family, op.at, static)
        if key not in self._cache:
            self._cache[key] = self._specialised(met)
        return self._cache[key]

    def _specialised(self, met: EvaluatedOperation) -> SpecialisedClause | None:
        """The clause that names the most locations wins; of several such clauses, the first."""
        covering = [c for c in self._clauses if _covers(c.pattern, met)]
        if not covering:
            return None
        clause = max(covering, key=lambda c: sum(isinstance(i, DeclaredLocations) for i in c.pattern.indices))
        static = _static(clause.pattern, met)
        scopes = tuple([specialise(scope, static) for scope in _scopes(clause)])
        is_ordinary = isinstance(clause, OrdinaryClause)
        return SpecialisedClause(scopes, clause.pattern, _resumed(cast(Command, scopes[0].body), 0) if is_ordinary else None)


def entered(met: EvaluatedOperation, opened: SpecialisedClause, environment: Environment) -> tuple[Environment, Names]:
    """Return the environment that the clause runs in, extending that of its handler, and its location parameters."""
    names = environment[2]
    for name, index in zip(opened.pattern.indices, met.indices, strict=True):
        if isinstance(name, DeclaredLocations):
            continue
        match index:
            case Location() | LocationFamily():
                names = {**names, name: index}
            case Dim():
                pass
            case Slot() | SymbolicZero() | tuple():
                environment = (index, environment, environment[2])
    return environment, names


def _resumed(P: Command, k: int) -> Command | None:
    """P with ``⌊M⌋`` in place of ``k • M``, or ``None`` if it does not always resume once, as the last thing that it does."""
    match P:
        case Resume(index, _, M) if index == k and not M.loose >> k & 1:
            return Return(M, span=P.span)
        case Bind(Q, scope) if not Q.loose >> k & 1:
            body = _resumed(cast(Command, scope.body), k + scope.arity)
            return None if body is None else replace(P, scope=replace(scope, body=body))
        case IfCommand(_, M, Q, R) if not M.loose >> k & 1:
            then, otherwise = _resumed(Q, k), _resumed(R, k)
            return None if then is None or otherwise is None else replace(P, then=then, otherwise=otherwise)
        case _:
            return None


def _scopes(clause: ReverseClause | OrdinaryClause) -> tuple[Scope, ...]:
    match clause:
        case ReverseClause(_, forward, _, backward):
            return forward, backward
        case OrdinaryClause(_, scope):
            return (scope,)


def _covers(pattern: Pattern, met: EvaluatedOperation) -> bool:
    if pattern.family != met.operation.family:
        return False
    return all(i == j for i, j in zip(pattern.indices, met.indices, strict=True) if isinstance(i, DeclaredLocations))


def _static(pattern: Pattern, met: EvaluatedOperation) -> Static:
    """The dimensions and shapes bound by the head; its locations are left to the environment."""
    op = met.operation
    pairs = list(zip(pattern.variables, op.at, strict=True))
    dims = {name: a for name, a in pairs if isinstance(a, Dim)}
    shapes = {name: a for name, a in pairs if not isinstance(a, Dim)}
    given = {name: i for name, i in zip(pattern.indices, met.indices, strict=True) if isinstance(i, Dim)}
    return Static({**dims, **{name: i for name, i in given.items() if isinstance(name, str)}}, shapes, {})
