"""Printing of terms and programs of ``%%lambda`` cells: parsing what is printed gives the same term."""

import math
from enum import IntEnum

from rh_kernel.ad.language import core as c
from rh_kernel.syntax.printing.doc import LINE, Doc, Group, Role, Text, concat, group, join, nest, role

_COMMA = concat(",", LINE)
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
"""The operators of function symbols."""


class Level(IntEnum):
    """Levels of precedence, the loosest first; a form is bracketed where a tighter level is expected."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    UNARY = 3
    POSTFIX = 4


def program(f: c.Program) -> Doc:
    """``fun f(x : A, …) : B = M``"""
    parameters = join(_COMMA, [Text(f"{x} : {A}") for x, A in f.parameters])
    head = group(role(Role.KEYWORD, "fun"), f" {f.name}(", nest(parameters), f") : {f.result} =")
    return group(head, nest(LINE, term(f.body)))


def number(value: float) -> str:
    """A number as the shortest literal that denotes it."""
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else repr(value)


def bracketed(doc: Doc, own: IntEnum, level: IntEnum) -> Doc:
    """A form of the level ``own``, in brackets where a tighter ``level`` is expected."""
    return concat("(", nest(doc, indent=1), ")") if own < level else doc


def level_of(M: c.Term) -> Level:
    """The level of precedence of M as it is printed."""
    match M:
        case c.Let() | c.Lambda() | c.Case() | c.If():
            return Level.OPEN
        case c.Apply("add" | "sub"):
            return Level.SUM
        case c.Apply("mul" | "div"):
            return Level.PRODUCT
        case c.Apply("neg"):
            return Level.UNARY
        case c.Constant(value) if value < 0:
            return Level.UNARY
        case _:
            return Level.POSTFIX


def term(M: c.Term, level: Level = Level.OPEN) -> Doc:
    """M, in brackets where ``level`` is tighter than its own."""
    return bracketed(_form(M), level_of(M), level)


def _form(M: c.Term) -> Doc:
    match M:
        case c.Let():
            return _lets(M)
        case c.Constant(value):
            return Text(number(value))
        case c.Variable(x):
            return Text(x)
        case c.Apply("neg", (N,)) if not isinstance(N, c.Constant):
            return concat("-", term(N, Level.UNARY))
        case c.Apply(symbol, (N, L)) if symbol in INFIX:
            own = level_of(M)
            return group(term(N, own), f" {INFIX[symbol]}", LINE, term(L, Level(own + 1)))
        case c.Apply(symbol, many):
            return concat(symbol, _listed("(", many, ")"))
        case c.Tuple(many):
            return _listed("⟨", many, "⟩") if many else _listed("(", (), ")")
        case c.Projection(i, N):
            return concat(term(N, Level.POSTFIX), f".{i}")
        case c.Lambda(x, A, N):
            return group(f"λ{x} : {A}.", nest(LINE, term(N)))
        case c.Call(N, L):
            arguments = L.components if isinstance(L, c.Tuple) and L.components else (L,)
            return concat(term(N, Level.POSTFIX), _listed("(", arguments, ")"))
        case c.Inject(side, _, N):
            return concat(role(Role.KEYWORD, "inl" if side == 1 else "inr"), _listed("(", (N,), ")"))
        case c.Case(N, x, left, y, right):
            return group(
                concat(role(Role.KEYWORD, "case "), term(N, Level.SUM), role(Role.KEYWORD, " of")),
                nest(LINE, role(Role.KEYWORD, "inl"), f" {x} → ", nest(term(left, Level.SUM))),
                nest(LINE, "| ", role(Role.KEYWORD, "inr"), f" {y} → ", nest(term(right))),
            )
        case c.If(smaller, larger, then, otherwise):
            return group(
                concat(role(Role.KEYWORD, "if "), term(smaller, Level.SUM), " <= ", term(larger, Level.SUM)),
                nest(LINE, role(Role.KEYWORD, "then "), nest(term(then))),
                nest(LINE, role(Role.KEYWORD, "else "), nest(term(otherwise))),
            )
        case _:
            return _array(M)


def _array(M: c.ArrayTerm) -> Doc:
    match M:
        case c.Array(many):
            return _listed("[", many, "]")
        case c.Index(N, i):
            return concat(term(N, Level.POSTFIX), f"[{i}]")
        case c.Map(x, body, N):
            return _former("map", x, body, N)
        case c.Map2(x, y, body, left, right):
            return _former("map2", f"{x} {y}", body, left, right)
        case c.Reduce(a, x, body, start, N) | c.Foldl(a, x, body, start, N) | c.Scanl(a, x, body, start, N):
            return _former(type(M).__name__.lower(), f"{a} {x}", body, start, N)
        case c.Total(N):
            return concat("sum", _listed("(", (N,), ")"))
        case c.Replicate(n, N):
            return concat(f"replicate[{n}]", _listed("(", (N,), ")"))
        case c.Generate(n, i, body):
            return _former(f"generate[{n}]", i, body)
        case c.Dot(left, right):
            return concat("dot", _listed("(", (left, right), ")"))


def _former(head: str, names: str, body: c.Term, *arguments: c.Term) -> Doc:
    first = concat(f"{names}. ", nest(term(body)))
    return group(f"{head}(", nest(join(_COMMA, [first, *map(term, arguments)])), ")")


def _listed(opening: str, many: tuple[c.Term, ...], closing: str) -> Doc:
    return group(opening, nest(join(_COMMA, [term(M) for M in many]), indent=1), closing)


def _lets(M: c.Term) -> Doc:
    """``let x1 ← M1 in … N``, with each ``let`` on a line of its own"""
    lines: list[Doc | str] = []
    while isinstance(M, c.Let):
        bound = Group(nest(term(M.bound)))
        lines += [role(Role.KEYWORD, "let"), f" {M.name} ← ", bound, role(Role.KEYWORD, " in"), LINE]
        M = M.body
    return group(*lines, term(M))
