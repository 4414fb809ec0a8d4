"""Source UNF and Target UNF (Figs 6, 7): ``T1 ⊢ e : T2``, terms without variables, from a list of types to another.

Each primitive acts on the last entries of what it is given, and passes on the rest. What it is indexed by is here in full:
the types of the context, and the terms of Source that are in an operation on arrays, with the names of the slots.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.unary_form.terms.terms import Term
from rh_kernel.ad.unary_form.terms.types import Arrow, Times, Type, VectorType
from rh_kernel.ad.unary_form.terms.typing import TypeCheckError

Types: TypeAlias = tuple[Type, ...]
"""``[A1, …, An]``"""


@dataclass(frozen=True, slots=True)
class VarU:
    """``var_{T;i} : T → T, Ai``; i from 1"""

    context: Types
    index: int


@dataclass(frozen=True, slots=True)
class OpU:
    """``op_{T;n} : T, A1, …, An → T, A1, …, An, B``, and so map2, reduce, πi and the like: the arguments are kept

    ``operation`` has the names ``holes`` for the arguments and ``names`` for the slots of T, so far as its terms use them.
    """

    context: Types
    arguments: Types
    result: Type
    operation: Term
    holes: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PairU:
    """``pair_{T;A×B} : T, A, B → T, A × B``: the arguments are consumed"""

    context: Types
    left: Type
    right: Type


@dataclass(frozen=True, slots=True)
class ProjU:
    """``proj_{T1;T2;T3} : T1, T2, T3 → T1, T3``: forgets T2"""

    before: Types
    forgotten: Types
    after: Types


@dataclass(frozen=True, slots=True)
class SeqU:
    """``e1; e2; …``"""

    parts: tuple["TargetForm", ...]


@dataclass(frozen=True, slots=True)
class JacobianU:
    """``Jᵀprim``: from cotangents of what the primitive gives to cotangents of what it takes"""

    primitive: "Primitive"


@dataclass(frozen=True, slots=True)
class BothU:
    """``⟨e1, e2⟩``"""

    first: "TargetForm"
    second: "TargetForm"


@dataclass(frozen=True, slots=True)
class ComposeU:
    """``e1 ∘ e2``: the function e1, after e2"""

    function: "TargetForm"
    argument: "TargetForm"


Primitive: TypeAlias = VarU | OpU | PairU | ProjU
TargetForm: TypeAlias = Primitive | SeqU | JacobianU | BothU | ComposeU


def domain(e: Primitive) -> Types:
    """What a primitive takes."""
    match e:
        case VarU(T):
            return T
        case OpU(T, arguments):
            return (*T, *arguments)
        case PairU(T, A, B):
            return (*T, A, B)
        case ProjU(T1, T2, T3):
            return (*T1, *T2, *T3)


def codomain(e: Primitive) -> Types:
    """What a primitive gives."""
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
    """What ``…; Jᵀprim`` takes and gives, where the point is what ``…`` gives."""
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
