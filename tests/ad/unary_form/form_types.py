"""The type system of Source UNF and Target UNF (Figs 6, 7): ``T1 ⊢ e : T2``."""

from rh_kernel.ad.unary_form.terms.types import Arrow, Times, VectorType
from rh_kernel.ad.unary_form.terms.typing import TypeCheckError
from rh_kernel.ad.unary_form.unary.forms import (
    BothU,
    ComposeU,
    JacobianU,
    OpU,
    PairU,
    Primitive,
    ProjU,
    SeqU,
    TargetForm,
    Types,
    VarU,
    domain,
)


def codomain(e: Primitive) -> Types:
    """The codomain of a primitive."""
    match e:
        case VarU(T, i):
            return (*T, T[i - 1])
        case OpU(T, arguments, result):
            return (*T, *arguments, result)
        case PairU(T, A, B):
            return (*T, Times((A, B)))
        case ProjU(T1, _, T3):
            return (*T1, *T3)


def check(T: Types, e: TargetForm) -> Types:
    """T2 for ``T1 ⊢ e : T2``; raises ``TypeCheckError``."""
    match e:
        case VarU() | OpU() | PairU() | ProjU():
            _need(_rule(e), T, domain(e))
            return codomain(e)
        case SeqU(parts):
            for part in parts:
                T = check(T, part)
            return T
        case BothU(first, second):
            return (*check(T, first), *check(T, second))
        case JacobianU(primitive):
            _need("Jᵀ", T, codomain(primitive))
            return domain(primitive)
        case ComposeU(function, argument):
            match check(T, function):
                case (Arrow(inner, ρ),):
                    outer, found = _transposed(T, argument)
                    _need("∘", found, inner)
                    return (Arrow(outer, ρ),)
                case found:
                    raise TypeCheckError("∘", f"{', '.join(map(str, found))} is no function")


def _transposed(T: Types, e: TargetForm) -> tuple[Types, Types]:
    """The domain and codomain of the Jacobian in ``…; Jᵀprim``, at the point that ``…`` computes."""
    match e:
        case SeqU((*before, JacobianU(primitive))):
            _need("Jᵀ", check(T, SeqU(tuple(before))), domain(primitive))
            return codomain(primitive), domain(primitive)
        case _:
            raise TypeCheckError("∘", "only a transposed Jacobian is composed with a continuation")


def _rule(e: Primitive) -> str:
    match e:
        case VarU():
            return "var"
        case OpU():
            return "op"
        case PairU():
            return "pair"
        case ProjU():
            return "proj"


def _need(rule: str, found: Types, wanted: Types) -> None:
    if found != wanted:
        raise TypeCheckError(rule, f"{_listed(found)} instead of {_listed(wanted)}")


def _listed(T: Types) -> str:
    return f"[{', '.join(f'({A})' if isinstance(A, Times | VectorType | Arrow) else str(A) for A in T)}]"
