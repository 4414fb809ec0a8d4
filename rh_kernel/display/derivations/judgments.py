"""Judgments ``Γ ⊢ M : A``, ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)`` as the paper writes them (RH Def. 3.5).

Variables are called what the printer calls them in the judgment at the root. A variable that is hidden by an inner one of the
same name is left out of the context: nothing can use it. A long context gets a name, ``Γ₁`` or ``Δ₁``, with which others begin.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.display.clipping import DOTS, clipped
from rh_kernel.display.rounding import ENTRIES, rounded
from rh_kernel.session.signatures import generic
from rh_kernel.source.trampoline import descend
from rh_kernel.syntax.core import OrdinaryHandler, ReverseHandler, Term
from rh_kernel.syntax.printing.commands import command, handler
from rh_kernel.syntax.printing.doc import Doc, Role, cells, role
from rh_kernel.syntax.printing.names import Names
from rh_kernel.syntax.printing.printer import symbols
from rh_kernel.syntax.printing.steps import UNMARKED, Abbreviation, PrinterState
from rh_kernel.syntax.printing.terms import Level, term
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta
from rh_kernel.typing.context import Zone
from rh_kernel.typing.derivation.derivations import (
    Assigned,
    Assumption,
    Derivation,
    OrdinaryHandlerType,
    ReverseHandlerType,
    Subject,
    assumptions,
)

LONGEST = 28
"""A Δ of more columns begins with a name for what is too long; the variable that was bound last is always told."""

LONGEST_GAMMA = 16
"""A Γ of more columns has a name: it stands in every judgment."""

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
Bindings: TypeAlias = tuple[str, ...]
"""What the variables of a context are called, outermost first."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """``context ⊢ subject : type``"""

    context: str
    subject: Doc
    type: str

    @property
    def left(self) -> str:
        """What stands before the subject."""
        return f"{self.context} ⊢ " if self.context else "⊢ "

    @property
    def right(self) -> str:
        """What stands behind the subject."""
        return f" : {self.type}"


class Writing:
    """Writes the judgments of one derivation, and remembers the names that it gave to contexts, and the handlers it met."""

    def __init__(self, root: Derivation, written: Iterable[Derivation], *, exact: bool) -> None:
        self._reserved = frozenset(symbols(root.subject))
        self._exact = exact
        self._types = _texts(written, ())
        self._contexts: dict[tuple[Zone, str], str] = {}
        self._handlers: dict[str, Doc] = {}

    def add(self, written: Iterable[Derivation]) -> None:
        """Gets ready to write these judgments too; what was written stays as it is."""
        self._types = _texts(written, self._types)

    @property
    def contexts(self) -> tuple[tuple[str, str], ...]:
        """The names of contexts, and what they stand for."""
        return tuple([(name, text) for (_, text), name in self._contexts.items()])

    @property
    def handlers(self) -> tuple[tuple[str, Doc], ...]:
        """The handlers that were written by their names, in full."""
        return tuple(self._handlers.items())

    def names(self, d: Derivation, outer: Bindings) -> Bindings:
        """What the variables of d's context are called, of which the ``outer`` ones have their names."""
        new = assumptions(d.context)[len(outer) :]
        hints = ["_" if x is None else x.name for x in new]
        visible, taken = self._visible(outer), set[str]()
        loose = d.subject.loose >> len(new)
        fresh: list[str] = []
        for position, hint in enumerate(hints):
            unused = hint == "_" and not d.subject.loose >> (len(new) - 1 - position) & 1
            fresh.append("_" if unused else visible.fresh(hint, loose, taken))
        return *outer, *fresh

    def judgment(self, d: Derivation, names: Bindings) -> Judgment:
        """The judgment at the root of d."""
        page = PrinterState(self._visible((DOTS, *names)), Abbreviation.at(None if self._exact else ENTRIES))
        return Judgment(self._context(d, names), self._subject(page, d.subject, len(names)), self._assigned(d.type))

    def _visible(self, names: Bindings) -> Names:
        visible = Names(self._reserved)
        for name in names:
            visible.push(name)
        return visible

    def _subject(self, page: PrinterState, subject: Subject, dots: int) -> Doc:
        if isinstance(subject, ReverseHandler | OrdinaryHandler):
            doc = descend(handler(page, subject))
            if not subject.name:
                return doc
            self._handlers.setdefault(subject.name, doc)
            return role(Role.HANDLER, subject.name)
        shown = subject if self._exact else rounded(clipped(subject, dots))
        if isinstance(shown, Term):
            return descend(term(page, shown, Level.OPEN, UNMARKED))
        return descend(command(page, shown, UNMARKED))

    def _assigned(self, A: Assigned) -> str:
        match A:
            case ReverseHandlerType(C):
                return f"rev handler({self._types[C]})"
            case OrdinaryHandlerType(C, D):
                return f"{self._types[C]} ⇒ {self._types[D]}"
            case Real() | Product() | TypeMeta():
                return self._types[A]

    def _context(self, d: Derivation, names: Bindings) -> str:
        gamma, delta = self._zones(d, names)
        if isinstance(d.subject, ReverseHandler | OrdinaryHandler):
            return gamma
        if isinstance(d.subject, Term):
            return ", ".join([part for part in (gamma, delta) if part]) or "◇"
        return f"{gamma or '◇'} ; {delta or '◇'}"

    def _zones(self, d: Derivation, names: Bindings) -> tuple[str, str]:
        """Γ and Δ, each as far as it can be used."""
        inside: set[str] = set()
        gamma: list[str] = []
        delta: list[str] = []
        for name, x in zip(reversed(names), reversed(assumptions(d.context)), strict=True):
            if x is not None and name not in inside:
                inside.add(name)
                (gamma if x.zone is Zone.GAMMA else delta).append(self._assumption(name, x))
        return self._gamma(", ".join(reversed(gamma))), self._delta(delta[::-1])

    def _assumption(self, name: str, x: Assumption) -> str:
        A = self._types[x.type]
        return f"{name} : {A}" if x.answer is None else f"{name} : {A} ⇝ {self._types[x.answer]}"

    def _gamma(self, text: str) -> str:
        return text if self._exact or cells(text) <= LONGEST_GAMMA else self._name(Zone.GAMMA, text)

    def _delta(self, items: Sequence[str]) -> str:
        text = ""
        for item in items:
            longer = f"{text}, {item}" if text else item
            short = self._exact or not text or cells(longer) <= LONGEST
            text = longer if short else f"{self._name(Zone.DELTA, text)}, {item}"
        return text

    def _name(self, zone: Zone, text: str) -> str:
        number = sum(1 for z, _ in self._contexts if z is zone) + 1
        return self._contexts.setdefault((zone, text), zone.value + str(number).translate(_SUBSCRIPTS))


def _texts(written: Iterable[Derivation], known: Iterable[Type]) -> dict[Type, str]:
    """The text of each type in these judgments, behind those known; what each use may choose for itself is called A, B, …"""
    found: dict[Type, None] = dict.fromkeys(known)
    for d in written:
        match d.type:
            case ReverseHandlerType(C):
                found[C] = None
            case OrdinaryHandlerType(C, D):
                found |= dict.fromkeys((C, D))
            case Real() | Product() | TypeMeta() as A:
                found[A] = None
        for x in assumptions(d.context):
            if x is not None:
                found |= dict.fromkeys((x.type, *(() if x.answer is None else (x.answer,))))
    return dict(zip(found, generic(tuple(found)), strict=True))
