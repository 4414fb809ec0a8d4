"""``UNF(Γ ⊢ e)`` (Fig 9): a sequence of steps in the order of evaluation, from the whole context to the whole context.

``T_Γ ⊢ UNF(e) : T_Γ, B`` (Lemma 4.4): the result is the context and the value. The weakening ``(ẽ)_A`` of an argument that is
evaluated after others is its translation in a context with an anonymous slot for each of their values.
"""

from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.binding import arguments, with_arguments
from rh_kernel.ad.unary_form.terms.types import Context, Type
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.ad.unary_form.unary.forms import OpU, PairU, Primitive, ProjU, SeqU, Types, VarU
from rh_kernel.source.diagnostic import KernelBug

HIDDEN = "_"
"""The name of an anonymous slot."""


def unary(context: Context, e: t.Term) -> SeqU:
    """``UNF(Γ ⊢ e)``"""
    translation = _Translation(context)
    translation.of([x for x, _ in context], tuple(A for _, A in context), e)
    return SeqU(tuple(translation.made))


class _Translation:
    """The translation, with the primitives that it has appended and the types of all names."""

    def __init__(self, context: Context) -> None:
        self.made: list[Primitive] = []
        self.type_of = Checking(dict(context)).of

    def of(self, gamma: list[str], T: Types, e: t.Term) -> Type:
        """Append ``UNF(Γ ⊢ e : B)``; return B."""
        bound: list[tuple[Types, Type]] = []
        depth = len(gamma)
        while isinstance(e, t.Let):
            A = self.of(gamma, T, e.bound)
            bound.append((T, A))
            gamma.append(e.names[0])
            T = (*T, A)
            self.type_of(t.Let(e.names, e.bound, t.Var(e.names[0])))
            e = e.body
        B = self._form(gamma, T, e)
        del gamma[depth:]
        for outer, A in reversed(bound):
            self.made.append(ProjU(outer, (A,), (B,)))
        return B

    def _form(self, gamma: list[str], T: Types, e: t.Term) -> Type:
        match e:
            case t.Var(x):
                i = len(gamma) - 1 - gamma[::-1].index(x)
                self.made.append(VarU(T, i + 1))
                return T[i]
            case t.Pack((_, _) as components):
                A, B = self._arguments(gamma, T, components)
                self.made.append(PairU(T, A, B))
                return self.type_of(e)
            case t.Const() | t.If():
                return self._operation(gamma, T, e, ())
            case t.Fold("reduce"):
                return self._operation(gamma, T, e, (e.array,), (e.start,))
            case t.Proj() | t.Op() | t.Map() | t.Map2() | t.Fold() | t.Fill() | t.Use():
                return self._operation(gamma, T, e, arguments(e))
            case _:
                raise KernelBug("no term of Source")

    def _arguments(self, gamma: list[str], T: Types, given: tuple[t.Term, ...]) -> Types:
        """``UNF(e1); (UNF(e2))~; …``"""
        depth = len(gamma)
        found: list[Type] = []
        for N in given:
            found.append(self.of(gamma, T, N))
            gamma.append(HIDDEN)
            T = (*T, found[-1])
        del gamma[depth:]
        return tuple(found)

    def _operation(
        self, gamma: list[str], T: Types, e: t.Term, given: tuple[t.Term, ...], fixed: tuple[t.Term, ...] = ()
    ) -> Type:
        """The arguments, the operation, which keeps them, and ``proj`` to forget them; ``fixed`` are no arguments of UNF."""
        types = self._arguments(gamma, T, given)
        holes = tuple(f"#{i}" for i in range(1, len(given) + 1))
        B = self.type_of(e)
        uses_context = isinstance(e, t.Map | t.Map2 | t.Fold | t.If)
        names = tuple(gamma) if uses_context else ()
        operation = with_arguments(e, (*fixed, *map(t.Var, holes))) if given else e
        self.made.append(OpU(T, types, B, operation, holes, names))
        if given:
            self.made.append(ProjU(T, types, (B,)))
        return B
