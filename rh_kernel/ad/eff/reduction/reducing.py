"""Reduction ``σ, C[M] ⇝ σ', C[M']`` (Sigal 2024, Figs. 7.4, 7.11, 7.20): the steps of a closed computation, one at a time.

It is deterministic: a computation is a result, or one context and one redex. The context stays a stack between steps and values
wait in environments, so a step costs what its rule does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.reduction.builtins import called, told
from rh_kernel.ad.eff.reduction.contexts import Adapting, Context, Delimiter, Frames, Handling, Resumption, Side, Then, To
from rh_kernel.ad.eff.reduction.references import Done, native
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.step import Here, Opened, State, Step, Subject, initial
from rh_kernel.ad.eff.reduction.values import Captured, Data, Environment, Known, Several, Suspended, known
from rh_kernel.source.diagnostic import KernelBug

Reduct: TypeAlias = tuple[Rule, Context, Subject, Environment, Context]
"""The rule, the C around the redex, and M' with its ρ and the context that it stands in."""


def steps(M: core.Computation, definitions: Definitions, limit: int | None = None) -> Iterator[Step]:
    """The steps of a closed computation, as they are asked for, at most ``limit``. Raises ``Stuck``."""
    state = initial(M)
    while limit is None or state.count < limit:
        taken, state = advance(state, definitions)
        if taken is None:
            return
        yield taken


def run(M: core.Computation, definitions: Definitions, limit: int | None = None) -> State:
    """The state where the steps end, or that after ``limit`` of them. Raises ``Stuck``."""
    state = initial(M)
    taken: Step | None = None
    while limit is None or state.count < limit:
        taken, state = advance(state, definitions)
        if taken is None:
            break
    return state


def advance(state: State, definitions: Definitions) -> tuple[Step | None, State]:
    """The next step and the state after it; no step if the computation is ``return V``, a function or a pair.

    Raises ``Stuck`` where no branch or clause fits, and where a built-in function has no value.
    """
    at = _focused(state.here, definitions)
    M, rho, K, cells = at.subject, at.rho, at.context, state.cells
    match M:
        case core.Return(V):
            found = _returned(V, rho, K)
        case core.Lambda() | core.Pair() | Opened():
            found = _observed(M, rho, K)
        case core.Force(V):
            found = _forced(V, rho, K, definitions)
        case core.Match(V, branches):
            found = _matched(M, known(V, rho), branches, rho, K)
        case core.BuiltIn(_, arguments):
            found = Rule.CONSTANT, K, *_given(called(M, [known(V, rho) for V in arguments], BUILT_INS), K)
        case core.Perform():
            return _performed(M, state, at)
        case core.Let() | core.Apply() | core.Projection() | core.Handle() | core.Adapt():
            raise KernelBug("a frame is in the focus")
    if found is None:
        return None, replace(state, here=at)
    rule, outer, N, rho, inner = found
    to = Here(N, rho, inner)
    is_silent = rule is Rule.LET and _is_silent(K.frames)
    return Step(rule=rule, context=outer, at=at, to=to, cells=cells, is_silent=is_silent), State(to, cells, state.count + 1)


def _focused(here: Here, definitions: Definitions) -> Here:
    """The same with all frames of M in the context."""
    M, rho, K = here.subject, here.rho, here.context
    while True:
        match M:
            case core.Let():
                M, K = M.bound, K.around(Then(M, rho))
            case core.Apply():
                M, K = M.function, K.around(To(M, known(M.argument, rho)))
            case core.Projection():
                M, K = M.operand, K.around(Side(M))
            case core.Handle():
                M, K = M.body, Context(None, _handling(M, rho, definitions), K)
            case core.Adapt():
                M, K = M.body, Context(None, Adapting(M), K)
            case _:
                return Here(M, rho, K)


def _handling(M: core.Handle, rho: Environment, definitions: Definitions) -> Handling:
    """``handle [] with H``; what is declared under a name has no other variables than its parameters."""
    match M.handler:
        case core.Clauses():
            return Handling(M, rho, M.handler, rho)
        case core.Named(h, arguments):
            made = definitions.handler(h).definition
            inside: Environment = None
            for x, V in zip(made.parameters, arguments, strict=True):
                inside = x, known(V, rho), inside
            return Handling(M, rho, made.clauses, inside)


