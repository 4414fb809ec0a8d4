"""Values as they are written, as functions of the environment: ``V ↦ (ρ ↦ V[ρ])``, and what a match looks at."""

from collections.abc import Sequence

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.expressions import Constant, Expression, Scope, composed, gather, reader
from rh_kernel.ad.eff.machine.compiler.program import Program, order
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
            names = order(V)
            return _made([Constant(Code(V, names)), _made([scope.read(x) for x in names])])
        case core.Tuple() | core.Constructed():
            return _built(V, scope, program)
        case core.Reference():
            raise KernelBug("a reference is no part of a program")


def expressions(values: Sequence[core.Value], scope: Scope, program: Program) -> list[Expression]:
    """The same of several values."""
    return [expression(V, scope, program) for V in values]


def _built(V: core.Tuple | core.Constructed, scope: Scope, program: Program) -> Expression:
    """Tuples and constructed values; the last component may be a long chain of such."""
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
    end: Expression = _made(fronts.pop()) if is_ended else expression(last, scope, program)
    while fronts and (isinstance(end, Constant) or len(fronts) <= 2):
        end = _made([*fronts.pop(), end])
    if not fronts:
        return end
    makers = [gather(front) for front in reversed(fronts)]
    behind = reader(end)

    def chained(e: Environment) -> Value:
        made = behind(e)
        for front in makers:
            made = (*front(e), made)
        return made

    return composed(chained, [end, *(part for front in fronts for part in front)])


def _made(components: Sequence[Expression]) -> Expression:
    made = gather(components)
    return Constant(made(())) if all(isinstance(e, Constant) for e in components) else composed(made, components)


def columns(
    V: core.Value, branches: Sequence[core.Branch], scope: Scope, program: Program
) -> tuple[list[Expression], list[tuple[core.Pattern, ...]]]:
    """What is looked at, and the rows of patterns; a tuple that is only made to be looked at is not made."""
    patterns = [branch.pattern for branch in branches]
    if isinstance(V, core.Tuple) and not any(isinstance(p, core.NamePattern) for p in patterns):
        rows = [
            p.components if isinstance(p, core.TuplePattern) else (core.AnyPattern(),) * len(V.components) for p in patterns
        ]
        return expressions(V.components, scope, program), rows
    return [expression(V, scope, program)], [(p,) for p in patterns]


def spine(M: core.Computation) -> tuple[core.Computation, list[core.Value]]:
    """``M V…`` as M and V…"""
    arguments: list[core.Value] = []
    while isinstance(M, core.Apply):
        arguments.append(M.argument)
        M = M.function
    return M, arguments[::-1]
