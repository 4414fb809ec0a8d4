"""Printing of UNF: ``var_{G2;1}; *_{G3;2}; proj_{G3;R,R;R}``, where ``G3`` is a context of three entries."""

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.language.printing import INFIX, number
from rh_kernel.ad.unary_form.terms.binding import renamed
from rh_kernel.ad.unary_form.terms.printing import text as term_text
from rh_kernel.ad.unary_form.terms.terms import Const, Fill, Fold, If, Map, Map2, Op, Proj, Term, Use, Var
from rh_kernel.ad.unary_form.terms.types import Number, Type, VectorType
from rh_kernel.ad.unary_form.unary.forms import BothU, ComposeU, JacobianU, OpU, PairU, ProjU, SeqU, TargetForm, Types, VarU
from rh_kernel.syntax.printing.doc import LINE, Doc, Text, concat, group, join, nest


def document(e: SeqU) -> Doc:
    """Print a term of UNF."""
    return group(join(concat(";", LINE), [Text(text(part)) for part in e.parts]))


def reversed_document(e: SeqU) -> Doc:
    """Print ``D_ρ(e)``: each step as ``F(A, JᵀA)``, and the first also in full."""
    steps = [Text(_in_short(part)) for part in e.parts]
    if not e.parts:
        return Text("")
    whole = concat(Text(_in_short(e.parts[0])), " = ", Text(text(e.parts[0])))
    return concat(group(join(concat(";", LINE), steps)), LINE, nest(Text("where "), whole))


def text(e: TargetForm) -> str:
    """A term of UNF as text, in full."""
    match e:
        case VarU(T, i):
            return f"var_{{{_context(T)};{i}}}"
        case OpU():
            return _operation(e)
        case PairU(T, A, B):
            return f"pair_{{{_context(T)};{_type(A)}×{_type(B)}}}"
        case ProjU(T1, T2, T3):
            return f"proj_{{{_context(T1)};{_listed(T2)};{_listed(T3)}}}"
        case SeqU(parts):
            return "; ".join(map(text, parts))
        case JacobianU(primitive):
            return f"Jᵀ{text(primitive)}"
        case BothU(first, second):
            return f"⟨{text(first)}, {text(second)}⟩"
        case ComposeU(function, argument):
            return f"{text(function)} ∘ ({text(argument)})"


def _in_short(e: TargetForm) -> str:
    match e:
        case BothU(SeqU((_, A)), _):
            return f"F({text(A)}, Jᵀ…)"
        case _:
            return text(e)


def _context(T: Types) -> str:
    return f"G{len(T)}"


def _listed(T: Types) -> str:
    return ",".join(map(_type, T)) or "[]"


def _type(A: Type) -> str:
    match A:
        case Number():
            return "R"
        case VectorType():
            return str(A)
        case _:
            return f"({A})"


def _operation(e: OpU) -> str:
    """``*_{G3;2}``, ``map2_{G2;x,y.x*y}``, ``reduce_{G1;x,y.x*y;1}``"""
    # The slots have their indices as names, as in the paper.
    called = {x: f"x{i}" for i, x in enumerate(e.names, start=1)}
    M = renamed(e.operation, called, Names((*called.values(), *e.holes))) if e.names else e.operation
    head, *index = _head(M, len(e.holes))
    return f"{head}_{{{';'.join((_context(e.context), *index))}}}"


def _head(M: Term, n: int) -> tuple[str, ...]:
    match M:
        case Const(c):
            return number(c), "0"
        case Op(symbol, _):
            return INFIX.get(symbol, symbol), str(n)
        case Proj(i, _):
            return (f"π{i}",)
        case Map(x, body, _):
            return "map", f"{x}.{term_text(body)}"
        case Map2(x, y, body, _, _):
            return "map2", f"{x},{y}.{term_text(body)}"
        case Fold(form, a, x, body, start, _):
            index = (f"{a},{x}.{term_text(body)}",)
            return form, *index, *(() if isinstance(start, Var) and start.name.startswith("#") else (term_text(start),))
        case Fill(size, _):
            return "fill", str(size)
        case Use(primitive, _):
            return primitive.name, str(n)
        case If(smaller, larger, then, otherwise):
            return "if", f"{term_text(smaller)} ≤ {term_text(larger)}", term_text(then), term_text(otherwise)
        case _:
            return (term_text(M),)
