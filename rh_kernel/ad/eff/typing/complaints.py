"""What is said of a term that has no type. Where a number of one level of differentiation meets another level, both are named.

A level is a label with one type, as ``Smooth (Paired Float)``: its numbers are of that type. Two types that differ are numbers
of two levels if both belong to labels of one effect, and one is a part of the other: perturbation confusion (Sigal 2024, §4.5).
"""

from collections.abc import Iterator, Sequence

from rh_kernel.ad.eff.core import (
    SILENT,
    Adaptor,
    Clause,
    Computation,
    Global,
    Handler,
    Literal,
    Pattern,
    Perform,
    Value,
    Variable,
)
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.errors import (
    EffectNotAllowed,
    EscapingType,
    InfiniteType,
    LevelsConfused,
    NoSuchInstance,
    NotApplicable,
    NotGeneralEnough,
    RowsDiffer,
)
from rh_kernel.ad.eff.printing.types import computation, label, row, value
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    TEXT,
    ComputationType,
    Function,
    Label,
    Meta,
    Returner,
    Row,
    Thunk,
    ValueType,
    With,
)
from rh_kernel.ad.eff.types import Variable as TypeVariable
from rh_kernel.ad.eff.typing import levels
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import TypesDiffer, WrongNumberOfArguments

_LONGEST = 40

_IS: dict[levels.Kind, str] = {"number": "is a number", "data": "has numbers", "thunk": "is for numbers"}


class Complaints:
    """The complaints of one item: what is known of its types is put in, so that a type is shown as it is."""

    __slots__ = ("_definitions", "_unknowns")

    def __init__(self, definitions: Definitions, unknowns: Unknowns) -> None:
        self._definitions, self._unknowns = definitions, unknowns

    def differ(self, found: ValueType, expected: ValueType, V: Value | Pattern, E: Row, why: Mismatch) -> Rejected:
        """V is of type ``found``, where a value of type ``expected`` is needed, in a computation with the row E."""
        A, B = self._unknowns.whole(found), self._unknowns.whole(expected)
        return self._differ(Returner(A), Returner(B), V, E, why)

    def differ_computations(
        self, found: ComputationType, expected: ComputationType, M: Computation | Handler, E: Row, why: Mismatch
    ) -> Rejected:
        """The same of a computation or a handler."""
        C, D = self._unknowns.whole_computation(found), self._unknowns.whole_computation(expected)
        return self._differ(C, D, M, E, why)

    def _differ(
        self,
        found: ComputationType,
        expected: ComputationType,
        M: Value | Pattern | Computation | Handler,
        E: Row,
        why: Mismatch,
    ) -> Rejected:
        subject, A, B = _subject(M.span), _expected(found), _expected(expected)
        confused = self._confused(found, expected, M, E)
        if confused is not None:
            return confused
        for variable, other in _rigid(found, expected) if why.why == "rigid" else ():
            name, hint = shown(variable), f"without its annotation, `{shown(variable)}` is found to be what it has to be"
            if variable != name:
                hint = f"`{name}` is chosen where the operation is performed: the clause knows nothing of it"
            type = f"`{value(other)}`"
            return Rejected(
                NotGeneralEnough(span=M.span, variable=name, subject=subject, type=type, found=A, expected=B, hint=hint)
            )
        if why.why == "infinite":
            hint = "what is applied to itself or put into itself has no type, but a data type can have itself in its fields"
            return Rejected(InfiniteType(span=M.span, subject=subject, found=A, expected=B, hint=hint))
        hint = self._constant(expected, M, E) if isinstance(M, Literal) else _hint(found, expected)
        if A == B:
            hint = "a type of this name was declared twice, and what was made before means the older one: declare that anew too"
        return Rejected(TypesDiffer(span=M.span, what=subject, found=A, expected=B, hint=hint))

    def _constant(self, expected: ComputationType, M: Literal, E: Row) -> str:
        """How a literal becomes a constant, if it stands where a number of a level that is around has to."""
        for L in self._unknowns.whole_row(E).labels:
            if isinstance(expected, Returner) and L.arguments == (expected.value,) and not isinstance(M.value, str):
                return levels.constant_of(L, _text(M.span), self._definitions)
        return "texts are put together by `++`" if isinstance(M.value, str) and _is_number(expected) else ""

    def _confused(
        self, found: ComputationType, expected: ComputationType, M: Value | Pattern | Computation | Handler, E: Row
    ) -> Rejected | None:
        around = self._unknowns.whole_row(E)
        return self._of_levels(levels.confused(found, expected, around, self._definitions), M)

    def _of_levels(self, found: levels.Confused | None, M: Value | Pattern | Computation | Handler) -> Rejected | None:
        if found is None:
            return None
        one = "one of the level {} is" if found.kind == "number" else "ones of the level {} are"
        return Rejected(
            LevelsConfused(
                span=M.span,
                subject=f"{_subject(M.span)} {_IS[found.kind]}",
                level=f"`{label(found.found)}`",
                needed=one.format(f"`{label(found.needed)}`"),
                found=value(levels.number(found.found)),
                expected=value(levels.number(found.needed)),
                hint=levels.advice(found, _text(M.span), self._definitions, is_literal=isinstance(M, Literal)),
            )
        )

    def rows(self, needed: Row, E: Row, why: Mismatch, M: Value | Handler) -> Rejected:
        """M needs one row, and the computation that it is in has another."""
        F, E = self._unknowns.whole_row(needed), self._unknowns.whole_row(E)
        confused = self._of_levels(levels.confused_rows(F, E, self._definitions), M)
        if confused is not None:
            return confused
        subject, effect = _subject(M.span), why.effect
        if effect is not None and _count(F, effect) > _count(E, effect):
            return self._not_allowed(subject, next(L for L in F.labels if L.effect == effect), E, M)
        hint = "counted from the innermost one, an effect is of another type in one row than in the other"
        if effect is not None:
            hint = f"an adaptor, as `<{shown(effect)}>`, takes an effect out of the row"
        return Rejected(RowsDiffer(span=M.span, subject=subject, found=row(F), expected=row(E), hint=hint))

    def missing(self, effect: str, count: int, E: Row, M: Perform | Adaptor) -> Rejected:
        """The row has too few labels of an effect, and no more can be in it."""
        E = self._unknowns.whole_row(E)
        if isinstance(M, Perform):
            return self._not_allowed(_subject(M.span), Label(effect), E, M)
        wanted = "an instance" if count == 1 else f"{count} instances"
        expected, hint = f"a row with {wanted} of {shown(effect)}", "an adaptor stands inside of the handlers that it speaks of"
        return Rejected(
            NoSuchInstance(
                span=M.span, wanted=wanted, effect=shown(effect), row=row(E), found=row(E), expected=expected, hint=hint
            )
        )

    def _not_allowed(self, subject: str, L: Label, E: Row, M: Value | Handler | Perform) -> Rejected:
        hint = "handle it here, or write it into the row of the annotation"
        effect, wanted = f"`{label(L)}`", row(Row((*E.labels, L), E.tail))
        return Rejected(EffectNotAllowed(span=M.span, subject=subject, effect=effect, found=row(E), expected=wanted, hint=hint))

    def too_many(self, V: Value, C: Returner | With, given: int, arguments: Sequence[Value]) -> Rejected:
        """``V W…`` with more arguments than V takes; C is what it gives for as many as it takes."""
        whole = self._unknowns.whole_computation(C)
        span = arguments[given].span or V.span
        takes = f"{given} argument{'' if given == 1 else 's'}"
        known = computation(whole)
        result = "what it gives then is no function" if known == "_" else f"what it gives is of type {known}"
        if isinstance(whole, Returner) and isinstance(whole.value, Thunk):
            result += ": a thunk, which `let` may name, and which then is applied"
        number = str(len(arguments))
        return Rejected(
            WrongNumberOfArguments(
                span=span, name=_name(V), wanted=takes, given=number, found=number, expected=takes, hint=result
            )
        )

    def no_thunk(self, V: Value, A: ValueType, *, applied: bool) -> Rejected:
        """V is applied or forced, and is no thunk."""
        known = self._unknowns.whole(A)
        type, done = value(known), "applied" if applied else "forced"
        is_number = known in (FLOAT, INT) or isinstance(known, Meta)
        hint = "a product is written with `*`" if applied and is_number else "a thunk is written in braces, `{M}` or `{x -> M}`"
        expected = "a function" if applied else "a thunk"
        return Rejected(
            NotApplicable(
                span=V.span, subject=_subject(V.span), type=f"`{type}`", done=done, found=type, expected=expected, hint=hint
            )
        )

    def escaping(self, clause: Clause) -> Rejected:
        """A clause of an operation that is generic makes the type of its continuation's argument a particular one."""
        operation = shown(clause.operation)
        hint = f"the continuation of `{operation}` can be left out, or given what the operation itself was given"
        return Rejected(EscapingType(span=clause.span, operation=operation, hint=hint))


