"""``UNF(Γ ⊢ e)`` (Fig 9): a term in the order in which it is evaluated, each step taking and giving its whole context.

``T_Γ ⊢ UNF(e) : T_Γ, B`` (Lemma 4.4): the context comes back, and after it the value. The weakening ``(ẽ)_A`` of an argument
that is evaluated while other values wait is its translation in a context with a slot for each of them that has no name.
"""

from rh_kernel.ad.unary_form.terms.terms import (
    Const,
    Fill,
    Fold,
    If,
    Let,
    Map,
    Map2,
    Op,
    Pack,
    Proj,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Context, Type
from rh_kernel.ad.unary_form.terms.typing import Checking
from rh_kernel.ad.unary_form.unary.forms import OpU, PairU, Primitive, ProjU, SeqU, Types, VarU
from rh_kernel.source.diagnostic import KernelBug

HIDDEN = "_"
"""The name of a slot that no term names."""


def unary(context: Context, e: Term) -> SeqU:
    """``UNF(Γ ⊢ e)``"""
    translation = _Translation(context)
    translation.of([x for x, _ in context], tuple(A for _, A in context), e)
    return SeqU(tuple(translation.made))


class _Translation:
    """The primitives so far, and the types of all names."""

    def __init__(self, context: Context) -> None:
        self.made: list[Primitive] = []
        self.type_of = Checking(dict(context)).of

    def of(self, gamma: list[str], T: Types, e: Term) -> Type:
        """Append ``UNF(Γ ⊢ e : B)``; B."""
        bound: list[tuple[Types, Type]] = []
        depth = len(gamma)
        while isinstance(e, Let):
            A = self.of(gamma, T, e.bound)
            bound.append((T, A))
            gamma.append(e.names[0])
            T = (*T, A)
            self.type_of(Let(e.names, e.bound, Var(e.names[0])))
            e = e.body
        B = self._form(gamma, T, e)
        del gamma[depth:]
        for outer, A in reversed(bound):
            self.made.append(ProjU(outer, (A,), (B,)))
        return B

    def _form(self, gamma: list[str], T: Types, e: Term) -> Type:
        match e:
            case Const():
                return self._kept(gamma, T, e, ())
            case Var(x):
                i = len(gamma) - 1 - gamma[::-1].index(x)
                self.made.append(VarU(T, i + 1))
                return T[i]
            case Pack((first, second)):
                A, B = self._arguments(gamma, T, (first, second))
                pair = PairU(T, A, B)
                self.made.append(pair)
                return self.type_of(e)
            case Proj(_, N) | Map(_, _, N) | Fill(_, N) | Fold("reduce", _, _, _, _, N):
                return self._kept(gamma, T, e, (N,))
            case Op(_, arguments) | Use(_, arguments):
                return self._kept(gamma, T, e, arguments)
            case Map2(_, _, _, N, L) | Fold(_, _, _, _, N, L):
                return self._kept(gamma, T, e, (N, L))
            case If():
                return self._kept(gamma, T, e, ())
            case _:
                raise KernelBug("no term of Source")

    def _arguments(self, gamma: list[str], T: Types, arguments: tuple[Term, ...]) -> Types:
        """``UNF(e1); (UNF(e2))~; …``"""
        depth = len(gamma)
        found: list[Type] = []
        for N in arguments:
            found.append(self.of(gamma, T, N))
            gamma.append(HIDDEN)
            T = (*T, found[-1])
        del gamma[depth:]
        return tuple(found)

    def _kept(self, gamma: list[str], T: Types, e: Term, arguments: tuple[Term, ...]) -> Type:
        """The arguments, the operation, which keeps them, and ``proj`` to forget them."""
        given = self._arguments(gamma, T, arguments)
        holes = tuple(f"#{i}" for i in range(1, len(arguments) + 1))
        B = self.type_of(e)
        uses_context = isinstance(e, Map | Map2 | Fold | If)
        names = tuple(gamma) if uses_context else ()
        self.made.append(OpU(T, given, B, with_arguments(e, tuple(map(Var, holes))), holes, names))
        if given:
            self.made.append(ProjU(T, given, (B,)))
        return B


def with_arguments(e: Term, many: tuple[Term, ...]) -> Term:
    """An operation with other arguments: those that UNF takes from the context, which of ``reduce`` is only the array."""
    match e:
        case Proj(i, _):
            return Proj(i, *many)
        case Map(x, body, _):
            return Map(x, body, *many)
        case Fill(n, _):
            return Fill(n, *many)
        case Op(symbol, _):
            return Op(symbol, many)
        case Use(primitive, _):
            return Use(primitive, many)
        case Map2(x, y, body, _, _):
            return Map2(x, y, body, *many)
        case Fold("reduce" as form, a, x, body, start, _):
            return Fold(form, a, x, body, start, *many)
        case Fold(form, a, x, body, _, _):
            return Fold(form, a, x, body, *many)
        case _:
            return e
