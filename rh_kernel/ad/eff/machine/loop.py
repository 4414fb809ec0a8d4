"""``M ⇓ V``: the abstract machine of EFF, an efficient implementation of the reductions of Sigal 2024, Figs. 7.4 and 7.11.

Its state is a node, an environment, the frames inside of the innermost handler, and the segments outside: one for each handler
and adaptor. An operation searches segments, never frames. It captures the segments that it passes, and resuming pushes them
again. All of them are immutable, so a continuation can be resumed any number of times. A tail call, ``k V`` in tail position
included, leaves nothing on the stack. No step uses the stack of Python.
"""

from collections.abc import Callable

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.machine.compiler.builtins import native
from rh_kernel.ad.eff.machine.compiler.computations import block, compiled
from rh_kernel.ad.eff.machine.compiler.expressions import Scope
from rh_kernel.ad.eff.machine.compiler.program import NATIVE, Program
from rh_kernel.ad.eff.machine.ir import (
    APPLY,
    ARGUMENTS,
    BRANCH,
    CALL,
    CONTINUATION,
    CONTINUATIONS,
    END,
    ENUMERATION,
    EXTEND,
    FAIL,
    HANDLE,
    LEAVE,
    LET,
    LINK,
    PERFORM,
    PUSH,
    RESUME,
    RETURN,
    SWITCH,
    TAKE,
    Clause,
    ClauseCode,
    Code,
    Environment,
    Field,
    Frames,
    Handling,
    Node,
    Segments,
    around,
    operation_key,
)
from rh_kernel.ad.eff.machine.slow_paths import BOTTOM, ENDED, ENTERED, RARE, SOUGHT
from rh_kernel.ad.eff.machine.values import Value
from rh_kernel.source.diagnostic import KernelBug

_NOWHERE: Segments = (Handling(), (), None, None)
"""Replaces the segments of a machine while ``proceed`` works on them, so that they can be freed."""


