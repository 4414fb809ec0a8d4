"""Constructors of the derivatives of arrows."""

from collections.abc import Callable

from rh_kernel.ad.chad.combinators.arrows import Entries, Object
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import AnyType, Mode, Product, primal, tangent
from rh_kernel.ad.chad.term_builder import TermBuilder, Unary, let


class ArrowBuilder(TermBuilder):
    """Builds functions between the primal and tangent types of objects."""

    @property
    def is_reverse(self) -> bool:
        """Whether this is reverse mode."""
        return self.mode is Mode.REVERSE

    def one(self, A: Object) -> AnyType:
        """``A_1``"""
        return Product(tuple(primal(B, self.mode) for B in A.types)) if isinstance(A, Entries) else primal(A, self.mode)

    def two(self, A: Object) -> AnyType:
        """``A_2``"""
        return Product(tuple(tangent(B, self.mode) for B in A.types)) if isinstance(A, Entries) else tangent(A, self.mode)

    def function(self, A: Object, body: Unary) -> to.Term:
        """``λx. …``"""
        x = self.names.fresh("x")
        return to.Lambda(self.one(A), to.Scope((x,), body(to.Variable(x))))

    def dual_of(self, A: Object, B: Object, value: to.Term, derivative: Unary) -> to.Term:
        """``⟨t, λ̲v. …⟩``, where the linear function is between A and B"""
        return self.dual(value, self.two(A), self.two(B), derivative)

    def let_pair(self, bound: to.Term, body: Callable[[to.Term, str], to.Term]) -> to.Term:
        """``let ⟨y, y'⟩ = t in …``"""
        y, y_ = self.names.pair("y")
        return let((y, y_), bound, body(to.Variable(y), y_))
