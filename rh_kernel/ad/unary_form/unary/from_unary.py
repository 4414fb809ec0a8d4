"""``UNF⁻¹(D_ρ(e))`` (Fig 10): the slots of the context get names, and the Jacobians become terms of Target.

``x⃗ : A⃗, Y : A̲ → ρ ⊢ UNF⁻¹(D_ρ(e)) : B_m × (B̲ → ρ)`` (Lemma 4.5). Values and cotangents have
different names, as substitutions rename cotangents only.
"""

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct.bodies import Scope, zero
from rh_kernel.ad.unary_form.direct.pullbacks import pullback
from rh_kernel.ad.unary_form.terms.binding import renamed
from rh_kernel.ad.unary_form.terms.terms import Const, Derivation, Pack, Proj, Term, Transposed, Var
from rh_kernel.ad.unary_form.terms.types import Context, Type, times
from rh_kernel.ad.unary_form.unary.forms import BothU, OpU, PairU, Primitive, ProjU, SeqU, TargetForm, VarU, domain
from rh_kernel.ad.unary_form.unary.reverse import reverse
from rh_kernel.ad.unary_form.unary.to_unary import unary
from rh_kernel.source.diagnostic import KernelBug


def derive(context: Context, e: Term, names: Names) -> Derivation:
    """``UNF⁻¹(D_ρ(UNF(Γ ⊢ e)))``, where ρ is all of Γ"""
    ρ = times(*(A for _, A in context))
    return from_unary(reverse(unary(context, e), ρ), context, names)


def from_unary(e: SeqU, context: Context, names: Names) -> Derivation:
    """``UNF⁻¹`` of a result of ``D_ρ`` in the context Γ."""
    translation = _Translation([x for x, _ in context], dict(context), names)
    before = tuple(translation.step(_primitive(part)) for part in e.parts)
    return Derivation(before, (), Var(translation.slots[-1]), None)


def _primitive(e: TargetForm) -> Primitive:
    """A of ``F(A, JᵀA)``."""
    match e:
        case BothU(SeqU((_, (VarU() | OpU() | PairU() | ProjU()) as A)), _):
            return A
        case _:
            raise KernelBug("only what D_ρ gives is translated back")


class _Translation:
    """The translation, with the names of the slots and the types of all names."""

    def __init__(self, slots: list[str], types: dict[str, Type], names: Names) -> None:
        self.slots = slots
        self.types = types
        self.names = names

    def step(self, e: Primitive) -> tuple[str | None, Derivation]:
        """``let x, Y' = … in``; a projection has only ``Y'``."""
        match e:
            case VarU(T, i):
                place = self.slots[i - 1]
                z = self.fresh("z", T[i - 1])
                J = Transposed(T, ((z, T[i - 1]),), (), ((i - 1, Var(z)),), ())
                return self._push(T[i - 1], Derivation((), (), Var(place), J))
            case OpU():
                return self._operation(e)
            case PairU(T, A, B):
                first, second = self.slots[-2:]
                z = self.fresh("z", times(A, B))
                J = Transposed(T, ((z, times(A, B)),), (), (), (Proj(1, Var(z)), Proj(2, Var(z))))
                del self.slots[-2:]
                return self._push(times(A, B), Derivation((), (), Pack((Var(first), Var(second))), J))
            case ProjU(T1, T2, T3):
                taken = tuple((self.fresh("z", A), A) for A in T3)
                J = Transposed(T1, taken, (), (), (*map(zero, T2), *(Var(z) for z, _ in taken)))
                del self.slots[len(T1) : len(T1) + len(T2)]
                return None, Derivation((), (), None, J)

    def _operation(self, e: OpU) -> tuple[str | None, Derivation]:
        n, m = len(e.context), len(e.arguments)
        z = self.fresh("z", e.result)
        taken, lower = ((z, e.result),), domain(e)
        if isinstance(e.operation, Const):
            return self._push(e.result, Derivation((), (), e.operation, Transposed(lower, taken, (), (), ())))
        called = dict(zip(e.holes, self.slots[n:], strict=True)) | dict(zip(e.names, self.slots, strict=False))
        operation = renamed(e.operation, called, self.names)
        scope: Context = tuple(zip(self.slots, e.context, strict=False)) if e.names else ()
        back = pullback(operation, Var(z), Scope(scope, self.types, derive, self.names))
        places = {x: i for i, (x, _) in enumerate(scope)} if back.context else {}
        added = [(places[x], N) for x, N in back.context]
        # The start of ``reduce`` is no argument in UNF.
        added += enumerate(back.arguments[len(back.arguments) - m :], start=n)
        return self._push(
            e.result,
            Derivation((), tuple(back.lets), back.value, Transposed(lower, taken, tuple(back.inner), tuple(added), ())),
        )

    def _push(self, A: Type, derivation: Derivation) -> tuple[str | None, Derivation]:
        x = self.fresh("x", A)
        self.slots.append(x)
        return x, derivation

    def fresh(self, wanted: str, A: Type) -> str:
        """A fresh name of type A."""
        x = self.names.fresh(wanted)
        self.types[x] = A
        return x