def _rigid(found: ComputationType, expected: ComputationType) -> Iterator[tuple[str, ValueType]]:
    """Variables, and which other type stands where they do."""
    for A, B in levels.pairs(found, expected):
        for C, D in ((A, B), (B, A)):
            if isinstance(C, TypeVariable) and A != B:
                yield C.name, D


def _hint(found: ComputationType, expected: ComputationType) -> str:
    match found, expected:
        case Function(A), Returner():
            return f"an argument of type `{value(A)}` is missing; braces around make a value of it, which can be applied later"
        case Returner(Thunk(_, Returner(A))), Returner(B) if A == B:
            return "`!` after it runs what is in a thunk"
        case Returner(A), _ if A == TEXT and _is_number(expected):
            return "texts are put together by `++`"
        case Returner(), Function():
            return "more arguments are given than it takes, or a λ is missing"
        case _:
            return ""


def _expected(C: ComputationType) -> str:
    return "a value" if isinstance(C, Returner) and isinstance(C.value, Meta) and not C.value.numeric else computation(C)


def _is_number(C: ComputationType) -> bool:
    return isinstance(C, Returner) and isinstance(C.value, Meta) and C.value.numeric


def _count(E: Row, effect: str) -> int:
    return sum(L.effect == effect for L in E.labels)


def _name(V: Value) -> str:
    return shown(V.name) if isinstance(V, Global | Variable) and not V.name.startswith(SILENT) else _text(V.span)


def _text(span: Span | None) -> str:
    text = " ".join(span.text.split()) if span is not None else ""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _subject(span: Span | None) -> str:
    text = _text(span)
    return f"`{text}`" if text else "this"
