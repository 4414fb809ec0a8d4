"""Compilation of computations to nodes: ``M ↦ node``, where running ``node`` in ρ does what ``M[ρ]`` does.

Calculations are closures (``direct``); nodes are for what uses the stack. A frame keeps of ρ only the variables that are free
in the rest, so that nothing dead is retained. Small functions are inlined.
"""

from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine import ir
from rh_kernel.ad.eff.machine.compiler.builtins import unmatched
from rh_kernel.ad.eff.machine.compiler.decision_trees import Leaf, decision_tree
from rh_kernel.ad.eff.machine.compiler.direct import Direct, direct
from rh_kernel.ad.eff.machine.compiler.expressions import (
    Computed,
    Constant,
    Expression,
    Scope,
    Slot,
    closure,
    gather,
    project,
    slots,
)
from rh_kernel.ad.eff.machine.compiler.nodes import Chain, extension, tree_node
from rh_kernel.ad.eff.machine.compiler.program import Program, free_variables
from rh_kernel.ad.eff.machine.compiler.tail_resumption import RESULT, parameters_of, tail_resumption
from rh_kernel.ad.eff.machine.compiler.values import expression, expressions
from rh_kernel.ad.eff.machine.counting import LiveFrame
from rh_kernel.ad.eff.machine.ir import Compute, Environment, Handling, Node
from rh_kernel.ad.eff.machine.values import Value
from rh_kernel.ad.eff.traversal import bound, free, occurring, spine


def compiled(code: ir.Code, within: Handling | None, program: Program) -> Node:
    """The body of a function, whose ρ holds the captured values and then the arguments."""
    return block(code.term, slots((*code.names, *code.parameters), within), program)


Step: TypeAlias = core.Let | core.Match
"""``x ← M; …``, or a match of one branch, whose body goes on."""


def block(M: core.Computation, scope: Scope, program: Program) -> Node:
    """M in tail position."""
    chain = Chain()
    steps: list[Step] = []
    while isinstance(M, core.Let) or (isinstance(M, core.Match) and len(M.branches) == 1):
        steps.append(M)
        M = M.body if isinstance(M, core.Let) else M.branches[0].body
    for step, needed in zip(steps, _needed(steps, M), strict=True):
        if isinstance(step, core.Match):
            scope = _unpacked(step, scope, program, chain)
            continue
        N, within = _inlined(step.bound, scope, program)
        found = direct(N, within, program)
        if found is not None:
            scope = _calculated(step.name, found, needed, scope, chain)
            continue
        save, after = project(scope, sorted(needed - {step.name}))
        node = _control(N, within, program)
        if node.op not in {ir.PERFORM, ir.APPLY, ir.CALL} or node.then is not None:
            node = Node(ir.LET, table=node)
        node.save, after = _counted_frame(save, after, program)
        chain.add(node)
        scope = after.push(step.name)
    N, within = _inlined(M, scope, program)
    found = direct(N, within, program)
    end = Node(ir.RETURN, value=closure(found.expression)) if found is not None else _control(N, within, program)
    return chain.end(end)


def _needed(steps: Sequence[Step], M: core.Computation) -> list[frozenset[str]]:
    """The variables that are free in the rest after each step."""
    found: list[frozenset[str]] = []
    needed = free(M)
    for step in reversed(steps):
        found.append(needed)
        match step:
            case core.Let(x, N):
                needed = (needed - {x}) | free(N)
            case core.Match(V, branches):
                needed = needed.difference(bound(branches[0].pattern)) | free(V)
    return found[::-1]


def _unpacked(step: core.Match, scope: Scope, program: Program, chain: Chain) -> Scope:
    """Append ``match V | p -> …`` to a chain, and return the scope with the variables of p."""
    tree, _ = decision_tree(step.value, step.branches, scope, program)
    leaf = chain.decide(tree, _failure(expression(step.value, scope, program), scope))
    return Scope({**scope.names, **leaf.names}, leaf.width, scope.innermost)


def _calculated(x: str, found: Direct, needed: frozenset[str], scope: Scope, chain: Chain) -> Scope:
    """Append ``x ← M`` for a direct M to a chain, and return the scope with x."""
    if isinstance(found.expression, Slot | Constant) or (found.may_wait and x.startswith(core.SILENT)):
        return scope.bind(x, found.expression)
    if x in needed:
        chain.extend(extension(found.expression, is_whole=True))
        return scope.push(x)
    if not found.may_wait:
        chain.act(closure(found.expression))
    return scope


def _counted_frame(save: Compute | None, after: Scope, program: Program) -> tuple[Compute | None, Scope]:
    """How a frame saves ρ; if the program counts, ρ also holds an object that counts the frame as long as it is alive."""
    if program.tally is None:
        return save, after
    frames = program.tally.frames
    kept: Compute = save or _all
    return lambda e: (*kept(e), LiveFrame(frames)), Scope(after.names, after.width + 1, after.innermost)


