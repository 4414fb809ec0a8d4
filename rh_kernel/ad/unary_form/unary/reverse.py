"""``D_ρ(e)`` (Fig 8): reverse mode on UNF, by one rule.

``A⃗ ⊢ e : B⃗`` becomes ``A⃗, (A̲ → ρ) ⊢ D_ρ(e) : B⃗, (B̲ → ρ)`` (Lemma 4.3): evaluate e, and precompose the continuation with
``Jᵀe``.
"""

from rh_kernel.ad.unary_form.terms.types import Arrow, Type
from rh_kernel.ad.unary_form.unary.forms import BothU, ComposeU, JacobianU, Primitive, ProjU, SeqU, TargetForm, domain
from rh_kernel.source.diagnostic import KernelBug


def reverse(e: SeqU, ρ: Type) -> SeqU:
    """``D_ρ(e1; e2; …) = D_ρ(e1); D_ρ(e2); …``"""
    return SeqU(tuple(_differentiated(part, ρ) for part in e.parts))


def _differentiated(e: TargetForm, ρ: Type) -> TargetForm:
    match e:
        case SeqU():
            return reverse(e, ρ)
        case JacobianU() | BothU() | ComposeU():
            raise KernelBug("no term of Source UNF")
        case _:
            return both(e, JacobianU(e), ρ)


def both(A: Primitive, B: JacobianU, ρ: Type) -> BothU:
    """``F(A, B) = ⟨proj_{T;T̲→ρ;[]}; A, proj_{[];T;T̲→ρ} ∘ (proj_{T;T̲→ρ;[]}; B)⟩``"""
    T = domain(A)
    Y = Arrow(T, ρ)
    values = ProjU(T, (Y,), ())
    return BothU(SeqU((values, A)), ComposeU(ProjU((), T, (Y,)), SeqU((values, B))))
