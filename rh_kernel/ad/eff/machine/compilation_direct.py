"""What calculates and does not reach for the stack, as a function of the environment: ``M ↦ (ρ ↦ V)`` if ``M[ρ] ⇝* return V``.

That is: results, built-in functions, operations of the machine's own effects, matches, and names for such.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.code import Code, Compute, Environment
from rh_kernel.ad.eff.machine.compilation_builtins import applied, at, called_with, native, unfit
from rh_kernel.ad.eff.machine.compilation_decisions import opening
from rh_kernel.ad.eff.machine.compilation_matches import Decision, Leaf, Nothing, Tree, Unfold
from rh_kernel.ad.eff.machine.compilation_program import NATIVE, Program, order, size
from rh_kernel.ad.eff.machine.compilation_values import (
    Computed,
    Constant,
    Expression,
    Scope,
    Slot,
    composed,
    gather,
    places,
    reader,
)
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, Tag, Value
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.span import Span

DEEPEST = 50
"""So many functions may call one another for a result that waits."""

LARGEST = 200
"""A calculation of more nodes is left to the machine, which does not nest."""


@dataclass(frozen=True, slots=True)
class Direct:
    """How to compute the result; ``is_total`` says that it has one and does nothing else."""

    expression: Expression
    is_total: bool

    @property
    def may_wait(self) -> bool:
        """Whether it makes no difference when it is computed, and it is not too deep for others to be computed from it."""
        return self.is_total and not (isinstance(self.expression, Computed) and self.expression.depth > DEEPEST)


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


def direct(M: core.Computation, scope: Scope, program: Program, unfit: Compute | None = None) -> Direct | None:
    """``ρ ↦ V``, if M only calculates; if it is a match, ``unfit`` is what is done when no branch fits."""
    if not isinstance(M, core.Return | core.BuiltIn) and size(M, LARGEST) > LARGEST:
        return None
    calculations = _Calculations(program)
    if isinstance(M, core.Match) and unfit is not None:
        return calculations.match(M.value, M.branches, scope, 0, unfit)
    return calculations.direct(M, scope, 0)


INLINED = 6
"""So often a small function may stand in a small function."""


class _Calculations:
    __slots__ = ("_program",)

    def __init__(self, program: Program) -> None:
        self._program = program

    def direct(self, M: core.Computation, scope: Scope, depth: int) -> Direct | None:
        match M:
            case core.Return(V):
                return Direct(expression(V, scope, self._program), is_total=True)
            case core.BuiltIn(g, arguments):
                found = self._program.built_ins[g]
                values = expressions(arguments, scope, self._program)
                made = applied(g, found.function, values)
                if not found.is_total:
                    return Direct(Computed(at(made.function, M.span)), is_total=False)
                return Direct(composed(made.function, values, made.test), is_total=True)
            case core.Perform(effect, operation, arguments):
                return self._native(effect, operation, arguments, scope, M.span)
            case core.Let(x, N, L):
                return self._let(x, N, L, scope, depth)
            case core.Match(V, branches):
                return self.match(
                    V, branches, scope, depth, unfit(reader(expression(V, scope, self._program)), scope.width, M.span)
                )
            case core.Adapt(_, N) if self._program.is_native:
                return self.direct(N, scope, depth)
            case core.Force(core.Thunk(N)):
                return self.direct(N, scope, depth)
            case core.Apply() | core.Force():
                return self._call(M, scope, depth)
            case core.Lambda() | core.Pair() | core.Projection() | core.Handle() | core.Adapt():
                return None

    def _let(self, x: str, N: core.Computation, L: core.Computation, scope: Scope, depth: int) -> Direct | None:
        bound = self.direct(N, scope, depth)
        if bound is None:
            return None
        if isinstance(bound.expression, Slot | Constant) or (bound.may_wait and x.startswith(core.SILENT)):
            return self.direct(L, scope.with_(x, bound.expression), depth)
        body = self.direct(L, scope.extended(x), depth)
        if body is None:
            return None
        f, g = reader(bound.expression), reader(body.expression)
        return Direct(_in_front(f, g, scope), is_total=bound.is_total and body.is_total)

    def _call(self, M: core.Apply | core.Force, scope: Scope, depth: int) -> Direct | None:
        head, arguments = spine(M)
        if not isinstance(head, core.Force) or not isinstance(head.value, core.Global) or depth == INLINED:
            return None
        found = self._program.small(head.value.name, len(arguments))
        if found is None:
            return None
        parameters, body = found
        return self.called(parameters, body, expressions(arguments, scope, self._program), scope, depth + 1)

    def called(
        self, parameters: Sequence[str], body: core.Computation, arguments: Sequence[Expression], scope: Scope, depth: int
    ) -> Direct | None:
        """``M[V/x, …]`` for a closed ``λx…. M``"""
        computed = [n for n, V in enumerate(arguments) if isinstance(V, Computed)]
        within = {
            x: Slot(scope.width + computed.index(n)) if n in computed else V
            for n, (x, V) in enumerate(zip(parameters, arguments, strict=True))
        }
        found = self.direct(body, Scope(within, scope.width + len(computed)), depth)
        if found is None or not computed or isinstance(found.expression, Constant):
            return found
        f, g = gather([arguments[n] for n in computed]), reader(found.expression)
        return Direct(Computed(lambda e: g(e + f(e)), None, scope.width, 1 + scope.depth), is_total=found.is_total)

    # --------------------------------------------------------------------------------------- references

    def _native(
        self, effect: str, operation: str, arguments: Sequence[core.Value], scope: Scope, span: Span | None
    ) -> Direct | None:
        if effect not in NATIVE or not self._program.is_native:
            return None
        function = native(self._program.tally, self._program.print, effect, operation, span)
        return Direct(called_with(function, expressions(arguments, scope, self._program)), is_total=False)

    # ------------------------------------------------------------------------------------------ matches

    def match(
        self, V: core.Value, branches: Sequence[core.Branch], scope: Scope, depth: int, otherwise: Compute
    ) -> Direct | None:
        """``match V | p -> M | …``"""
        values, rows = columns(V, branches, scope, self._program)
        tree, uses = self._program.matching.tree(values, rows, scope.width)
        shared: dict[int, tuple[tuple[str, ...], Direct]] = {}
        for n, branch in enumerate(branches):
            if uses.get(n, 0) > 1 and size(branch.body, SHARED) > SHARED:
                names = order(branch.body)
                body = self.direct(branch.body, places(names), depth)
                if body is None:
                    return None
                shared[n] = names, body
        made = self._tree(tree, branches, shared, scope, depth, otherwise)
        if made is None:
            return None
        found = made.expression
        if isinstance(found, Computed):
            found = Computed(found.function, None, scope.width, found.depth + scope.depth)
        return Direct(found, is_total=made.is_total and self._program.matching.is_whole(tree))

    def _tree(
        self,
        tree: Tree,
        branches: Sequence[core.Branch],
        shared: dict[int, tuple[tuple[str, ...], Direct]],
        scope: Scope,
        depth: int,
        otherwise: Compute,
    ) -> Direct | None:
        match tree:
            case Nothing():
                return Direct(Computed(otherwise), is_total=False)
            case Leaf(row, names, width):
                within = Scope({**scope.names, **names}, width)
                if row not in shared:
                    return self.direct(branches[row].body, within, depth)
                free, body = shared[row]
                f, g = gather([within.read(x) for x in free]), reader(body.expression)
                return Direct(Computed(lambda e: g(f(e))), is_total=body.is_total)
            case Unfold(value, is_alone, then):
                inner = self._tree(then, branches, shared, scope, depth, otherwise)
                return inner and Direct(_unfolding(value, inner.expression, is_alone=is_alone), is_total=inner.is_total)
            case Decision():
                return self._decision(tree, branches, shared, scope, depth, otherwise)

    def _decision(
        self,
        tree: Decision,
        branches: Sequence[core.Branch],
        shared: dict[int, tuple[tuple[str, ...], Direct]],
        scope: Scope,
        depth: int,
        otherwise: Compute,
    ) -> Direct | None:
        cases: dict[object, Direct] = {}
        for K, inner in tree.cases.items():
            found = self._tree(inner, branches, shared, scope, depth, otherwise)
            if found is None:
                return None
            cases[K] = found
        left = self._tree(tree.otherwise, branches, shared, scope, depth, otherwise)
        if left is None:
            return None
        is_covered = self._program.matching.is_covered(tree)
        is_total = all(case.is_total for case in cases.values()) and (is_covered or left.is_total)
        table = {K: reader(case.expression) for K, case in cases.items()}
        return Direct(Computed(_deciding(tree, table, reader(left.expression))), is_total=is_total)


SHARED = 6
"""A branch of no more nodes is compiled again for each way that leads to it."""


def _in_front(f: Compute, g: Compute, scope: Scope) -> Expression:
    """``ρ ↦ g(ρ, f(ρ))``"""

    def both(e: Environment) -> Value:
        e += (f(e),)
        return g(e)

    return Computed(both, None, scope.width, 1 + scope.depth)


def _unfolding(value: Expression, inner: Expression, *, is_alone: bool) -> Expression:
    if isinstance(inner, Constant):
        return inner
    f, g = opening(value, is_alone=is_alone), reader(inner)
    return Computed(lambda e: g(f(e)))


def _deciding(tree: Decision, table: dict[object, Compute], left: Compute) -> Compute:
    value, get = reader(tree.value), table.get
    if tree.is_literal:
        return lambda e: get(value(e), left)(e)
    if isinstance(tree.value, Computed) and tree.value.test is not None:
        test, yes, no = tree.value.test, get(TRUE[0], left), get(FALSE[0], left)
        return lambda e: yes(e) if test(e) else no(e)
    if not tree.grows:
        return lambda e: get(value(e)[0], left)(e)
    grows = tree.grows

    def decided(e: Environment) -> Value:
        V = value(e)
        K = V[0]
        return get(K, left)(e + V if K in grows else e)

    return decided


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
