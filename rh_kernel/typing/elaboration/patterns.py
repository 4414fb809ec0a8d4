"""Patterns, the sugar of RH Def. 3.4: ``let ⟨x1, …, xn⟩ ← M in N`` binds M and then each projection of it."""

from typing import cast

from rh_kernel.source.diagnostic import Note, Rejected
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Bind, Bound, Command, Let, Proj, Return, Scope, Term
from rh_kernel.syntax.types import Product, Real, Type, TypeMeta
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.errors import NameTwice, PatternDoesNotFit
from rh_kernel.typing.unification.unify import Unifier


@frozen
class Taken:
    """``let hint ← proj_index(x)``, where x is the binder at ``position`` (from 0) and the product has ``arity`` factors."""

    hint: str
    index: int
    arity: int
    position: int


@frozen
class Opened:
    """Opened patterns: ``hints`` are bound first, simultaneously, then each of ``taken`` in turn."""

    hints: tuple[str, ...]
    taken: tuple[Taken, ...]
    context: Context

    def term_scope(self, body: Term) -> Scope:
        """The scope of a term with the patterns as binders."""
        for number, t in reversed(list(enumerate(self.taken))):
            body = Let(self._projection(t, number), Scope((t.hint,), body), span=body.span)
        return Scope(self.hints, body)

    def command_scope(self, body: Command) -> Scope:
        """The scope of a command with the patterns as binders."""
        for number, t in reversed(list(enumerate(self.taken))):
            body = Bind(Return(self._projection(t, number)), Scope((t.hint,), body), span=body.span)
        return Scope(self.hints, body)

    def _projection(self, t: Taken, number: int) -> Term:
        count = len(self.hints) + number
        return Proj(t.index, t.arity, Bound(count - 1 - t.position, self._hint(t.position)))

    def _hint(self, position: int) -> str:
        return (self.hints + tuple(t.hint for t in self.taken))[position]


def open_name(cx: Context, pattern: s.NamePattern, A: Type, zone: Zone) -> Opened:
    """Bind one name, or ``_``, of type A."""
    return Opened((pattern.name,), (), cx.bind(Entry(pattern.name, A, zone, span=pattern.span)))


def open_patterns(
    cx: Context, unifier: Unifier, patterns: tuple[tuple[s.Pattern, Type], ...], zone: Zone, after: tuple[Entry, ...] = ()
) -> Opened:
    """Bind patterns of the given types, then the entries ``after``, in one scope. Raises ``Rejected``."""
    names: list[s.NamePattern] = []
    entries: list[Entry] = []
    queue: list[tuple[s.Pattern, Type, int]] = []
    for pattern, A in patterns:
        match pattern:
            case s.NamePattern(name):
                _check_unique(names, pattern)
                entries.append(Entry(name, A, zone, span=pattern.span))
            case s.TuplePattern():
                entries.append(Entry("", A, zone))
                queue.append((pattern, A, len(entries) - 1))
    entries += after
    hints = tuple(e.name or "p" for e in entries)
    taken: list[Taken] = []
    for pattern, A, position in queue:
        _take(unifier, cast(s.TuplePattern, pattern), A, position, zone, names, entries, taken)
    return Opened(hints, tuple(taken), cx.bind(*entries))


def _take(
    unifier: Unifier,
    pattern: s.TuplePattern,
    A: Type,
    position: int,
    zone: Zone,
    names: list[s.NamePattern],
    entries: list[Entry],
    taken: list[Taken],
) -> None:
    n = len(pattern.items)
    for i, (item, B) in enumerate(zip(pattern.items, factors_of(unifier, A, n, pattern), strict=True), start=1):
        match item:
            case s.NamePattern(name):
                _check_unique(names, item)
                taken.append(Taken(name, i, n, position))
                entries.append(Entry(name, B, zone, span=item.span))
            case s.TuplePattern():
                taken.append(Taken("p", i, n, position))
                entries.append(Entry("", B, zone))
                _take(unifier, item, B, len(entries) - 1, zone, names, entries, taken)


def factors_of(unifier: Unifier, A: Type, n: int, pattern: s.Pattern) -> tuple[Type, ...]:
    """The n factors of A. Raises ``Rejected`` if A has another number of factors."""
    head = unifier.head(A)
    match head:
        case Product(factors) if len(factors) == n:
            return factors
        case TypeMeta() if unifier.is_poison(head):
            return (head,) * n
        case TypeMeta():
            unknown: tuple[Type, ...] = tuple(unifier.fresh_type() for _ in range(n))
            unifier.unify_types(head, Product(unknown))
            return unknown
        case Product() | Real():
            raise pattern_does_not_fit(unifier, pattern.span, n, head)


def pattern_does_not_fit(unifier: Unifier, span: Span, n: int, A: Type, notes: tuple[Note, ...] = ()) -> Rejected:
    """The diagnostic for a pattern of n names and a value of type A; ``notes`` show the origin of the type."""
    (found,) = unifier.show(A)
    match A:
        case Product(factors):
            hint = f"this value has {len(factors)} components: `({', '.join('xyzuvwab'[: len(factors)])})`"
        case Real() | TypeMeta():
            hint = "only tuples can be taken apart, not arrays" if n else ""
    expected = f"a product of {n} types" if n else "()"
    return Rejected(PatternDoesNotFit(span=span, wanted=n, found=found, expected=expected, hint=hint, notes=notes))


def _check_unique(names: list[s.NamePattern], pattern: s.NamePattern) -> None:
    if pattern.name != "_" and pattern.name in {p.name for p in names}:
        first = next(p for p in names if p.name == pattern.name)
        notes = (Note(span=first.span, text="the first one is here"),)
        hint = "give them different names, or use `_`"
        raise Rejected(NameTwice(span=pattern.span, name=pattern.name, notes=notes, hint=hint))
    names.append(pattern)
