"""``D_Γ(M) : D(A)_1 × (D(A)_2 → EVM Γ)``, reverse derivatives that add to accumulators (Efficient CHAD; digest of CHAD, §5).

A backpropagator has an accumulator for each variable in scope, so unused variables cost nothing. The backpropagator of a
function has accumulators for the captured variables and for the argument, and returns the cotangents of both.
The body of a loop runs once for each entry, and its backpropagators are kept in an array. They add to the accumulators of the
captured variables, so a loop does not add whole contexts.
"""

from collections.abc import Callable, Generator, Iterable
from functools import reduce

from rh_kernel.ad.chad.accumulation import commands as do
from rh_kernel.ad.chad.accumulation.commands import Command
from rh_kernel.ad.chad.context import Context, Derived, codomain_of, component_of, size_of, sum_of
from rh_kernel.ad.chad.operations import LoopTerm, OperationTerm, of_term
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, UNIT, Mode, Product, primal, product_of, tangent
from rh_kernel.ad.chad.term_builder import TermBuilder, call, first, let, lets, second, variables
from rh_kernel.ad.language import core
from rh_kernel.ad.language import types as source
from rh_kernel.ad.language.binding import binders, free, parts
from rh_kernel.ad.language.types import SCALAR, Function, Real
from rh_kernel.source.trampoline import Descent, descend

_R = Mode.REVERSE


def accumulated_derivative(gamma: Context, M: core.Term) -> Derived:
    """Return ``D_Γ(M)``."""
    return descend(_Transformation(_R, (*gamma.names, *binders(M))).derivative(gamma, M))


