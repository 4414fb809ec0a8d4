"""The laws of numbers and of arrays, one at a time (Fig 12 and beyond): ``rewrite`` says what a term is by one of them.

All take numbers for reals: ``0 * e ⇝ 0`` forgets that e may be no number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.unary_form.optimisation.rules import Rule
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    Const,
    Fill,
    Fold,
    If,
    Let,
    Map,
    Map2,
    Op,
    Pack,
    Proj,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Several, Times, Type
from rh_kernel.ad.unary_form.translation.primitives import array, index, units


@dataclass(frozen=True, slots=True)
class Known:
    """What is known where a term stands: what its variables are bound to, and the types of terms."""

    definitions: Mapping[str, Term]
    type_of: Callable[[Term], Type]

    def what(self, M: Term) -> Term:
        """M, or what it is bound to if it is a variable."""
        return self.definitions.get(M.name, M) if isinstance(M, Var) else M

    def filled(self, M: Term) -> Term | None:
        """E if M is an array with all entries e."""
        match self.what(M):
            case Fill(_, e):
                return e
            case _:
                return None

    def size(self, A: Term) -> int:
        """How many entries an array has."""
        found = self.type_of(A)
        return found.size if isinstance(found, Several) else 0


Law: TypeAlias = Callable[[Term, Known], Term | None]


def rewrite(rule: Rule, M: Term, known: Known) -> Term | None:
    """What M is by a law, if that is about M itself."""
    law = LAWS.get(rule)
    return law(M, known) if law is not None else None


def _ring(symbol: str, unit: Term, result: Callable[[Term], Term]) -> Law:
    def law(M: Term, _: Known) -> Term | None:
        match M:
            case Op(f, (first, second)) if f == symbol and first == unit:
                return result(second)
            case _:
                return None

    return law


def _pointwise(symbol: str, unit: Term, *, keeps: bool) -> Law:
    def law(M: Term, known: Known) -> Term | None:
        match M:
            case Map2(x, y, body, A, B) if body == Op(symbol, (Var(x), Var(y))) and known.filled(B) == unit:
                return A if keeps else B
            case _:
                return None

    return law


def _reduces(symbol: str, unit: Term) -> Law:
    def law(M: Term, known: Known) -> Term | None:
        match M:
            case Fold("reduce", a, x, body, start, A) if (
                body == Op(symbol, (Var(a), Var(x))) and start == unit and known.filled(A) == unit
            ):
                return unit
            case _:
                return None

    return law


def _map_identity(M: Term, _: Known) -> Term | None:
    match M:
        case Map(x, body, A) if body == Var(x):
            return A
        case _:
            return None


def _shift(M: Term, known: Known) -> Term | None:
    match M:
        case Shift(_, A):
            e = known.filled(A)
            return Fill(max(known.size(A) - 1, 0), e) if e is not None and e in (ZERO, ONE) else None
        case _:
            return None


def _fusion(M: Term, _: Known) -> Term | None:
    match M:
        case Map(x, e1, Map2(y1, y2, e2, A, B)):
            return Map2(y1, y2, Let((x,), e2, e1), A, B)
        case _:
            return None


def _tuple(M: Term, _: Known) -> Term | None:
    match M:
        case Proj(i, Pack(components)):
            return components[i - 1]
        case _:
            return None


def _if_same(M: Term, _: Known) -> Term | None:
    match M:
        case If(_, _, then, otherwise) if then == otherwise:
            return then
        case _:
            return None


def _if_known(M: Term, _: Known) -> Term | None:
    match M:
        case If(Const(a), Const(b), then, otherwise):
            return then if a <= b else otherwise
        case _:
            return None


def _map2_project(M: Term, _: Known) -> Term | None:
    match M:
        case Map2(x, y, Var(z), A, B) if z in (x, y):
            return A if z == x else B
        case _:
            return None


def _map2_constant(M: Term, known: Known) -> Term | None:
    match M:
        case Map2(_, _, Const(c) as e, A, _) | Map(_, Const(c) as e, A) if c in (0.0, 1.0):
            return Fill(known.size(A), e)
        case _:
            return None


def _scan_ones(M: Term, known: Known) -> Term | None:
    match M:
        case Fold("scanl" | "scanr", a, x, body, start, A) if (
            start == ONE and body == Op("mul", (Var(a), Var(x))) and known.filled(A) == ONE
        ):
            return Fill(known.size(A) + 1, ONE)
        case _:
            return None


def _commuted(M: Term, known: Known) -> Term | None:
    """The laws of a product or sum with the operands in the other order."""
    match M:
        case Op("add" | "mul" as f, (first, second)):
            return _first(_RING, Op(f, (second, first)), known)
        case _:
            return None


def _commuted_arrays(M: Term, known: Known) -> Term | None:
    """The laws of arrays with the arrays, or the operands in their bodies, in the other order."""
    match M:
        case Map2(x, y, Op("add" | "mul" as f, (Var(a), Var(b))), A, B) if {a, b} == {x, y}:
            body = Op(f, (Var(x), Var(y)))
            found = _first(_ON_ARRAYS, Map2(x, y, body, B, A), known)
            return found if found is not None or a == x else _first(_ON_ARRAYS, Map2(x, y, body, A, B), known)
        case Fold(form, a, x, Op("add" | "mul" as f, (Var(b), Var(c))), start, A) if (b, c) == (x, a):
            return _first(_ON_ARRAYS, Fold(form, a, x, Op(f, (Var(a), Var(x))), start, A), known)
        case _:
            return None


def _first(rules: tuple[Rule, ...], M: Term, known: Known) -> Term | None:
    """What M is by the first of these laws that is about it."""
    for rule in rules:
        found = LAWS[rule](M, known)
        if found is not None:
            return found
    return None


def _map2_fill(M: Term, known: Known) -> Term | None:
    """An array of equal entries is none; what is left is a ``map``, in which the entry is known."""
    match M:
        case Map2(x, y, body, A, B):
            first, second = known.filled(A), known.filled(B)
            if isinstance(second, Const | Var):
                return Map(x, Let((y,), second, body), A)
            return Map(y, Let((x,), first, body), B) if isinstance(first, Const | Var) else None
        case _:
            return None


def _map_fill(M: Term, known: Known) -> Term | None:
    match M:
        case Map(x, body, A) if isinstance(e := known.filled(A), Const | Var):
            return Fill(known.size(A), Let((x,), e, body))
        case _:
            return None


def _units(M: Term, known: Known) -> Term | None:
    """What is added at different places is put there, and not added."""
    match M:
        case Map2(x, y, Op("add", (Var(a), Var(b))), A, B) if {a, b} == {x, y}:
            n = known.size(A)
            first, second = _placed(known.what(A), n), _placed(known.what(B), n)
            if first is None or second is None:
                return None
            entries = first | {i: Op("add", (first[i], e)) if i in first else e for i, e in second.items()}
            places = tuple(sorted(entries))
            return Use(array() if len(places) == n else units(places, n), tuple(entries[i] for i in places))
        case _:
            return None


def _placed(M: Term, n: int) -> dict[int, Term] | None:
    """The entries of an array by their places, if it is given in this way."""
    match M:
        case Use(f, entries) if f == array() or f == units(f.places, n):
            return dict(zip(f.places or range(n), entries, strict=True))
        case _:
            return None


def _entry(M: Term, known: Known) -> Term | None:
    match M:
        case Use(f, (A,)) if len(f.places) == 1 and f == index(f.places[0]):
            (i,) = f.places
            entries = _placed(known.what(A), known.size(A))
            return known.filled(A) if entries is None else entries.get(i, ZERO)
        case _:
            return None


def _pair_eta(M: Term, known: Known) -> Term | None:
    match M:
        case Pack((first, *_) as components):
            whole = known.what(first)
            if not isinstance(whole, Proj) or not isinstance(whole.operand, Var):
                return None
            A = known.type_of(whole.operand)
            each = (Proj(i, whole.operand) for i in range(1, len(components) + 1))
            is_whole = isinstance(A, Times) and len(A.factors) == len(components)
            return whole.operand if is_whole and tuple(each) == tuple(map(known.what, components)) else None
        case _:
            return None


LAWS: Mapping[Rule, Law] = {
    Rule.TIMES_ZERO: _ring("mul", ZERO, lambda _: ZERO),
    Rule.PLUS_ZERO: _ring("add", ZERO, lambda e: e),
    Rule.TIMES_ONE: _ring("mul", ONE, lambda e: e),
    Rule.MAP_TIMES_ONES: _pointwise("mul", ONE, keeps=True),
    Rule.MAP_PLUS_ZEROS: _pointwise("add", ZERO, keeps=True),
    Rule.MAP_TIMES_ZEROS: _pointwise("mul", ZERO, keeps=False),
    Rule.MAP_IDENTITY: _map_identity,
    Rule.REDUCE_ONES: _reduces("mul", ONE),
    Rule.REDUCE_ZEROS: _reduces("add", ZERO),
    Rule.SHIFT_FILL: _shift,
    Rule.FUSION: _fusion,
    Rule.TUPLE: _tuple,
    Rule.IF_SAME: _if_same,
    Rule.IF_KNOWN: _if_known,
    Rule.COMMUTED: _commuted,
    Rule.COMMUTED_ARRAYS: _commuted_arrays,
    Rule.MAP2_PROJECT: _map2_project,
    Rule.MAP2_CONSTANT: _map2_constant,
    Rule.SCAN_ONES: _scan_ones,
    Rule.MAP2_FILL: _map2_fill,
    Rule.MAP_FILL: _map_fill,
    Rule.UNITS: _units,
    Rule.ENTRY: _entry,
    Rule.PAIR_ETA: _pair_eta,
}
"""The laws, by the rules that they are."""

_RING = Rule.TIMES_ZERO, Rule.PLUS_ZERO, Rule.TIMES_ONE
_ON_ARRAYS = (
    Rule.MAP_TIMES_ONES,
    Rule.MAP_PLUS_ZEROS,
    Rule.MAP_TIMES_ZEROS,
    Rule.REDUCE_ONES,
    Rule.REDUCE_ZEROS,
    Rule.SCAN_ONES,
)
