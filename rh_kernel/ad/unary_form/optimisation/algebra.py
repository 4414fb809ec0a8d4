"""The laws of numbers and of arrays (Fig 12 and beyond), each as a function from a redex to its contractum.

They hold for real numbers: ``0 * e ⇝ 0`` ignores that e may be nan or infinite.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.unary_form.optimisation.rules import Rule
from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.types import Times, Type, VectorType
from rh_kernel.ad.unary_form.translation.primitives import array, index, units


@dataclass(frozen=True, slots=True)
class Known:
    """The context of a redex: the definitions of its variables, and the types of terms."""

    definitions: Mapping[str, t.Term]
    type_of: Callable[[t.Term], Type]

    def what(self, M: t.Term) -> t.Term:
        """M, or its definition if it is a variable."""
        return self.definitions.get(M.name, M) if isinstance(M, t.Var) else M

    def filled(self, M: t.Term) -> t.Term | None:
        """e, if M is ``fill(n, e)``."""
        match self.what(M):
            case t.Fill(_, e):
                return e
            case _:
                return None

    def size(self, A: t.Term) -> int:
        """The number of entries of an array."""
        found = self.type_of(A)
        return found.size if isinstance(found, VectorType) else 0


Law: TypeAlias = Callable[[t.Term, Known], t.Term | None]


def rewrite(rule: Rule, M: t.Term, known: Known) -> t.Term | None:
    """The contractum of M by a law, or ``None`` if M is no redex of it."""
    law = LAWS.get(rule)
    return law(M, known) if law is not None else None


def _ring(symbol: str, unit: t.Term, result: Callable[[t.Term], t.Term]) -> Law:
    def law(M: t.Term, _: Known) -> t.Term | None:
        match M:
            case t.Op(f, (first, second)) if f == symbol and first == unit:
                return result(second)
            case _:
                return None

    return law


def _pointwise(symbol: str, unit: t.Term, *, keeps: bool) -> Law:
    def law(M: t.Term, known: Known) -> t.Term | None:
        match M:
            case t.Map2(x, y, body, A, B) if body == t.Op(symbol, (t.Var(x), t.Var(y))) and known.filled(B) == unit:
                return A if keeps else B
            case _:
                return None

    return law


def _reduces(symbol: str, unit: t.Term) -> Law:
    def law(M: t.Term, known: Known) -> t.Term | None:
        match M:
            case t.Fold("reduce", a, x, body, start, A) if (
                body == t.Op(symbol, (t.Var(a), t.Var(x))) and start == unit and known.filled(A) == unit
            ):
                return unit
            case _:
                return None

    return law


def _map_identity(M: t.Term, _: Known) -> t.Term | None:
    return M.array if isinstance(M, t.Map) and M.body == t.Var(M.name) else None


def _shift(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Shift(_, A):
            e = known.filled(A)
            return t.Fill(max(known.size(A) - 1, 0), e) if e is not None and e in (t.ZERO, t.ONE) else None
        case _:
            return None


def _fusion(M: t.Term, _: Known) -> t.Term | None:
    match M:
        case t.Map(x, e1, t.Map2(y1, y2, e2, A, B)):
            return t.Map2(y1, y2, t.Let((x,), e2, e1), A, B)
        case _:
            return None


def _tuple(M: t.Term, _: Known) -> t.Term | None:
    return M.operand.components[M.index - 1] if isinstance(M, t.Proj) and isinstance(M.operand, t.Pack) else None


def _if_same(M: t.Term, _: Known) -> t.Term | None:
    return M.then if isinstance(M, t.If) and M.then == M.otherwise else None


def _if_known(M: t.Term, _: Known) -> t.Term | None:
    match M:
        case t.If(t.Const(a), t.Const(b), then, otherwise):
            return then if a <= b else otherwise
        case _:
            return None


def _map2_project(M: t.Term, _: Known) -> t.Term | None:
    match M:
        case t.Map2(x, y, t.Var(z), A, B) if z in (x, y):
            return A if z == x else B
        case _:
            return None


def _map2_constant(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Map2(_, _, t.Const(c) as e, A, _) | t.Map(_, t.Const(c) as e, A) if c in (0.0, 1.0):
            return t.Fill(known.size(A), e)
        case _:
            return None


def _scan_ones(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Fold("scanl" | "scanr", a, x, body, start, A) if (
            start == t.ONE and body == t.Op("mul", (t.Var(a), t.Var(x))) and known.filled(A) == t.ONE
        ):
            return t.Fill(known.size(A) + 1, t.ONE)
        case _:
            return None


def _commuted(M: t.Term, known: Known) -> t.Term | None:
    """The laws of sums and products, with the operands swapped."""
    match M:
        case t.Op("add" | "mul" as f, (first, second)):
            return _first(_RING, t.Op(f, (second, first)), known)
        case _:
            return None


def _commuted_arrays(M: t.Term, known: Known) -> t.Term | None:
    """The laws of arrays, with the arrays or the operands in their bodies swapped."""
    match M:
        case t.Map2(x, y, t.Op("add" | "mul" as f, (t.Var(a), t.Var(b))), A, B) if {a, b} == {x, y}:
            body = t.Op(f, (t.Var(x), t.Var(y)))
            found = _first(_ON_ARRAYS, t.Map2(x, y, body, B, A), known)
            return found if found is not None or a == x else _first(_ON_ARRAYS, t.Map2(x, y, body, A, B), known)
        case t.Fold(form, a, x, t.Op("add" | "mul" as f, (t.Var(b), t.Var(c))), start, A) if (b, c) == (x, a):
            return _first(_ON_ARRAYS, t.Fold(form, a, x, t.Op(f, (t.Var(a), t.Var(x))), start, A), known)
        case _:
            return None


def _first(rules: tuple[Rule, ...], M: t.Term, known: Known) -> t.Term | None:
    """The contractum of M by the first of these laws that applies."""
    for rule in rules:
        found = LAWS[rule](M, known)
        if found is not None:
            return found
    return None


def _map2_fill(M: t.Term, known: Known) -> t.Term | None:
    """``map2`` with an array of equal entries is ``map`` with that entry."""
    match M:
        case t.Map2(x, y, body, A, B):
            first, second = known.filled(A), known.filled(B)
            if isinstance(second, t.Const | t.Var):
                return t.Map(x, t.Let((y,), second, body), A)
            return t.Map(y, t.Let((x,), first, body), B) if isinstance(first, t.Const | t.Var) else None
        case _:
            return None


def _map_fill(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Map(x, body, A) if isinstance(e := known.filled(A), t.Const | t.Var):
            return t.Fill(known.size(A), t.Let((x,), e, body))
        case _:
            return None


def _units(M: t.Term, known: Known) -> t.Term | None:
    """The sum of arrays with few entries that are not 0 is the array of the sums at each index."""
    match M:
        case t.Map2(x, y, t.Op("add", (t.Var(a), t.Var(b))), A, B) if {a, b} == {x, y}:
            n = known.size(A)
            first, second = _placed(known.what(A), n), _placed(known.what(B), n)
            if first is None or second is None:
                return None
            entries = first | {i: t.Op("add", (first[i], e)) if i in first else e for i, e in second.items()}
            places = tuple(sorted(entries))
            return t.Use(array() if len(places) == n else units(places, n), tuple(entries[i] for i in places))
        case _:
            return None


def _placed(M: t.Term, n: int) -> dict[int, t.Term] | None:
    """The entries, by their indices, of an array that is ``array`` or ``units``."""
    match M:
        case t.Use(f, entries) if f == array() or f == units(f.places, n):
            return dict(zip(f.places or range(n), entries, strict=True))
        case _:
            return None


def _entry(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Use(f, (A,)) if len(f.places) == 1 and f == index(f.places[0]):
            (i,) = f.places
            entries = _placed(known.what(A), known.size(A))
            return known.filled(A) if entries is None else entries.get(i, t.ZERO)
        case _:
            return None


def _pair_eta(M: t.Term, known: Known) -> t.Term | None:
    match M:
        case t.Pack((first, *_) as components):
            whole = known.what(first)
            if not isinstance(whole, t.Proj) or not isinstance(whole.operand, t.Var):
                return None
            A = known.type_of(whole.operand)
            each = (t.Proj(i, whole.operand) for i in range(1, len(components) + 1))
            is_whole = isinstance(A, Times) and len(A.factors) == len(components)
            return whole.operand if is_whole and tuple(each) == tuple(map(known.what, components)) else None
        case _:
            return None


LAWS: Mapping[Rule, Law] = {
    Rule.TIMES_ZERO: _ring("mul", t.ZERO, lambda _: t.ZERO),
    Rule.PLUS_ZERO: _ring("add", t.ZERO, lambda e: e),
    Rule.TIMES_ONE: _ring("mul", t.ONE, lambda e: e),
    Rule.MAP_TIMES_ONES: _pointwise("mul", t.ONE, keeps=True),
    Rule.MAP_PLUS_ZEROS: _pointwise("add", t.ZERO, keeps=True),
    Rule.MAP_TIMES_ZEROS: _pointwise("mul", t.ZERO, keeps=False),
    Rule.MAP_IDENTITY: _map_identity,
    Rule.REDUCE_ONES: _reduces("mul", t.ONE),
    Rule.REDUCE_ZEROS: _reduces("add", t.ZERO),
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
"""The laws by the names of their rules."""

_RING = Rule.TIMES_ZERO, Rule.PLUS_ZERO, Rule.TIMES_ONE
_ON_ARRAYS = (
    Rule.MAP_TIMES_ONES,
    Rule.MAP_PLUS_ZEROS,
    Rule.MAP_TIMES_ZEROS,
    Rule.REDUCE_ONES,
    Rule.REDUCE_ZEROS,
    Rule.SCAN_ONES,
)
