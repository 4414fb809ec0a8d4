"""Contexts ``C ::= [] | C[F[]]`` (Sigal 2024, Figs. 7.4, 7.11) as stacks of segments: a handler or an adaptor ends one.

Frames inside of a segment are basic ones, so what a handler captures is a few segments and not a walk along frames. All of it
is persistent: the states of a trace share their contexts.
"""

from collections.abc import Iterator
from typing import TypeAlias

from rh_kernel.ad.eff import core
from rh_kernel.ad.eff.reduction.values import Captured, Environment, Known, Manner, forms, values_of, written, written_out
from rh_kernel.ad.eff.traversal import free, handler


class Then:
    """``x ← []; N[ρ]``"""

    __slots__ = ("_bodies", "let", "rho")

    def __init__(self, let: core.Let, rho: Environment) -> None:
        self.let = let
        self.rho = rho
        self._bodies: dict[Manner, core.Computation] = {}

    def filled(self, M: core.Computation, manner: Manner) -> core.Computation:
        """The frame with M in its hole."""
        body = self._bodies.get(manner)
        if body is None:
            body = self._bodies[manner] = written_out(self.let.body, self.rho, self.let.name, manner)
        return core.Let(self.let.name, M, body, span=self.let.span)


class To:
    """``[] V``"""

    __slots__ = ("apply", "argument")

    def __init__(self, apply: core.Apply, argument: Known) -> None:
        self.apply = apply
        self.argument = argument

    def filled(self, M: core.Computation, manner: Manner) -> core.Computation:
        """The frame with M in its hole."""
        return core.Apply(M, written(self.argument, manner), span=self.apply.span)


class Side:
    """``[].i``"""

    __slots__ = ("projection",)

    def __init__(self, projection: core.Projection) -> None:
        self.projection = projection

    def filled(self, M: core.Computation, manner: Manner) -> core.Computation:
        """The frame with M in its hole."""
        return core.Projection(self.projection.index, M, span=self.projection.span)


class Handling:
    """``handle [] with H[ρ]``; ``clauses`` with their ρ are what H stands for if it is a name."""

    __slots__ = ("_handlers", "clauses", "clauses_rho", "handle", "rho")

    def __init__(self, handle: core.Handle, rho: Environment, clauses: core.Clauses, clauses_rho: Environment) -> None:
        self.handle = handle
        self.rho = rho
        self.clauses = clauses
        self.clauses_rho = clauses_rho
        self._handlers: dict[Manner, core.Handler] = {}

    def filled(self, M: core.Computation, manner: Manner) -> core.Computation:
        """The frame with M in its hole."""
        H = self._handlers.get(manner)
        if H is None:
            H = self._handlers[manner] = handler(self.handle.handler, forms(self.held(), manner), closed=True)
        return core.Handle(M, H, span=self.handle.span)

    def held(self) -> dict[str, Known]:
        """The values in H."""
        return values_of(free(self.handle.handler), self.rho)


class Adapting:
    """``<L, …> []``"""

    __slots__ = ("adapt",)

    def __init__(self, adapt: core.Adapt) -> None:
        self.adapt = adapt

    def filled(self, M: core.Computation, manner: Manner) -> core.Computation:
        """The frame with M in its hole."""
        return core.Adapt(self.adapt.adaptors, M, span=self.adapt.span)

    def outside(self, effect: str, instance: int) -> int:
        """The instance around that is this one inside (``core.Adaptor``)."""
        for adaptor in reversed(self.adapt.adaptors):
            if adaptor.effect == effect:
                kept = adaptor.kept
                instance = kept[instance] if instance < len(kept) else instance - len(kept) + adaptor.taken
        return instance


Basic: TypeAlias = Then | To | Side

Frames: TypeAlias = "tuple[Basic, Frames] | None"
"""Basic frames, the innermost first."""

Delimiter: TypeAlias = Handling | Adapting


class Context:
    """A segment: its frames, what is around them, and the segments around that. The outermost one has nothing around it."""

    __slots__ = ("delimiter", "frames", "outer")

    def __init__(self, frames: Frames = None, delimiter: Delimiter | None = None, outer: "Context | None" = None) -> None:
        self.frames = frames
        self.delimiter = delimiter
        self.outer = outer

    def around(self, frame: Basic) -> "Context":
        """``C[F[]]``"""
        return Context((frame, self.frames), self.delimiter, self.outer)


EMPTY = Context()
"""The hole alone."""


class Resumption(Captured):
    """``{λx. handle 𝓗[return x] with H}``, with the handlers that 𝓗 passes: those of other effects or other instances."""

    __slots__ = ("segments",)

    def __init__(self, segments: tuple[tuple[Frames, Delimiter], ...]) -> None:
        super().__init__()
        self.segments = segments
        """The innermost first; the last is that of H."""

    def onto(self, K: Context) -> Context:
        """``K[handle 𝓗 with H]``"""
        for frames, delimiter in reversed(self.segments):
            K = Context(frames, delimiter, K)
        return K

    def held(self) -> Iterator[Known]:
        """The values in 𝓗 and in H."""
        for frames, delimiter in self.segments:
            yield from _in_frames(frames)
            if isinstance(delimiter, Handling):
                yield from delimiter.held().values()

    def write(self, manner: Manner) -> core.Value:
        """It as a thunk."""
        return core.Thunk(self.function(manner))

    def function(self, manner: Manner) -> core.Computation:
        """``λx. handle 𝓗[return x] with H``"""
        return core.Lambda(HOLE, plugged(self.onto(EMPTY), core.Return(core.Variable(HOLE)), EMPTY, manner))


HOLE = "x"
"""The parameter of a continuation; frames and handlers are closed, so none of them can mean another x."""


def plugged(K: Context, M: core.Computation, end: Context | None = None, manner: Manner = Manner.FULL) -> core.Computation:
    """``K[M]``, or as much of it as lies inside ``end``, which is K with fewer frames and segments."""
    here: Context | None = K
    while here is not None:
        until = end.frames if end is not None and here.outer is end.outer and here.delimiter is end.delimiter else None
        frames = here.frames
        while frames is not until:
            assert frames is not None
            M, frames = frames[0].filled(M, manner), frames[1]
        if end is not None and here.outer is end.outer and here.delimiter is end.delimiter:
            return M
        if here.delimiter is not None:
            M = here.delimiter.filled(M, manner)
        here = here.outer
    return M


def _in_frames(frames: Frames) -> Iterator[Known]:
    while frames is not None:
        frame, frames = frames
        match frame:
            case Then(let=let, rho=rho):
                yield from values_of(free(let.body) - {let.name}, rho).values()
            case To(argument=V):
                yield V
            case Side():
                pass
