"""``D_Γ(M) : D(Γ)_1 ⊢ D(A)_1 × (D(Γ)_2 ⊸ D(A)_2)``, in reverse mode with ``D(A)_2 ⊸ D(Γ)_2`` (CHAD §7.3–7.5, §10, App. A).

Both modes compute the value in the same way and bind the linear function of each subterm, as ``x'`` beside its value ``x``.
``Transformation`` does this; ``forward`` and ``reverse`` define the linear functions. Every rule mentions the derivative of
each subterm once, so the size of ``D_Γ(M)`` is at most a constant times that of M.
"""

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterable

from rh_kernel.ad.chad.context import Context, Derived, codomain_of, component_of, size_of, sum_of
from rh_kernel.ad.chad.derivatives.folds import FoldDerivative
from rh_kernel.ad.chad.operations import LoopTerm, Operation, of_term
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, primal, tangent
from rh_kernel.ad.chad.term_builder import TermBuilder, Terms, Unary, call, first, let, lets, second, variables
from rh_kernel.ad.language import core
from rh_kernel.ad.language.binding import free, parts
from rh_kernel.ad.language.types import SCALAR, Function, Product, Real, Sum, Type
from rh_kernel.source.trampoline import Descent, descend


class Transformation(TermBuilder, ABC):
    """The rules of one mode: each abstract method builds the body of the linear function ``λ̲v. …`` of a rule.

    Its arguments are the names that the rule binds (``x_`` for ``x'``) and the linear variable v.
    """

    def derivative(self, gamma: Context, M: core.Term) -> Derived:
        """Return ``D_Γ(M)``."""
        return descend(self._derivative(gamma, M))

    def _derivative(self, gamma: Context, M: core.Term) -> Descent[Derived]:
        names = self.names
        match M:
            case core.Constant() | core.Apply() | core.Array() | core.Index() | core.Total() | core.Replicate() | core.Dot():
                items = yield from self._all(gamma, (N for _, N in parts(M)))
                op = of_term(M, tuple(size_of(item.type) for item in items))
                pairs = [names.pair("x") for _ in items]
                point, linear = variables(pairs), [x_ for _, x_ in pairs]
                A = Real(op.codomain)
                dual = self._dual(gamma, A, to.Apply(op, point), lambda v: self.operation_rule(gamma, op, point, linear, v))
                return Derived(lets(pairs, items, dual), A)
            case core.Variable(x):
                i = gamma.index(x)
                A = gamma.types[i - 1]
                return Derived(self._dual(gamma, A, to.Variable(x), lambda v: self.variable_rule(gamma, i, v)), A)
            case core.Let(x, bound, body):
                t = yield self._derivative(gamma, bound)
                s = yield self._derivative(gamma.extended((x, t.type)), body)
                x_, (y, y_) = names.fresh(f"{x}'"), names.pair("y")
                dual = self._dual(gamma, s.type, to.Variable(y), lambda v: self.let_rule(x_, y_, v))
                return Derived(let((x, x_), t.term, let((y, y_), s.term, dual)), s.type)
            case core.Tuple(components):
                items = yield from self._all(gamma, components)
                pairs = [names.pair("x") for _ in items]
                A, linear = Product(tuple(item.type for item in items)), [x_ for _, x_ in pairs]
                dual = self._dual(gamma, A, to.Tuple(variables(pairs)), lambda v: self.tuple_rule(gamma, linear, v))
                return Derived(lets(pairs, items, dual), A)
            case core.Projection(i, N):
                t = yield self._derivative(gamma, N)
                A, (x, x_) = component_of(t.type, i), names.pair("x")
                value = to.Projection(i, to.Variable(x))
                dual = self._dual(gamma, A, value, lambda v: self.projection_rule(i, t.type, x_, v))
                return Derived(let((x, x_), t.term, dual), A)
            case core.Lambda(x, A, body):
                t = yield self._derivative(gamma.extended((x, A)), body)
                y, (z, z_), a = names.fresh("y"), names.pair("z"), names.fresh(x)
                A1, A2, B2 = primal(A, self.mode), tangent(A, self.mode), tangent(t.type, self.mode)
                inner = self.dual(to.Variable(z), A2, B2, lambda w: self.argument_rule(gamma, z_, w))
                function = to.Lambda(A1, to.Scope((a,), let((z, z_), call(y, a), inner)))
                B = Function(A, t.type)
                dual = self._dual(gamma, B, function, lambda v: self.captured_rule(gamma, A, y, names.fresh(x), v))
                return Derived(let((y,), to.Lambda(A1, to.Scope((x,), t.term)), dual), B)
            case core.Call(N, L):
                t = yield self._derivative(gamma, N)
                s = yield self._derivative(gamma, L)
                (x, x_), (y, y_), (z, z_) = names.pair("x"), names.pair("y"), names.pair("z")
                B = codomain_of(t.type)
                dual = self._dual(gamma, B, to.Variable(z), lambda v: self.call_rule(x_, y, y_, z_, v))
                return Derived(let((x, x_), t.term, let((y, y_), s.term, let((z, z_), call(x, y), dual))), B)
            case core.Inject(side, A, N):
                t = yield self._derivative(gamma, N)
                x, x_ = names.pair("x")
                value = to.Inject(side, primal(A, self.mode), to.Variable(x))
                dual = self._dual(gamma, A, value, lambda v: self.injection_rule(side, A, x_, v))
                return Derived(let((x, x_), t.term, dual), A)
            case core.Case(N, x, left, y, right):
                t = yield self._derivative(gamma, N)
                A, (e, e_) = sum_of(t.type), names.pair("e")
                s = yield self._derivative(gamma.extended((x, A.left)), left)
                r = yield self._derivative(gamma.extended((y, A.right)), right)
                one = to.Scope((x,), self._branch(gamma, 1, A, e_, s))
                other = to.Scope((y,), self._branch(gamma, 2, A, e_, r))
                return Derived(let((e, e_), t.term, to.Case(to.Variable(e), one, other)), s.type)
            case core.If(smaller, larger, then, otherwise):
                t, s, r, q = yield from self._all(gamma, (smaller, larger, then, otherwise))
                sign, u, v = to.Sign(first(t.term), first(s.term)), names.fresh("u"), names.fresh("u")
                return Derived(to.Case(sign, to.Scope((u,), r.term), to.Scope((v,), q.term)), r.type)
            case core.Map() | core.Map2() | core.Generate() | core.Reduce() | core.Foldl() | core.Scanl():
                return (yield self._loop(gamma, M))

    def _loop(self, gamma: Context, M: LoopTerm) -> Descent[Derived]:
        names = self.names
        match M:
            case core.Map(x, core.Call(f, core.Variable(y)), N) if x == y and x not in free(f):
                t = yield self._derivative(gamma, f)
                s = yield self._derivative(gamma, N)
                (y, y_), (z, z_), a = names.pair("f"), names.pair("z"), names.fresh("x")
                n, B = size_of(s.type), t.type
                value = to.Map(n, to.Scope((a,), first(call(y, a))), (to.Variable(z),))
                dual = self._dual(gamma, s.type, value, lambda v: self.map_function_rule(n, B, (y, y_), (z, z_), v))
                return Derived(let((y, y_), t.term, let((z, z_), s.term, dual)), s.type)
            case core.Map(x, body, N):
                t = yield self._derivative(gamma.extended((x, SCALAR)), body)
                s = yield self._derivative(gamma, N)
                y, (z, z_), a, b, w = names.fresh("y"), names.pair("z"), names.fresh(x), names.fresh(x), names.fresh("v")
                n = size_of(s.type)
                value = to.Map(n, to.Scope((a,), first(call(y, a))), (to.Variable(z),))
                step = to.Scope((b, w), to.LinearCall(second(call(y, b)), to.LinearVariable(w)))
                linear = to.MapDifferential(self.mode, n, to.Variable(z), step, to.Variable(z_), gamma.tangents)
                dual = self._dual(gamma, s.type, value, lambda v: to.LinearCall(linear, v))
                return Derived(let((y,), _function((x,), t), let((z, z_), s.term, dual)), s.type)
            case core.Map2(x1, x2, body, left, right):
                t = yield self._derivative(gamma.extended((x1, SCALAR), (x2, SCALAR)), body)
                s = yield self._derivative(gamma, left)
                r = yield self._derivative(gamma, right)
                y, pairs = names.fresh("y"), [names.pair("z"), names.pair("z")]
                entries = tuple(names.fresh(x) for x in (x1, x2))
                rows = tuple(names.fresh(x) for x in (x1, x2))
                n, arrays, linear = size_of(s.type), variables(pairs), [z_ for _, z_ in pairs]
                value = to.Map(n, to.Scope(entries, first(call(y, *entries))), arrays)
                dual = self._dual(gamma, s.type, value, lambda v: self.map2_rule(gamma, n, y, rows, arrays, linear, v))
                return Derived(let((y,), _function((x1, x2), t), lets(pairs, (s, r), dual)), s.type)
            case core.Generate(n, i, body):
                t = yield self._derivative(gamma.extended((i, SCALAR)), body)
                y, a, b = names.fresh("y"), names.fresh(i), names.fresh(i)
                value = to.Map(n, to.Scope((a,), first(call(y, a))), (to.Indices(n),))
                dual = self._dual(gamma, Real(n), value, lambda v: self.generate_rule(gamma, n, y, b, v))
                return Derived(let((y,), _function((i,), t), dual), Real(n))
            case core.Reduce(a, x, body, start, N) | core.Foldl(a, x, body, start, N) | core.Scanl(a, x, body, start, N):
                z0 = yield self._derivative(gamma, start)
                s = yield self._derivative(gamma, N)
                t = yield self._derivative(gamma.extended((a, z0.type), (x, SCALAR)), body)
                fold = FoldDerivative(size_of(s.type), isinstance(M, core.Scanl), self)
                A = Real(fold.size + 1) if fold.scans else z0.type
                y, (z, z_), (u, u_) = names.fresh("y"), names.pair("z"), names.pair("s")
                dual = fold.forward_pass(
                    to.Variable(z),
                    to.Variable(u),
                    lambda c, e: to.Call(to.Call(to.Variable(y), c), e),
                    lambda value, steps: self._dual(gamma, A, value, lambda v: self.fold_rule(gamma, fold, steps, z_, u_, v)),
                )
                function = to.Lambda(primal(z0.type, self.mode), to.Scope((a,), _function((x,), t)))
                return Derived(let((y,), function, let((z, z_), z0.term, let((u, u_), s.term, dual))), A)

    def _dual(self, gamma: Context, A: Type, value: to.Term, derivative: Unary) -> to.Term:
        """``⟨t, λ̲v. s⟩`` for a term of type A in the context Γ"""
        return self.dual(value, gamma.tangents, tangent(A, self.mode), derivative)

    def _branch(self, gamma: Context, side: int, A: Sum, e_: str, s: Derived) -> to.Term:
        """``let ⟨q, q'⟩ = D(s) in ⟨q, λ̲v. …⟩``"""
        q, q_ = self.names.pair("q")
        dual = self._dual(gamma, s.type, to.Variable(q), lambda v: self.branch_rule(side, A, e_, q_, v))
        return let((q, q_), s.term, dual)

    def _all(self, gamma: Context, terms: Iterable[core.Term]) -> Generator[Descent[Derived], Derived, list[Derived]]:
        items: list[Derived] = []
        for M in terms:
            item = yield self._derivative(gamma, M)
            items.append(item)
        return items

    @abstractmethod
    def operation_rule(self, gamma: Context, op: Operation, point: Terms, linear: list[str], v: to.Term) -> to.Term:
        """``op(x1, …, xk)``; ``linear`` are ``x1', …, xk'``"""

    @abstractmethod
    def variable_rule(self, gamma: Context, i: int, v: to.Term) -> to.Term:
        """The variable at place i of Γ"""

    @abstractmethod
    def let_rule(self, x_: str, y_: str, v: to.Term) -> to.Term:
        """``let x = t in y``"""

    @abstractmethod
    def tuple_rule(self, gamma: Context, linear: list[str], v: to.Term) -> to.Term:
        """``⟨x1, …, xn⟩``; ``linear`` are ``x1', …, xn'``"""

    @abstractmethod
    def projection_rule(self, i: int, A: Type, x_: str, v: to.Term) -> to.Term:
        """``x.i`` for ``x : A``"""

    @abstractmethod
    def argument_rule(self, gamma: Context, z_: str, w: to.Term) -> to.Term:
        """The derivative of ``λx. z`` with respect to its argument"""

    @abstractmethod
    def captured_rule(self, gamma: Context, A: Type, y: str, b: str, v: to.Term) -> to.Term:
        """The derivative of ``λx : A. t`` with respect to the variables in it, where y is ``λx. D(t)`` and b a fresh name"""

    @abstractmethod
    def call_rule(self, x_: str, y: str, y_: str, z_: str, v: to.Term) -> to.Term:
        """``x y``, where ``⟨z, z'⟩`` is the result"""

    @abstractmethod
    def injection_rule(self, side: int, A: Sum, x_: str, v: to.Term) -> to.Term:
        """``inl x : A``, ``inr x : A``"""

    @abstractmethod
    def branch_rule(self, side: int, A: Sum, e_: str, q_: str, v: to.Term) -> to.Term:
        """``case e of inl a → q | inr b → q`` for ``e : A``, where it takes the branch of that side"""

    @abstractmethod
    def map_function_rule(self, n: int, A: Type, f: tuple[str, str], z: tuple[str, str], v: to.Term) -> to.Term:
        """``map(f, z)`` for ``f : A``, given ``f, f'`` and ``z, z'``"""

    @abstractmethod
    def map2_rule(
        self, gamma: Context, n: int, y: str, rows: tuple[str, ...], arrays: Terms, linear: list[str], v: to.Term
    ) -> to.Term:
        """``map2(x1 x2. t, s, r)``, where y is ``λx1. λx2. D(t)``; ``rows`` are fresh names for x1 and x2"""

    @abstractmethod
    def generate_rule(self, gamma: Context, n: int, y: str, i: str, v: to.Term) -> to.Term:
        """``generate[n](i. t)``, where y is ``λi. D(t)``; nothing flows back to i"""

    @abstractmethod
    def fold_rule(self, gamma: Context, fold: FoldDerivative, steps: to.Term, z_: str, s_: str, v: to.Term) -> to.Term:
        """A fold from z over s, where ``steps`` is the array of the linear functions of its steps"""


def _function(names: tuple[str, ...], t: Derived) -> to.Term:
    """``λx. …. D(t)`` for numbers x"""
    body = t.term
    for x in reversed(names):
        body = to.Lambda(NUMBER, to.Scope((x,), body))
    return body
