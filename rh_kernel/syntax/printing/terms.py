"""Printing of terms (RH Def. 3.4, the Unicode column of LANGUAGE §1): parsing the printed term gives it back up to α.

Postfixes bind tighter than the unary minus, that tighter than ``* · @ /``, those tighter than ``+ -``; ``let`` and
``if`` extend as far to the right as possible. An infix is printed only where it parses as the same function symbol.
"""

from collections.abc import Callable, Generator
from enum import IntEnum
from typing import Any, cast

from rh_kernel.syntax import core
from rh_kernel.syntax.dimensions import Dim
from rh_kernel.syntax.printing.conditionals import conditional
from rh_kernel.syntax.printing.constants import array_doc, is_number, number_text
from rh_kernel.syntax.printing.doc import LINE, Doc, Group, Role, Shared, Text, concat, group, join, nest, role
from rh_kernel.syntax.printing.memo import Link
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.patterns import open_scope
from rh_kernel.syntax.printing.steps import UNMARKED, Marks, PrinterState, Printing, annotate, written
from rh_kernel.syntax.types import SCALAR, Real, Type, show_shape

_COMMA = concat(",", LINE)
_IN = role(Role.KEYWORD, "in")


class Level(IntEnum):
    """Precedence: a form is bracketed where a higher level is required."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    UNARY = 3
    NUMBER = 4
    POSTFIX = 5


INDEXED = {
    "fill": 1,
    "reshape": 1,
    "broadcast_rows": 1,
    "slice": 2,
    "permute": -1,
    "put_rows": -1,
    "one_hot": 1,
    "windows1d": 1,
    "maxpool1d": 1,
    "first_max1d": 1,
    "sumpool1d": 1,
    "spread1d": 2,
    "pad1d": 1,
    "crop1d": 1,
    "upscale1d": 1,
    "downsum1d": 1,
    "windows2d": 2,
    "maxpool2d": 1,
    "first_max2d": 1,
    "avgpool2d": 1,
    "sumpool2d": 1,
    "spread2d": 3,
}
"""The families with indices in square brackets, and how many of the first entries of ``at`` these are.

