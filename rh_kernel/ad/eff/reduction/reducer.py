"""Reduction ``σ, C[M] ⇝ σ', C[M']`` (Sigal 2024, Figs. 7.4, 7.11, 7.20): the steps of a closed computation, one at a time.

Reduction is deterministic: a computation is a result, or has a unique context and redex. Between steps the context is a stack
and substitutions are environments, so the cost of a step does not grow with the term.
"""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.reduction.builtins import apply_builtin, short_text
from rh_kernel.ad.eff.reduction.contexts import (
    AdaptorFrame,
    ArgumentFrame,
    Context,
    Delimiter,
    Frames,
    HandlerFrame,
    LetFrame,
    ProjectionFrame,
    Resumption,
)
from rh_kernel.ad.eff.reduction.native_operations import NativeResult, native
from rh_kernel.ad.eff.reduction.rules import Rule
from rh_kernel.ad.eff.reduction.step import Focus, ForcedContinuation, State, Step, Subject, initial
from rh_kernel.ad.eff.reduction.values import Closure, Continuation, DataValue, Environment, RuntimeValue, TupleValue, evaluated
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.trampoline import exhaust

Reduct: TypeAlias = tuple[Rule, Context, Subject, Environment, Context]
"""The rule, the context C of the redex, and M' with its ρ and its context."""


def steps(M: core.Computation, definitions: Definitions, limit: int | None = None) -> Generator[Step, None, State]:
    """The steps of a closed computation, at most ``limit``; the generator returns the last state. Raises ``Stuck``."""
    state = initial(M)
    while limit is None or state.count < limit:
        taken, state = advance(state, definitions)
        if taken is None:
            break
        yield taken
    return state


def run(M: core.Computation, definitions: Definitions, limit: int | None = None) -> State:
    """The state after the last step, or after ``limit`` steps. Raises ``Stuck``."""
    return exhaust(steps(M, definitions, limit))


def advance(state: State, definitions: Definitions) -> tuple[Step | None, State]:
    """The next step and the state after it; no step if the computation is ``return V``, a function or a pair.

    Raises ``Stuck`` where a built-in function is undefined or an array has no such entry.
    """
    at = _focused(state.here, definitions)
    M, rho, K, cells = at.subject, at.rho, at.context, state.cells
    match M:
        case core.Return(V):
            found = _returned(V, rho, K)
        case core.Lambda() | core.Pair() | ForcedContinuation():
            found = _observed(M, rho, K)
        case core.Force(V):
            found = _forced(V, rho, K, definitions)
        case core.Match(V, branches):
            found = _matched(M, evaluated(V, rho), branches, rho, K)
        case core.BuiltIn(_, arguments):
            found = Rule.CONSTANT, K, *_return_value(apply_builtin(M, [evaluated(V, rho) for V in arguments], BUILT_INS), K)
        case core.Perform():
            return _performed(M, state, at)
        case core.Let() | core.Apply() | core.Projection() | core.Handle() | core.Adapt():
            raise KernelBug("a frame is in the focus")
    if found is None:
        return None, replace(state, here=at)
    rule, outer, N, rho, inner = found
    to = Focus(N, rho, inner)
    is_silent = rule is Rule.LET and _is_silent(K.frames)
    return Step(rule=rule, context=outer, at=at, to=to, cells=cells, is_silent=is_silent), State(to, cells, state.count + 1)


def _focused(here: Focus, definitions: Definitions) -> Focus:
    """The same computation with all frames of M pushed to the context."""
    M, rho, K = here.subject, here.rho, here.context
    while True:
        match M:
            case core.Let():
                M, K = M.bound, K.push(LetFrame(M, rho))
            case core.Apply():
                M, K = M.function, K.push(ArgumentFrame(M, evaluated(M.argument, rho)))
            case core.Projection():
                M, K = M.operand, K.push(ProjectionFrame(M))
            case core.Handle():
                M, K = M.body, Context(None, _handler_frame(M, rho, definitions), K)
            case core.Adapt():
                M, K = M.body, Context(None, AdaptorFrame(M), K)
            case _:
                return Focus(M, rho, K)


def _handler_frame(M: core.Handle, rho: Environment, definitions: Definitions) -> HandlerFrame:
    """``handle [] with H``; the environment of a declared handler has its parameters only."""
    match M.handler:
        case core.Clauses():
            return HandlerFrame(M, rho, M.handler, rho)
        case core.Named(h, arguments):
            made = definitions.handler(h).definition
            inside: Environment = None
            for x, V in zip(made.parameters, arguments, strict=True):
                inside = x, evaluated(V, rho), inside
            return HandlerFrame(M, rho, made.clauses, inside)


