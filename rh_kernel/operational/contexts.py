"""Evaluation contexts ``E``, ``F^c`` and ``F^t`` (RH Def. 5.1, 5.5) as stacks of frames, innermost first.

Two frames go on into what is not yet unfolded: ``W.R_V(x. [-])`` and ``RH_H^V(⟨y1, …, ym⟩. [-])`` look at the head of
their bodies. A tuple is evaluated from left to right, which the paper's grammar leaves out. Stacks are persistent: the
steps of a trace share them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, cast

from rh_kernel.source.span import Span
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Call,
    Command,
    Function,
    Handle,
    Let,
    Operation,
    OrdinaryHandler,
    Perform,
    Plus,
    Proj,
    R,
    Rd,
    Return,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
    Tuple,
)
from rh_kernel.syntax.values import component

Subject: TypeAlias = Term | Command

Values: TypeAlias = "tuple[Term, Values] | None"
"""The components of a tuple that are values already, last one first."""


@dataclass(frozen=True, slots=True)
class CallFrame:
    """``f([-])``"""

    function: Function
    span: Span | None


@dataclass(frozen=True, slots=True)
class PlusLeftFrame:
    """``[-] + M``"""

    right: Term
    span: Span | None


@dataclass(frozen=True, slots=True)
class PlusRightFrame:
    """``V + [-]``"""

    left: Term
    span: Span | None


@dataclass(frozen=True, slots=True)
class TupleFrame:
    """``⟨V1, …, [-], …, Mn⟩``: ``before`` are values, ``items`` is what stood there; the hole is at ``position``"""

    before: Values
    position: int
    items: tuple[Term, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class ProjFrame:
    """``proj_i([-])``"""

    index: int
    arity: int
    span: Span | None


@dataclass(frozen=True, slots=True)
class LetFrame:
    """``let x ← [-] in N``"""

    scope: Scope
    span: Span | None


@dataclass(frozen=True, slots=True)
class RdCotangentFrame:
    """``[-].rd(x. N)(L)``"""

    scope: Scope
    point: Term
    span: Span | None


@dataclass(frozen=True, slots=True)
class RdPointFrame:
    """``W.rd(x. N)([-])``"""

    cotangent: Term
    scope: Scope
    span: Span | None


@dataclass(frozen=True, slots=True)
class RFrame:
    """``W.R_V(x. [-])``: Fig. 6 unfolds an ``R`` in its body first"""

    cotangent: Term
    hints: tuple[str, ...]
    point: Term
    span: Span | None


@dataclass(frozen=True, slots=True)
class ReturnFrame:
    """``⌊[-]⌋``"""

    span: Span | None


@dataclass(frozen=True, slots=True)
class PerformFrame:
    """``Op([-])``"""

    operation: Operation
    span: Span | None


@dataclass(frozen=True, slots=True)
class RevHandleFrame:
    """``rev handle ([-]) ⟨x1, …, xn⟩. R with H``"""

    scope: Scope
    handler: ReverseHandler
    span: Span | None


@dataclass(frozen=True, slots=True)
class BindFrame:
    """``let x ⇐ [-] in Q``"""

    scope: Scope
    span: Span | None


@dataclass(frozen=True, slots=True)
class HandleFrame:
    """``handle [-] with H``"""

    handler: OrdinaryHandler
    span: Span | None


@dataclass(frozen=True, slots=True)
class RHFrame:
    """``RH_H^V(⟨y1, …, ym⟩. [-])``: Fig. 7 looks at the head of the body"""

    values: Term
    hints: tuple[str, ...]
    handler: ReverseHandler
    span: Span | None

    def value(self, i: int) -> Term:
        """``V_i``, counted from 0."""
        return component(self.values, i, len(self.hints))


Frame: TypeAlias = (
    CallFrame
    | PlusLeftFrame
    | PlusRightFrame
    | TupleFrame
    | ProjFrame
    | LetFrame
    | RdCotangentFrame
    | RdPointFrame
    | RFrame
    | ReturnFrame
    | PerformFrame
    | RevHandleFrame
    | BindFrame
    | HandleFrame
    | RHFrame
)


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """A stack of at least one frame; ``None`` is the hole alone.

    ``handling`` is the nearest part further out whose frame is a handler's, a ``HandleFrame`` or an ``RHFrame``.
    ``opens`` says whether an ``RHFrame`` is among the frames: where none is, what fills the hole is closed.
    """

    frame: Frame
    outer: "Context | None"
    handling: "Context | None"
    opens: bool


def under(outer: Context | None, frame: Frame) -> Context:
    """``outer[frame]``"""
    if outer is None:
        return Context(frame, None, None, isinstance(frame, RHFrame))
    handling = outer if isinstance(outer.frame, HandleFrame | RHFrame) else outer.handling
    return Context(frame, outer, handling, outer.opens or isinstance(frame, RHFrame))


def handlers(K: Context | None) -> Iterator[Context]:
    """The parts of K whose frames are handlers', innermost first."""
    if K is not None and not isinstance(K.frame, HandleFrame | RHFrame):
        K = K.handling
    while K is not None:
        yield K
        K = K.handling


