"""What calculates and does not reach for the stack, as a function of the environment: ``M ↦ (ρ ↦ V)`` if ``M[ρ] ⇝* return V``.

That is: results, built-in functions, operations of the machine's own effects, matches, and names for such.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.builtins import applied, at, called_with, native, unfit
from rh_kernel.ad.eff.machine.compiler.decision_trees import Decision, Leaf, Nothing, Tree, Unfold
from rh_kernel.ad.eff.machine.compiler.expressions import (
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
from rh_kernel.ad.eff.machine.compiler.nodes import opening
from rh_kernel.ad.eff.machine.compiler.program import NATIVE, Program, is_calculation, order, size
from rh_kernel.ad.eff.machine.compiler.tail_resumption import LARGEST
from rh_kernel.ad.eff.machine.compiler.values import columns, expression, expressions, spine
from rh_kernel.ad.eff.machine.ir import Calculation, Code, Compute, Environment, Handling, operation_key
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, Value, is_constructor
from rh_kernel.source.span import Span

DEEPEST = 50
"""So many functions may call one another for a result that waits."""


@dataclass(frozen=True, slots=True)
class Direct:
    """How to compute the result; ``is_total`` says that it has one and does nothing else."""

    expression: Expression
    is_total: bool

    @property
    def may_wait(self) -> bool:
        """Whether it makes no difference when it is computed, and it is not too deep for others to be computed from it."""
        return self.is_total and not (isinstance(self.expression, Computed) and self.expression.depth > DEEPEST)


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

CALLED = 3
"""So many functions of Python may call one another for functions of the program."""


class _Calculations:
    __slots__ = ("_level", "_program", "deep", "is_cut")

    def __init__(self, program: Program, level: int = 0) -> None:
        self._program, self._level = program, level
        self.deep = 0
        """So many functions that are not inlined call one another."""
        self.is_cut = False
        """Whether what was looked for may be there, but too deep."""

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
                found = self._native(effect, operation, arguments, scope, M.span)
                return found or self._handled(effect, operation, arguments, scope, depth)
            case core.Let(x, N, L):
                return self._let(x, N, L, scope, depth)
            case core.Match(V, branches):
                return self.match(V, branches, scope, depth, unfit(reader(expression(V, scope, self._program)), scope.width))
            case core.Adapt(_, N) if self._program.is_native:
                return self.direct(N, scope.within(None), depth)
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
        values = expressions(arguments, scope, self._program)
        found = self._program.small(head.value.name, len(arguments))
        if found is None:
            return self._calculated(self._program.function(head.value.name), values, scope)
        parameters, body = found
        return self.called(parameters, body, values, scope, depth + 1)

    def called(
        self, parameters: Sequence[str], body: core.Computation, arguments: Sequence[Expression], scope: Scope, depth: int
    ) -> Direct | None:
        """``M[V/x, …]`` for a closed ``λx…. M``"""
        computed = [n for n, V in enumerate(arguments) if isinstance(V, Computed)]
        within = {
            x: Slot(scope.width + computed.index(n)) if n in computed else V
            for n, (x, V) in enumerate(zip(parameters, arguments, strict=True))
        }
        found = self.direct(body, Scope(within, scope.width + len(computed), scope.around), depth)
        if found is None or not computed or isinstance(found.expression, Constant):
            return found
        f, g = gather([arguments[n] for n in computed]), reader(found.expression)
        return Direct(Computed(lambda e: g(e + f(e)), None, scope.width, 1 + scope.depth), is_total=found.is_total)

    def _calculated(self, code: Code, arguments: Sequence[Expression], scope: Scope) -> Direct | None:
        """``f V…`` for a function that is a calculation where the innermost handler has direct clauses."""
        if scope.around is None or code.arity != len(arguments):
            return None
        known = tuple([V.value if isinstance(V, Constant) and is_constructor(V.value) else None for V in arguments])
        found = self._calculation(code, scope.around, known)
        if found is None or found.deep > CALLED:
            self.is_cut |= found is not None
            return None
        self.deep = max(self.deep, found.deep + 1)
        if found.is_constant:
            return Direct(Constant(found.function(())), found.is_total)
        given = [V for V, K in zip(arguments, known, strict=True) if K is None]
        f, g = gather(given), found.function
        return Direct(composed(lambda e: g(f(e)), given), found.is_total)

    def _calculation(self, code: Code, around: Handling, known: tuple[Value, ...]) -> Calculation | None:
        """The function inside of this handler for these arguments, as far as they are known; of the others."""
        key = around, known
        if key not in code.calculations:
            if self._level > CALLED:
                self.is_cut = True
                return None
            code.calculations[key] = None
            if size(code.term, LARGEST) <= LARGEST and is_calculation(code.term, with_operations=True):
                scope = places([x for x, K in zip(code.parameters, known, strict=True) if K is None], around)
                for x, K in zip(code.parameters, known, strict=True):
                    scope = scope if K is None else scope.with_(x, Constant(K))
                inner = _Calculations(self._program, self._level + 1)
                made = inner.direct(code.term, scope, 0)
                if made is None and inner.is_cut:
                    del code.calculations[key]
                    self.is_cut = True
                    return None
                if made is not None:
                    is_constant = isinstance(made.expression, Constant)
                    function = reader(made.expression)
                    code.calculations[key] = Calculation(function, is_constant, made.is_total, inner.deep)
        return code.calculations[key]

    # --------------------------------------------------------------------------------------- operations

    def _handled(self, effect: str, operation: str, arguments: Sequence[core.Value], scope: Scope, depth: int) -> Direct | None:
        """What a direct clause of the innermost handler resumes with."""
        clause = None if scope.around is None else scope.around.clauses.get(operation_key(effect, operation))
        if clause is None or clause.result is None:
            return None
        values = expressions(arguments, scope, self._program)
        found = self.called(clause.result.parameters, clause.result.body, values, scope.within(None), depth)
        if found is None or self._program.tally is None:
            return found
        act = clause.result.noted(reader(found.expression))
        return Direct(Computed(act, None, scope.width, 1 + scope.depth), is_total=False)

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
                body = self.direct(branch.body, places(names, scope.around), depth)
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
                within = Scope({**scope.names, **names}, width, scope.around)
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
