"""``UNF(Γ ⊢ e)`` (Fig 9): a term in the order in which it is evaluated, each step taking and giving its whole context.

``T_Γ ⊢ UNF(e) : T_Γ, B`` (Lemma 4.4): the context comes back, and after it the value. The weakening ``(ẽ)_A`` of an argument
that is evaluated while other values wait is its translation in a context with a slot for each of them that has no name.
"""

from rh_kernel.ad.unary_form.terms import terms as t
from rh_kernel.ad.unary_form.terms.types import Context, Type
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.ad.unary_form.unary.forms import OpU, PairU, Primitive, ProjU, SeqU, Types, VarU
from rh_kernel.source.diagnostic import KernelBug

HIDDEN = "_"
"""The name of a slot that no term names."""


def unary(context: Context, e: t.Term) -> SeqU:
    """``UNF(Γ ⊢ e)``"""
    translation = _Translation(context)
    translation.of([x for x, _ in context], tuple(A for _, A in context), e)
    return SeqU(tuple(translation.made))


class _Translation:
    """The primitives so far, and the types of all names."""

    def __init__(self, context: Context) -> None:
        self.made: list[Primitive] = []
        self.type_of = Checking(dict(context)).of

    def of(self, gamma: list[str], T: Types, e: t.Term) -> Type:
        """Append ``UNF(Γ ⊢ e : B)``; B."""
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
            case t.Const():
                return self._kept(gamma, T, e, ())
            case t.Var(x):
                i = len(gamma) - 1 - gamma[::-1].index(x)
                self.made.append(VarU(T, i + 1))
                return T[i]
            case t.Pack((first, second)):
                A, B = self._arguments(gamma, T, (first, second))
                pair = PairU(T, A, B)
                self.made.append(pair)
                return self.type_of(e)
            case t.Proj(_, N) | t.Map(_, _, N) | t.Fill(_, N) | t.Fold("reduce", _, _, _, _, N):
                return self._kept(gamma, T, e, (N,))
            case t.Op(_, arguments) | t.Use(_, arguments):
                return self._kept(gamma, T, e, arguments)
            case t.Map2(_, _, _, N, L) | t.Fold(_, _, _, _, N, L):
                return self._kept(gamma, T, e, (N, L))
            case t.If():
                return self._kept(gamma, T, e, ())
            case _:
                raise KernelBug("no term of Source")

    def _arguments(self, gamma: list[str], T: Types, arguments: tuple[t.Term, ...]) -> Types:
        """``UNF(e1); (UNF(e2))~; …``"""
        depth = len(gamma)
        found: list[Type] = []
        for N in arguments:
            found.append(self.of(gamma, T, N))
            gamma.append(HIDDEN)
            T = (*T, found[-1])
        del gamma[depth:]
        return tuple(found)

    def _kept(self, gamma: list[str], T: Types, e: t.Term, arguments: tuple[t.Term, ...]) -> Type:
        """The arguments, the operation, which keeps them, and ``proj`` to forget them."""
        given = self._arguments(gamma, T, arguments)
        holes = tuple(f"#{i}" for i in range(1, len(arguments) + 1))
        B = self.type_of(e)
        uses_context = isinstance(e, t.Map | t.Map2 | t.Fold | t.If)
        names = tuple(gamma) if uses_context else ()
        self.made.append(OpU(T, given, B, with_arguments(e, tuple(map(t.Var, holes))), holes, names))
        if given:
            self.made.append(ProjU(T, given, (B,)))
        return B


def with_arguments(e: t.Term, many: tuple[t.Term, ...]) -> t.Term:
    """An operation with other arguments: those that UNF takes from the context, which of ``reduce`` is only the array."""
    match e:
        case t.Proj(i, _):
            return t.Proj(i, *many)
        case t.Map(x, body, _):
            return t.Map(x, body, *many)
        case t.Fill(n, _):
            return t.Fill(n, *many)
        case t.Op(symbol, _):
            return t.Op(symbol, many)
        case t.Use(primitive, _):
            return t.Use(primitive, many)
        case t.Map2(x, y, body, _, _):
            return t.Map2(x, y, body, *many)
        case t.Fold("reduce" as form, a, x, body, start, _):
            return t.Fold(form, a, x, body, start, *many)
        case t.Fold(form, a, x, body, _, _):
            return t.Fold(form, a, x, body, *many)
        case _:
            return e
