"""Which clause of a handler an operation meets while the compiler runs (RH Def. 3.4, §4), and in what environment it is run.

The clause is made for the operation's dimensions once, and kept with the handler for the next operation that has the same.
Locations and closed values, which may differ from one operation to the next, are left to the environment: so a thousand layers
of one width, each at a location of its own, run through one and the same clause.
"""

from typing import TypeAlias

from rh_kernel.arrays.symbolic.tape import Environment, Names
from rh_kernel.arrays.symbolic.values import Nought, Slot, Symbolic
from rh_kernel.source.records import frozen
from rh_kernel.syntax.binding import Static, specialise
from rh_kernel.syntax.core import Operation, OrdinaryClause, OrdinaryHandler, ReverseClause, ReverseHandler, Scope
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.signature import Family, Location, Pattern
from rh_kernel.syntax.types import Shape

MetIndex: TypeAlias = "Location | Dim | Symbolic"
Key: TypeAlias = tuple[Family, tuple[Dim | Shape, ...], tuple[Location | Dim, ...]]


@frozen
class Met:
    """``Op[i, …]`` where a run has come to: its static indices are locations and numbers, its closed values are computed."""

    operation: Operation
    indices: tuple[MetIndex, ...]


@frozen
class Opened:
    """The scopes of a clause at some dimensions, ``a…, x. Q^f`` and ``a…, y, z. Q^b``, or ``a…, x, k. Q``, and its head."""

    scopes: tuple[Scope, ...]
    pattern: Pattern


class Clauses:
    """The clauses of one handler that is installed, and those made for dimensions that have been met."""

    def __init__(self, H: ReverseHandler | OrdinaryHandler) -> None:
        self._clauses = H.clauses
        self._names_locations = any(isinstance(i, Location) for clause in H.clauses for i in clause.pattern.indices)
        self._found: dict[Key, Opened | None] = {}

    def find(self, met: Met) -> Opened | None:
        """The clause for the operation, at its dimensions, or ``None`` if there is none."""
        op = met.operation
        static = tuple([i for i in met.indices if isinstance(i, Dim) or (self._names_locations and isinstance(i, Location))])
        key = (op.family, op.at, static)
        if key not in self._found:
            self._found[key] = self._made(met)
        return self._found[key]

    def _made(self, met: Met) -> Opened | None:
        """The clause that names the most locations wins; of several alike the first."""
        covering = [c for c in self._clauses if _covers(c.pattern, met)]
        if not covering:
            return None
        clause = max(covering, key=lambda c: sum(isinstance(i, Location) for i in c.pattern.indices))
        static = _static(clause.pattern, met)
        return Opened(tuple([specialise(scope, static) for scope in _scopes(clause)]), clause.pattern)


def entered(met: Met, opened: Opened, environment: Environment) -> tuple[Environment, Names]:
    """The environment in which the clause is run, of a handler that is in ``environment``, and its location parameters."""
    names = environment[2]
    for name, index in zip(opened.pattern.indices, met.indices, strict=True):
        if isinstance(name, Location):
            continue
        match index:
            case Location():
                names = {**names, name: index}
            case Dim():
                pass
            case Slot() | Nought() | tuple():
                environment = (index, environment, environment[2])
    return environment, names


def _scopes(clause: ReverseClause | OrdinaryClause) -> tuple[Scope, ...]:
    match clause:
        case ReverseClause(_, forward, _, backward):
            return forward, backward
        case OrdinaryClause(_, scope):
            return (scope,)


def _covers(pattern: Pattern, met: Met) -> bool:
    if pattern.family != met.operation.family:
        return False
    return all(i == j for i, j in zip(pattern.indices, met.indices, strict=True) if isinstance(i, Location))


def _static(pattern: Pattern, met: Met) -> Static:
    """What the dimension and shape variables of the head are; its locations are left to the environment."""
    op = met.operation
    pairs = list(zip(pattern.variables, op.at, strict=True))
    dims = {name: a for name, a in pairs if isinstance(a, Dim)}
    shapes = {name: a for name, a in pairs if not isinstance(a, Dim)}
    given = {name: i for name, i in zip(pattern.indices, met.indices, strict=True) if isinstance(i, Dim)}
    return Static({**dims, **{name: i for name, i in given.items() if isinstance(name, str)}}, shapes, {})
