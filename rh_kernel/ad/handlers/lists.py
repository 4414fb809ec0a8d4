"""Functions of several numbers with several results, as functions on lists of numbers, which the drivers take."""

from collections.abc import Iterator, Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.handlers.op_table import call
from rh_kernel.ad.handlers.scope import Lets, Scope, nested
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.unrolling import without_arrays
from rh_kernel.source.diagnostic import KernelBug

_MAX_PATTERN = 8
"""The length of the longest list that a pattern matches; patterns for longer ones would be too deep."""


def on_lists(f: core.FunctionDefinition, program: Program, names: Names) -> core.Thunk:
    """``{[x, …] -> …}``: f as a function from the list of the numbers in its arguments to that of the numbers in its result.

    A list of another length, which does not occur, is mapped to the empty list.
    """
    scope = Scope(names)
    arguments = [scope.pattern(x, without_arrays(A))[1] for x, A in program.parameters]
    M: core.Computation = core.Force(core.Variable(f.name))
    for V in arguments:
        M = core.Apply(M, V)
    p, W = scope.result(without_arrays(program.result))
    M = nested([(p, M)], core.Return(listed(_leaves(W))))
    inputs = [x for V in arguments for x in _leaves(V)]
    zs = names.fresh("zs")
    if len(inputs) <= _MAX_PATTERN:
        others = core.Branch(core.AnyPattern(), core.Return(listed(())))
        branches = core.Branch(_pattern(inputs), M), others
        return core.Thunk(core.Lambda(zs, core.Match(core.Variable(zs), branches)))
    lets: Lets = []
    left = core.Variable(zs)
    for x in inputs:
        others = core.Variable(names.fresh("zs"))
        lets += [(core.NamePattern(x.name), call("first", left)), (core.NamePattern(others.name), call("rest", left))]
        left = others
    return core.Thunk(core.Lambda(zs, nested(lets, M)))


def _pattern(variables: Sequence[core.Variable]) -> core.Pattern:
    """``[x, …]``"""
    found: core.Pattern = core.ConstructorPattern("Nil", ())
    for x in reversed(variables):
        found = core.ConstructorPattern("Cons", (core.NamePattern(x.name), found))
    return found


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
    """The variables in the value of a pattern, from left to right."""
    match V:
        case core.Variable():
            return [V]
        case core.Tuple(components):
            return [y for W in components for y in _leaves(W)]
        case _:
            raise KernelBug("a pattern of tuples was expected")