class Machine:
    """A run of a closed computation, which ``proceed`` advances.

    In the end ``value`` is the value that it returns; ``None`` if the computation is a function or a pair.
    """

    __slots__ = ("_env", "_frames", "_node", "_program", "_segments", "is_over", "steps", "value")

    def __init__(self, M: core.Computation, program: Program) -> None:
        self._program = program
        self._node: Node = block(M, Scope({}, 0), program)
        self._env: Environment = ()
        self._frames: Frames = (ENDED, (), None)
        self._segments: Segments = (_natives(program), (), None, None)
        program.printed = []
        self.steps = 0
        self.is_over = False
        self.value: Value = None

    def proceed(self, limit: int) -> bool:
        """Take at most ``limit`` steps, and return whether the run is over. Raises ``Stuck``."""
        c: Node = self._node
        env: Environment = self._env
        K: Frames = self._frames
        S: Segments = self._segments
        self._env, self._frames, self._segments = (), BOTTOM, _NOWHERE
        left = limit
        while left:
            left -= 1
            op = c.op
            if op == PERFORM:
                s = S
                clauses = s[0].clauses
                if c.instance or c.key not in clauses:
                    s = _found(c, S)
                    clauses = s[0].clauses
                clause: Clause = clauses[c.key]
                found: ClauseCode = clause
                if clause.direct is None:
                    within = s[3][0].within
                    found = clause.versions.get(within) or clause.version(within)
                if found.direct is not None:
                    v = found.direct(s[1] + c.args(env))
                    if c.then is None:
                        c, env, K = K
                        env += (v,)
                    else:
                        env = (env if c.save is None else c.save(env)) + (v,)
                        c = c.then
                    continue
                args = c.args(env)
                if c.then is not None:
                    K = (c.then, env if c.save is None else c.save(env), K)
                if not found.resumes:
                    env = s[1] + args
                elif s is S:
                    env = s[1] + args + ((CONTINUATION, (K, s[0], s[1])),)
                else:
                    env = s[1] + args + ((CONTINUATIONS, (_crossed(K, S, s),)),)
                K, S = s[2], s[3]
                c = found.node
            elif op == RETURN:
                v = c.value(env)
                c, env, K = K
                env += (v,)
            elif op == EXTEND:
                env = c.value(env)
                c = c.then
            elif op == APPLY:
                f = c.value(env)
                args = c.args(env)
                if c.then is not None:
                    K = (c.then, env if c.save is None else c.save(env), K)
                code = f[0]
                if code is CONTINUATION and args:
                    if c.count > 1:
                        K = (ARGUMENTS, args[1:], K)
                    K2, handling, rho = f[1]
                    S = (handling, rho, K, S)
                    c, env, K = K2
                    env += (args[0],)
                elif code.arity == c.count:
                    env = f[1] + args
                    c = code.bodies.get(S[0].within, code.body)
                elif code.arity == 1 and args:
                    K = (ARGUMENTS, args[1:], K)
                    env = (*f[1], args[0])
                    c = code.bodies.get(S[0].within, code.body)
                else:
                    env = (f, *args)
                    c = ENTERED
            elif op == RESUME:
                K2, handling, rho, v = env
                S = (handling, rho, K, S)
                c, env, K = K2
                env += (v,)
            elif op == CALL:
                args = c.args(env)
                if c.then is not None:
                    K = (c.then, env if c.save is None else c.save(env), K)
                env = args
                c = c.code.bodies.get(S[0].within, c.code.body)
            elif op == ENUMERATION:
                c = c.table.get(c.value(env)[0], c.then)
            elif op == SWITCH:
                v = c.value(env)
                c, grows = c.table.get(v[0], c.then)
                if grows:
                    env = env + v
            elif op == BRANCH:
                c = c.table[0] if c.value(env) else c.table[1]
            elif op == LEAVE:
                handling, rho, K, S = S
                returns = handling.returns
                if returns is None:
                    c, rho, K = K
                else:
                    c = returns
                env = rho + env
            elif op == HANDLE:
                S = (c.table, c.args(env), K, S)
                K = BOTTOM
                c = c.then
            elif op == TAKE:
                if K[0] is ARGUMENTS and len(K[1]) == c.count:
                    env = env + K[1]
                    K = K[2]
                    c = c.then
                else:
                    env = ((c.code, c.value(env)),)
                    c = SOUGHT
            elif op == LET:
                K = (c.then, env if c.save is None else c.save(env), K)
                c = c.table
            elif op == PUSH:
                K = (c.table, c.args(env), K)
                c = c.then
            elif op == LINK:
                function: Code = c.code
                within = S[0].within
                if within not in function.bodies:
                    function.bodies[within] = compiled(function.whole, within, self._program)
                c = function.bodies[within]
            elif op == END:
                self.is_over = True
                self.value = env[-1] if env else None
                break
            elif op == FAIL:
                c.value(env)
            else:
                c, env, K, S = RARE[op](c, env, K, S)
        self._node, self._env, self._frames, self._segments = c, env, K, S
        self.steps += limit - left
        return self.is_over


def _found(c: Node, S: Segments) -> Segments:
    """The segment of the handler that handles the operation of a node. Raises ``KernelBug`` if there is none."""
    instance, effect, key = c.instance, c.table, c.key
    s: Segments | None = S
    while s is not None:
        handling: Handling = s[0]
        if key in handling.clauses:
            if instance == 0:
                return s
            instance -= 1
        elif handling.adaptors and effect in handling.effects:
            instance = around(handling.adaptors, effect, instance)
        s = s[3]
    raise KernelBug(f"nothing handles {key}")


def _crossed(K: Frames, S: Segments, last: Segments) -> tuple[Field, ...]:
    """The segments up to ``last``, the innermost first, in the form of a continuation."""
    crossed = [(K, S[0], S[1])]
    while S is not last:
        K, S = S[2], S[3]
        crossed.append((K, S[0], S[1]))
    return tuple(crossed)


def _natives(program: Program) -> Handling:
    """The outermost handler, of ``RefState`` and ``Console``; it has no clauses if their operations are compiled directly."""
    found = Handling()
    found.effects = NATIVE
    clauses: dict[str, Clause] = {}
    if not program.is_native:
        for effect in NATIVE:
            for operation in program.definitions.effect(effect).operations:
                act = native(program.tally, program.print, effect, operation.name, None)
                clauses[operation_key(effect, operation.name)] = _resuming(act)
    found.clauses = clauses
    return found


def _resuming(act: Callable[..., Value]) -> Clause:
    """The clause that resumes with the result of a function."""

    def direct(e: Environment) -> Value:
        return act(*e)

    return Clause(lambda _: ClauseCode(direct=direct), direct)
