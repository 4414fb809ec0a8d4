"""The origins of types: notes on where the names in an expression were bound or declared."""

import re
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from rh_kernel.source.diagnostic import Note
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.types import Product, Real, ShapeMeta, Type, TypeMeta, show_shape
from rh_kernel.typing.context import Context
from rh_kernel.typing.definitions import (
    ConstDefinition,
    Declared,
    Definition,
    Definitions,
    DimDefinition,
    FunDefinition,
    HandlerDefinition,
    LocDefinition,
    LocFamilyDefinition,
    NetDefinition,
    NumberDefinition,
    OpDefinition,
    StateDefinition,
)
from rh_kernel.typing.diagnostics.hints import Expectation
from rh_kernel.typing.unification.unify import Unifier

_WORD = re.compile(r"[\w']+")

MAX_NOTES = 3
"""The maximum number of notes of a diagnostic."""


def chosen(span: Span, *stories: Iterable[Note]) -> tuple[Note, ...]:
    """Pick notes from each story in turn, nearest causes first, without duplicates and without one at ``span`` itself."""
    found: dict[Span, Note] = {}
    for notes in zip_longest(*stories):
        for note in notes:
            if note is not None and note.span != span:
                found.setdefault(note.span, note)
    return tuple(found.values())[:MAX_NOTES]


def origins(cx: Context, unifier: Unifier, e: s.Expr) -> Iterator[Note]:
    """Notes on the bindings of the free names that the type of ``e`` depends on, in order."""
    for name in _free(e):
        note = origin(cx, unifier, name)
        if note is not None:
            yield note


def operand_notes(cx: Context, unifier: Unifier, e: s.Expr, A: Type) -> Iterator[Note]:
    """Notes on why an operand has type A: for a variable its binding, otherwise the type itself and then its names."""
    if not isinstance(e, s.Var):
        yield type_note(unifier, e.span, A)
    yield from origins(cx, unifier, e)


def type_note(unifier: Unifier, span: Span, A: Type) -> Note:
    """A note with the type at ``span``."""
    return Note(span=span, text=f"this is {described(unifier, A)}")


def described(unifier: Unifier, *types: Type) -> str:
    """The types in words; an unsolved type is called a zero."""
    each = zip(types, unifier.show(*types), strict=True)
    return " and ".join(["a zero" if isinstance(unifier.type(A), TypeMeta) else text for A, text in each])


def expected_by_annotation(by: str, written: s.TypeExpr | None) -> Expectation:
    """The expectation from a type annotation."""
    return Expectation(by, story=lambda: () if written is None else (Note(span=written.span, text="expected here"),))


def origin(cx: Context, unifier: Unifier | None, name: str) -> Note | None:
    """A note on the binding or declaration of a name, with its type if ``unifier`` is given; ``None`` without a source."""
    found = cx.look_up(name)
    if found is not None:
        entry = found[1]
        is_shown = unifier is not None and entry.answer is None and _is_known(unifier.type(entry.type))
        typed = f" : {unifier.show(entry.type)[0]}" if unifier is not None and is_shown else ""
        return None if entry.span is None else Note(span=entry.span, text=f"`{name}{typed}` is bound here")
    if cx.places and name in cx.places:
        loc = (cx.locations or {}).get(name)
        typed = "" if loc is None else f" : {Real(loc.shape)}"
        return Note(span=cx.places[name], text=f"`{name}{typed}` is declared here")
    declared = cx.definitions.named.get(name)
    if declared is None or declared.span is None:
        return None
    remarks = "".join(_dimension_remarks(cx.definitions, declared))
    return Note(span=declared.span, text=f"`{name}{_type(declared.definition)}` is declared here{remarks}")


def where(cx: Context, *names: str) -> Iterator[Note]:
    """Notes on where the names were bound or declared, without the types of variables."""
    return (note for name in names if (note := origin(cx, None, name)) is not None)


