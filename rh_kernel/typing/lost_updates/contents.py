"""Data flow in a clause of a reverse handler: which new contents are made from contents read on the way forward.

A read content is followed through pairs, lets and the auxiliary data ``D_Op`` from the forward to the backward part, and into
the arguments of ``Put``, there only through sums and what changes each entry by itself: in ``w - outer(y, w @ x)`` the first
``w`` is what the new content is made from, while the second one only takes part in the gradient.
"""

from collections.abc import Iterator
from typing import TypeAlias, cast

from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Handle,
    If,
    IfCommand,
    Index,
    Let,
    Map,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    RdOf,
    Repeat,
    Resume,
    Return,
    ReverseClause,
    RevHandle,
    Scan,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.primitive import Primitive

_FOLLOWED = {
    "neg": (0,),
    "abs": (0,),
    "relu": (0,),
    "round": (0,),
    "add": (0, 1),
    "sub": (0, 1),
    "mul": (0, 1),
    "div": (0,),
    "scale": (1,),
    "maximum": (0, 1),
    "minimum": (0, 1),
}
"""The function symbols whose result is made from their arguments entry by entry, and the positions of these arguments."""


@frozen
class Read:
    """The content of a location, read on the way forward (``is_kept``) or on the way back; ``place``: where it is mentioned."""

    location: Index
    is_kept: bool
    place: Span | None = None


@frozen
class Made:
    """A value computed from read contents, its summands, and from others"""

    summands: tuple[Read, ...] = ()


@frozen
class Parts:
    """``⟨M1, …, Mn⟩``"""

    items: "tuple[Flow, ...]"


Flow: TypeAlias = Read | Made | Parts
"""What is known of a value."""

_Env: TypeAlias = tuple[Flow, ...]
"""What is known of the variables, the last one has index 0."""


@frozen
class StalePut:
    """``Put[ℓ](M)`` in a backward part, where M is made from the content of ℓ that was read on the way forward.

    ``kept`` are the mentions of that content; ``starts`` are the spans of the commands before which something may be inserted,
    in the order of evaluation.
    """

    put: Perform
    location: Index
    kept: tuple[Read, ...]
    starts: tuple[Span, ...]


def stale_puts(clause: ReverseClause) -> tuple[StalePut, ...]:
    """Find what the backward part puts back made from a stale content, and not also from one that it reads again.

    To put back the very content that was read undoes a change, and is not reported.
    """
    forward, backward = clause.forward, clause.backward
    values: _Env = (Made(),) * (forward.arity - 1)
    result = descend(_Part(is_forward=True).command(cast(Command, forward.body), (*values, Made())))
    kept = result.items[1] if isinstance(result, Parts) and len(result.items) == 2 else Made()
    part = _Part(is_forward=False)
    descend(part.command(cast(Command, backward.body), (*values, Made(), kept)))
    return tuple(part.stale())


class _Part:
    """The evaluation of one part of a clause on what is known; notes every ``Put``."""

    def __init__(self, *, is_forward: bool) -> None:
        self.is_forward = is_forward
        self.puts: list[tuple[Perform, Flow]] = []
        self.starts: list[Span] = []

    def stale(self) -> Iterator[StalePut]:
        for put, M in self.puts:
            (location,) = put.operation.indices
            if isinstance(M, Made):
                own = [read for read in M.summands if read.location == location]
                if own and all(read.is_kept for read in own):
                    yield StalePut(put, location, tuple(own), tuple(self.starts))

    def command(self, P: Command, env: _Env, *, is_bound: bool = False) -> Descent[Flow]:
        """What is known of the result of P; ``is_bound`` if P is the command of a let, before which something is inserted."""
        while isinstance(P, Bind):
            self._start(P.span)
            env = (*env, (yield self.command(P.bound, env, is_bound=True)))
            P, is_bound = cast(Command, P.scope.body), False
        if not is_bound:
            self._start(P.span)
        match P:
            case Return(M):
                return (yield _value(M, env))
            case Perform(operation, M) if operation.family == GET:
                return Read(operation.indices[0], is_kept=self.is_forward)
            case Perform(operation, M) if operation.family == PUT:
                self.puts.append((P, (yield _value(M, env))))
                return Made()
            case IfCommand(_, _, then, otherwise):
                return _either((yield self.command(then, env)), (yield self.command(otherwise, env)))
            case Perform() | RevHandle() | RH() | Handle() | Resume() | Scan() | Repeat():
                return Made()

    def _start(self, span: Span | None) -> None:
        if span is not None:
            self.starts.append(span)


def _value(M: Term, env: _Env, *, is_in_function: bool = False) -> Descent[Flow]:
    """What is known of the value of M. In the body of a function, contents keep the places of its arguments."""
    place = None if is_in_function else M.span
    match M:
        case Bound(index):
            return _mentioned(env[-1 - index], place)
        case Tuple(items):
            parts: tuple[Flow, ...] = ()
            for N in items:
                parts = (*parts, (yield _value(N, env, is_in_function=is_in_function)))
            return Parts(parts)
        case Proj(index, _, of):
            inner = yield _value(of, env, is_in_function=is_in_function)
            return _mentioned(inner.items[index - 1], place) if isinstance(inner, Parts) else Made()
        case Let(bound, scope):
            bound_flow = yield _value(bound, env, is_in_function=is_in_function)
            return (yield _value(cast(Term, scope.body), (*env, bound_flow), is_in_function=is_in_function))
        case Plus(left, right):
            one = yield _value(left, env, is_in_function=is_in_function)
            other = yield _value(right, env, is_in_function=is_in_function)
            return Made((*_summands(one), *_summands(other)))
        case If(_, _, then, otherwise):
            one = yield _value(then, env, is_in_function=is_in_function)
            other = yield _value(otherwise, env, is_in_function=is_in_function)
            return _either(one, other)
        case Call(f, argument):
            flow = yield _value(argument, env, is_in_function=is_in_function)
            match f:
                case Defined(body=body):
                    return (yield _value(cast(Term, body.body), (flow,), is_in_function=True))
                case Primitive(name):
                    arguments = flow.items if isinstance(flow, Parts) else (flow,)
                    followed = [arguments[i] for i in _FOLLOWED.get(name, ()) if i < len(arguments)]
                    return Made(tuple([read for argument in followed for read in _summands(argument)]))
                case RdOf():
                    return Made()
        case Const() | Zero() | Rd() | R() | Map():
            return Made()


def _mentioned(flow: Flow, place: Span | None) -> Flow:
    return Read(flow.location, flow.is_kept, place) if isinstance(flow, Read) and place is not None else flow


def _summands(flow: Flow) -> tuple[Read, ...]:
    match flow:
        case Read():
            return (flow,)
        case Made(summands):
            return summands
        case Parts():
            return ()


def _either(one: Flow, other: Flow) -> Flow:
    """What is known of a value that is one or the other."""
    match one, other:
        case Parts(these), Parts(those) if len(these) == len(those):
            return Parts(tuple([_either(a, b) for a, b in zip(these, those, strict=True)]))
        case Read(location, is_kept), Read() if other == Read(location, is_kept, other.place):
            return one
        case _:
            return Made(tuple(dict.fromkeys([*_summands(one), *_summands(other)])))
