"""``D_{Γ;Y}(e)`` (Fig 5): reverse mode directly on Source, by induction on the term.

``Γ ⊢ e : A`` becomes ``let …, Y1 = … in … ⟨e', fun (x⃗, z) → …⟩``, where the continuation takes a cotangent for each variable
of Γ and one for the result. Every continuation is used once (Lemma 5.1).
"""

from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct.bodies import Scope, zero
from rh_kernel.ad.unary_form.direct.pullbacks import pullback
from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.binding import arguments, with_arguments
from rh_kernel.ad.unary_form.terms.types import Context, Type
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.source.diagnostic import KernelBug


def derive(context: Context, e: t.Term, names: Names) -> t.Derivation:
    """``D_{Γ;Y}(e)``"""
    return _Direct(names, Checking(dict(context))).of(context, e)


class _Direct:
    """The transformation, with the types of all names."""

    def __init__(self, names: Names, checking: Checking) -> None:
        self.names = names
        self.type_of = checking.of
        self.types = checking.types

    def of(self, context: Context, e: t.Term) -> t.Derivation:
        """``D_{Γ;Y}(e)``"""
        spine: list[tuple[Context, str, t.Derivation]] = []
        while isinstance(e, t.Let):
            (x,) = e.names
            A = self.type_of(e.bound)
            spine.append((context, x, self.of(context, e.bound)))
            self.types[x] = A
            context = (*context, (x, A))
            e = e.body
        found = self._form(context, e)
        B = self.type_of(e)
        for outer, x, bound in reversed(spine):
            y, z = self._fresh("y", B), self._fresh("z", B)
            transposed = t.Transposed(_types(outer), ((z, B),), (), (), (zero(self.types[x]), t.Var(z)))
            found = t.Derivation(((x, bound), (y, found)), (), t.Var(y), transposed)
        return found

    def _form(self, context: Context, e: t.Term) -> t.Derivation:
        B = self.type_of(e)
        z = self._fresh("z", B)
        match e:
            case t.Const():
                return t.Derivation((), (), e, t.Transposed(_types(context), ((z, B),), (), (), ()))
            case t.Var(x):
                place = [y for y, _ in context].index(x)
                return t.Derivation((), (), e, t.Transposed(_types(context), ((z, B),), (), ((place, t.Var(z)),), ()))
            case t.Pack((_, _)) | t.Proj() | t.Op() | t.Map() | t.Map2() | t.Fold() | t.Fill() | t.Use():
                return self._operation(context, e, arguments(e), z, B)
            case t.If():
                return self._operation(context, e, (), z, B)
            case _:
                raise KernelBug("no term of Source")

    def _operation(self, context: Context, e: t.Term, given: tuple[t.Term, ...], z: str, B: Type) -> t.Derivation:
        """``let a1, Y1 = D(e1) in let a2, Y2 = D(e2) in … ⟨op(a1, a2, …), fun (x⃗, z) → Y(x⃗ +̂ …, Jᵀ …)⟩``"""
        before: list[tuple[str | None, t.Derivation]] = []
        inner = context
        for N in given:
            A = self.type_of(N)
            found = self.of(inner, N)
            a = self._fresh("a", A)
            before.append((a, found))
            inner = (*inner, (a, A))
        named = tuple(t.Var(a) for a, _ in inner[len(context) :])
        operation = with_arguments(e, named) if named else e
        back = pullback(operation, t.Var(z), Scope(context, self.types, derive, self.names))
        places = {x: i for i, (x, _) in enumerate(context)} if back.context else {}
        added = tuple((places[x], N) for x, N in back.context)
        transposed = t.Transposed(_types(context), ((z, B),), tuple(back.inner), added, back.arguments)
        return t.Derivation(tuple(before), tuple(back.lets), back.value, transposed)

    def _fresh(self, wanted: str, A: Type) -> str:
        x = self.names.fresh(wanted)
        self.types[x] = A
        return x


def _types(context: Context) -> tuple[Type, ...]:
    return tuple(A for _, A in context)
