"""The linear functions of the reverse derivative, from cotangents v of the result to those of Γ (CHAD §2.3, §7.3, §7.5)."""

from functools import reduce

from rh_kernel.ad.chad.context import Context, Derived
from rh_kernel.ad.chad.derivatives.folds import FoldDerivative
from rh_kernel.ad.chad.derivatives.transformation import Transformation
from rh_kernel.ad.chad.operations import Operation
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import Mode, product_of, tangent
from rh_kernel.ad.chad.term_builder import Terms, call, linear_call, second
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import binders
from rh_kernel.ad.language.types import Sum, Type

_R = Mode.REVERSE


def reverse_derivative(gamma: Context, M: core.Term) -> Derived:
    """Return ``D_Γ(M)`` in reverse mode."""
    return Reverse(_R, (*gamma.names, *binders(M))).derivative(gamma, M)


class Reverse(Transformation):
    """The linear functions of reverse mode"""

    def operation_rule(self, gamma: Context, op: Operation, point: Terms, linear: list[str], v: to.Term) -> to.Term:
        """``let w = Dopᵗ(x1, …; v) in x1' • w.1 + …``"""
        differential = to.Differential(_R, op, point, v)
        match linear:
            case []:
                return to.Zero(gamma.tangents)
            case [x_]:
                return self.let_linear(differential, lambda w: linear_call(x_, w))
            case _:
                return self.let_linear(differential, lambda w: _sum_of_components(linear, w))

    def variable_rule(self, gamma: Context, i: int, v: to.Term) -> to.Term:
        """``coproj_i(v)``"""
        return to.Coprojection(i, gamma.tangents, v)

    def let_rule(self, x_: str, y_: str, v: to.Term) -> to.Term:
        """``let w = y' • v in fst w + x' • (snd w)``"""
        return self.let_linear(linear_call(y_, v), lambda w: to.Plus(to.Initial(w), linear_call(x_, to.Last(w))))

    def tuple_rule(self, gamma: Context, linear: list[str], v: to.Term) -> to.Term:
        """``x1' • v.1 + … + xn' • v.n``"""
        return _sum_of_components(linear, v) if linear else to.Zero(gamma.tangents)

    def projection_rule(self, i: int, A: Type, x_: str, v: to.Term) -> to.Term:
        """``x' • coproj_i(v)``"""
        return linear_call(x_, to.Coprojection(i, product_of(tangent(A, _R)), v))

    def argument_rule(self, gamma: Context, z_: str, w: to.Term) -> to.Term:
        """``snd (z' • w)``"""
        return to.Last(linear_call(z_, w))

    def captured_rule(self, gamma: Context, A: Type, y: str, b: str, v: to.Term) -> to.Term:
        """``case v of !b⊗w → fst ((y b).2 • w)``"""
        w = self.names.fresh("v")
        body = to.Initial(to.LinearCall(second(call(y, b)), to.LinearVariable(w)))
        return to.Fold(gamma.tangents, v, to.Scope((b, w), body))

    def call_rule(self, x_: str, y: str, y_: str, z_: str, v: to.Term) -> to.Term:
        """``x' • (!y⊗v) + y' • (z' • v)``"""
        return to.Plus(linear_call(x_, to.Single(to.Variable(y), v)), linear_call(y_, linear_call(z_, v)))

    def injection_rule(self, side: int, A: Sum, x_: str, v: to.Term) -> to.Term:
        """``x' • (lout v)``"""
        return linear_call(x_, to.LinearOut(side, tangent(A.left if side == 1 else A.right, _R), v))

    def branch_rule(self, side: int, A: Sum, e_: str, q_: str, v: to.Term) -> to.Term:
        """``let w = q' • v in fst w + e' • (linl (snd w))``"""
        other = tangent(A.right if side == 1 else A.left, _R)

        def both(w: to.Term) -> to.Term:
            return to.Plus(to.Initial(w), linear_call(e_, to.LinearInject(side, other, to.Last(w))))

        return self.let_linear(linear_call(q_, v), both)

    def map_function_rule(self, n: int, A: Type, f: tuple[str, str], z: tuple[str, str], v: to.Term) -> to.Term:
        """``f' • sum(zipWith(x u. !x⊗u, z, v)) + z' • zipWith(x w. (f x).2 • w, z, v)``"""
        b, c, u, w = (self.names.fresh(x) for x in ("x", "x", "v", "v"))
        array = (to.Variable(z[0]),)
        calls = to.LinearZipWith(n, array, v, to.Scope((b, u), to.Single(to.Variable(b), to.LinearVariable(u))))
        step = to.LinearCall(second(call(f[0], c)), to.LinearVariable(w))
        entries = to.LinearZipWith(n, array, v, to.Scope((c, w), step))
        return to.Plus(linear_call(f[1], to.LinearSum(n, tangent(A, _R), calls)), linear_call(z[1], entries))

    def map2_rule(
        self, gamma: Context, n: int, y: str, rows: tuple[str, ...], arrays: Terms, linear: list[str], v: to.Term
    ) -> to.Term:
        """``let q = zipWith(x1 x2 w. (y x1 x2).2 • w, s, r, v) in sum q.Γ + s' • q.x1 + r' • q.x2``"""
        w = self.names.fresh("v")
        step = to.LinearCall(second(call(y, *rows)), to.LinearVariable(w))

        def accumulated(q: to.Term) -> to.Term:
            of_context = to.LinearSum(n, gamma.tangents, self.map_linear(n, q, lambda c: to.Initial(to.Initial(c))))
            of_first = linear_call(linear[0], self.map_linear(n, q, lambda c: to.Last(to.Initial(c))))
            return to.Plus(to.Plus(of_context, of_first), linear_call(linear[1], self.map_linear(n, q, to.Last)))

        return self.let_linear(to.LinearZipWith(n, arrays, v, to.Scope((*rows, w), step)), accumulated, "q")

    def generate_rule(self, gamma: Context, n: int, y: str, i: str, v: to.Term) -> to.Term:
        """``sum(zipWith(i w. fst ((y i).2 • w), [0, …, n − 1], v))``"""
        w = self.names.fresh("v")
        step = to.Initial(to.LinearCall(second(call(y, i)), to.LinearVariable(w)))
        return to.LinearSum(n, gamma.tangents, to.LinearZipWith(n, (to.Indices(n),), v, to.Scope((i, w), step)))

    def fold_rule(self, gamma: Context, fold: FoldDerivative, steps: to.Term, z_: str, s_: str, v: to.Term) -> to.Term:
        """``let q = mapAccumR(b w. …, b, v) in sum q.2.1 + z' • q.1 + s' • q.2.2``"""
        return fold.vjp(steps, v, gamma.tangents, lambda c, a, e: to.Plus(to.Plus(c, linear_call(z_, a)), linear_call(s_, e)))


def _sum_of_components(linear: list[str], t: to.Term) -> to.Term:
    """``x1' • t.1 + … + xn' • t.n`` for n ≥ 1"""
    return reduce(to.Plus, [linear_call(x_, to.Projection(i, t)) for i, x_ in enumerate(linear, 1)])