def _all(e: Environment) -> Environment:
    return e


def _inlined(M: core.Computation, scope: Scope, program: Program) -> tuple[core.Computation, Scope]:
    """M without ``{…}!`` and ``(λx. …) V`` at its head, and with the body of a small function in place of its call."""
    while isinstance(M, core.Force | core.Apply):
        head, arguments = spine(M)
        match head:
            case core.Force(core.Thunk(N)):
                M = _applied(N, arguments, head)
            case core.Force(core.Global(key)) if (found := program.small(key, len(arguments))) is not None:
                parameters, N = found
                values = expressions(arguments, scope, program)
                if not _is_linear(N, parameters, values):
                    return M, scope
                scope, M = scope.only(dict(zip(parameters, values, strict=True))), N
            case core.Lambda(x, N) if (
                arguments
                and isinstance(V := expression(arguments[0], scope, program), Slot | Constant)
                # The other arguments are read in the scope of N, so they must not mention another x.
                and all(x not in free(W) for W in arguments[1:])
            ):
                scope, M = scope.bind(x, V), _applied(N, arguments[1:], head)
            case _:
                return M, scope
    return M, scope


def _applied(M: core.Computation, arguments: Sequence[core.Value], head: core.Computation) -> core.Computation:
    """``M V…``"""
    for V in arguments:
        M = core.Apply(M, V, span=head.span)
    return M


def _is_linear(M: core.Computation, parameters: Sequence[str], values: Sequence[Expression]) -> bool:
    """Whether M evaluates each argument that has to be computed at most once."""
    computed = [x for x, V in zip(parameters, values, strict=True) if isinstance(V, Computed)]
    if not computed:
        return True
    times = occurring(M)
    return all(times[x] <= 1 for x in computed)


def _failure(V: Expression, scope: Scope) -> Node:
    """The node for a value that no branch matches."""
    return Node(ir.FAIL, value=unmatched(closure(V), scope.width))


def _control(M: core.Computation, scope: Scope, program: Program) -> Node:
    """M in tail position, where direct compilation has failed."""
    match M:
        case core.Perform(effect, operation, arguments):
            return _performing(effect, operation, arguments, 0, scope, program)
        case core.Adapt(adaptors, N):
            L, within = _inlined(N, scope, program)
            if isinstance(L, core.Perform):
                instance = ir.around(adaptors, L.effect, 0)
                return _performing(L.effect, L.operation, L.arguments, instance, within, program)
            body = block(N, scope.inside(None), program)
            return Node(ir.HANDLE, table=Handling(adaptors=adaptors), args=gather(()), then=body)
        case core.Force() | core.Apply():
            return _calling(M, scope, program)
        case core.Match(V, branches):
            return _matching(V, branches, scope, program, _failure(expression(V, scope, program), scope))
        case core.Handle(N, H):
            return _handling(N, H, scope, program)
        case core.Lambda():
            return _taking(M, scope, program)
        case core.Pair(N, L):
            return Node(ir.PAIR, table=(block(N, scope, program), block(L, scope, program)))
        case core.Projection(index, N):
            return Node(ir.PUSH, args=gather([Constant(index - 1)]), table=ir.SIDE, then=block(N, scope, program))
        case core.Let() | core.Return() | core.BuiltIn():
            return block(M, scope, program)


def _performing(
    effect: str, operation: str, arguments: Sequence[core.Value], instance: int, scope: Scope, program: Program
) -> Node:
    key = ir.operation_key(effect, operation)
    args = gather(expressions(arguments, scope, program))
    return Node(ir.PERFORM, key=key, args=args, instance=instance, code=None, table=effect)


def _calling(M: core.Computation, scope: Scope, program: Program) -> Node:
    head, arguments = spine(M)
    args = gather(expressions(arguments, scope, program))
    match head:
        case core.Force(core.Global(key)) if program.function(key).arity == len(arguments):
            return Node(ir.CALL, code=program.function(key), args=args)
        case core.Force(V):
            return Node(ir.APPLY, value=closure(expression(V, scope, program)), args=args, count=len(arguments))
        case _:
            return Node(ir.PUSH, args=args, table=ir.ARGUMENTS, then=block(head, scope, program))


def _taking(M: core.Lambda, scope: Scope, program: Program) -> Node:
    """``λx…. M`` takes its arguments from the stack; if they are not there, it becomes a thunk that captures its variables."""
    names = free_variables(M)
    code = ir.Code(core.Thunk(M), names)
    within = scope
    for x in code.parameters:
        within = within.push(x)
    captured = gather([scope.read(x) for x in names])
    return Node(ir.TAKE, count=code.arity, then=block(code.term, within, program), value=captured, code=code)


