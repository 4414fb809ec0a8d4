"""Levels of differentiation (Sigal 2024, §4.5): which of them were confused where two types differ, and how one gets across.

``Smooth (Paired x)`` is the level inside of ``Smooth x``: a handler gives the numbers ``Paired x`` their meaning by operations
on numbers x. A number x is made one of the level inside by a lift, ``x -> [Smooth x, Smooth (Paired x)] Paired x``.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from rh_kernel.ad.eff.definitions import Definitions, Function, Handler, shown
from rh_kernel.ad.eff.printing.types import handled
from rh_kernel.ad.eff.types import (
    FLOAT,
    Base,
    ComputationMeta,
    ComputationType,
    Data,
    Label,
    Meta,
    Product,
    Returner,
    Row,
    Scheme,
    Thunk,
    ValueType,
    Variable,
    With,
)
from rh_kernel.ad.eff.types import Function as FunctionType
from rh_kernel.ad.eff.typing.free_type_vars import inside
from rh_kernel.ad.eff.typing.instantiation import Instance
from rh_kernel.ad.eff.typing.unification import Mismatch, Unknowns
from rh_kernel.source.records import frozen

Kind: TypeAlias = Literal["number", "data", "thunk"]

_ELSEWHERE = 1 << 60
"""The numbers of unknown types that have nothing to do with those of the item."""


@frozen
class Confused:
    """The level of what was found, and the level that is needed, of numbers, or of what is made of them, or works on them."""

    found: Label
    needed: Label
    around: Row
    kind: Kind


def number(L: Label) -> ValueType:
    """The type of the numbers of a level."""
    A = L.arguments[0]
    assert not isinstance(A, Row)
    return A


def confused(found: ComputationType, expected: ComputationType, around: Row, definitions: Definitions) -> Confused | None:
    """The two levels, if types differ for that reason."""
    rows = [around, *_rows(found), *_rows(expected)]
    kind: Kind = "data" if isinstance(found, Returner) and not isinstance(found.value, Thunk) else "thunk"
    return _first(pairs(found, expected), rows, around, definitions, kind)


def confused_rows(found: Row, expected: Row, definitions: Definitions) -> Confused | None:
    """The same where rows differ."""
    return _first(_pairs_of_rows(found, expected), [found, expected], expected, definitions, "thunk")


def _first(
    candidates: Iterator[tuple[ValueType, ValueType]], rows: list[Row], around: Row, definitions: Definitions, kind: Kind
) -> Confused | None:
    labels = [L for E in rows for L in E.labels if len(L.arguments) == 1 and not isinstance(L.arguments[0], Row)]
    for i, (A, B) in enumerate(candidates):
        A, B = _number(A), _number(B)
        if A == B or not (inside(A, B) or inside(B, A)):
            continue
        for L in reversed(labels):
            levels = (A, B) if _number(number(L)) in (A, B) else ()
            if levels and all(_is_level(L.effect, C, labels, definitions) for C in levels):
                is_whole = i == 0 and kind == "data"
                return Confused(Label(L.effect, (A,)), Label(L.effect, (B,)), around, "number" if is_whole else kind)
    return None


def _is_level(effect: str, A: ValueType, labels: list[Label], definitions: Definitions) -> bool:
    """Whether A is the type of the numbers of a label that is around, or of one that a declared handler takes."""
    if any(L.effect == effect and _number(number(L)) == A for L in labels):
        return True
    declared = (d.scheme for d in definitions.declared.values() if isinstance(d, Handler))
    for L in (L for H in declared for L in handled(H) if L.effect == effect and len(L.arguments) == 1):
        match A, L.arguments[0]:
            case Data(name, _), Data(other, _) if name == other:
                return True
            case _:
                continue
    return False


def _number(A: ValueType) -> ValueType:
    """A, where what can only be a number is the one that it is if nothing else says so."""
    return FLOAT if isinstance(A, Meta) and A.numeric else A


# ------------------------------------------------------------------------------------------------- advice


def advice(found: Confused, text: str, definitions: Definitions, *, is_literal: bool) -> str:
    """How what is written ``text`` becomes a number of the level that is needed."""
    A, B, effect = number(found.found), number(found.needed), shown(found.found.effect)
    if found.kind == "thunk":
        return "what has a name inside of a program is for one level; a declared function, `fun …`, is for every level"
    if inside(B, A):
        return _outwards(found, text, definitions)
    if is_literal and (constant := constant_of(found.needed, text, definitions)):
        return constant
    argument = text if text.isidentifier() or is_literal else f"({_bare(text)})"
    lifts = _lifts(A, B, found, definitions)
    if lifts and found.kind == "data":
        return f"`{lifts[0]}` brings a number inwards, to that level"
    if lifts:
        return f"`{lifts[0]} {argument}` brings it inwards, to that level"
    if isinstance(B, Data) and B.arguments == (A,):
        return f"a function brings it one level inwards, as `fun lift x = Paired x (<{effect}> (c 0))` does for forward mode"
    return "a function like `lift2` of the library brings it that many levels inwards"


def constant_of(L: Label, text: str, definitions: Definitions) -> str:
    """How a literal becomes a constant of a level, if a declared function does that."""
    constants = list(_between(FLOAT, number(L), L.effect, definitions))
    return f"`{constants[0]} {text}` is a constant of that level" if constants else ""


def _outwards(found: Confused, text: str, definitions: Definitions) -> str:
    """How what is written ``text`` is of an outer level: it is done there, or was taken inwards too early."""
    effect = shown(found.found.effect)
    levels = [L for L in reversed(found.around.labels) if L.effect == found.found.effect]
    if text.isidentifier() or found.needed not in levels or found.found not in levels:
        lifts = _lifts(number(found.needed), number(found.found), found, definitions)
        if lifts:
            return f"on the inner level, write `{lifts[0]} {text}` instead of `{text}`"
        return "an adaptor, as `<Smooth>` around a computation, does it one level outwards"
    if levels.index(found.needed) == 1:
        return f"`<{effect}> ({_bare(text)})` does it one level outwards"
    taken = "abcdefghijklmnopqr"[: levels.index(found.needed) + 1]
    return f"`<{effect}(s {' '.join(taken)} -> s {taken[0]})> ({_bare(text)})` does it on the level that is needed"


def _lifts(A: ValueType, B: ValueType, found: Confused, definitions: Definitions) -> list[str]:
    """Functions that make numbers B out of numbers A, those that say so first."""
    names = _between(A, B, found.found.effect, definitions)
    return sorted(names, key=lambda name: (not name.startswith("lift"), name))


def _between(A: ValueType, B: ValueType, effect: str, definitions: Definitions) -> Iterator[str]:
    """Declared functions of type ``A -> [… Smooth …] B`` that are generic in the number type."""
    for name, key in definitions.functions.items():
        declared = definitions.declared[key]
        if isinstance(declared, Function) and _fits(declared.scheme, A, B, effect):
            yield name


def _fits(scheme: Scheme, A: ValueType, B: ValueType, effect: str) -> bool:
    match scheme.type:
        case Thunk(row, FunctionType(domain, Returner(codomain))) if any(L.effect == effect for L in row.labels):
            unknowns = Unknowns(_ELSEWHERE)
            new = Instance({x: unknowns.type() for x in scheme.variables}, {e: unknowns.row() for e in scheme.rows})
            try:
                unknowns.types(new.value(domain), A)
                unknowns.types(new.value(codomain), B)
            except Mismatch:
                return False
            return True
        case _:
            return False


def _bare(text: str) -> str:
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1]


# -------------------------------------------------------------------------------------- parts side by side


def pairs(C: ComputationType, D: ComputationType) -> Iterator[tuple[ValueType, ValueType]]:
    """Which types stand in the same place of two computation types, a whole before its parts."""
    match C, D:
        case Returner(A), Returner(B):
            yield from _pairs(A, B)
        case FunctionType(A, C2), FunctionType(B, D2):
            yield from _pairs(A, B)
            yield from pairs(C2, D2)
        case With(C1, C2), With(D1, D2):
            yield from pairs(C1, D1)
            yield from pairs(C2, D2)
        case _:
            return


def _pairs(A: ValueType, B: ValueType) -> Iterator[tuple[ValueType, ValueType]]:
    yield A, B
    match A, B:
        case Product(M), Product(N) if len(M) == len(N):
            for C, D in zip(M, N, strict=True):
                yield from _pairs(C, D)
        case Data(name, M), Data(other, N) if name == other:
            yield from _pairs_of_arguments(M, N)
        case Thunk(E, C), Thunk(F, D):
            yield from pairs(C, D)
            yield from _pairs_of_rows(E, F)
        case _:
            return


def _pairs_of_rows(E: Row, F: Row) -> Iterator[tuple[ValueType, ValueType]]:
    for effect in dict.fromkeys(L.effect for L in E.labels):
        ours = [L for L in reversed(E.labels) if L.effect == effect]
        theirs = [L for L in reversed(F.labels) if L.effect == effect]
        for L, M in zip(ours, theirs, strict=False):
            yield from _pairs_of_arguments(L.arguments, M.arguments)


def _pairs_of_arguments(
    M: tuple[ValueType | Row, ...], N: tuple[ValueType | Row, ...]
) -> Iterator[tuple[ValueType, ValueType]]:
    for A, B in zip(M, N, strict=False):
        if isinstance(A, Row) and isinstance(B, Row):
            yield from _pairs_of_rows(A, B)
        elif not isinstance(A, Row) and not isinstance(B, Row):
            yield from _pairs(A, B)


def _rows(C: ComputationType) -> Iterator[Row]:
    match C:
        case Returner(A):
            yield from _rows_of_value(A)
        case FunctionType(A, D):
            yield from _rows_of_value(A)
            yield from _rows(D)
        case With(D, D2):
            yield from _rows(D)
            yield from _rows(D2)
        case ComputationMeta():
            return


def _rows_of_value(A: ValueType) -> Iterator[Row]:
    match A:
        case Thunk(row, computation):
            yield row
            yield from _rows(computation)
        case Product(components):
            for B in components:
                yield from _rows_of_value(B)
        case Data(_, arguments):
            for B in arguments:
                if isinstance(B, Row):
                    yield B
                else:
                    yield from _rows_of_value(B)
        case Variable() | Base() | Meta():
            return
