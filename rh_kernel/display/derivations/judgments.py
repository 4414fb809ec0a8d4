"""Printing of judgments ``Γ ⊢ M : A``, ``Γ ; Δ ⊢ P : A`` and ``⊢ H : rev handler(C)`` as in the paper (RH Def. 3.5).

Variables have the names that they have in the judgment at the root. Variables shadowed by an inner one of the same name are
omitted from the context. A long context is abbreviated by a name, ``Γ₁`` or ``Δ₁``, which later contexts may start with.
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
from rh_kernel.typing.derivation import derivations as t
from rh_kernel.typing.derivation.derivations import Derivation, assumptions

LONGEST = 28
"""The start of a Δ of more columns is abbreviated, but never its innermost variable."""

LONGEST_GAMMA = 16
"""A Γ of more columns is abbreviated as a whole: it occurs in every judgment."""

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
Bindings: TypeAlias = tuple[str, ...]
"""The names of the variables of a context, outermost first."""


@dataclass(frozen=True, slots=True)
class Judgment:
    """``context ⊢ subject : type``"""

    context: str
    subject: Doc
    type: str

    @property
    def left(self) -> str:
        """The part before the subject."""
        return f"{self.context} ⊢ " if self.context else "⊢ "

    @property
    def right(self) -> str:
        """The part after the subject."""
        return f" : {self.type}"


class JudgmentPrinter:
    """Prints the judgments of one derivation, and records the abbreviated contexts and the named handlers."""

    def __init__(self, root: Derivation, written: Iterable[Derivation], *, exact: bool) -> None:
        self._reserved = frozenset(symbols(root.subject))
        self._exact = exact
        self._types = _texts(written, ())
        self._contexts: dict[tuple[Zone, str], str] = {}
        self._handlers: dict[str, Doc] = {}

    def add(self, written: Iterable[Derivation]) -> None:
        """Prepare for printing these judgments too; names of types that were printed stay the same."""
        self._types = _texts(written, self._types)

    @property
    def contexts(self) -> tuple[tuple[str, str], ...]:
        """The abbreviated contexts: names and texts."""
        return tuple([(name, text) for (_, text), name in self._contexts.items()])

    @property
    def handlers(self) -> tuple[tuple[str, Doc], ...]:
        """The handlers that were printed by name: names and documents."""
        return tuple(self._handlers.items())

    def names(self, d: Derivation, outer: Bindings) -> Bindings:
        """Return the names of the variables of d's context; ``outer`` are those of the outermost ones."""
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
        """Print the judgment at the root of d."""
        page = PrinterState(self._visible((DOTS, *names)), Abbreviation.at(None if self._exact else ENTRIES))
        return Judgment(self._context(d, names), self._subject(page, d.subject, len(names)), self._assigned(d.type))

    def _visible(self, names: Bindings) -> Names:
        visible = Names(self._reserved)
        for name in names:
            visible.push(name)
        return visible

    def _subject(self, page: PrinterState, subject: t.Subject, dots: int) -> Doc:
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

    def _assigned(self, A: t.Assigned) -> str:
        match A:
            case t.ReverseHandlerType(C):
                return f"rev handler({self._types[C]})"
            case t.OrdinaryHandlerType(C, D):
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
        """Return Γ and Δ without shadowed variables."""
        inside: set[str] = set()
        gamma: list[str] = []
        delta: list[str] = []
        for name, x in zip(reversed(names), reversed(assumptions(d.context)), strict=True):
            if x is not None and name not in inside:
                inside.add(name)
                (gamma if x.zone is Zone.GAMMA else delta).append(self._assumption(name, x))
        return self._gamma(", ".join(reversed(gamma))), self._delta(delta[::-1])

    def _assumption(self, name: str, x: t.Assumption) -> str:
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
        return self._contexts.setdefault((zone, text), zone.value + str(number).translate(SUBSCRIPTS))


def _texts(written: Iterable[Derivation], known: Iterable[Type]) -> dict[Type, str]:
    """Return the text of each type in these judgments and of ``known`` ones; type metavariables are called A, B, …"""
    found: dict[Type, None] = dict.fromkeys(known)
    for d in written:
        match d.type:
            case t.ReverseHandlerType(C):
                found[C] = None
            case t.OrdinaryHandlerType(C, D):
                found |= dict.fromkeys((C, D))
            case Real() | Product() | TypeMeta() as A:
                found[A] = None
        for x in assumptions(d.context):
            if x is not None:
                found |= dict.fromkeys((x.type, *(() if x.answer is None else (x.answer,))))
    return dict(zip(found, generic(tuple(found)), strict=True))
