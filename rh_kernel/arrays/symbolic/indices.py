"""The static indices of an operation at run time: the locations, families and numbers that they stand for."""

from rh_kernel.arrays.stacks import Row
from rh_kernel.arrays.symbolic.clauses import EvaluatedOperation, MetIndex
from rh_kernel.arrays.symbolic.loops import Loops
from rh_kernel.arrays.symbolic.repeats import family_of, located
from rh_kernel.arrays.symbolic.tape import Environment
from rh_kernel.arrays.symbolic.terms import evaluate
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.syntax.core import Index, Operation
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.signature import (
    Location,
    LocationFamily,
    LocationFamilyVar,
    LocationVar,
    Member,
    StateFamily,
    StateOf,
    located_state,
    states_of,
)


class Indices(Loops):
    """The state of an abstract machine that finds the locations of operations, in a round the one that the round is at."""

    def met(self, op: Operation, rho: Environment) -> EvaluatedOperation:
        """The operation with its indices evaluated."""
        return EvaluatedOperation(op, tuple([self._index(i, rho) for i in op.indices]))

    def _index(self, i: Index, rho: Environment) -> MetIndex:
        match i:
            case Location() | LocationFamily() | Dim():
                return i
            case Member(family, index):
                return self.row(family_of(family, rho[2]), index) or located(family, index, rho[2])
            case StateOf(family, base):
                return self._state(family, self._index(base, rho))
            case LocationFamilyVar():
                return family_of(i, rho[2])
            case LocationVar(name):
                location = rho[2].get(name)
                if not isinstance(location, Location):
                    raise KernelBug(f"{name} stands for no location")
                return location
            case M:
                return evaluate(M, rho, self.builder)

    def _state(self, family: StateFamily, base: MetIndex) -> Location:
        match base:
            case Row(stack=at, index=number):
                found = self.row(states_of(family, at.family), dim(number) * dim(at.step) + dim(at.start))
                if found is not None:
                    return found
            case Location():
                return located_state(family, base)
            case _:
                pass
        raise KernelBug(f"{family.name} is beside no location")
