"""Levels of differentiation (Sigal 2024, §4.5): the two that are confused where types differ, and hints how to convert.

A level is a label with one type, that of its numbers. ``Smooth (Paired x)`` is the level inside of ``Smooth x``: its handler
implements the operations on ``Paired x`` by operations on x. A lift takes a number inwards by one level:
``x -> [Smooth x, Smooth (Paired x)] Paired x``. Types that differ are confused levels if both belong to labels of one effect
and one is a part of the other: perturbation confusion.
"""

from collections.abc import Iterator
from typing import Literal, TypeAlias

from rh_kernel.ad.eff import types as t
from rh_kernel.ad.eff.definitions import Definitions, Function, Handler, shown
from rh_kernel.ad.eff.printing.types import handled
from rh_kernel.ad.eff.typing.type_traversal import TypeNode, nodes, pairs, parts
from rh_kernel.ad.eff.typing.unification import Unknowns
from rh_kernel.source.records import frozen

Kind: TypeAlias = Literal["number", "data", "thunk"]
"""Whether levels are confused of a number, of data with numbers, or of a function on numbers."""


@frozen
class Confused:
    """The level that was found and the one that is needed, in the row ``around``."""

    found: t.Label
    needed: t.Label
    around: t.Row
    kind: Kind


def number(L: t.Label) -> t.ValueType:
    """The type of the numbers of a level."""
    A = L.arguments[0]
    assert not isinstance(A, t.Row)
    return A


def confused(found: TypeNode, expected: TypeNode, around: t.Row, definitions: Definitions) -> Confused | None:
    """The two levels, if types of computations, or rows, differ for that reason."""
    kind: Kind = "data" if isinstance(found, t.Returner) and not isinstance(found.value, t.Thunk) else "thunk"
    rows = [around, *_rows(found), *_rows(expected)]
    labels = [L for E in rows for L in E.labels if len(L.arguments) == 1 and not isinstance(L.arguments[0], t.Row)]
    for i, (A, B) in enumerate(pairs(found, expected)):
        A, B = _number(A), _number(B)
        if A == B or not (A in nodes(B) or B in nodes(A)):
            continue
        for L in reversed(labels):
            levels = (A, B) if _number(number(L)) in (A, B) else ()
            if levels and all(_is_level(L.effect, C, labels, definitions) for C in levels):
                is_whole = i == 0 and kind == "data"
                return Confused(t.Label(L.effect, (A,)), t.Label(L.effect, (B,)), around, "number" if is_whole else kind)
    return None


def _is_level(effect: str, A: t.ValueType, labels: list[t.Label], definitions: Definitions) -> bool:
    """Whether A is the type of the numbers of one of the labels, or of one that a declared handler handles."""
    if any(L.effect == effect and _number(number(L)) == A for L in labels):
        return True
    declared = (d.scheme for d in definitions.declared.values() if isinstance(d, Handler))
    numbers = [L.arguments[0] for H in declared for L in handled(H) if L.effect == effect and len(L.arguments) == 1]
    return isinstance(A, t.Data) and any(isinstance(B, t.Data) and B.name == A.name for B in numbers)


def _number(A: t.ValueType) -> t.ValueType:
    """A, or ``Float`` for an unknown numeric type."""
    return t.FLOAT if isinstance(A, t.Meta) and A.numeric else A


def _rows(A: TypeNode) -> Iterator[t.Row]:
    """The rows in a type that are not in other rows."""
    if isinstance(A, t.Row):
        yield A
    else:
        for B in parts(A):
            yield from _rows(B)


# -------------------------------------------------------------------------------------------------- hints


def hint(found: Confused, text: str, definitions: Definitions, *, is_literal: bool) -> str:
    """How the source ``text`` becomes a number of the level that is needed."""
    A, B, effect = number(found.found), number(found.needed), shown(found.found.effect)
    if found.kind == "thunk":
        return "what has a name inside of a program is for one level; a declared function, `fun …`, is for every level"
    if B in nodes(A):
        return _outwards(found, text, definitions)
    if is_literal and (constant := constant_hint(found.needed, text, definitions)):
        return constant
    argument = text if text.isidentifier() or is_literal else f"({_bare(text)})"
    lifts = _lifts(A, B, found, definitions)
    if lifts and found.kind == "data":
        return f"`{lifts[0]}` brings a number inwards, to that level"
    if lifts:
        return f"`{lifts[0]} {argument}` brings it inwards, to that level"
    if isinstance(B, t.Data) and B.arguments == (A,):
        return f"a function brings it one level inwards, as `fun lift x = Paired x (<{effect}> (c 0))` does for forward mode"
    return "a function like `lift2` of the library brings it that many levels inwards"


def constant_hint(L: t.Label, text: str, definitions: Definitions) -> str:
    """How the literal ``text`` becomes a constant of a level, if a declared function does that."""
    constants = list(_between(t.FLOAT, number(L), L.effect, definitions))
    return f"`{constants[0]} {text}` is a constant of that level" if constants else ""


def _outwards(found: Confused, text: str, definitions: Definitions) -> str:
    """How ``text`` gets to an outer level: by an adaptor, or without a lift that was too early."""
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


def _lifts(A: t.ValueType, B: t.ValueType, found: Confused, definitions: Definitions) -> list[str]:
    """Functions that convert numbers A to numbers B, those named ``lift…`` first."""
    names = _between(A, B, found.found.effect, definitions)
    return sorted(names, key=lambda name: (not name.startswith("lift"), name))


def _between(A: t.ValueType, B: t.ValueType, effect: str, definitions: Definitions) -> Iterator[str]:
    """The declared functions that have an instance of type ``A -> [… Smooth …] B``."""
    for name, key in definitions.functions.items():
        declared = definitions.declared[key]
        if isinstance(declared, Function) and _has_instance(declared.scheme, A, B, effect):
            yield name


def _has_instance(scheme: t.Scheme, A: t.ValueType, B: t.ValueType, effect: str) -> bool:
    match scheme.type:
        case t.Thunk(row, t.Function(domain, t.Returner(codomain))) if any(L.effect == effect for L in row.labels):
            unknowns = Unknowns.apart()
            new = unknowns.instance(scheme.variables, scheme.rows)
            return unknowns.allows(new(domain), A) and unknowns.allows(new(codomain), B)
        case _:
            return False


def _bare(text: str) -> str:
    """Text without parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0 and i < len(text) - 1:
            return text
    return text[1:-1]
