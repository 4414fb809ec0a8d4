"""Compilation of values: ``V ↦ (ρ ↦ V[ρ])``."""

from collections.abc import Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.expressions import Constant, Expression, Scope, closure, composed, gather
from rh_kernel.ad.eff.machine.compiler.program import Program, free_variables
from rh_kernel.ad.eff.machine.ir import Code, Environment
from rh_kernel.ad.eff.machine.values import Tag, Value
from rh_kernel.source.diagnostic import KernelBug


def expression(V: core.Value, scope: Scope, program: Program) -> Expression:
    """``ρ ↦ V[ρ]``"""
    match V:
        case core.Variable(x):
            return scope.read(x)
        case core.Global(key):
            return Constant((program.function(key), ()))
        case core.Literal(value):
            return Constant(value)
        case core.Thunk():
            names = free_variables(V)
            return _tuple([Constant(Code(V, names)), _tuple([scope.read(x) for x in names])])
        case core.Tuple() | core.Constructed():
            return _compound(V, scope, program)
        case core.Reference():
            raise KernelBug("a reference is no part of a program")


def expressions(values: Sequence[core.Value], scope: Scope, program: Program) -> list[Expression]:
    """The expressions of several values."""
    return [expression(V, scope, program) for V in values]


def _compound(V: core.Tuple | core.Constructed, scope: Scope, program: Program) -> Expression:
    """A tuple or a constructed value. A chain of last components, such as a list, is built in a loop, as it may be long."""
    fronts: list[list[Expression]] = []
    last: core.Value = V
    while isinstance(last, core.Tuple | core.Constructed):
        inside = last.components if isinstance(last, core.Tuple) else last.fields
        head: list[Expression] = [] if isinstance(last, core.Tuple) else [Constant(Tag(last.constructor))]
        if not inside:
            fronts.append(head)
            break
        fronts.append(head + expressions(inside[:-1], scope, program))
        last = inside[-1]
    is_ended = isinstance(last, core.Tuple | core.Constructed)
    end: Expression = _tuple(fronts.pop()) if is_ended else expression(last, scope, program)
    while fronts and (isinstance(end, Constant) or len(fronts) <= 2):
        end = _tuple([*fronts.pop(), end])
    if not fronts:
        return end
    makers = [gather(front) for front in reversed(fronts)]
    innermost = closure(end)

    def chained(e: Environment) -> Value:
        made = innermost(e)
        for front in makers:
            made = (*front(e), made)
        return made

    return composed(chained, [end, *(part for front in fronts for part in front)])


def _tuple(components: Sequence[Expression]) -> Expression:
    made = gather(components)
    return Constant(made(())) if all(isinstance(e, Constant) for e in components) else composed(made, components)
