"""The linear functions of the forward derivative, from tangents v of Γ to those of the result (CHAD §7.3–7.4)."""

from rh_kernel.ad.chad.context import Context, Derived
from rh_kernel.ad.chad.derivatives.folds import FoldDerivative
from rh_kernel.ad.chad.derivatives.transformation import Transformation
from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, Mode, primal, tangent, vector
from rh_kernel.ad.chad.term_builder import Terms, call, first, linear_call, second
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders
from rh_kernel.ad.language.types import Sum, Type

_F = Mode.FORWARD


def forward_derivative(gamma: Context, M: core.Term) -> Derived:
    """Return ``D_Γ(M)`` in forward mode."""
    return Forward(_F, (*gamma.names, *binders(M))).derivative(gamma, M)


class Forward(Transformation):
    """The linear functions of forward mode"""

    def operation_rule(self, gamma: Context, op: Operation, point: Terms, linear: list[str], v: to.Term) -> to.Term:
        """``Dop(x1, …; ⟨x1' • v, …⟩)``"""
        if not linear:
            return to.Zero(vector(op.codomain, NUMBER))
        tangents = tuple(linear_call(x_, v) for x_ in linear)
        return to.Differential(_F, op, point, tangents[0] if len(tangents) == 1 else to.Tuple(tangents))

    def variable_rule(self, gamma: Context, i: int, v: to.Term) -> to.Term:
        """``v.i``"""
        return to.Projection(i, v)

    def let_rule(self, x_: str, y_: str, v: to.Term) -> to.Term:
        """``y' • ⟨v, x' • v⟩``"""
        return linear_call(y_, to.Extend(v, linear_call(x_, v)))

    def tuple_rule(self, gamma: Context, linear: list[str], v: to.Term) -> to.Term:
        """``⟨x1' • v, …⟩``"""
        return to.Tuple(tuple(linear_call(x_, v) for x_ in linear))

    def projection_rule(self, i: int, A: Type, x_: str, v: to.Term) -> to.Term:
        """``(x' • v).i``"""
        return to.Projection(i, linear_call(x_, v))

    def argument_rule(self, gamma: Context, z_: str, w: to.Term) -> to.Term:
        """``z' • ⟨0, w⟩``"""
        return linear_call(z_, to.Extend(to.Zero(gamma.tangents), w))

    def captured_rule(self, gamma: Context, A: Type, y: str, b: str, v: to.Term) -> to.Term:
        """``λb. (y b).2 • ⟨v, 0⟩``"""
        body = to.LinearCall(second(call(y, b)), to.Extend(v, to.Zero(tangent(A, _F))))
        return to.Lambda(primal(A, _F), to.Scope((b,), body))

    def call_rule(self, x_: str, y: str, y_: str, z_: str, v: to.Term) -> to.Term:
        """``(x' • v) y + z' • (y' • v)``"""
        return to.Plus(to.Call(linear_call(x_, v), to.Variable(y)), linear_call(z_, linear_call(y_, v)))

    def injection_rule(self, side: int, A: Sum, x_: str, v: to.Term) -> to.Term:
        """``linl (x' • v)``"""
        return to.LinearInject(side, tangent(A.right if side == 1 else A.left, _F), linear_call(x_, v))

    def branch_rule(self, side: int, A: Sum, e_: str, q_: str, v: to.Term) -> to.Term:
        """``q' • ⟨v, lout (e' • v)⟩``"""
        L = tangent(A.left if side == 1 else A.right, _F)
        return linear_call(q_, to.Extend(v, to.LinearOut(side, L, linear_call(e_, v))))

    def map_function_rule(self, n: int, A: Type, f: tuple[str, str], z: tuple[str, str], v: to.Term) -> to.Term:
        """``zipWith(x w. (f x).2 • w, z, z' • v) + zipWith(x u. u x, z, replicate (f' • v))``"""
        b, c, u, w = (self.names.fresh(x) for x in ("x", "x", "v", "v"))
        array = (to.Variable(z[0]),)
        step = to.LinearCall(second(call(f[0], c)), to.LinearVariable(w))
        of_entries = to.LinearZipWith(n, array, linear_call(z[1], v), to.Scope((c, w), step))
        directions = to.LinearReplicate(n, linear_call(f[1], v))
        at_entries = to.Scope((b, u), to.Call(to.LinearVariable(u), to.Variable(b)))
        return to.Plus(of_entries, to.LinearZipWith(n, array, directions, at_entries))

    def map2_rule(
        self, gamma: Context, n: int, y: str, rows: tuple[str, ...], arrays: Terms, linear: list[str], v: to.Term
    ) -> to.Term:
        """``zipWith(x1 x2 w. (y x1 x2).2 • w, s, r, zip ⟨replicate v, zip ⟨s' • v, r' • v⟩⟩)``"""
        w = self.names.fresh("v")
        entries = to.LinearZip(n, to.Tuple(tuple(linear_call(z_, v) for z_ in linear)))
        operand = to.LinearZip(n, to.Tuple((to.LinearReplicate(n, v), entries)))
        p = to.LinearVariable(w)
        tangents = to.Extend(to.Extend(first(p), first(second(p))), second(second(p)))
        step = to.LinearCall(second(call(y, *rows)), tangents)
        return to.LinearZipWith(n, arrays, operand, to.Scope((*rows, w), step))

    def generate_rule(self, gamma: Context, n: int, y: str, i: str, v: to.Term) -> to.Term:
        """``zipWith(i w. (y i).2 • ⟨w, 0⟩, [0, …, n − 1], replicate v)``"""
        w = self.names.fresh("v")
        step = to.LinearCall(second(call(y, i)), to.Extend(to.LinearVariable(w), to.Zero(NUMBER)))
        return to.LinearZipWith(n, (to.Indices(n),), to.LinearReplicate(n, v), to.Scope((i, w), step))

    def fold_rule(self, gamma: Context, fold: FoldDerivative, steps: to.Term, z_: str, s_: str, v: to.Term) -> to.Term:
        """``(mapAccumL(b w. …, b, ⟨z' • v, …⟩)).1``"""
        return fold.jvp(steps, v, linear_call(z_, v), linear_call(s_, v))
