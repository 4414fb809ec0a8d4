"""Computations as nodes of the machine: ``M ↦ node``, where ``node`` with ρ does what ``M[ρ]`` does.

What calculates is a closure; nodes are for what goes to the stack. A frame that is pushed keeps of ρ only what is free in what
is left, so nothing is held that no step will look at. Small functions stand where they are called.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.builtins import unfit
from rh_kernel.ad.eff.machine.compiler.decision_trees import Leaf
from rh_kernel.ad.eff.machine.compiler.direct import (
    SHARED,
    Direct,
    direct,
)
from rh_kernel.ad.eff.machine.compiler.expressions import (
    Computed,
    Constant,
    Expression,
    Scope,
    Slot,
    gather,
    places,
    project,
    reader,
)
from rh_kernel.ad.eff.machine.compiler.nodes import Chain, decided, opening
from rh_kernel.ad.eff.machine.compiler.program import Program, order, size
from rh_kernel.ad.eff.machine.compiler.tail_resumption import RESULT, given, result
from rh_kernel.ad.eff.machine.compiler.values import columns, expression, expressions, spine
from rh_kernel.ad.eff.machine.counting import Frame
from rh_kernel.ad.eff.machine.ir import (
    APPLY,
    ARGUMENTS,
    CALL,
    EXTEND,
    FAIL,
    HANDLE,
    LET,
    PAIR,
    PERFORM,
    PUSH,
    RETURN,
    SIDE,
    TAKE,
    Clause,
    Code,
    Compute,
    Environment,
    Handling,
    Node,
    Result,
    Version,
    around,
    operation_key,
)
from rh_kernel.ad.eff.machine.values import Value
from rh_kernel.ad.eff.traversal import Node as Term
from rh_kernel.ad.eff.traversal import bound, free, parts


def compiled(code: Code, within: Handling | None, program: Program) -> Node:
    """The body of a function, whose ρ has what it has captured and then its arguments."""
    return block(code.term, places((*code.names, *code.parameters), within), program)


Step: TypeAlias = core.Let | core.Match
"""``x ← M; …``, or a match of one branch, whose body goes on."""


def block(M: core.Computation, scope: Scope, program: Program) -> Node:
    """M in a tail, where ρ is as the scope says."""
    chain = Chain()
    steps: list[Step] = []
    while isinstance(M, core.Let) or (isinstance(M, core.Match) and len(M.branches) == 1):
        steps.append(M)
        M = M.body if isinstance(M, core.Let) else M.branches[0].body
    for step, needed in zip(steps, _needed(steps, M), strict=True):
        if isinstance(step, core.Match):
            scope = _unpacked(step, scope, program, chain)
            continue
        N, within = focused(step.bound, scope, program)
        found = direct(N, within, program)
        if found is not None:
            scope = _calculated(step.name, found, needed, scope, chain)
            continue
        save, after = project(scope, sorted(needed - {step.name}))
        node = control(N, within, program)
        if node.op not in {PERFORM, APPLY, CALL} or node.then is not None:
            node = Node(LET, table=node)
        node.save, after = _counted(save, after, program)
        chain.add(node)
        scope = after.extended(step.name)
    N, within = focused(M, scope, program)
    found = direct(N, within, program)
    return chain.ended(Node(RETURN, value=reader(found.expression)) if found is not None else control(N, within, program))


def _needed(steps: Sequence[Step], M: core.Computation) -> list[frozenset[str]]:
    """The variables that are free in what comes after each step."""
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
    """``match V | p -> …``: where the variables of p are."""
    values, rows = columns(step.value, step.branches, scope, program)
    tree, _ = program.matching.tree(values, rows, scope.width)
    value = reader(expression(step.value, scope, program))
    leaf = chain.decide(tree, Node(FAIL, value=unfit(value, scope.width)))
    return Scope({**scope.names, **leaf.names}, leaf.width, scope.around)


def _calculated(x: str, found: Direct, needed: frozenset[str], scope: Scope, chain: Chain) -> Scope:
    """``x ← M`` for an M that only calculates."""
    if isinstance(found.expression, Slot | Constant) or (found.may_wait and x.startswith(core.SILENT)):
        return scope.with_(x, found.expression)
    if x in needed:
        chain.extend(opening(found.expression, is_alone=True))
        return scope.extended(x)
    if not found.may_wait:
        chain.act(reader(found.expression))
    return scope


def _counted(save: Compute | None, after: Scope, program: Program) -> tuple[Compute | None, Scope]:
    """The same; if the program counts, the frame is counted as long as it is there."""
    if program.tally is None:
        return save, after
    census = program.tally.frames
    kept: Compute = save or _all
    return lambda e: (*kept(e), Frame(census)), after.wider(1)


def _all(e: Environment) -> Environment:
    return e


def focused(M: core.Computation, scope: Scope, program: Program) -> tuple[core.Computation, Scope]:
    """M without ``{…}!`` and ``(λx. …) V`` at its head, and with the body of a small function in the place of its call."""
    while isinstance(M, core.Force | core.Apply):
        head, arguments = spine(M)
        match head:
            case core.Force(core.Thunk(N)):
                M = N
                for V in arguments:
                    M = core.Apply(M, V, span=head.span)
                continue
            case core.Force(core.Global(key)) if (found := program.small(key, len(arguments))) is not None:
                parameters, N = found
                values = expressions(arguments, scope, program)
            case core.Lambda(x, N) if (
                arguments
                and isinstance(V := expression(arguments[0], scope, program), Slot | Constant)
                # The other arguments are read in the scope of N, so they must not mention another x.
                and all(x not in free(W) for W in arguments[1:])
            ):
                scope, M = scope.with_(x, V), N
                for W in arguments[1:]:
                    M = core.Apply(M, W, span=head.span)
                continue
            case _:
                return M, scope
        if not _is_once(N, parameters, values):
            return M, scope
        scope, M = scope.only(dict(zip(parameters, values, strict=True))), N
    return M, scope


def _is_once(M: core.Computation, parameters: Sequence[str], values: Sequence[Expression]) -> bool:
    """Whether what has to be computed is used once at most."""
    return all(uses(M, x) <= 1 for x, V in zip(parameters, values, strict=True) if isinstance(V, Computed))


def uses(M: Term, x: str) -> int:
    """How often a variable is written in M, which is small and does not bind it."""
    found = 0
    pending: list[Term] = [M]
    while pending:
        N = pending.pop()
        found += isinstance(N, core.Variable) and N.name == x
        pending += [L for _, L in parts(N)]
    return found


def control(M: core.Computation, scope: Scope, program: Program) -> Node:
    """M, which does not only calculate, in a tail."""
    match M:
        case core.Perform(effect, operation, arguments):
            return _performing(effect, operation, arguments, 0, scope, program)
        case core.Adapt(adaptors, N):
            L, within = focused(N, scope, program)
            if isinstance(L, core.Perform):
                instance = around(adaptors, L.effect, 0)
                return _performing(L.effect, L.operation, L.arguments, instance, within, program)
            return Node(HANDLE, table=Handling(adaptors=adaptors), args=gather(()), then=block(N, scope.within(None), program))
        case core.Force() | core.Apply():
            return _calling(M, scope, program)
        case core.Match(V, branches):
            value = reader(expression(V, scope, program))
            return _matching(V, branches, scope, program, Node(FAIL, value=unfit(value, scope.width)))
        case core.Handle(N, H):
            return _handling(M, N, H, scope, program)
        case core.Lambda():
            return _taking(M, scope, program)
        case core.Pair(N, L):
            return Node(PAIR, table=(block(N, scope, program), block(L, scope, program)))
        case core.Projection(index, N):
            return Node(PUSH, args=gather([Constant(index - 1)]), table=SIDE, then=block(N, scope, program))
        case core.Let() | core.Return() | core.BuiltIn():
            return block(M, scope, program)


def _performing(
    effect: str, operation: str, arguments: Sequence[core.Value], instance: int, scope: Scope, program: Program
) -> Node:
    key = operation_key(effect, operation)
    args = gather(expressions(arguments, scope, program))
    return Node(PERFORM, key=key, args=args, instance=instance, code=None, table=effect)


def _calling(M: core.Computation, scope: Scope, program: Program) -> Node:
    head, arguments = spine(M)
    args = gather(expressions(arguments, scope, program))
    match head:
        case core.Force(core.Global(key)) if program.function(key).arity == len(arguments):
            return Node(CALL, code=program.function(key), args=args)
        case core.Force(V):
            return Node(APPLY, value=reader(expression(V, scope, program)), args=args, count=len(arguments))
        case _:
            return Node(PUSH, args=args, table=ARGUMENTS, then=block(head, scope, program))


def _taking(M: core.Lambda, scope: Scope, program: Program) -> Node:
    """``λx…. M``: the arguments are on the stack; ρ is there for the rest of the body."""
    code = Code(core.Thunk(M), ())
    within = scope
    for x in code.parameters:
        within = within.extended(x)
    names = order(M)
    alone = Code(core.Thunk(M), names)
    captured = gather([scope.read(x) for x in names])
    return Node(TAKE, count=code.arity, then=block(code.term, within, program), value=captured, code=alone)


# ----------------------------------------------------------------------------------------------- matches


def _matching(V: core.Value, branches: Sequence[core.Branch], scope: Scope, program: Program, otherwise: Node) -> Node:
    values, rows = columns(V, branches, scope, program)
    tree, count = program.matching.tree(values, rows, scope.width)
    joins: dict[int, tuple[tuple[str, ...], Node]] = {}
    for n, branch in enumerate(branches):
        if count.get(n, 0) > 1 and size(branch.body, SHARED) > SHARED:
            names = order(branch.body)
            joins[n] = names, block(branch.body, places(names, scope.around), program)

    def leaf(found: Leaf) -> Node:
        within = Scope({**scope.names, **found.names}, found.width, scope.around)
        if found.row not in joins:
            return block(branches[found.row].body, within, program)
        names, node = joins[found.row]
        return Node(EXTEND, value=gather([within.read(x) for x in names]), then=node)

    return decided(tree, leaf, otherwise)


# ----------------------------------------------------------------------------------------------- handlers


def _handling(M: core.Handle, N: core.Computation, H: core.Handler, scope: Scope, program: Program) -> Node:
    match H:
        case core.Named(key, arguments):
            handling = program.handling(key, lambda made, h: _fill(made, h.clauses, h.parameters, program))
            args = gather(expressions(arguments, scope, program))
        case core.Clauses():
            names = order(H)
            handling = Handling()
            _fill(handling, H, names, program)
            args = gather([scope.read(x) for x in names])
            arguments = names
    within = None if arguments else handling
    return Node(HANDLE, table=handling, args=args, then=block(N, scope.within(within), program))


def _fill(handling: Handling, H: core.Clauses, names: tuple[str, ...], program: Program) -> None:
    handling.effects = frozenset(H.effects)
    handling.clauses = {operation_key(c.effect, c.operation): _clause(c, names, handling.name, program) for c in H.clauses}
    handling.returns = _returning(H.returns, names, program)
    if handling.name and any(clause.result is not None for clause in handling.clauses.values()):
        handling.within = handling


def _returning(returns: core.ReturnClause, names: tuple[str, ...], program: Program) -> Node | None:
    """``return p -> M``, with the value behind those of the handler; ``None`` for ``return x -> x``"""
    match returns:
        case core.ReturnClause(core.NamePattern(x), core.Return(core.Variable(y))) if x == y:
            return None
        case core.ReturnClause(core.NamePattern(x), M):
            return block(M, places(names).extended(x), program)
        case core.ReturnClause(p, M):
            scope = places(names).extended(RESULT)
            V = core.Variable(RESULT)
            otherwise = Node(FAIL, value=unfit(reader(scope.read(RESULT)), scope.width))
            return _matching(V, (core.Branch(p, M),), scope, program, otherwise)


def _clause(clause: core.Clause, names: tuple[str, ...], handler: str, program: Program) -> Clause:
    """``<op p… -> k> -> N``, which is compiled now if it is direct whatever is around"""

    def noted(function: Compute) -> Compute:
        return _noted(function, clause, handler, program, captured=False)

    def compile_within(within: Handling | None) -> Version:
        return _direct(clause, names, within, noted, program) or _entered(clause, names, handler, within, program)

    found = _direct(clause, names, None, noted, program)
    if found is None:
        return Clause(compile_within)
    short = result(clause)
    inlined = None if names or short is None else Result(*short, noted)
    return Clause(compile_within, found.direct, inlined)


def _direct(
    clause: core.Clause,
    names: tuple[str, ...],
    within: Handling | None,
    noted: Callable[[Compute], Compute],
    program: Program,
) -> Version | None:
    """The clause as a function of the values of the handler and the arguments, if it calculates and resumes with that."""
    short = result(clause)
    if short is None:
        return None
    parameters, M = short
    calculated = direct(M, places((*names, *parameters), within), program)
    return calculated and Version(direct=noted(reader(calculated.expression)))


def _entered(clause: core.Clause, names: tuple[str, ...], handler: str, within: Handling | None, program: Program) -> Version:
    """The clause as nodes, with the arguments and k behind the values of the handler."""
    parameters, V = given(clause)
    scope = places((*names, *parameters), within)
    complaint = unfit(gather([scope.read(x) for x in parameters]), scope.width)
    resumes = clause.continuation in free(clause.body)
    if resumes:
        scope = scope.extended(clause.continuation)
    branch = core.Branch(core.TuplePattern(clause.patterns), clause.body)
    node = _matching(V, (branch,), scope, program, Node(FAIL, value=complaint))
    if program.tally is not None:
        node = Node(EXTEND, value=_noted(_all, clause, handler, program, captured=resumes), then=node)
    return Version(node=node, resumes=resumes)


def _noted(function: Compute, clause: core.Clause, handler: str, program: Program, *, captured: bool) -> Compute:
    """The same, counted if the program counts."""
    if program.tally is None:
        return function
    count = program.tally.counter(clause.effect, clause.operation, handler, captured=captured)

    def noted(e: Environment) -> Value:
        count()
        return function(e)

    return noted
