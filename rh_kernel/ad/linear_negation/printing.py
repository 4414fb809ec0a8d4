"""Printing of terms as in the paper: ``⟨sin(w), λ°a. w′(cos(w) · a)⟩[⟨w, w′⟩ := z]``, the innermost substitution first."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from rh_kernel.ad.language.printing import bracketed
from rh_kernel.ad.language.printing import number as ascii_number
from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.names import SUBSCRIPTS
from rh_kernel.ad.linear_negation.state import State
from rh_kernel.ad.linear_negation.symbols import arity
from rh_kernel.syntax.printing import doc as d
from rh_kernel.syntax.printing.doc import LINE, SOFT, Doc, Role, Text, concat, group, join, nest, role

_COMMA = concat(",", LINE)
_INFIX = {"mul": " ·", "sub": " −"}


class Level(IntEnum):
    """Levels of precedence, the loosest first."""

    OPEN = 0
    SUM = 1
    PRODUCT = 2
    BLOCK = 3
    ATOM = 4


@dataclass(frozen=True, slots=True)
class Printer:
    """Prints terms; the node ``made`` is marked as the contractum, and with ``types`` binders have their types."""

    made: c.Term | c.Binding | None = None
    types: bool = False

    def term(self, t: c.Term, level: Level = Level.OPEN) -> Doc:
        """Print t, in brackets where ``level`` is tighter than its own."""
        doc = bracketed(self.form(t), _level(t), level)
        return d.Annotated(d.Mark("contractum"), doc) if t is self.made else doc

    def form(self, t: c.Term) -> Doc:
        """Print t without brackets."""
        match t:
            case c.Var(x):
                return Text(x)
            case c.Num(value):
                return role(Role.CONSTANT, number(value))
            case c.Nil():
                return Text("⟨⟩")
            case c.Pair():
                return group("⟨", nest(join(_COMMA, [self.term(u) for u in _tuple(t, self.made)]), indent=1), "⟩")
            case c.Lam(x, A, body):
                return self.abstraction("λ", x, str(A), body)
            case c.LinearLambda(a, body):
                return self.abstraction("λ°", a, "R", body)
            case c.Fix(x, A, body):
                return self.abstraction("fix ", x, str(A), body)
            case c.App(function, argument):
                return group(self.term(function, Level.BLOCK), "(", nest(SOFT, self.term(argument)), ")")
            case c.Plus():
                first, *rest = _sum(t, self.made)
                more = [concat(" +", LINE, self.term(u, Level.PRODUCT)) for u in rest]
                return group(self.term(first, Level.SUM), *more)
            case c.Fun("mul" | "sub" as symbol, (left, right)):
                level = _level(t)
                return group(self.term(left, level), _INFIX[symbol], LINE, self.term(right, Level(level + 1)))
            case c.Fun(symbol, arguments):
                items = join(_COMMA, [self.term(u) for u in arguments])
                return group(role(Role.FUNCTION, symbol_text(symbol)), "(", nest(SOFT, items), ")")
            case c.Block(stack, body):
                shown = [concat(SOFT, self.binding(b)) for b in reversed(stack)]
                return group(self.term(body, Level.BLOCK), nest(*shown))
            case c.If(smaller, larger, then, otherwise):
                guard = concat(self.term(smaller, Level.SUM), " ≤ ", self.term(larger, Level.SUM))
                return group(
                    concat(role(Role.KEYWORD, "if "), guard),
                    nest(LINE, role(Role.KEYWORD, "then "), self.term(then, Level.SUM)),
                    nest(LINE, role(Role.KEYWORD, "else "), self.term(otherwise, Level.SUM)),
                )

    def abstraction(self, sign: str, x: str, A: str, body: c.Term) -> Doc:
        """``λx. t``"""
        binder = self.binder(x, A)
        return group(role(Role.KEYWORD, sign), binder, ".", nest(LINE, self.term(body)))

    def binder(self, x: str, A: str) -> Doc:
        """``x``, or ``x : A``"""
        return concat(x, " : ", role(Role.TYPE, A)) if self.types else Text(x)

    def binding(self, b: c.Binding) -> Doc:
        """``[x := u]``, ``[⟨x, y⟩ := u]``, ``[a° := u]``"""
        match b:
            case c.Bang(x, A):
                pattern = self.binder(x, str(A))
            case c.Open(x, A, y, B):
                pattern = concat("⟨", self.binder(x, str(A)), ", ", self.binder(y, str(B)), "⟩")
            case c.Dual(a):
                pattern = self.binder(f"{a}°", "R")
        doc = group("[", pattern, " :=", nest(LINE, self.term(b.bound)), "]")
        return d.Annotated(d.Mark("contractum"), doc) if b is self.made else doc


def document(t: c.Term, made: c.Term | c.Binding | None = None, *, types: bool = False) -> Doc:
    """Print t, with the contractum ``made`` of a step marked."""
    return d.Group(Printer(made, types).term(t))


def of_state(s: State, made: c.Term | c.Binding | None = None) -> Doc:
    """Print a state; documents of substitutions are cached until these change."""
    if len(s.frames) > 1:
        return document(s.term, made)
    (frame,) = s.frames
    marked, bare = Printer(made), Printer()
    body = marked.term(frame.core, Level.BLOCK if frame.cells else Level.OPEN)
    shown: list[Doc] = []
    for cell in reversed(frame.cells):
        if cell.doc is None:
            cell.doc = d.Shared(concat(SOFT, bare.binding(cell.binding)))
            shown.append(concat(SOFT, marked.binding(cell.binding)))
        else:
            shown.append(cell.doc)
    return group(body, nest(*shown))


def typed(t: c.Term, gamma: Sequence[tuple[str, c.Type]], A: c.Type) -> Doc:
    """``x : A, … ⊢ t : B``"""
    context = join(_COMMA, [concat(x, " : ", role(Role.TYPE, str(B))) for x, B in gamma])
    return group(context, " ⊢", nest(LINE, document(t), " : ", role(Role.TYPE, str(A))))


def symbol_text(f: c.Symbol) -> str:
    """A function symbol, with a prime for the derivative of a unary one, and ``∂₂f`` for others."""
    match f:
        case c.Partial(of) if arity(of) == 1:
            return f"{of}′"
        case c.Partial(of, i):
            return f"∂{str(i).translate(SUBSCRIPTS)}{of}"
        case str():
            return f


def number(value: float) -> str:
    """A number as its shortest literal, with the minus sign of the paper."""
    return ascii_number(value).replace("-", "−")


def _level(t: c.Term) -> Level:
    match t:
        case c.Lam() | c.LinearLambda() | c.Fix() | c.If():
            return Level.OPEN
        case c.Plus() | c.Fun("sub"):
            return Level.SUM
        case c.Fun("mul"):
            return Level.PRODUCT
        case c.Block():
            return Level.BLOCK
        case c.Var() | c.Num() | c.Nil() | c.Pair() | c.Fun() | c.App():
            return Level.ATOM


def _tuple(t: c.Term, made: c.Term | c.Binding | None) -> list[c.Term]:
    """``t1, …, tn`` for ``⟨t1, ⟨t2, …⟩⟩``, down to the marked node"""
    found: list[c.Term] = []
    while isinstance(t, c.Pair) and (t is not made or not found):
        found.append(t.left)
        t = t.right
    return [*found, t]


def _sum(t: c.Term, made: c.Term | c.Binding | None) -> list[c.Term]:
    """``t1, …, tn`` for ``(t1 + t2) + …``, down to the marked node"""
    found: list[c.Term] = []
    while isinstance(t, c.Plus) and (t is not made or not found):
        found.append(t.right)
        t = t.left
    return [t, *reversed(found)]
