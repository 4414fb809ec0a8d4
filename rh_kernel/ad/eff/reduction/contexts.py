"""Contexts ``C ::= [] | C[F[]]`` (Sigal 2024, Figs. 7.4, 7.11) as stacks of segments, each ended by a handler or an adaptor.

A segment has only basic frames, so a continuation captures a few segments, whatever the number of frames. Contexts are
persistent: the states of a trace share them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reduction.values import (
    Continuation,
    Detail,
    Environment,
    RuntimeValue,
    closed_term,
    term_of,
    terms_of,
    values_of,
)
from rh_kernel.ad.eff.traversal import free, handler


@dataclass(slots=True, eq=False, repr=False)
class LetFrame:
    """``x ← []; N[ρ]``"""

    let: core.Let
    rho: Environment
    _bodies: dict[Detail, core.Computation] = field(init=False, default_factory=dict[Detail, core.Computation])

    def filled(self, M: core.Computation, detail: Detail) -> core.Computation:
        """The frame with M in its hole."""
        body = self._bodies.get(detail)
        if body is None:
            body = self._bodies[detail] = closed_term(self.let.body, self.rho, self.let.name, detail)
        return core.Let(self.let.name, M, body, span=self.let.span)


@dataclass(slots=True, eq=False, repr=False)
class ArgumentFrame:
    """``[] V``"""

    apply: core.Apply
    argument: RuntimeValue

    def filled(self, M: core.Computation, detail: Detail) -> core.Computation:
        """The frame with M in its hole."""
        return core.Apply(M, term_of(self.argument, detail), span=self.apply.span)


@dataclass(slots=True, eq=False, repr=False)
class ProjectionFrame:
    """``[].i``"""

    projection: core.Projection

    def filled(self, M: core.Computation, detail: Detail) -> core.Computation:
        """The frame with M in its hole."""
        return core.Projection(self.projection.index, M, span=self.projection.span)


@dataclass(slots=True, eq=False, repr=False)
class HandlerFrame:
    """``handle [] with H[ρ]``; ``clauses`` and ``clauses_rho`` are the declared ones if H is a name."""

    handle: core.Handle
    rho: Environment
    clauses: core.Clauses
    clauses_rho: Environment
    _handlers: dict[Detail, core.Handler] = field(init=False, default_factory=dict[Detail, core.Handler])

    def filled(self, M: core.Computation, detail: Detail) -> core.Computation:
        """The frame with M in its hole."""
        H = self._handlers.get(detail)
        if H is None:
            H = self._handlers[detail] = handler(self.handle.handler, terms_of(self.values(), detail), closed=True)
        return core.Handle(M, H, span=self.handle.span)

    def values(self) -> dict[str, RuntimeValue]:
        """The values of the free variables of H."""
        return values_of(free(self.handle.handler), self.rho)


@dataclass(slots=True, eq=False, repr=False)
class AdaptorFrame:
    """``<L, …> []``"""

    adapt: core.Adapt

    def filled(self, M: core.Computation, detail: Detail) -> core.Computation:
        """The frame with M in its hole."""
        return core.Adapt(self.adapt.adaptors, M, span=self.adapt.span)

    def outside(self, effect: str, instance: int) -> int:
        """The instance outside of the adaptors that an instance inside stands for (``core.Adaptor``)."""
        for adaptor in reversed(self.adapt.adaptors):
            if adaptor.effect == effect:
                kept = adaptor.kept
                instance = kept[instance] if instance < len(kept) else instance - len(kept) + adaptor.taken
        return instance


Basic: TypeAlias = LetFrame | ArgumentFrame | ProjectionFrame

Frames: TypeAlias = "tuple[Basic, Frames] | None"
"""Basic frames, the innermost first."""

Delimiter: TypeAlias = HandlerFrame | AdaptorFrame


@dataclass(slots=True, eq=False, repr=False)
class Context:
    """A segment and those outside: its frames, the handler or adaptor around them, and the outer segments, if there are any."""

    frames: Frames = None
    delimiter: Delimiter | None = None
    outer: "Context | None" = None

    def push(self, frame: Basic) -> "Context":
        """``C[F[]]``"""
        return Context((frame, self.frames), self.delimiter, self.outer)


EMPTY = Context()
"""The hole alone."""


@dataclass(slots=True, eq=False, repr=False)
class Resumption(Continuation):
    """``{λx. handle 𝓗[return x] with H}``; 𝓗 contains the handlers that the operation passes, of other effects or instances."""

    segments: tuple[tuple[Frames, Delimiter], ...]
    """The segments, the innermost first; the last one ends with H."""

    def onto(self, K: Context) -> Context:
        """``K[handle 𝓗 with H]``"""
        for frames, delimiter in reversed(self.segments):
            K = Context(frames, delimiter, K)
        return K

    def values(self) -> Iterator[RuntimeValue]:
        """The values in 𝓗 and in H."""
        for frames, delimiter in self.segments:
            yield from _in_frames(frames)
            if isinstance(delimiter, HandlerFrame):
                yield from delimiter.values().values()

    def thunk(self, detail: Detail) -> core.Value:
        """``{λx. handle 𝓗[return x] with H}``"""
        return core.Thunk(self.function(detail))

    def function(self, detail: Detail) -> core.Computation:
        """``λx. handle 𝓗[return x] with H``"""
        return core.Lambda(HOLE, plug(self.onto(EMPTY), core.Return(core.Variable(HOLE)), EMPTY, detail))


HOLE = "x"
"""The parameter of a continuation; it captures nothing, as frames and handlers are closed."""


def plug(K: Context, M: core.Computation, end: Context | None = None, detail: Detail = Detail.FULL) -> core.Computation:
    """``K[M]``, or the part of it inside of ``end``, which is K without some inner frames and segments."""
    here: Context | None = K
    while here is not None:
        until = end.frames if end is not None and here.outer is end.outer and here.delimiter is end.delimiter else None
        frames = here.frames
        while frames is not until:
            assert frames is not None
            M, frames = frames[0].filled(M, detail), frames[1]
        if end is not None and here.outer is end.outer and here.delimiter is end.delimiter:
            return M
        if here.delimiter is not None:
            M = here.delimiter.filled(M, detail)
        here = here.outer
    return M


def _in_frames(frames: Frames) -> Iterator[RuntimeValue]:
    while frames is not None:
        frame, frames = frames
        match frame:
            case LetFrame(let=let, rho=rho):
                yield from values_of(free(let.body) - {let.name}, rho).values()
            case ArgumentFrame(argument=V):
                yield V
            case ProjectionFrame():
                pass
