"""Derivations of ``Γ ⊢ M : A``, ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)`` (RH Def. 3.5), as values.

Contexts are linked lists, so that the contexts along a spine of lets share their common part.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from rh_kernel.paper import Figure
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Command, Handler, Node, Term
from rh_kernel.syntax.types import Type
from rh_kernel.typing.context import Zone


class TypingRule(Enum):
    """A rule of RH Fig. 2 or 3, of §2.2.1, or a lemma that types an intermediate form; the value is its printed name."""

    T_VAR = "T-VAR"
    T_CONST = "T-CONST"
    T_FUNC = "T-FUNC"
    T_LET = "T-LET"
    T_PLUS = "T-PLUS"
    T_TUPLE = "T-TUPLE"
    T_PROJ = "T-PROJ"
    T_RD = "T-RD"
    T_PURE = "T-PURE"
    T_OP = "T-OP"
    T_CLET = "T-CLET"
    T_RHANDLE = "T-RHANDLE"
    T_RHANDLER = "T-RHANDLER"
    T_HANDLE = "T-HANDLE"
    T_HANDLER = "T-HANDLER"
    T_RESUME = "T-RESUME"
    T_R = "Lemma 5.3"
    T_RH = "Lemma 5.9"

    @property
    def figure(self) -> Figure:
        """The figure, section or lemma of the paper that states the rule."""
        return _STATED_IN[self]

    @property
    def cited(self) -> str:
        """The rule together with the figure, section or lemma that states it."""
        return f"{self.value} (RH {self.figure.value})"


_STATED_IN: dict[TypingRule, Figure] = {
    **dict.fromkeys(
        (
            TypingRule.T_VAR,
            TypingRule.T_CONST,
            TypingRule.T_FUNC,
            TypingRule.T_LET,
            TypingRule.T_PLUS,
            TypingRule.T_TUPLE,
            TypingRule.T_PROJ,
            TypingRule.T_RD,
        ),
        Figure.FIG_2,
    ),
    **dict.fromkeys(
        (TypingRule.T_PURE, TypingRule.T_OP, TypingRule.T_CLET, TypingRule.T_RHANDLE, TypingRule.T_RHANDLER), Figure.FIG_3
    ),
    **dict.fromkeys((TypingRule.T_HANDLE, TypingRule.T_HANDLER, TypingRule.T_RESUME), Figure.SECTION_2_2),
    TypingRule.T_R: Figure.LEMMA_5_3,
    TypingRule.T_RH: Figure.LEMMA_5_9,
}


@frozen
class Assumption:
    """``x : A`` in Γ or Δ, or ``k : A ⇝ answer``."""

    name: str
    type: Type
    zone: Zone
    answer: Type | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Extended:
    """``outer, x : A``"""

    outer: "Context"
    assumption: Assumption


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Dropped:
    """``Γ ; ◇`` where ``outer`` is ``Γ ; Δ``: the variables of Δ keep their indices but cannot be used."""

    outer: "Context"


Context: TypeAlias = Extended | Dropped | None
"""``Γ ; Δ``; ``None`` is ``◇ ; ◇``."""


def extend(cx: Context, assumptions: Iterable[Assumption]) -> Context:
    """``cx, x1 : A1, …, xn : An``; the last one gets index 0."""
    for assumption in assumptions:
        cx = Extended(cx, assumption)
    return cx


def drop_delta(cx: Context) -> Context:
    """``Γ ; ◇`` from ``Γ ; Δ``"""
    return cx if cx is None or isinstance(cx, Dropped) else Dropped(cx)


def look_up(cx: Context, index: int) -> Assumption | None:
    """The assumption with this index; ``None`` if there is none or it was dropped."""
    dropped = False
    while cx is not None:
        if isinstance(cx, Dropped):
            dropped = True
        elif index == 0:
            return None if dropped and cx.assumption.zone is not Zone.GAMMA else cx.assumption
        else:
            index -= 1
        cx = cx.outer
    return None


def assumptions(cx: Context) -> tuple[Assumption | None, ...]:
    """All assumptions, outermost first: the last one is index 0, and ``None`` stands for a dropped one."""
    found: list[Assumption | None] = []
    dropped = False
    while cx is not None:
        if isinstance(cx, Dropped):
            dropped = True
        else:
            found.append(None if dropped and cx.assumption.zone is not Zone.GAMMA else cx.assumption)
        cx = cx.outer
    return tuple(reversed(found))


@frozen
class ReverseHandlerType:
    """``rev handler(C)``"""

    of: Type

    def __str__(self) -> str:
        return f"rev handler({self.of})"


@frozen
class OrdinaryHandlerType:
    """``C ⇒ D``"""

    source: Type
    target: Type

    def __str__(self) -> str:
        return f"{self.source} ⇒ {self.target}"


Subject: TypeAlias = Term | Command | Handler
Assigned: TypeAlias = Type | ReverseHandlerType | OrdinaryHandlerType


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derivation:
    """``premises`` over ``context ⊢ subject : type``, by ``rule``. A derivation may be thousands of rules deep."""

    rule: TypingRule
    context: Context
    subject: Subject
    type: Assigned
    premises: "tuple[Derivation, ...]"


class IllTyped(KernelBug):
    """A core tree without a derivation: a bug in the kernel, since elaboration produces well-typed trees.

    ``subject`` is the smallest ill-typed subtree, and ``span`` its place in the source, if any.
    """

    def __init__(self, what: str, subject: Node, span: Span | None) -> None:
        super().__init__(what)
        self.subject = subject
        self.span = span