def up_to(K: Context | None, end: Context | None) -> Iterator[Context]:
    """The parts of K inside ``end``, innermost first."""
    while K is not None and K is not end:
        yield K
        K = K.outer


def plug(K: Context | None, M: Subject, end: Context | None = None) -> Subject:
    """``K[M]``, or as much of it as lies inside ``end``."""
    for part in up_to(K, end):
        M = fill(part.frame, M)
    return M


def path(K: Context | None) -> tuple[int, ...]:
    """The positions of the children that lead from the root to the hole."""
    return tuple(reversed([position(part.frame) for part in up_to(K, None)]))


def fill(frame: Frame, hole: Subject) -> Subject:
    """The form that the frame came from, with ``hole`` in its hole; the frame says whether a term or a command fits."""
    M, P = cast(Term, hole), cast(Command, hole)
    match frame:
        case CallFrame(f, span):
            return Call(f, M, span=span)
        case PlusLeftFrame(right, span):
            return Plus(M, right, span=span)
        case PlusRightFrame(left, span):
            return Plus(left, M, span=span)
        case TupleFrame(before, i, items, span):
            return Tuple((*listed(before), M, *items[i + 1 :]), span=span)
        case ProjFrame(i, n, span):
            return Proj(i, n, M, span=span)
        case LetFrame(scope, span):
            return Let(M, scope, span=span)
        case RdCotangentFrame(scope, point, span):
            return Rd(M, scope, point, span=span)
        case RdPointFrame(cotangent, scope, span):
            return Rd(cotangent, scope, M, span=span)
        case RFrame(cotangent, hints, point, span):
            return R(cotangent, Scope(hints, M), point, span=span)
        case ReturnFrame(span):
            return Return(M, span=span)
        case PerformFrame(op, span):
            return Perform(op, M, span=span)
        case RevHandleFrame(scope, H, span):
            return RevHandle(M, scope, H, span=span)
        case BindFrame(scope, span):
            return Bind(P, scope, span=span)
        case HandleFrame(H, span):
            return Handle(P, H, span=span)
        case RHFrame(values, hints, H, span):
            return RH(values, Scope(hints, P), H, span=span)


def position(frame: Frame) -> int:
    """Which child of its form the hole is, counted from 0 as the form is read."""
    match frame:
        case TupleFrame(_, i, _, _):
            return i
        case PlusRightFrame() | RFrame() | RHFrame():
            return 1
        case RdPointFrame():
            return 2
        case (
            CallFrame()
            | PlusLeftFrame()
            | ProjFrame()
            | LetFrame()
            | RdCotangentFrame()
            | ReturnFrame()
            | PerformFrame()
            | RevHandleFrame()
            | BindFrame()
            | HandleFrame()
        ):
            return 0


def listed(values: Values) -> list[Term]:
    """The components in the order in which they were written."""
    backwards: list[Term] = []
    while values is not None:
        V, values = values
        backwards.append(V)
    backwards.reverse()
    return backwards