−1 stands for as many as the result has axes.
"""


def index_count(name: str, B: Type) -> int:
    """Return how many indices the symbol ``name`` with a result of type B has in square brackets."""
    count = INDEXED.get(name, 0)
    return len(B.shape) if count < 0 and isinstance(B, Real) and isinstance(B.shape, tuple) else count


_INFIX = {
    "mul": ("*", Level.PRODUCT),
    "matmul": ("@", Level.PRODUCT),
    "div": ("/", Level.PRODUCT),
    "sub": ("-", Level.SUM),
}


def term(page: PrinterState, M: core.Term, level: Level, marks: Marks) -> Printing:
    """``M``, in brackets if its precedence is lower than ``level``."""
    doc = yield from written(page, M, marks, _form(page, M, marks))
    if isinstance(M, core.Let):
        doc = Group(doc)
    return concat("(", nest(doc, indent=1), ")") if level_of(M) < level else doc


def at_level(level: Level) -> Callable[[PrinterState, core.Term, Marks], Printing]:
    """Return ``term`` for this level."""
    return lambda page, M, marks: term(page, M, level, marks)


def level_of(M: core.Term) -> Level:
    """The precedence of ``M`` as it is printed."""
    match M:
        case core.Bound() | core.Tuple() | core.Proj() | core.Rd() | core.R():
            return Level.POSTFIX
        case core.Zero():
            return Level.NUMBER
        case core.Const(value) if is_number(value):
            return Level.UNARY if number_text(value[0]).startswith("-") else Level.NUMBER
        case core.Const():
            return Level.POSTFIX
        case core.Plus():
            return Level.SUM
        case core.Let() | core.Map() | core.If():
            return Level.OPEN
        case core.Call(core.Primitive("neg"), N) if not _is_number(N):
            return Level.UNARY
        case core.Call():
            sugar = _sugar(M)
            return Level.POSTFIX if sugar is None else sugar[1]


def arguments(page: PrinterState, M: core.Term, marks: Marks, *, takes_one: bool = False) -> Printing:
    """The bracketed arguments of an application: ``(M, N)`` for a tuple, ``()`` for the unit.

    ``takes_one``: the symbol takes one argument, which happens to be the unit, ``tanh(())``.
    """
    match M:
        case core.Const(value) if value.shape == (0,) and not takes_one:
            return annotate(Text("()"), M.span, marks)
        case core.Tuple():
            doc = yield from _items(page, M, marks)
            doc = annotate(doc, M.span, marks)
        case (
            core.Bound()
            | core.Const()
            | core.Zero()
            | core.Call()
            | core.Plus()
            | core.Proj()
            | core.Let()
            | core.Rd()
            | core.R()
            | core.Map()
            | core.If()
        ):
            doc = yield term(page, M, Level.OPEN, marks)
    return group("(", nest(doc), ")")


def link(
    page: PrinterState, scope: core.Scope, marks: Marks, arrow: str, write: Callable[[PrinterState, Any, Marks], Printing]
) -> Generator[Printing, Doc, Link]:
    """``let x ←`` and, printed by ``write``, the body after ``in``; cached unless it has marks."""
    cache = page.cache if marks is UNMARKED else None
    found = None if cache is None else cache.links.find(scope, page.names)
    if found is not None:
        return found
    counted = len(page.names.counted)
    opened = open_scope(page.names, scope, marks, notation=page.brevity.notation)
    body = yield write(page, opened.body, opened.marks)
    page.names.pop(opened.pushed)
    head = concat(role(Role.KEYWORD, "let"), " ", opened.binders[0], " ", role(Role.KEYWORD, arrow))
    if cache is None:
        return Link(head, body)
    kept = Link(Shared(head), body)
    cache.links.keep(scope, page.names, counted, kept)
    return kept


def joined(link: Link, bound: Doc, *, is_long: bool) -> Doc:
    """``let x ← bound in body``; a long ``bound`` gets its own lines."""
    if is_long:
        return concat(group(link.head, nest(LINE, bound), LINE, _IN), LINE, link.body)
    return concat(link.head, " ", nest(bound), " ", _IN, LINE, link.body)


def iteration(word: str, row: str, sequence: Doc, start: Doc | str, body: Doc) -> Doc:
    """``map (x in M) do N``, and with a ``start`` ``scan (x in M) from s = N do P``"""
    head = concat(role(Role.KEYWORD, word), f" ({row} ", _IN, " ", nest(sequence), ")", start, " ", role(Role.KEYWORD, "do"))
    return group(head, nest(LINE, body))


def _opened(page: PrinterState, scope: core.Scope, marks: Marks) -> Generator[Printing, Doc, tuple[tuple[str, ...], Doc]]:
    opened = open_scope(page.names, scope, marks, notation=page.brevity.notation)
    body = yield term(page, cast(core.Term, opened.body), Level.OPEN, opened.marks)
    page.names.pop(opened.pushed)
    return opened.binders, body


def term_scope(page: PrinterState, scope: core.Scope, marks: Marks) -> Printing:
    """``x. N``"""
    binders, body = yield from _opened(page, scope, marks)
    return concat(binders[0], ". ", nest(body))


def _form(page: PrinterState, M: core.Term, marks: Marks) -> Printing:
    match M:
        case core.Bound(index):
            return Text(page.names[index])
        case core.Const(value):
            return array_doc(value, page.brevity.entries, page.brevity.digits)
        case core.Zero():
            return role(Role.CONSTANT, "0")
        case core.Call():
            return (yield from _call(page, M, marks))
        case core.Plus(L, N):
            return (yield from _infix(page, "+", Level.SUM, L, N, (marks.child(0), marks.child(1))))
        case core.Tuple():
            items = yield from _items(page, M, marks)
            left, right = page.brevity.notation.value.brackets
            return group(left, nest(items, indent=1), right)
        case core.Proj(i, _, N):
            of = yield term(page, N, Level.POSTFIX, marks.child(0))
            return concat(of, f".{i}")
        case core.Let():
            return (yield from _let(page, M, marks))
        case core.Map(N, scope):
            sequence = yield term(page, N, Level.OPEN, marks.child(0))
            binders, body = yield from _opened(page, scope, marks.child(1))
            return iteration("map", binders[0], sequence, "", body)
        case core.Rd(W, scope, V):
            cotangent = yield term(page, W, Level.POSTFIX, marks.child(0))
            body = yield from term_scope(page, scope, marks.child(1))
            point = yield term(page, V, Level.OPEN, marks.child(2))
            return group(cotangent, ".", role(Role.KEYWORD, "rd"), "(", body, ")(", nest(point), ")")
        case core.R(W, scope, V, known):
            cotangent = yield term(page, W, Level.POSTFIX, marks.child(0))
            body = yield from term_scope(page, scope, marks.child(1))
            is_source = page.brevity.notation is Notation.SOURCE
            point = yield term(page, V, Level.OPEN if known or is_source else Level.NUMBER, marks.child(2))
            if is_source:
                return group(cotangent, ".", role(Role.KEYWORD, "rd"), "(", body, ")(", nest(point), ")")
            if known:
                values: list[Doc] = []
                for U in known:
                    values += ((yield term(page, U, Level.OPEN, UNMARKED)),)
                point = group("⟨", nest(concat(point, ";", LINE, join(_COMMA, values)), indent=1), "⟩")
            return group(cotangent, ".", role(Role.KEYWORD, "R"), "_", point, "(", body, ")")
        case core.If():
            return (yield from conditional(page, M, marks, at_level(Level.SUM), at_level(Level.OPEN)))


def _let(page: PrinterState, M: core.Let, marks: Marks) -> Printing:
    """``let x ← M in`` and its body, on separate lines if the group around them does not fit on one."""
    bound = yield term(page, M.bound, Level.OPEN, marks.child(0))
    rest = yield from link(page, M.scope, marks.child(1), page.brevity.notation.value.assigned, _body)
    return joined(rest, bound, is_long=isinstance(M.bound, core.Let))


def _body(page: PrinterState, N: core.Term, marks: Marks) -> Printing:
    """Print the body of a let; another let goes into the same group."""
    if isinstance(N, core.Let):
        return (yield from written(page, N, marks, _let(page, N, marks)))
    return (yield term(page, N, Level.OPEN, marks))


def _items(page: PrinterState, M: core.Tuple, marks: Marks) -> Printing:
    shown = len(M.items) if page.brevity.items is None else page.brevity.items
    docs: list[Doc] = []
    for i, N in enumerate(M.items[:shown]):
        item = yield term(page, N, Level.OPEN, marks.child(i))
        docs.append(item)
    if shown < len(M.items):
        docs.append(role(Role.FADED, "…"))
    return join(_COMMA, docs)


def _infix(page: PrinterState, sign: str, level: Level, L: core.Term, N: core.Term, marks: tuple[Marks, Marks]) -> Printing:
    left = yield term(page, L, level, marks[0])
    right = yield term(page, N, Level(level + 1), marks[1])
    return group(left, f" {sign}", LINE, right)


def _call(page: PrinterState, M: core.Call, marks: Marks) -> Printing:
    inner = marks.child(0)
    sugar = _sugar(M, page.brevity.notation)
    match M:
        case core.Call(_, core.Tuple((L, N)) as pair) if sugar is not None:
            doc = yield from _infix(page, *sugar, L, N, (inner.child(0), inner.child(1)))
            return annotate(doc, pair.span, inner)
        case core.Call(core.Primitive("neg"), N) if not _is_number(N):
            operand = yield term(page, N, Level.POSTFIX, inner)
            return concat("-", operand)
        case core.Call(core.Primitive("transpose"), N):
            operand = yield term(page, N, Level.POSTFIX, inner)
            return concat(operand, page.brevity.notation.value.transpose)
        case core.Call(f, N):
            rest = yield from arguments(page, N, inner, takes_one=True)
            return group(function_doc(f), rest)


def function_doc(f: core.Function) -> Doc:
    """Print a function symbol: ``swish``, ``reshape[3, 2]``, ``rd[f]``."""
    ends = 0
    while isinstance(f, core.RdOf):
        f, ends = f.of, ends + 1
    doc = role(Role.FUNCTION, f.name)
    match f:
        case core.Primitive(name, at, codomain=B) if name in INDEXED:
            indices = [str(a) if isinstance(a, Dim) else show_shape(a) for a in at[: index_count(name, B)]]
            doc = concat(doc, f"[{', '.join(indices)}]")
        case core.Primitive() | core.Defined():
            pass
    if not ends:
        return doc
    return concat(role(Role.KEYWORD, "rd"), "[", *[concat(role(Role.KEYWORD, "rd"), "[")] * (ends - 1), doc, "]" * ends)


def _sugar(M: core.Call, notation: Notation = Notation.PAPER) -> tuple[str, Level] | None:
    """The infix that parses as ``M``, if there is one; its function symbol depends on the types of the operands."""
    match M:
        case core.Call(core.Primitive("mul", codomain=B), core.Tuple((L, _))) if B == SCALAR or _needs_context(L):
            return None
        case core.Call(core.Primitive("div", codomain=B), core.Tuple((_, N))) if B != SCALAR and _needs_context(N):
            return None
        case core.Call(core.Primitive("matmul"), core.Tuple((L, N))) if _needs_context(L) or _needs_context(N):
            return None
        case core.Call(core.Primitive("scale"), core.Tuple((_, _))):
            return notation.value.scale, Level.PRODUCT
        case core.Call(core.Primitive(name), core.Tuple((_, _))):
            return _INFIX.get(name)
        case core.Call():
            return None


def _needs_context(M: core.Term) -> bool:
    """Whether the type of ``M`` is determined by its context alone."""
    while isinstance(M, core.Plus | core.Let | core.If):
        M = M.left if isinstance(M, core.Plus) else M.then if isinstance(M, core.If) else cast(core.Term, M.scope.body)
    return isinstance(M, core.Zero)


def _is_number(M: core.Term) -> bool:
    """Whether ``-M`` would parse as a constant."""
    return isinstance(M, core.Zero) or (isinstance(M, core.Const) and is_number(M.value))
