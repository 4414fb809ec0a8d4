"""What is said of a term that has no type. Where a number of one level of differentiation meets another level, both are named.

A level is a label with one type, as ``Smooth (Paired Float)``: its numbers are of that type. Two types that differ are numbers
of two levels if both belong to labels of one effect, and one is a part of the other: perturbation confusion (Sigal 2024, §4.5).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rh_kernel.ad.eff.core import (
    SILENT,
    Adaptor,
    Apply,
    BuiltIn,
    Clause,
    Computation,
    Force,
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
from rh_kernel.ad.eff.printing import types
from rh_kernel.ad.eff.printing.cropping import computation, label, row, value
from rh_kernel.ad.eff.quick_fixes import AS_AN_ARGUMENT, TO_FORCE, forced, negative_after
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
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
from rh_kernel.ad.eff.typing.hints import SIDES, compared, forcing, of_types, performed
from rh_kernel.ad.eff.typing.unhandled import older
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import TypesDiffer, WrongNumberOfArguments

_LONGEST = 40
_A_THUNK = "a thunk is written in braces, `{M}` or `{x -> M}`"

_IS: dict[levels.Kind, str] = {"number": "is a number", "data": "has numbers", "thunk": "is for numbers"}


class TypeDiagnostics:
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
            name, hint = shown(variable), f"without its annotation, `{shown(variable)}` would be inferred"
            if variable != name:
                hint = f"`{name}` is chosen where the operation is performed, so the clause must work for every choice"
            type = f"`{value(other)}`"
            return Rejected(
                NotGeneralEnough(span=M.span, variable=name, subject=subject, type=type, found=A, expected=B, hint=hint)
            )
        if why.why == "infinite":
            hint = "a value cannot be applied to itself or contain itself, but a data type can be recursive"
            return Rejected(InfiniteType(span=M.span, subject=subject, found=A, expected=B, hint=hint))
        fix = negative_after(M.span) if _is_function(found) and isinstance(expected, Returner) else None
        if fix is not None:
            hint = AS_AN_ARGUMENT
        elif A == B and types.computation(found) == types.computation(expected):
            hint = "one of its names was redeclared, and earlier definitions still use the older one: redeclare them too"
        else:
            hint = self._constant(expected, M, E) if isinstance(M, Literal) else ""
            hint, fix = hint or of_types(found, expected, _text(M.span)), forcing(M, found, expected)
        return Rejected(TypesDiffer(span=M.span, what=subject, found=A, expected=B, hint=hint, fix=fix))

    def _constant(self, expected: ComputationType, M: Literal, E: Row) -> str:
        """How a literal becomes a constant, if it stands where a number of a level that is around has to."""
        for L in self._unknowns.whole_row(E).labels:
            if isinstance(expected, Returner) and L.arguments == (expected.value,) and not isinstance(M.value, str):
                return levels.constant_of(L, _text(M.span), self._definitions)
        return ""

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
        if effect is not None and self._is_twice(effect, F, E):
            hint = f"{older(effect)}: redeclare that too"
        elif effect is not None:
            hint = f"an adaptor, as `<{shown(effect)}>`, takes an effect out of the row"
        return Rejected(RowsDiffer(span=M.span, subject=subject, found=row(F), expected=row(E), hint=hint))

    def missing(self, effect: str, count: int, E: Row, M: Perform | Adaptor) -> Rejected:
        """The row has too few labels of an effect, and no more can be in it."""
        E = self._unknowns.whole_row(E)
        if isinstance(M, Perform):
            return self._not_allowed(_subject(M.span), Label(effect), E, M)
        wanted = "an instance" if count == 1 else f"{count} instances"
        expected, hint = f"a row with {wanted} of {shown(effect)}", "an adaptor must be inside the handlers that it names"
        return Rejected(
            NoSuchInstance(
                span=M.span, wanted=wanted, effect=shown(effect), row=row(E), found=row(E), expected=expected, hint=hint
            )
        )

    def _not_allowed(self, subject: str, L: Label, E: Row, M: Value | Handler | Perform) -> Rejected:
        hint = "handle it here, or add it to the row in the annotation"
        if self._is_twice(L.effect, E):
            hint = f"{older(L.effect)}: redeclare that too"
        effect, wanted = f"`{label(L)}`", row(Row((*E.labels, L), E.tail))
        return Rejected(EffectNotAllowed(span=M.span, subject=subject, effect=effect, found=row(E), expected=wanted, hint=hint))

    def _is_twice(self, effect: str, *rows: Row) -> bool:
        """Whether an effect has lost its name to a newer one, or stands beside one that has lost its name to it."""
        others = {L.effect for E in rows for L in E.labels if shown(L.effect) == shown(effect)}
        return bool(others - {effect}) or self._definitions.is_older(effect)

    def too_many(self, head: Computation, C: Returner | With, applications: Sequence[Apply], given: int) -> Rejected:
        """``M V…`` with more arguments than M takes; C is what it gives for as many as it takes."""
        whole, beyond = self._unknowns.whole_computation(C), applications[given]
        known, fix = computation(whole), None
        hint, advice = f"its result has type {known}", ""
        if known == "_" or (isinstance(whole, Returner) and isinstance(whole.value, Thunk)):
            advice = TO_FORCE
            hint = advice if known == "_" else f"{hint}: {advice}"
            twice = given == 0 and isinstance(head, Force) and head.span == head.value.span
            wrapped = given > 0 and applications[given - 1].span == beyond.span
            fix = forced(beyond.span, beyond.argument.span, sign="!!" if twice else "!", wrapped=wrapped)
        if not isinstance(head, Force):
            return self._not_applicable(head, whole, advice, fix)
        takes, number = f"{given} argument{'' if given == 1 else 's'}", str(len(applications))
        return Rejected(
            WrongNumberOfArguments(
                span=beyond.argument.span or head.span,
                name=_name(head.value),
                wanted=takes,
                given=number,
                found=number,
                expected=takes,
                hint=hint,
                fix=fix,
            )
        )

    def no_thunk(self, V: Value, A: ValueType, *, applied: bool) -> Rejected:
        """V is applied or forced, and is no thunk."""
        whole = Returner(self._unknowns.whole(A))
        if applied:
            return self._not_applicable(V, whole)
        hint, type = _A_THUNK, computation(whole)
        return Rejected(
            NotApplicable(
                span=V.span,
                subject=_subject(V.span),
                type=f"`{type}`",
                done="forced",
                found=type,
                expected="a thunk",
                hint=hint,
            )
        )

    def _not_applicable(self, M: Value | Computation, C: ComputationType, hint: str = "", fix: Fix | None = None) -> Rejected:
        """M is applied, and of a type that no function has."""
        if isinstance(C, Returner) and isinstance(C.value, Meta) and not C.value.numeric:
            found = TypesDiffer(span=M.span, what=_subject(M.span), found="a value", expected="a function", hint=hint, fix=fix)
            return Rejected(found)
        is_number = isinstance(C, Returner) and (C.value in (FLOAT, INT) or isinstance(C.value, Meta))
        hint, type = hint or ("a product is written with `*`" if is_number else _A_THUNK), computation(C)
        return Rejected(
            NotApplicable(
                span=M.span,
                subject=_subject(M.span),
                type=f"`{type}`",
                done="applied",
                found=type,
                expected="a function",
                hint=hint,
                fix=fix,
            )
        )

    def in_built_in(self, M: BuiltIn, V: Value, rejected: Rejected) -> Rejected:
        """The same complaint about an argument V of a built-in function, which may be the wrong one."""
        d, hint = rejected.diagnostics[0], ""
        if d.span is V.span and isinstance(d, LevelsConfused) and d.expected == value(FLOAT):
            hint = performed(M, self._definitions)
        elif d.span is V.span and isinstance(d, TypesDiffer) and d.fix is None:
            hint = compared(M, d.found)
        return Rejected(replace(d, hint=hint)) if hint else rejected

    def projected(self, M: Computation, rejected: Rejected) -> Rejected:
        """The same complaint about a value in ``M.1``."""
        d = rejected.diagnostics[0]
        is_it = isinstance(M, Force) and d.span is M.value.span and isinstance(d, NotApplicable | TypesDiffer)
        return Rejected(replace(d, hint=SIDES, expected="a computation pair")) if is_it else rejected

    def escaping(self, clause: Clause) -> Rejected:
        """A clause of an operation that is generic makes the type of its continuation's argument a particular one."""
        operation = shown(clause.operation)
        hint = f"call the continuation of `{operation}` with the argument of the operation, or not at all"
        return Rejected(EscapingType(span=clause.span, operation=operation, hint=hint))


def _rigid(found: ComputationType, expected: ComputationType) -> Iterator[tuple[str, ValueType]]:
    """Variables, and which other type stands where they do."""
    for A, B in levels.pairs(found, expected):
        for C, D in ((A, B), (B, A)):
            if isinstance(C, TypeVariable) and A != B:
                yield C.name, D


def _expected(C: ComputationType) -> str:
    return "a value" if isinstance(C, Returner) and isinstance(C.value, Meta) and not C.value.numeric else computation(C)


def _is_function(C: ComputationType) -> bool:
    return isinstance(C, Function) or (
        isinstance(C, Returner) and isinstance(C.value, Thunk) and _is_function(C.value.computation)
    )


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
