"""Functions of several numbers with several results as functions on lists of numbers, which is what the modes are given."""

from collections.abc import Iterator, Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.handlers.scope import Lets, Scope, nested
from rh_kernel.ad.handlers.vocabulary import applied
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.unrolling import without_arrays
from rh_kernel.source.diagnostic import KernelBug


def on_lists(f: core.FunctionDefinition, program: Program, names: Names) -> core.Thunk:
    """``{zs -> …}``: the function f from the list of all numbers in its arguments to the list of all in its result."""
    scope = Scope(names)
    zs = names.fresh("zs")
    lets: Lets = []
    M: core.Computation = core.Force(core.Variable(f.name))
    left: core.Value = core.Variable(zs)
    for x, A in program.parameters:
        _, V = scope.pattern(x, without_arrays(A))
        for y in _leaves(V):
            others = core.Variable(names.fresh("zs"))
            lets += [
                (core.NamePattern(y.name), applied("first", left)),
                (core.NamePattern(others.name), applied("rest", left)),
            ]
            left = others
        M = core.Apply(M, V)
    p, W = scope.pattern("y", without_arrays(program.result))
    lets.append((p, M))
    return core.Thunk(core.Lambda(zs, nested(lets, core.Return(listed(_leaves(W))))))


def listed(values: Sequence[core.Value]) -> core.Value:
    """``[V, …]``"""
    found: core.Value = core.Constructed("Nil", ())
    for V in reversed(values):
        found = core.Constructed("Cons", (V, found))
    return found


def numbers_in(V: core.Value) -> Iterator[float]:
    """The numbers in a list of numbers."""
    while isinstance(V, core.Constructed) and V.fields:
        found, V = V.fields
        if not isinstance(found, core.Literal) or not isinstance(found.value, float | int):
            raise KernelBug("a number was expected")
        yield float(found.value)


def _leaves(V: core.Value) -> list[core.Variable]:
    """The variables in a pattern's value, from left to right."""
    match V:
        case core.Variable():
            return [V]
        case core.Tuple(components):
            return [y for W in components for y in _leaves(W)]
        case _:
            raise KernelBug("a pattern of tuples was expected")
