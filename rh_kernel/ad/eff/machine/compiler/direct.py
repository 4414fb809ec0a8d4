"""Direct compilation of a computation that needs no stack to a function of ρ: ``M ↦ (ρ ↦ V)`` if ``M[ρ] ⇝* return V``.

These are results, built-in functions, native operations, lets and matches of such, calls of small functions, and operations
that a tail-resumptive clause of the innermost handler handles. Everything else is compiled to nodes (``computations``).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.builtins import at, call, call_builtin, native, unmatched
from rh_kernel.ad.eff.machine.compiler.decision_trees import Decision, Extend, Leaf, Tree, Unmatched, decision_tree
from rh_kernel.ad.eff.machine.compiler.expressions import (
    Computed,
    Constant,
    Expression,
    Scope,
    Slot,
    closure,
    composed,
    gather,
    slots,
)
from rh_kernel.ad.eff.machine.compiler.nodes import extension
from rh_kernel.ad.eff.machine.compiler.program import NATIVE, Program, free_variables, is_calculation, size
from rh_kernel.ad.eff.machine.compiler.tail_resumption import LARGEST
from rh_kernel.ad.eff.machine.compiler.values import expression, expressions
from rh_kernel.ad.eff.machine.ir import Code, Compute, Environment, Handling, Specialization, operation_key
from rh_kernel.ad.eff.machine.values import FALSE, TRUE, Value, is_constructor
from rh_kernel.ad.eff.traversal import spine
from rh_kernel.source.span import Span

DEEPEST = 50
"""The largest depth of nested Python calls in a result whose evaluation is postponed."""

INLINED = 6
"""The largest depth of functions that are inlined in each other."""

CALLED = 3
"""The largest depth of specialised functions that call each other as functions of Python."""


@dataclass(frozen=True, slots=True)
class Direct:
    """The expression of a result; ``is_total`` says that it has a value and no effect."""

    expression: Expression
    is_total: bool

    @property
    def may_wait(self) -> bool:
        """Whether its evaluation may be postponed: it is total, and nested Python calls do not become too deep."""
        return self.is_total and not (isinstance(self.expression, Computed) and self.expression.depth > DEEPEST)


def direct(M: core.Computation, scope: Scope, program: Program) -> Direct | None:
    """``ρ ↦ V``, or ``None`` if M needs the stack or is large."""
    if not isinstance(M, core.Return | core.BuiltIn) and size(M, LARGEST) > LARGEST:
        return None
    return _DirectCompiler(program).compile(M, scope, 0)


class _DirectCompiler:
    """Compiles one computation; ``level`` is the depth of the specialised function that it is the body of."""

    __slots__ = ("_level", "_program", "deep", "is_cut")

    def __init__(self, program: Program, level: int = 0) -> None:
        self._program, self._level = program, level
        self.deep = 0
        """The depth of the specialised functions that are called."""
        self.is_cut = False
        """Whether the compilation was given up because of that depth."""

    def compile(self, M: core.Computation, scope: Scope, depth: int) -> Direct | None:
        """``ρ ↦ V``; ``depth`` is the depth of inlined functions around M."""
        match M:
            case core.Return(V):
                return Direct(expression(V, scope, self._program), is_total=True)
            case core.BuiltIn(g, arguments):
                found = self._program.built_ins[g]
                values = expressions(arguments, scope, self._program)
                made = call_builtin(g, found.function, values)
                if not found.is_total:
                    return Direct(Computed(at(made.function, M.span)), is_total=False)
                return Direct(composed(made.function, values, made.test), is_total=True)
            case core.Perform(effect, operation, arguments):
                found = self._native(effect, operation, arguments, scope, M.span)
                return found or self._handled(effect, operation, arguments, scope, depth)
            case core.Let(x, N, L):
                return self._let(x, N, L, scope, depth)
            case core.Match(V, branches):
                return self._match(V, branches, scope, depth)
            case core.Adapt(_, N) if self._program.is_native:
                return self.compile(N, scope.inside(None), depth)
            case core.Force(core.Thunk(N)):
                return self.compile(N, scope, depth)
            case core.Apply() | core.Force():
                return self._call(M, scope, depth)
            case core.Lambda() | core.Pair() | core.Projection() | core.Handle() | core.Adapt():
                return None

    def _let(self, x: str, N: core.Computation, L: core.Computation, scope: Scope, depth: int) -> Direct | None:
        bound = self.compile(N, scope, depth)
        if bound is None:
            return None
        if isinstance(bound.expression, Slot | Constant) or (bound.may_wait and x.startswith(core.SILENT)):
            return self.compile(L, scope.bind(x, bound.expression), depth)
        body = self.compile(L, scope.push(x), depth)
        if body is None:
            return None
        f, g = closure(bound.expression), closure(body.expression)

        def both(e: Environment) -> Value:
            e += (f(e),)
            return g(e)

        return Direct(Computed(both, None, scope.width, 1 + scope.depth), is_total=bound.is_total and body.is_total)

    # -------------------------------------------------------------------------------------------- calls

    def _call(self, M: core.Apply | core.Force, scope: Scope, depth: int) -> Direct | None:
        head, arguments = spine(M)
        if not isinstance(head, core.Force) or not isinstance(head.value, core.Global) or depth == INLINED:
            return None
        values = expressions(arguments, scope, self._program)
        found = self._program.small(head.value.name, len(arguments))
        if found is None:
            return self._specialized_call(self._program.function(head.value.name), values, scope)
        parameters, body = found
        return self._inlined(parameters, body, values, scope, depth + 1)

    def _inlined(
        self, parameters: Sequence[str], body: core.Computation, arguments: Sequence[Expression], scope: Scope, depth: int
    ) -> Direct | None:
        """``M[V/x, …]`` for a closed ``λx…. M``; computed arguments are appended to ρ."""
        computed = [n for n, V in enumerate(arguments) if isinstance(V, Computed)]
        within = {
            x: Slot(scope.width + computed.index(n)) if n in computed else V
            for n, (x, V) in enumerate(zip(parameters, arguments, strict=True))
        }
        found = self.compile(body, Scope(within, scope.width + len(computed), scope.innermost), depth)
        if found is None or not computed or isinstance(found.expression, Constant):
            return found
        f, g = gather([arguments[n] for n in computed]), closure(found.expression)
        return Direct(Computed(lambda e: g(e + f(e)), None, scope.width, 1 + scope.depth), is_total=found.is_total)

    def _specialized_call(self, code: Code, arguments: Sequence[Expression], scope: Scope) -> Direct | None:
        """``f V…`` for a function that compiles directly inside of the innermost handler."""
        if scope.innermost is None or code.arity != len(arguments):
            return None
        known = tuple([V.value if isinstance(V, Constant) and is_constructor(V.value) else None for V in arguments])
        found = self._specialization(code, scope.innermost, known)
        if found is None or found.deep > CALLED:
            self.is_cut |= found is not None
            return None
        self.deep = max(self.deep, found.deep + 1)
        if found.is_constant:
            return Direct(Constant(found.function(())), found.is_total)
        given = [V for V, K in zip(arguments, known, strict=True) if K is None]
        f, g = gather(given), found.function
        return Direct(composed(lambda e: g(f(e)), given), found.is_total)

    def _specialization(self, code: Code, innermost: Handling, known: tuple[Value, ...]) -> Specialization | None:
        """The function specialised to this handler and to the arguments that are not ``None``, as a function of the others."""
        key = innermost, known
        if key not in code.specializations:
            if self._level > CALLED:
                self.is_cut = True
                return None
            code.specializations[key] = None
            if size(code.term, LARGEST) <= LARGEST and is_calculation(code.term, with_operations=True):
                scope = slots([x for x, K in zip(code.parameters, known, strict=True) if K is None], innermost)
                for x, K in zip(code.parameters, known, strict=True):
                    scope = scope if K is None else scope.bind(x, Constant(K))
                inner = _DirectCompiler(self._program, self._level + 1)
                made = inner.compile(code.term, scope, 0)
                if made is None and inner.is_cut:
                    del code.specializations[key]
                    self.is_cut = True
                    return None
                if made is not None:
                    is_constant = isinstance(made.expression, Constant)
                    function = closure(made.expression)
                    code.specializations[key] = Specialization(function, is_constant, made.is_total, inner.deep)
        return code.specializations[key]

    # --------------------------------------------------------------------------------------- operations

    def _handled(self, effect: str, operation: str, arguments: Sequence[core.Value], scope: Scope, depth: int) -> Direct | None:
        """An operation that a tail-resumptive clause of the innermost handler handles, inlined."""
        clause = None if scope.innermost is None else scope.innermost.clauses.get(operation_key(effect, operation))
        if clause is None or clause.inlined is None:
            return None
        values = expressions(arguments, scope, self._program)
        found = self._inlined(clause.inlined.parameters, clause.inlined.body, values, scope.inside(None), depth)
        if found is None or self._program.tally is None:
            return found
        act = clause.inlined.counted(closure(found.expression))
        return Direct(Computed(act, None, scope.width, 1 + scope.depth), is_total=False)

    def _native(
        self, effect: str, operation: str, arguments: Sequence[core.Value], scope: Scope, span: Span | None
    ) -> Direct | None:
        if effect not in NATIVE or not self._program.is_native:
            return None
        function = native(self._program.tally, self._program.print, effect, operation, span)
        return Direct(call(function, expressions(arguments, scope, self._program)), is_total=False)

    # ------------------------------------------------------------------------------------------ matches

    def _match(self, V: core.Value, branches: Sequence[core.Branch], scope: Scope, depth: int) -> Direct | None:
        """``match V | p -> M | …``"""
        otherwise = unmatched(closure(expression(V, scope, self._program)), scope.width)
        tree, repeated = decision_tree(V, branches, scope, self._program)
        shared: dict[int, tuple[tuple[str, ...], Direct]] = {}
        for n in repeated:
            names = free_variables(branches[n].body)
            body = self.compile(branches[n].body, slots(names, scope.innermost), depth)
            if body is None:
                return None
            shared[n] = names, body

        def leaf(found: Leaf) -> Direct | None:
            within = Scope({**scope.names, **found.names}, found.width, scope.innermost)
            if found.row not in shared:
                return self.compile(branches[found.row].body, within, depth)
            names, body = shared[found.row]
            f, g = gather([within.read(x) for x in names]), closure(body.expression)
            return Direct(Computed(lambda e: g(f(e))), is_total=body.is_total)

        made = _tree(tree, leaf, otherwise)
        if made is None or not isinstance(made.expression, Computed):
            return made
        found = made.expression
        return Direct(Computed(found.function, None, scope.width, found.depth + scope.depth), made.is_total)


def _tree(tree: Tree, leaf: Callable[[Leaf], Direct | None], otherwise: Compute) -> Direct | None:
    """The function of a decision tree, given those of its leaves, and that for a value that no row matches."""
    match tree:
        case Unmatched():
            return Direct(Computed(otherwise), is_total=False)
        case Leaf():
            return leaf(tree)
        case Extend(value, is_whole, then):
            inner = _tree(then, leaf, otherwise)
            if inner is None or isinstance(inner.expression, Constant):
                return inner
            f, g = extension(value, is_whole=is_whole), closure(inner.expression)
            return Direct(Computed(lambda e: g(f(e))), inner.is_total)
        case Decision():
            cases: dict[object, Direct] = {}
            for K, inner in tree.cases.items():
                found = _tree(inner, leaf, otherwise)
                if found is None:
                    return None
                cases[K] = found
            left = _tree(tree.otherwise, leaf, otherwise)
            if left is None:
                return None
            is_total = all(case.is_total for case in cases.values()) and (tree.is_exhaustive or left.is_total)
            table = {K: closure(case.expression) for K, case in cases.items()}
            return Direct(Computed(_branch(tree, table, closure(left.expression))), is_total)


def _branch(tree: Decision, table: dict[object, Compute], left: Compute) -> Compute:
    """The function that goes on with that of the case, or with ``left``."""
    value, get = closure(tree.value), table.get
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
