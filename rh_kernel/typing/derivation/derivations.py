"""Derivations of ``Γ ⊢ M : A``, ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)`` (RH Def. 3.5), as values.

Contexts are linked lists, so that the contexts along a spine of lets share their common part.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import Command, Handler, Node, Term
from rh_kernel.syntax.types import Type
from rh_kernel.typing.context import Zone
from rh_kernel.typing.derivation.rules import TypingRule


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
