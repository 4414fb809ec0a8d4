"""Terms and programs of the laboratory's language as they are written: what is printed is read back as the same."""

import math
from enum import IntEnum

from rh_kernel.ad.language.core import (
    Apply,
    Array,
    Call,
    Case,
    Constant,
    Dot,
    Foldl,
    Generate,
    If,
    Index,
    Inject,
    Lambda,
    Let,
    Map,
    Map2,
    Program,
    Projection,
    Reduce,
    Replicate,
    Scanl,
    Term,
    Total,
    Tuple,
    Variable,
)
from rh_kernel.syntax.printing.doc import LINE, Doc, Group, Role, Text, concat, group, join, nest, role

_COMMA = concat(",", LINE)
_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class Level(IntEnum):
    """How tightly a form holds together; a form stands in brackets where a tighter one is asked for."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    UNARY = 3
    POSTFIX = 4


def program(f: Program) -> Doc:
    """``fun f(x : A, …) : B = M``"""
    parameters = join(_COMMA, [Text(f"{x} : {A}") for x, A in f.parameters])
    head = group(role(Role.KEYWORD, "fun"), f" {f.name}(", nest(parameters), f") : {f.result} =")
    return group(head, nest(LINE, term(f.body)))


def number(value: float) -> str:
    """A number, as short as it can be read back."""
    return str(int(value)) if math.isfinite(value) and value == int(value) and abs(value) < 1e15 else repr(value)


def level_of(M: Term) -> Level:
    """How tightly M holds together as it is printed."""
    match M:
        case Let() | Lambda() | Case() | If():
            return Level.OPEN
        case Apply("add" | "sub"):
            return Level.SUM
        case Apply("mul" | "div"):
            return Level.PRODUCT
        case Apply("neg"):
            return Level.UNARY
        case Constant(value) if value < 0:
            return Level.UNARY
        case Projection() | Index() | Call() | Variable() | Tuple() | Array() | Constant() | Apply() | Inject():
            return Level.POSTFIX
        case Map() | Map2() | Reduce() | Foldl() | Scanl() | Total() | Replicate() | Generate() | Dot():
            return Level.POSTFIX


def term(M: Term, level: Level = Level.OPEN) -> Doc:
    """M, in brackets if it holds less tightly than ``level``."""
    doc = _form(M)
    return concat("(", nest(doc, indent=1), ")") if level_of(M) < level else doc


def _form(M: Term) -> Doc:
    match M:
        case Let():
            return _lets(M)
        case Constant(value):
            return Text(number(value))
        case Variable(x):
            return Text(x)
        case Apply("neg", (N,)) if not isinstance(N, Constant):
            return concat("-", term(N, Level.UNARY))
        case Apply(symbol, (N, L)) if symbol in _INFIX:
            own = level_of(M)
            return group(term(N, own), f" {_INFIX[symbol]}", LINE, term(L, Level(own + 1)))
        case Apply(symbol, many):
            return concat(symbol, _listed("(", many, ")"))
        case Tuple(many):
            return _listed("(" if not many else "⟨", many, ")" if not many else "⟩")
        case Projection(i, N):
            return concat(term(N, Level.POSTFIX), f".{i}")
        case Lambda(x, A, N):
            return group(f"λ{x} : {A}.", nest(LINE, term(N)))
        case Call(N, Tuple(many)) if many:
            return concat(term(N, Level.POSTFIX), _listed("(", many, ")"))
        case Call(N, L):
            return concat(term(N, Level.POSTFIX), _listed("(", (L,), ")"))
        case Inject(side, _, N):
            return concat(role(Role.KEYWORD, "inl" if side == 1 else "inr"), _listed("(", (N,), ")"))
        case Case(N, x, left, y, right):
            return group(
                concat(role(Role.KEYWORD, "case "), term(N, Level.SUM), role(Role.KEYWORD, " of")),
                nest(LINE, role(Role.KEYWORD, "inl"), f" {x} → ", nest(term(left, Level.SUM))),
                nest(LINE, "| ", role(Role.KEYWORD, "inr"), f" {y} → ", nest(term(right))),
            )
        case If(smaller, larger, then, otherwise):
            return group(
                concat(role(Role.KEYWORD, "if "), term(smaller, Level.SUM), " <= ", term(larger, Level.SUM)),
                nest(LINE, role(Role.KEYWORD, "then "), nest(term(then))),
                nest(LINE, role(Role.KEYWORD, "else "), nest(term(otherwise))),
            )
        case _:
            return _of_array(M)


def _of_array(M: Term) -> Doc:
    match M:
        case Array(many):
            return _listed("[", many, "]")
        case Index(N, i):
            return concat(term(N, Level.POSTFIX), f"[{i}]")
        case Map(x, body, N):
            return _former("map", x, body, N)
        case Map2(x, y, body, left, right):
            return _former("map2", f"{x} {y}", body, left, right)
        case Reduce(a, x, body, start, N):
            return _former("reduce", f"{a} {x}", body, start, N)
        case Foldl(a, x, body, start, N):
            return _former("foldl", f"{a} {x}", body, start, N)
        case Scanl(a, x, body, start, N):
            return _former("scanl", f"{a} {x}", body, start, N)
        case Total(N):
            return concat("sum", _listed("(", (N,), ")"))
        case Replicate(n, N):
            return concat(f"replicate[{n}]", _listed("(", (N,), ")"))
        case Generate(n, i, body):
            return _former(f"generate[{n}]", i, body)
        case Dot(left, right):
            return concat("dot", _listed("(", (left, right), ")"))
        case _:
            return _form(M)


def _former(head: str, names: str, body: Term, *arguments: Term) -> Doc:
    first = concat(f"{names}. ", nest(term(body)))
    return group(f"{head}(", nest(join(_COMMA, [first, *map(term, arguments)])), ")")


def _listed(opening: str, many: tuple[Term, ...], closing: str) -> Doc:
    return group(opening, nest(join(_COMMA, [term(M) for M in many]), indent=1), closing)


def _lets(M: Term) -> Doc:
    """``let x1 ← M1 in … N``: each let on a line of its own."""
    lines: list[Doc | str] = []
    while isinstance(M, Let):
        bound = Group(nest(term(M.bound)))
        lines += [role(Role.KEYWORD, "let"), f" {M.name} ← ", bound, role(Role.KEYWORD, " in"), LINE]
        M = M.body
    return group(*lines, term(M))
