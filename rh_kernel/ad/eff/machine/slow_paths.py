"""The rare instructions of the machine: functions with more or fewer arguments than parameters, pairs, adaptors around both."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from rh_kernel.ad.eff.machine import ir
from rh_kernel.ad.eff.machine.ir import Environment, Frames, Node, Segments, State
from rh_kernel.source.diagnostic import KernelBug

LEFT: Final = Node(ir.LEAVE)
BOTTOM: Final[Frames] = (LEFT, (), None)
"""The frames of an empty segment."""

ENTERED: Final = Node(ir.ENTER)
SOUGHT: Final = Node(ir.SEEK)
ENDED: Final = Node(ir.END)


def enter(_: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``f! V…`` for any number of arguments; ρ is ``(f, V…)``"""
    f, *rest = env
    code, captured = f
    if len(rest) < code.arity:
        return SOUGHT, ((code.partial(len(rest)), (*captured, *rest)),), K, S
    if len(rest) > code.arity:
        K = (ir.ARGUMENTS, tuple(rest[code.arity :]), K)
    return code.body, (*captured, *rest[: code.arity]), K, S


def seek(_: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``λx. M``, in ρ as a thunk, takes the arguments on the stack, or passes an adaptor: ``<L> λx. M ⇝ λx. <L> M``"""
    if K[0] is ir.ARGUMENTS:
        return ENTERED, env + K[1], K[2], S
    if K[0] is LEFT:
        handling, _, K, S = S
        return SOUGHT, ((ir.adapted(env[0][0].arity), (env[0], handling)),), K, S
    if K[0] is ENDED:
        return ENDED, (), K, S
    raise KernelBug("a function is where a value should be")


def pair(c: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``⟨M, N⟩.i ⇝ Mi``, and ``<L> ⟨M, N⟩ ⇝ ⟨<L> M, <L> N⟩``"""
    if K[0] is ir.SIDE:
        return c.table[K[1][0]], env, K[2], S
    if K[0] is LEFT:
        handling, _, K, S = S
        sides = tuple([Node(ir.HANDLE, table=handling, args=_none, then=side) for side in c.table])
        return Node(ir.PAIR, table=sides), env, K, S
    if K[0] is ENDED:
        return ENDED, (), K, S
    raise KernelBug("a pair is where a value should be")


def readapt(_: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``<L> f V…`` for a function that has passed ``<L>``"""
    f, handling, *rest = env
    return ENTERED, (f, *rest), BOTTOM, (handling, (), K, S)


def resume_all(_: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``k V`` for a k of several segments"""
    crossed, V = env
    for frames, handling, rho in reversed(crossed):
        S = (handling, rho, K, S)
        K = frames
    c, env, K = K
    return c, (*env, V), K, S


def misplaced(_: Node, env: Environment, K: Frames, S: Segments) -> State:
    """``(return V) W`` and ``(return V).i``, which have no type"""
    raise KernelBug(f"a value is where a function or a pair should be: {env}, {K}, {S}")


def _none(_: ir.Field) -> Environment:
    return ()


RARE: Final[Mapping[int, Callable[[Node, Environment, Frames, Segments], State]]] = MappingProxyType(
    {ir.ENTER: enter, ir.SEEK: seek, ir.PAIR: pair, ir.READAPT: readapt, ir.RESUME_ALL: resume_all, ir.MISPLACED: misplaced}
)
"""The instructions by opcode."""