def _matching(V: core.Value, branches: Sequence[core.Branch], scope: Scope, program: Program, otherwise: Node) -> Node:
    tree, repeated = decision_tree(V, branches, scope, program)
    joins: dict[int, tuple[tuple[str, ...], Node]] = {}
    for n in repeated:
        names = free_variables(branches[n].body)
        joins[n] = names, block(branches[n].body, slots(names, scope.innermost), program)

    def leaf(found: Leaf) -> Node:
        within = Scope({**scope.names, **found.names}, found.width, scope.innermost)
        if found.row not in joins:
            return block(branches[found.row].body, within, program)
        names, node = joins[found.row]
        return Node(ir.EXTEND, value=gather([within.read(x) for x in names]), then=node)

    return tree_node(tree, leaf, otherwise)


# ----------------------------------------------------------------------------------------------- handlers


def _handling(N: core.Computation, H: core.Handler, scope: Scope, program: Program) -> Node:
    match H:
        case core.Named(key, arguments):
            handling = program.handling(key, lambda made, h: _fill(made, h.clauses, h.parameters, program))
            args = gather(expressions(arguments, scope, program))
        case core.Clauses():
            arguments = free_variables(H)
            handling = Handling()
            _fill(handling, H, arguments, program)
            args = gather([scope.read(x) for x in arguments])
    innermost = None if arguments else handling
    return Node(ir.HANDLE, table=handling, args=args, then=block(N, scope.inside(innermost), program))


def _fill(handling: Handling, H: core.Clauses, names: tuple[str, ...], program: Program) -> None:
    """Compile the clauses of a handler whose ρ holds the values of these names."""
    handling.effects = frozenset(H.effects)
    handling.clauses = {ir.operation_key(c.effect, c.operation): _clause(c, names, handling.name, program) for c in H.clauses}
    handling.returns = _returning(H.returns, names, program)
    if handling.name and any(clause.inlined is not None for clause in handling.clauses.values()):
        handling.within = handling


def _returning(returns: core.ReturnClause, names: tuple[str, ...], program: Program) -> Node | None:
    """``return p -> M``, where the value follows those of the handler in ρ; ``None`` for ``return x -> x``"""
    match returns:
        case core.ReturnClause(core.NamePattern(x), core.Return(core.Variable(y))) if x == y:
            return None
        case core.ReturnClause(core.NamePattern(x), M):
            return block(M, slots(names).push(x), program)
        case core.ReturnClause(p, M):
            scope = slots(names).push(RESULT)
            return _matching(core.Variable(RESULT), (core.Branch(p, M),), scope, program, _failure(scope.read(RESULT), scope))


def _clause(clause: core.Clause, names: tuple[str, ...], handler: str, program: Program) -> ir.Clause:
    """``<op p… -> k> -> N``; compiled at once if it is direct without knowledge of the handlers outside."""

    def counted(function: Compute) -> Compute:
        return _counted(function, clause, handler, program, captured=False)

    short = tail_resumption(clause)

    def compile_directly(within: Handling | None) -> ir.ClauseCode | None:
        if short is None:
            return None
        parameters, M = short
        found = direct(M, slots((*names, *parameters), within), program)
        return found and ir.ClauseCode(direct=counted(closure(found.expression)))

    def compile_within(within: Handling | None) -> ir.ClauseCode:
        return compile_directly(within) or _entered(clause, names, handler, within, program)

    found = compile_directly(None)
    if found is None:
        return ir.Clause(compile_within)
    inlined = None if names or short is None else ir.InlinedClause(*short, counted)
    return ir.Clause(compile_within, found.direct, inlined)


def _entered(
    clause: core.Clause, names: tuple[str, ...], handler: str, within: Handling | None, program: Program
) -> ir.ClauseCode:
    """The clause as nodes, where the arguments and k follow the values of the handler in ρ."""
    parameters, V = parameters_of(clause)
    scope = slots((*names, *parameters), within)
    otherwise = Node(ir.FAIL, value=unmatched(gather([scope.read(x) for x in parameters]), scope.width))
    resumes = clause.continuation in free(clause.body)
    if resumes:
        scope = scope.push(clause.continuation)
    branch = core.Branch(core.TuplePattern(clause.patterns), clause.body)
    node = _matching(V, (branch,), scope, program, otherwise)
    if program.tally is not None:
        node = Node(ir.EXTEND, value=_counted(_all, clause, handler, program, captured=resumes), then=node)
    return ir.ClauseCode(node=node, resumes=resumes)


def _counted(function: Compute, clause: core.Clause, handler: str, program: Program, *, captured: bool) -> Compute:
    """The same function; if the program counts, a call counts as a run of the clause."""
    if program.tally is None:
        return function
    count = program.tally.counter(clause.effect, clause.operation, handler, captured=captured)

    def counted(e: Environment) -> Value:
        count()
        return function(e)

    return counted
