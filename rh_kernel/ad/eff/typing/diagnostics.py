"""Diagnostics for terms that have no type, with hints and quick fixes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.ad.eff import core, errors
from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.printing import types
from rh_kernel.ad.eff.printing.cropping import computation, label, row, value
from rh_kernel.ad.eff.quick_fixes import FORCE_HINT, NEGATIVE_ARGUMENT_HINT, bracket_following, force_function
from rh_kernel.ad.eff.typing import hints, levels
from rh_kernel.ad.eff.typing.type_traversal import TypeNode, pairs
from rh_kernel.ad.eff.typing.unhandled import older
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.diagnostic import Fix, Rejected
from rh_kernel.source.span import Span
from rh_kernel.typing.errors import TypesDiffer, WrongNumberOfArguments

Checkable: TypeAlias = core.Value | core.Pattern | core.Computation | core.Handler

_MAX_TEXT = 40
"""The length of quoted source text."""

_A_THUNK = "a thunk is written in braces, `{M}` or `{x -> M}`"

_IS: dict[levels.Kind, str] = {"number": "is a number", "data": "has numbers", "thunk": "is for numbers"}


class TypeDiagnostics:
    """The diagnostics of one item, which show types with the solution found so far."""

    __slots__ = ("_definitions", "_unknowns")

    def __init__(self, definitions: Definitions, unknowns: Unknowns) -> None:
        self._definitions, self._unknowns = definitions, unknowns

    def differ(
        self,
        found: t.ValueType | t.ComputationType,
        expected: t.ValueType | t.ComputationType,
        M: Checkable,
        E: t.Row,
        why: Mismatch,
    ) -> Rejected:
        """M, in a computation with the row E, has the type ``found`` instead of ``expected``."""
        C, D, around = self._whole(found), self._whole(expected), self._unknowns.whole(E)
        subject, A, B = _subject(M.span), _written(C), _written(D)
        confused = self._confused(C, D, around, M)
        if confused is not None:
            return confused
        for variable, other in _rigid(C, D) if why.why == "rigid" else ():
            name, hint = shown(variable), f"without its annotation, `{shown(variable)}` would be inferred"
            if variable != name:
                hint = f"`{name}` is chosen where the operation is performed, so the clause must work for every choice"
            type = f"`{value(other)}`"
            return Rejected(
                errors.NotGeneralEnough(span=M.span, variable=name, subject=subject, type=type, found=A, expected=B, hint=hint)
            )
        if why.why == "infinite":
            hint = "a value cannot be applied to itself or contain itself, but a data type can be recursive"
            return Rejected(errors.InfiniteType(span=M.span, subject=subject, found=A, expected=B, hint=hint))
        fix = bracket_following(M.span) if _is_function(C) and isinstance(D, t.Returner) else None
        if fix is not None:
            hint = NEGATIVE_ARGUMENT_HINT
        elif A == B and types.computation(C) == types.computation(D):
            hint = "one of its names was redeclared, and earlier definitions still use the older one: redeclare them too"
        else:
            hint = self._constant_hint(D, M, around) if isinstance(M, core.Literal) else ""
            hint, fix = hint or hints.difference(C, D, _text(M.span)), hints.forcing(M, C, D)
        return Rejected(TypesDiffer(span=M.span, what=subject, found=A, expected=B, hint=hint, fix=fix))

    def _whole(self, A: t.ValueType | t.ComputationType) -> t.ComputationType:
        """A with the solution put in; for a value type, the type of a computation that returns such a value."""
        if isinstance(A, t.Returner | t.Function | t.With | t.ComputationMeta):
            return self._unknowns.whole(A)
        return t.Returner(self._unknowns.whole(A))

    def _constant_hint(self, expected: t.ComputationType, M: core.Literal, around: t.Row) -> str:
        """How a literal becomes a constant, if a number of a level of the row is expected."""
        for L in around.labels:
            if isinstance(expected, t.Returner) and L.arguments == (expected.value,) and not isinstance(M.value, str):
                return levels.constant_hint(L, _text(M.span), self._definitions)
        return ""

    def _confused(self, A: TypeNode, B: TypeNode, around: t.Row, M: Checkable) -> Rejected | None:
        """The diagnostic that two levels of differentiation are confused, if that is why A and B differ."""
        found = levels.confused(A, B, around, self._definitions)
        if found is None:
            return None
        one = "one of the level {} is" if found.kind == "number" else "ones of the level {} are"
        return Rejected(
            errors.LevelsConfused(
                span=M.span,
                subject=f"{_subject(M.span)} {_IS[found.kind]}",
                level=f"`{label(found.found)}`",
                needed=one.format(f"`{label(found.needed)}`"),
                found=value(levels.number(found.found)),
                expected=value(levels.number(found.needed)),
                hint=levels.hint(found, _text(M.span), self._definitions, is_literal=isinstance(M, core.Literal)),
            )
        )

    def rows(self, needed: t.Row, E: t.Row, why: Mismatch, M: core.Value | core.Handler) -> Rejected:
        """M needs a row that differs from the row E of the computation around M."""
        F, E = self._unknowns.whole(needed), self._unknowns.whole(E)
        confused = self._confused(F, E, E, M)
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
        return Rejected(errors.RowsDiffer(span=M.span, subject=subject, found=row(F), expected=row(E), hint=hint))

    def missing(self, effect: str, count: int, E: t.Row, M: core.Perform | core.Adaptor) -> Rejected:
        """M needs more labels of an effect than the row E has or can have."""
        E = self._unknowns.whole(E)
        if isinstance(M, core.Perform):
            return self._not_allowed(_subject(M.span), t.Label(effect), E, M)
        wanted = "an instance" if count == 1 else f"{count} instances"
        expected, hint = f"a row with {wanted} of {shown(effect)}", "an adaptor must be inside the handlers that it names"
        return Rejected(
            errors.NoSuchInstance(
                span=M.span, wanted=wanted, effect=shown(effect), row=row(E), found=row(E), expected=expected, hint=hint
            )
        )

    def _not_allowed(self, subject: str, L: t.Label, E: t.Row, M: core.Value | core.Handler | core.Perform) -> Rejected:
        hint = "handle it here, or add it to the row in the annotation"
        if self._is_twice(L.effect, E):
            hint = f"{older(L.effect)}: redeclare that too"
        effect, found, wanted = f"`{label(L)}`", row(E), row(t.Row((*E.labels, L), E.tail))
        return Rejected(
            errors.EffectNotAllowed(span=M.span, subject=subject, effect=effect, found=found, expected=wanted, hint=hint)
        )

    def _is_twice(self, effect: str, *rows: t.Row) -> bool:
        """Whether an effect was redeclared, or the rows have another effect of the same name."""
        others = {L.effect for E in rows for L in E.labels if shown(L.effect) == shown(effect)}
        return bool(others - {effect}) or self._definitions.is_older(effect)

    def too_many(
        self, head: core.Computation, C: t.Returner | t.With, applications: Sequence[core.Apply], given: int
    ) -> Rejected:
        """``M V…`` has more arguments than the ``given`` ones that M takes; C is the type of its result for those."""
        whole, beyond = self._unknowns.whole(C), applications[given]
        known, fix = computation(whole), None
        hint, advice = f"its result has type {known}", ""
        if known == "_" or (isinstance(whole, t.Returner) and isinstance(whole.value, t.Thunk)):
            advice = FORCE_HINT
            hint = advice if known == "_" else f"{hint}: {advice}"
            twice = given == 0 and isinstance(head, core.Force) and head.span == head.value.span
            wrapped = given > 0 and applications[given - 1].span == beyond.span
            fix = force_function(beyond.span, beyond.argument.span, sign="!!" if twice else "!", wrapped=wrapped)
        if not isinstance(head, core.Force):
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

    def no_thunk(self, V: core.Value, A: t.ValueType, *, applied: bool) -> Rejected:
        """V, of type A, is applied or forced and is not a thunk."""
        C = t.Returner(self._unknowns.whole(A))
        return self._not_applicable(V, C) if applied else _not_a(V, C, "forced", "a thunk", _A_THUNK)

    def _not_applicable(
        self, M: core.Value | core.Computation, C: t.ComputationType, hint: str = "", fix: Fix | None = None
    ) -> Rejected:
        """M, of type C, is applied and is not a function."""
        if isinstance(C, t.Returner) and isinstance(C.value, t.Meta) and not C.value.numeric:
            found = TypesDiffer(span=M.span, what=_subject(M.span), found="a value", expected="a function", hint=hint, fix=fix)
            return Rejected(found)
        is_number = isinstance(C, t.Returner) and (C.value in (t.FLOAT, t.INT) or isinstance(C.value, t.Meta))
        hint = hint or ("a product is written with `*`" if is_number else _A_THUNK)
        return _not_a(M, C, "applied", "a function", hint, fix)

    def in_built_in(self, M: core.BuiltIn, V: core.Value, rejected: Rejected) -> Rejected:
        """The diagnostic ``rejected`` about an argument V of the built-in function M, with a better hint if there is one."""
        d, hint = rejected.diagnostics[0], ""
        if d.span is V.span and isinstance(d, errors.LevelsConfused) and d.expected == value(t.FLOAT):
            hint = hints.performed(M, self._definitions)
        elif d.span is V.span and isinstance(d, TypesDiffer) and d.fix is None:
            hint = hints.compared(M, d.found)
        return Rejected(replace(d, hint=hint)) if hint else rejected

    def projected(self, M: core.Computation, rejected: Rejected) -> Rejected:
        """The diagnostic ``rejected`` about M in ``M.1``, with a better hint if M is a value."""
        d = rejected.diagnostics[0]
        is_value = isinstance(M, core.Force) and d.span is M.value.span and isinstance(d, errors.NotApplicable | TypesDiffer)
        return Rejected(replace(d, hint=hints.SIDES, expected="a computation pair")) if is_value else rejected

    def escaping(self, clause: core.Clause) -> Rejected:
        """A clause fixes a type that its generic operation leaves to the caller."""
        operation = shown(clause.operation)
        hint = f"call the continuation of `{operation}` with the argument of the operation, or not at all"
        return Rejected(errors.EscapingType(span=clause.span, operation=operation, hint=hint))


def _rigid(found: t.ComputationType, expected: t.ComputationType) -> Iterator[tuple[str, t.ValueType]]:
    """Type variables, and the different type in the same place of the other type."""
    for A, B in pairs(found, expected):
        for C, D in ((A, B), (B, A)):
            if isinstance(C, t.Variable) and A != B:
                yield C.name, D


def _not_a(
    M: core.Value | core.Computation, C: t.ComputationType, done: str, expected: str, hint: str, fix: Fix | None = None
) -> Rejected:
    """The diagnostic that M, of type C, cannot be applied or forced."""
    found, subject = computation(C), _subject(M.span)
    return Rejected(
        errors.NotApplicable(
            span=M.span, subject=subject, type=f"`{found}`", done=done, found=found, expected=expected, hint=hint, fix=fix
        )
    )


def _written(C: t.ComputationType) -> str:
    return "a value" if isinstance(C, t.Returner) and isinstance(C.value, t.Meta) and not C.value.numeric else computation(C)


def _is_function(C: t.ComputationType) -> bool:
    return isinstance(C, t.Function) or (
        isinstance(C, t.Returner) and isinstance(C.value, t.Thunk) and _is_function(C.value.computation)
    )


def _count(E: t.Row, effect: str) -> int:
    return sum(L.effect == effect for L in E.labels)


def _name(V: core.Value) -> str:
    return shown(V.name) if isinstance(V, core.Global | core.Variable) and not V.name.startswith(core.SILENT) else _text(V.span)


def _text(span: Span | None) -> str:
    text = " ".join(span.text.split()) if span is not None else ""
    return text if len(text) <= _MAX_TEXT else f"{text[: _MAX_TEXT - 1]}…"


def _subject(span: Span | None) -> str:
    text = _text(span)
    return f"`{text}`" if text else "this"
