"""Source UNF and Target UNF (Figs 6, 7): ``T1 ⊢ e : T2``, terms without variables, from a list of types to another.

Each primitive acts on the last entries of the list and passes on the others. Its indices are its fields: the types of the
context, and, for an operation on arrays, the terms of Source in it and the names of the slots.
"""

from dataclasses import dataclass
from typing import TypeAlias

from rh_kernel.ad.unary_form.terms.terms import Term
from rh_kernel.ad.unary_form.terms.types import Type

Types: TypeAlias = tuple[Type, ...]
"""``[A1, …, An]``"""


@dataclass(frozen=True, slots=True)
class VarU:
    """``var_{T;i} : T → T, Ai``; i from 1"""

    context: Types
    index: int


@dataclass(frozen=True, slots=True)
class OpU:
    """``op_{T;n} : T, A1, …, An → T, A1, …, An, B``, also for map2, reduce, πi, …: the arguments are kept

    In ``operation``, the arguments have the names ``holes``, and the slots of T the ``names``, if its terms use them.
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
    """``Jᵀprim``: from cotangents of the codomain of the primitive to cotangents of its domain"""

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
    """The domain of a primitive."""
    match e:
        case VarU(T):
            return T
        case OpU(T, arguments):
            return (*T, *arguments)
        case PairU(T, A, B):
            return (*T, A, B)
        case ProjU(T1, T2, T3):
            return (*T1, *T2, *T3)