class _Transformation(TermBuilder):
    """The rules, with the names that are not in use."""

    def derivative(self, gamma: Context, M: core.Term) -> Descent[Derived]:
        """``D_Γ(M)``"""
        names = self.names
        match M:
            case core.Array((N,)):
                return (yield self.derivative(gamma, N))
            case core.Array(entries):
                items = yield from self._all(gamma, entries)
                pairs = [names.pair("x") for _ in items]
                value = to.Apply(of_term(M, (1,) * len(entries)), variables(pairs))
                return Derived(lets(pairs, items, self._dual(value, lambda v: _components(pairs, v))), Real(len(entries)))
            case core.Index(N, i):
                t = yield self.derivative(gamma, N)
                n, (x, x_) = size_of(t.type), names.pair("x")
                whole = Product((NUMBER,) * n)
                value = to.Apply(of_term(M, (n,)), (to.Variable(x),))
                dual = self._dual(value, lambda v: _backpropagate(x_, v if n == 1 else to.Coprojection(i + 1, whole, v)))
                return Derived(let((x, x_), t.term, dual), SCALAR)
            case core.Constant() | core.Apply() | core.Total() | core.Replicate() | core.Dot():
                return (yield self._operation(gamma, M))
            case core.Variable(x):
                dual = self._dual(to.Variable(x), lambda v: do.Add(x, v))
                return Derived(dual, gamma.types[gamma.index(x) - 1])
            case core.Let(x, bound, body):
                t = yield self.derivative(gamma, bound)
                s = yield self.derivative(gamma.extended((x, t.type)), body)
                x_, (y, y_) = names.fresh(f"{x}'"), names.pair("y")
                dual = self._dual(to.Variable(y), lambda v: self._with_accumulator(x, y_, v, lambda w: _backpropagate(x_, w)))
                return Derived(let((x, x_), t.term, let((y, y_), s.term, dual)), s.type)
            case core.Tuple(components):
                items = yield from self._all(gamma, components)
                pairs = [names.pair("x") for _ in items]
                dual = self._dual(to.Tuple(variables(pairs)), lambda v: _components(pairs, v))
                return Derived(lets(pairs, items, dual), source.Product(tuple(item.type for item in items)))
            case core.Projection(i, N):
                t = yield self.derivative(gamma, N)
                (x, x_), whole = names.pair("x"), product_of(tangent(t.type, _R))
                value = to.Projection(i, to.Variable(x))
                dual = self._dual(value, lambda v: _backpropagate(x_, to.Coprojection(i, whole, v)))
                return Derived(let((x, x_), t.term, dual), component_of(t.type, i))
            case core.Lambda(x, A, body):
                inside = free(body)
                captured = Context.of(_R, [(y, B) for y, B in zip(gamma.names, gamma.types, strict=True) if y in inside])
                t = yield self.derivative(captured.extended((x, A)), body)
                y, y_ = names.pair("y")
                inner = self._dual(to.Variable(y), lambda w: _backpropagate(y_, w), (*captured.names, x))
                function = to.Lambda(primal(A, _R), to.Scope((x,), let((y, y_), t.term, inner)))
                dual = self._dual(function, lambda v: do.AddCaptured(captured.names, v))
                return Derived(dual, Function(A, t.type))
            case core.Call(N, L):
                t = yield self.derivative(gamma, N)
                s = yield self.derivative(gamma, L)
                (x, x_), (y, y_), (z, z_) = names.pair("x"), names.pair("y"), names.pair("z")
                e, w = names.fresh("e"), names.fresh("v")
                both = do.Sequence(_backpropagate(x_, to.LinearVariable(e)), _backpropagate(y_, to.LinearVariable(w)))
                dual = self._dual(to.Variable(z), lambda v: do.BackpropagateCall(to.Variable(z_), v, e, w, both))
                called = let((z, z_), call(x, y), dual)
                return Derived(let((x, x_), t.term, let((y, y_), s.term, called)), codomain_of(t.type))
            case core.Inject(side, A, N):
                t = yield self.derivative(gamma, N)
                x, x_ = names.pair("x")
                value = to.Inject(side, primal(A, _R), to.Variable(x))
                dual = self._dual(value, lambda v: _backpropagate(x_, to.LinearOut(side, UNIT, v)))
                return Derived(let((x, x_), t.term, dual), A)
            case core.Case(N, x, left, y, right):
                t = yield self.derivative(gamma, N)
                A, (e, e_) = sum_of(t.type), names.pair("e")
                s = yield self.derivative(gamma.extended((x, A.left)), left)
                r = yield self.derivative(gamma.extended((y, A.right)), right)
                one, other = self._branch(1, x, s, e_), self._branch(2, y, r, e_)
                return Derived(let((e, e_), t.term, to.Case(to.Variable(e), one, other)), s.type)
            case core.If(smaller, larger, then, otherwise):
                t, s, r, q = yield from self._all(gamma, (smaller, larger, then, otherwise))
                sign, u, w = to.Sign(first(t.term), first(s.term)), names.fresh("u"), names.fresh("u")
                return Derived(to.Case(sign, to.Scope((u,), r.term), to.Scope((w,), q.term)), r.type)
            case core.Map() | core.Map2() | core.Generate() | core.Reduce() | core.Foldl() | core.Scanl():
                return (yield self._loop(gamma, M))

    def _operation(self, gamma: Context, M: OperationTerm) -> Descent[Derived]:
        """``let v = Dopᵗ(x, …; v) in x1' • v.1 >> …``"""
        items = yield from self._all(gamma, (N for _, N in parts(M)))
        op = of_term(M, tuple(size_of(item.type) for item in items))
        pairs = [self.names.pair("x") for _ in items]
        point = variables(pairs)

        def backward(v: to.Term) -> Command:
            cotangents = to.Differential(_R, op, point, v)
            match pairs:
                case []:
                    return do.Pure()
                case [(_, x_)]:
                    return _backpropagate(x_, cotangents)
                case _:
                    w = self.names.fresh("v")
                    return do.LetCotangent(w, cotangents, _components(pairs, to.LinearVariable(w)))

        return Derived(lets(pairs, items, self._dual(to.Apply(op, point), backward)), Real(op.codomain))

    def _loop(self, gamma: Context, M: LoopTerm) -> Descent[Derived]:
        match M:
            case core.Map(x, body, N):
                return (yield self._map(gamma, (x,), body, (N,)))
            case core.Map2(x, y, body, left, right):
                return (yield self._map(gamma, (x, y), body, (left, right)))
            case core.Generate(n, i, body):
                t = yield self.derivative(gamma.extended((i, SCALAR)), body)
                r, w = self.names.fresh("r"), self.names.fresh("v")
                steps = self._column(n, r, second)
                dual = self._dual(self._column(n, r, first), lambda v: do.ForEach(n, steps, v, (i,), (w,), do.Pure()))
                return Derived(let((r,), to.Map(n, to.Scope((i,), t.term), (to.Indices(n),)), dual), Real(n))
            case core.Reduce() | core.Foldl() | core.Scanl():
                return (yield self._fold(gamma, M))

    def _map(self, gamma: Context, names: tuple[str, ...], body: core.Term, arrays: tuple[core.Term, ...]) -> Descent[Derived]:
        """``let r = map(x. D(t), z) in ⟨map(p. p.1, r), λ̲v. let d = each (b v. …, map(p. p.2, r), v) in z' • d⟩``"""
        items = yield from self._all(gamma, arrays)
        t = yield self.derivative(gamma.extended(*((x, SCALAR) for x in names)), body)
        n = size_of(items[0].type)
        pairs = [self.names.pair("z") for _ in arrays]
        r, results = self.names.fresh("r"), tuple(self.names.fresh("d") for _ in arrays)
        rest = _sequence([_backpropagate(z_, to.LinearVariable(w)) for (_, z_), w in zip(pairs, results, strict=True)])
        steps = self._column(n, r, second)
        dual = self._dual(self._column(n, r, first), lambda v: do.ForEach(n, steps, v, names, results, rest))
        value = let((r,), to.Map(n, to.Scope(names, t.term), variables(pairs)), dual)
        return Derived(lets(pairs, items, value), Real(n))

    def _fold(self, gamma: Context, M: core.Reduce | core.Foldl | core.Scanl) -> Descent[Derived]:
        """``⟨r, λ̲v. let ⟨w, d⟩ = mapAccumR(b v. scope a x (b • v), b, v) in z' • w >> s' • d⟩``

        for ``⟨r, b⟩ = mapAccumL(a x. D(t), z, s)``. The entries of the result of ``scanl`` have cotangents of their own.
        """
        z0, s = yield from self._all(gamma, (M.start, M.array))
        t = yield self.derivative(gamma.extended((M.accumulator, z0.type), (M.name, SCALAR)), M.body)
        n, supply, names = size_of(s.type), self.names, (M.accumulator, M.name)
        (z, z_), (u, u_), r, b = supply.pair("z"), supply.pair("s"), supply.fresh("r"), supply.fresh("b")
        w, g = supply.fresh("v"), supply.fresh("d")
        to_start, to_array = _backpropagate(z_, to.LinearVariable(w)), _backpropagate(u_, to.LinearVariable(g))
        step, A = t.term, z0.type
        if isinstance(M, core.Scanl):
            o, o_ = supply.pair("o")
            step = let((o, o_), step, to.Tuple((to.Variable(o), to.Tuple((to.Variable(o), to.Variable(o_))))))
            steps, A = self._column(n, b, second), Real(n + 1)

            def backward(v: to.Term) -> Command:
                rest = _sequence([_backpropagate(z_, to.Slice(0, 1, n + 1, v)), to_start, to_array])
                return do.FoldRight(n, steps, None, to.Slice(1, n + 1, n + 1, v), names, (w, g), rest)

            dual = self._dual(to.Prepend(n, to.Variable(z), self._column(n, b, first)), backward)
        else:
            rest = _sequence([to_start, to_array])
            dual = self._dual(to.Variable(r), lambda v: do.FoldRight(n, to.Variable(b), v, None, names, (w, g), rest))
        forward = to.Accumulate(n, to.Variable(z), to.Variable(u), to.Scope(names, step))
        return Derived(let((z, z_), z0.term, let((u, u_), s.term, let((r, b), forward, dual))), A)

    def _branch(self, side: int, x: str, s: Derived, e_: str) -> to.Scope:
        """``let ⟨q, q'⟩ = D(s) in ⟨q, λ̲v. scope x (q' • v) >>= λ̲w. e' • (linl w)⟩``"""
        q, q_ = self.names.pair("q")

        def rest(w: to.Term) -> Command:
            return _backpropagate(e_, to.LinearInject(side, UNIT, w))

        dual = self._dual(to.Variable(q), lambda v: self._with_accumulator(x, q_, v, rest))
        return to.Scope((x,), let((q, q_), s.term, dual))

    def _with_accumulator(self, x: str, y_: str, v: to.Term, rest: Callable[[to.Term], Command]) -> Command:
        """``scope x (y' • v) >>= λ̲w. …``"""
        w = self.names.fresh("v")
        return do.WithAccumulator(x, _backpropagate(y_, v), w, rest(to.LinearVariable(w)))

    def _dual(self, value: to.Term, command: Callable[[to.Term], Command], names: tuple[str, ...] = ()) -> to.Term:
        """``⟨t, λ̲v. C⟩``; with ``names``, the backpropagator has its own accumulators for them"""
        v = self.names.fresh("v")
        return to.Tuple((value, to.Backward(v, command(to.LinearVariable(v)), names)))

    def _column(self, n: int, rows: str, component: Callable[[to.Term], to.Term]) -> to.Term:
        """``map(p. p.i, r)``"""
        p = self.names.fresh("p")
        return to.Map(n, to.Scope((p,), component(to.Variable(p))), (to.Variable(rows),))

    def _all(self, gamma: Context, terms: Iterable[core.Term]) -> Generator[Descent[Derived], Derived, list[Derived]]:
        items: list[Derived] = []
        for M in terms:
            item = yield self.derivative(gamma, M)
            items.append(item)
        return items


def _backpropagate(x_: str, t: to.Term) -> Command:
    """``x' • t``"""
    return do.Backpropagate(to.Variable(x_), t)


def _components(pairs: list[tuple[str, str]], t: to.Term) -> Command:
    """``x1' • t.1 >> … >> xn' • t.n``"""
    return _sequence([_backpropagate(x_, to.Projection(i, t)) for i, (_, x_) in enumerate(pairs, 1)])


def _sequence(commands: list[Command]) -> Command:
    """``C1 >> … >> Cn``"""
    if not commands:
        return do.Pure()
    *initial, last = commands
    return reduce(lambda D, C: do.Sequence(C, D), reversed(initial), last)