def _dimension_remarks(definitions: Definitions, declared: Declared) -> Iterator[str]:
    """Remarks on names in a declaration's types that are declared dimensions, and would be variables otherwise."""
    if declared.span is None or isinstance(
        declared.definition, DimDefinition | ConstDefinition | NumberDefinition | LocDefinition | LocFamilyDefinition
    ):
        return
    types = set(_WORD.findall(declared.text.partition("=")[0]))
    for used, number in declared.made_from:
        now = definitions.named.get(used)
        if now is not None and now.number == number and now.span is not None and used in types:
            match now.definition:
                case DimDefinition(_, value) | NumberDefinition(_, value):
                    line, *_ = now.span.position
                    source = "" if now.span.source is declared.span.source else f"{now.span.source.name}, "
                    yield f"; `{used}` is the number {value:g}, declared in {source}line {line}"
                case _:
                    pass


def _type(definition: Definition) -> str:
    match definition:
        case ConstDefinition(_, A, _):
            return f" : {A}"
        case LocDefinition(_, location, _):
            return f" : {Real(location.shape)}"
        case LocFamilyDefinition(_, family, _):
            return f"[{family.length}] : {Real(family.shape)}"
        case StateDefinition(_, family):
            return f"[l : Loc({show_shape(family.of)})] : {Real(family.shape)}"
        case FunDefinition(domain=A, codomain=B):
            return f" : {A} -> {B}"
        case OpDefinition(_, family):
            return f" : {family.domain} -> {family.codomain}"
        case NetDefinition(domain=A, codomain=B):
            return f" : {A} ~> {B}"
        case DimDefinition(_, value) | NumberDefinition(_, value):
            return f" = {value}"
        case HandlerDefinition():
            return ""


def _is_known(A: Type) -> bool:
    match A:
        case TypeMeta():
            return False
        case Product(factors):
            return all(map(_is_known, factors))
        case Real(shape):
            return not isinstance(shape, ShapeMeta)


def names_of(pattern: s.Pattern) -> Iterator[s.NamePattern]:
    """The names that a pattern binds."""
    match pattern:
        case s.NamePattern():
            yield pattern
        case s.TuplePattern(items):
            for item in items:
                yield from names_of(item)


def _free(e: s.Expr) -> Iterator[str]:
    """The free names of ``e``; for a call first the indices, then the head, then the arguments."""
    pending: list[tuple[s.Expr, frozenset[str]]] = [(e, frozenset())]
    while pending:
        node, bound = pending.pop()
        if isinstance(node, s.UnaryExpr):
            pending.append((node.operand, bound))
            continue
        below: list[tuple[s.Expr, frozenset[str]]] = []
        match node:
            case s.Var(name):
                if name not in bound:
                    yield name
            case s.Apply(head, indices, arguments):
                yield from (i.name for i in indices if isinstance(i, s.Var) and i.name not in bound)
                yield from () if head.text in bound else (head.text,)
                below = [(argument, bound) for argument in arguments]
            case s.TupleExpr(items):
                below = [(item, bound) for item in items]
            case s.ReturnExpr(term):
                below = [(term, bound)]
            case s.Binary(_, left, right):
                below = [(left, bound), (right, bound)]
            case s.ReverseDerivative(cotangent, x, body, point):
                below = [(point, bound), (cotangent, bound), (body, _extend(bound, x))]
            case s.IfExpr(_, then, otherwise):
                below = [(then, bound), (otherwise, bound)]
            case s.LetExpr(pattern, _, M, body):
                below = [(body, _extend(bound, pattern)), (M, bound)]
            case s.MapExpr(patterns, sources, body):
                inside = bound.union(*[_extend(bound, p) for p in patterns])
                below = [*[(source, bound) for source in sources], (body, inside)]
            case s.ScanExpr((x, state), source, start, body):
                below = [(source, bound), (start, bound), (body, _extend(_extend(bound, x), state))]
            case s.RevHandleExpr(argument):
                below = [(argument, bound)]
            case s.RepeatExpr(_, _, x, M, body):
                below = [(M, bound), (body, _extend(bound, x))]
            case s.HandleExpr(command):
                below = [(command, bound)]
            case s.ResumeExpr(k, argument):
                yield from () if k.text in bound else (k.text,)
                below = [(argument, bound)]
            case s.Number() | s.ArrayLiteral() | s.Unit() | s.Family():
                pass
        pending += reversed(below)


def _extend(bound: frozenset[str], pattern: s.Pattern) -> frozenset[str]:
    return bound | {x.name for x in names_of(pattern)}
