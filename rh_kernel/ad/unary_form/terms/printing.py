"""Printing of the terms of Source and Target as in the paper: ``map2 * A (shift1L B)``, ``fun (y1, z) → Y(y1+z)``."""

from collections.abc import Generator
from enum import IntEnum
from typing import TypeAlias

from rh_kernel.ad.language.printing import bracketed, number
from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.binding import parts
from rh_kernel.source.trampoline import Descent, descend
from rh_kernel.syntax.printing.doc import LINE, Annotated, Doc, Group, Mark, Role, Text, concat, group, join, nest, plain, role

Path: TypeAlias = tuple[int, ...]
"""The position of a subterm: the indices of the parts that contain it, from the outside in."""


class Level(IntEnum):
    """Levels of precedence, the loosest first; a form is bracketed where a tighter level is expected."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    PREFIX = 3
    ATOM = 4


_INFIX = {"add": ("+", Level.SUM), "sub": ("-", Level.SUM), "mul": ("*", Level.PRODUCT), "div": ("/", Level.PRODUCT)}
_COMMA = concat(",", Group(LINE))


def document(M: t.Term, contractum: Path | None = None) -> Doc:
    """Print M, with the subterm at ``contractum`` marked."""
    return descend(_written(M, Level.OPEN, contractum))


def text(M: t.Term, width: float = float("inf")) -> str:
    """M as text, in lines of ``width`` columns."""
    return plain(document(M), width)


def _level(M: t.Term) -> Level:
    match M:
        case t.Var() | t.Pack() | t.App() | t.Nabla():
            return Level.ATOM
        case t.Const(c):
            return Level.ATOM if c >= 0 else Level.PREFIX
        case t.Op(symbol, _) if symbol in _INFIX:
            return _INFIX[symbol][1]
        case t.Plus():
            return Level.SUM
        case t.Scale():
            return Level.PRODUCT
        case t.Let() | t.Fun() | t.If():
            return Level.OPEN
        case t.Use(_, ()) | t.Fill():
            return Level.ATOM
        case t.Proj() | t.Op() | t.Map() | t.Map2() | t.Fold() | t.Shift() | t.Use():
            return Level.PREFIX


def _written(M: t.Term, level: Level, at: Path | None) -> Descent[Doc]:
    doc = yield _form(M, at)
    if at == ():
        doc = Annotated(Mark("contractum"), doc)
    return bracketed(doc, _level(M), level)


def _below(at: Path | None, i: int) -> Path | None:
    return at[1:] if at and at[0] == i else None


def _form(M: t.Term, at: Path | None) -> Descent[Doc]:
    match M:
        case t.Var(x):
            return Text(x)
        case t.Const(c):
            return role(Role.CONSTANT, number(c))
        case t.Let():
            return Group((yield _lets(M, at)))
        case t.Pack(components):
            each = yield from _each(components, Level.OPEN, at)
            return group("⟨", nest(join(_COMMA, each), indent=1), "⟩")
        case t.Op(symbol, (left, right)) if symbol in _INFIX:
            sign, level = _INFIX[symbol]
            return (yield _infix(sign, level, left, right, at))
        case t.Plus(left, right):
            return (yield _infix(" +̂ ", Level.SUM, left, right, at))
        case t.Scale(left, right):
            return (yield _infix(" *̂ ", Level.PRODUCT, left, right, at))
        case t.If(smaller, larger, then, otherwise):
            m, n = yield from _each((smaller, larger), Level.SUM, at)
            L, K = yield from _each((then, otherwise), Level.OPEN, at, first=2)
            head = concat(_word("if"), " ", m, " ≤ ", n)
            return group(head, nest(LINE, _word("then"), " ", L), nest(LINE, _word("else"), " ", K))
        case t.Fun(parameters, body):
            e = yield _written(body, Level.OPEN, _below(at, 0))
            names = join(_COMMA, [Text(x) for x, _ in parameters])
            return group(_word("fun"), " (", nest(names, indent=1), ") →", nest(LINE, e))
        case t.App(function, arguments):
            f = yield _written(function, Level.ATOM, _below(at, 0))
            each = yield from _each(arguments, Level.OPEN, at, first=1)
            return group(f, "(", nest(join(_COMMA, each)), ")")
        case t.Fill(n, t.Const(c)) if c in (0.0, 1.0):
            return concat(role(Role.FUNCTION, "OnesLike" if c else "ZerosLike"), f"({n})")
        case t.Fill(n, entry):
            e = yield _written(entry, Level.OPEN, _below(at, 0))
            return group(role(Role.FUNCTION, "fill"), f"({n}, ", nest(e), ")")
        case t.Nabla(_, _, body, wanted, seed):
            e = yield _written(body, Level.OPEN, _below(at, 1))
            w = yield _written(seed, Level.OPEN, _below(at, 0))
            one = seed == t.Const(1.0)
            return group("∇{", ", ".join(wanted), "}(", nest(e), ")", *(() if one else ("·(", w, ")")))
        case _:
            return (yield _prefix(M, at))


def _each(many: tuple[t.Term, ...], level: Level, at: Path | None, first: int = 0) -> Generator[Descent[Doc], Doc, list[Doc]]:
    """Print the parts of a term from the index ``first`` on."""
    docs: list[Doc] = []
    for i, N in enumerate(many, start=first):
        docs.append((yield _written(N, level, _below(at, i))))
    return docs


def _lets(M: t.Term, at: Path | None) -> Descent[Doc]:
    """``let x = e in …``, with each ``let`` on a line of its own"""
    lines: list[Doc] = []
    while isinstance(M, t.Let):
        bound = yield _written(M.bound, Level.OPEN, _below(at, 0))
        head = concat(_word("let"), " ", ", ".join(M.names), " =")
        lines.append(group(head, nest(LINE, bound), " ", _word("in")))
        at = _below(at, 1)
        M = M.body
        if at == ():
            break
    lines.append((yield _written(M, Level.OPEN, at)))
    return join(LINE, lines)


def _infix(sign: str, level: Level, left: t.Term, right: t.Term, at: Path | None) -> Descent[Doc]:
    first = yield _written(left, level, _below(at, 0))
    second = yield _written(right, Level(level + 1), _below(at, 1))
    return concat(first, sign, second)


def _prefix(M: t.Term, at: Path | None) -> Descent[Doc]:
    """``f (x. e) e1 e2``: the name of an operation, its body, if it has one, and its arguments."""
    inside = parts(M)
    docs: list[Doc] = []
    for i, (names, N) in enumerate(inside):
        if not names:
            docs.append((yield _written(N, Level.ATOM, _below(at, i))))
        elif (sign := _sign(names, N)) is not None:
            docs.insert(0, Text(sign))
        else:
            e = yield _written(N, Level.OPEN, _below(at, i))
            docs.insert(0, group("(", nest(", ".join(names), ".", LINE, e, indent=1), ")"))
    return group(role(Role.FUNCTION, _name(M)), *(nest(LINE, d) for d in docs))


def _sign(names: tuple[str, ...], body: t.Term) -> str | None:
    """``*`` for the body ``a, b. a * b``"""
    match body:
        case t.Op(symbol, (t.Var(a), t.Var(b))) if (a, b) == names and symbol in _INFIX:
            return _INFIX[symbol][0]
        case _:
            return None


def _name(M: t.Term) -> str:
    match M:
        case t.Proj(i):
            return f"π{i}"
        case t.Op(symbol):
            return symbol
        case t.Fold(form):
            return form
        case t.Shift(side):
            return f"shift1{side}"
        case t.Use(primitive):
            return primitive.name
        case _:
            return type(M).__name__.lower()


def _word(text: str) -> Doc:
    return role(Role.KEYWORD, text)