def _returned(V: core.Value, rho: Environment, K: Context) -> Reduct | None:
    """F, ret, and an adaptor around a value"""
    match K.frames, K.delimiter:
        case (Then() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.LET, outer, frame.let.body, (frame.let.name, known(V, rho), frame.rho), outer
        case None, Handling() as handling:
            outer = _around(K)
            returns = handling.clauses.returns
            inside = fitted(returns.pattern, known(V, rho), handling.clauses_rho)
            if inside is False:
                raise _unfit([known(V, rho)])
            return Rule.RETURN, outer, returns.body, inside, outer
        case None, Adapting():
            outer = _around(K)
            return Rule.ADAPT_RETURN, outer, core.Return(V), rho, outer
        case None, None:
            return None
        case _:
            raise KernelBug("a value stands where a function or a pair is to be")


def _observed(M: core.Lambda | core.Pair | Opened, rho: Environment, K: Context) -> Reduct | None:
    """→ and &, or an adaptor that waits"""
    match M, K.frames, K.delimiter:
        case core.Lambda(x, N), (To() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.APPLY, outer, N, (x, frame.argument, rho), outer
        case Opened(k), (To() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.APPLY, outer, *_given(frame.argument, k.onto(outer))
        case core.Pair(N, L), (Side() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.PROJECT, outer, (N, L)[frame.projection.index - 1], rho, outer
        case core.Lambda(x, N), None, Adapting(adapt=adapt):
            outer = _around(K)
            return Rule.ADAPT_FUNCTION, outer, core.Lambda(x, replace(adapt, body=N), span=M.span), rho, outer
        case core.Pair(N, L), None, Adapting(adapt=adapt):
            outer = _around(K)
            made = core.Pair(replace(adapt, body=N), replace(adapt, body=L), span=M.span)
            return Rule.ADAPT_PAIR, outer, made, rho, outer
        case _, None, None:
            return None
        case _:
            raise KernelBug("a function or a pair stands where a value is to be")


def _forced(V: core.Value, rho: Environment, K: Context, definitions: Definitions) -> Reduct:
    """U, and the same for a declared function"""
    match known(V, rho):
        case Suspended(thunk=thunk, rho=inside):
            return Rule.FORCE, K, thunk.body, inside, K
        case Resumption() as k:
            return Rule.FORCE, K, Opened(k), None, K
        case core.Global(f):
            return Rule.UNFOLD, K, definitions.function(f).definition.body.body, None, K
        case core.Literal() | core.Reference() | Several() | Data() | Captured():
            raise KernelBug("what is forced is no thunk")


def _matched(M: core.Match, V: Known, branches: Sequence[core.Branch], rho: Environment, K: Context) -> Reduct:
    for branch in branches:
        inside = fitted(branch.pattern, V, rho)
        if inside is not False:
            return Rule.MATCH, K, branch.body, inside, K
    raise _unfit([V])


def _performed(M: core.Perform, state: State, at: Here) -> tuple[Step, State]:
    """(op), by the innermost handler that the adaptors on the way leave to it; or the machine, if none is there."""
    arguments = [known(V, at.rho) for V in M.arguments]
    instance = 0
    passed: list[tuple[Frames, Delimiter]] = []
    here = at.context
    while (delimiter := here.delimiter) is not None:
        passed.append((here.frames, delimiter))
        outer = here.outer
        assert outer is not None
        match delimiter:
            case Handling(clauses=clauses) if M.effect in clauses.effects:
                if not instance:
                    return _handled(M, arguments, Resumption(tuple(passed)), delimiter, outer, state, at)
                instance -= 1
            case Adapting():
                instance = delimiter.outside(M.effect, instance)
            case Handling():
                pass
        here = outer
    done = native(M, tuple(arguments), state.cells)
    return _done(done, state, at)


def _handled(
    M: core.Perform,
    arguments: Sequence[Known],
    k: Resumption,
    handling: Handling,
    outer: Context,
    state: State,
    at: Here,
) -> tuple[Step, State]:
    for clause in handling.clauses.clauses:
        if (clause.effect, clause.operation) != (M.effect, M.operation):
            continue
        rho: Environment | bool = handling.clauses_rho
        for p, V in zip(clause.patterns, arguments, strict=True):
            rho = rho if rho is False else fitted(p, V, rho)
        if not isinstance(rho, bool):
            to = Here(clause.body, (clause.continuation, k, rho), outer)
            step = Step(rule=Rule.OPERATION, context=outer, at=at, to=to, cells=state.cells, captured=k)
            return step, State(to, state.cells, state.count + 1)
    raise _unfit(arguments)


def _unfit(values: Sequence[Known]) -> KernelBug:
    return KernelBug(f"no pattern fits {' '.join(map(told, values))}")


def _done(done: Done, state: State, at: Here) -> tuple[Step, State]:
    to = Here(*_given(done.value, at.context))
    step = Step(rule=done.rule, context=at.context, at=at, to=to, cells=done.cells, change=done.change, printed=done.printed)
    return step, State(to, done.cells, state.count + 1)


def fitted(p: core.Pattern, V: Known, rho: Environment) -> Environment | Literal[False]:
    """``ρ, V…/x…`` for the variables of p, if V fits it."""
    pending = [(p, V)]
    while pending:
        p, V = pending.pop()
        match p, V:
            case core.AnyPattern(), _:
                pass
            case core.NamePattern(x), _:
                rho = x, V, rho
            case core.LiteralPattern(c), core.Literal(d):
                if c != d:
                    return False
            case core.TuplePattern(inner), Several(components=parts):
                pending += zip(inner, parts, strict=True)
            case core.ConstructorPattern(K, inner), Data(constructor=L, fields=parts):
                if K != L:
                    return False
                pending += zip(inner, parts, strict=True)
            case _:
                raise KernelBug("a value is matched with a pattern of another type")
    return rho


def _given(V: Known, K: Context) -> tuple[core.Return, Environment, Context]:
    """``K[return V]``"""
    return core.Return(core.Variable(_RESULT)), (_RESULT, V, None), K


_RESULT = "result"


def _around(K: Context) -> Context:
    assert K.outer is not None
    return K.outer


def _is_silent(frames: Frames) -> bool:
    return frames is not None and isinstance(frames[0], Then) and frames[0].let.name.startswith(core.SILENT)