def _returned(V: core.Value, rho: Environment, K: Context) -> Reduct | None:
    """A value: F, ret, and the rule of an adaptor around it"""
    match K.frames, K.delimiter:
        case (LetFrame() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.LET, outer, frame.let.body, (frame.let.name, evaluated(V, rho), frame.rho), outer
        case None, HandlerFrame() as handling:
            outer = _outer(K)
            returns = handling.clauses.returns
            inside = match_pattern(returns.pattern, evaluated(V, rho), handling.clauses_rho)
            if inside is False:
                raise _no_match([evaluated(V, rho)])
            return Rule.RETURN, outer, returns.body, inside, outer
        case None, AdaptorFrame():
            outer = _outer(K)
            return Rule.ADAPT_RETURN, outer, core.Return(V), rho, outer
        case None, None:
            return None
        case _:
            raise KernelBug("a value in the place of a function or a pair")


def _observed(M: core.Lambda | core.Pair | ForcedContinuation, rho: Environment, K: Context) -> Reduct | None:
    """A function or a pair: → and &, and the rules of an adaptor around it"""
    match M, K.frames, K.delimiter:
        case core.Lambda(x, N), (ArgumentFrame() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.APPLY, outer, N, (x, frame.argument, rho), outer
        case ForcedContinuation(k), (ArgumentFrame() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.APPLY, outer, *_return_value(frame.argument, k.onto(outer))
        case core.Pair(N, L), (ProjectionFrame() as frame, frames), _:
            outer = Context(frames, K.delimiter, K.outer)
            return Rule.PROJECT, outer, (N, L)[frame.projection.index - 1], rho, outer
        case core.Lambda(x, N), None, AdaptorFrame(adapt=adapt):
            outer = _outer(K)
            return Rule.ADAPT_FUNCTION, outer, core.Lambda(x, replace(adapt, body=N), span=M.span), rho, outer
        case core.Pair(N, L), None, AdaptorFrame(adapt=adapt):
            outer = _outer(K)
            made = core.Pair(replace(adapt, body=N), replace(adapt, body=L), span=M.span)
            return Rule.ADAPT_PAIR, outer, made, rho, outer
        case _, None, None:
            return None
        case _:
            raise KernelBug("a function or a pair in the place of a value")


def _forced(V: core.Value, rho: Environment, K: Context, definitions: Definitions) -> Reduct:
    """U, and unfolding of a declared function"""
    match evaluated(V, rho):
        case Closure(thunk=thunk, rho=inside):
            return Rule.FORCE, K, thunk.body, inside, K
        case Resumption() as k:
            return Rule.FORCE, K, ForcedContinuation(k), None, K
        case core.Global(f):
            return Rule.UNFOLD, K, definitions.function(f).definition.body.body, None, K
        case core.Literal() | core.Reference() | TupleValue() | DataValue() | Continuation():
            raise KernelBug("what is forced is no thunk")


def _matched(M: core.Match, V: RuntimeValue, branches: Sequence[core.Branch], rho: Environment, K: Context) -> Reduct:
    for branch in branches:
        inside = match_pattern(branch.pattern, V, rho)
        if inside is not False:
            return Rule.MATCH, K, branch.body, inside, K
    raise _no_match([V])


def _performed(M: core.Perform, state: State, at: Focus) -> tuple[Step, State]:
    """(op) by the handler of the instance that the adaptors on the way select, or a native operation if there is none."""
    arguments = [evaluated(V, at.rho) for V in M.arguments]
    instance = 0
    passed: list[tuple[Frames, Delimiter]] = []
    here = at.context
    while (delimiter := here.delimiter) is not None:
        passed.append((here.frames, delimiter))
        outer = here.outer
        assert outer is not None
        match delimiter:
            case HandlerFrame(clauses=clauses) if M.effect in clauses.effects:
                if not instance:
                    return _handled(M, arguments, Resumption(tuple(passed)), delimiter, outer, state, at)
                instance -= 1
            case AdaptorFrame():
                instance = delimiter.outside(M.effect, instance)
            case HandlerFrame():
                pass
        here = outer
    done = native(M, tuple(arguments), state.cells)
    return _native_step(done, state, at)


def _handled(
    M: core.Perform,
    arguments: Sequence[RuntimeValue],
    k: Resumption,
    handling: HandlerFrame,
    outer: Context,
    state: State,
    at: Focus,
) -> tuple[Step, State]:
    for clause in handling.clauses.clauses:
        if (clause.effect, clause.operation) != (M.effect, M.operation):
            continue
        rho: Environment | bool = handling.clauses_rho
        for p, V in zip(clause.patterns, arguments, strict=True):
            rho = rho if rho is False else match_pattern(p, V, rho)
        if not isinstance(rho, bool):
            to = Focus(clause.body, (clause.continuation, k, rho), outer)
            step = Step(rule=Rule.OPERATION, context=outer, at=at, to=to, cells=state.cells, captured=k)
            return step, State(to, state.cells, state.count + 1)
    raise _no_match(arguments)


def _no_match(values: Sequence[RuntimeValue]) -> KernelBug:
    return KernelBug(f"no pattern fits {' '.join(map(short_text, values))}")


def _native_step(done: NativeResult, state: State, at: Focus) -> tuple[Step, State]:
    to = Focus(*_return_value(done.value, at.context))
    step = Step(rule=done.rule, context=at.context, at=at, to=to, cells=done.cells, change=done.change, printed=done.printed)
    return step, State(to, done.cells, state.count + 1)


def match_pattern(p: core.Pattern, V: RuntimeValue, rho: Environment) -> Environment | Literal[False]:
    """``ρ, V…/x…`` for the variables of p, or ``False`` if V does not match."""
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
            case core.TuplePattern(inner), TupleValue(components=parts):
                pending += zip(inner, parts, strict=True)
            case core.ConstructorPattern(K, inner), DataValue(constructor=L, fields=parts):
                if K != L:
                    return False
                pending += zip(inner, parts, strict=True)
            case _:
                raise KernelBug("a value is matched with a pattern of another type")
    return rho


def _return_value(V: RuntimeValue, K: Context) -> tuple[core.Return, Environment, Context]:
    """``K[return V]``"""
    return core.Return(core.Variable(_RESULT)), (_RESULT, V, None), K


_RESULT = "result"


def _outer(K: Context) -> Context:
    assert K.outer is not None
    return K.outer


def _is_silent(frames: Frames) -> bool:
    return frames is not None and isinstance(frames[0], LetFrame) and frames[0].let.name.startswith(core.SILENT)
