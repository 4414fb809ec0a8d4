"""The derivatives of ``foldl`` and ``scanl`` from those of their steps, for terms and for combinators (digest of CHAD, §3.5).

``let ⟨r, b⟩ = mapAccumL(a x. D(t), z, s)`` keeps the linear functions of all steps. Reverse mode calls them from the last to
the first, each with the cotangent of the accumulator that the one after it returned. Forward mode calls them in order.
"""

from collections.abc import Callable

from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, UNIT, AnyType, Mode, vector
from rh_kernel.ad.chad.term_builder import TermBuilder, first, let, second
from rh_kernel.source.records import frozen


@frozen
class FoldDerivative:
    """A fold over n entries; if it ``scans``, the result has every accumulator, the start first."""

    size: int
    scans: bool
    builder: TermBuilder

    def forward_pass(
        self,
        start: to.Term,
        array: to.Term,
        step: Callable[[to.Term, to.Term], to.Term],
        body: Callable[[to.Term, to.Term], to.Term],
    ) -> to.Term:
        """``let ⟨r, b⟩ = mapAccumL(a x. step, z, s) in body``, where ``body`` is a function of the result and of b"""
        names = self.builder.names
        r, b, a, x = (names.fresh(name) for name in ("r", "b", "a", "x"))
        entry, values = step(to.Variable(a), to.Variable(x)), to.Variable(r)
        if self.scans:
            (o, o_), c = names.pair("o"), names.fresh("c")
            entry = let((o, o_), entry, to.Tuple((to.Variable(o), to.Tuple((to.Variable(o), to.Variable(o_))))))
            values = to.Prepend(self.size, start, to.Map(self.size, to.Scope((c,), first(to.Variable(c))), (to.Variable(b),)))
        bound = to.Accumulate(self.size, start, array, to.Scope((a, x), entry))
        return let((r, b), bound, body(values, to.Variable(b)))

    def vjp(self, steps: to.Term, v: to.Term, gamma: AnyType, body: Callable[[to.Term, to.Term, to.Term], to.Term]) -> to.Term:
        """``let q = mapAccumR(b v. let p = b • v in ⟨snd (fst p), ⟨fst (fst p), snd p⟩⟩, b, v) in body``

        ``body`` is a function of the cotangents of the context, of the start and of the array.
        """
        n, map_linear = self.size, self.builder.map_linear
        accumulated = self._backward_pass(steps, v)
        if self.scans:
            accumulated = to.Tuple((accumulated, to.Slice(0, 1, n + 1, v)))

        def cotangents(q: to.Term) -> to.Term:
            both, start = q, first(q)
            if self.scans:
                both, start = first(q), to.Plus(first(first(q)), second(q))
            of_context = to.LinearSum(n, gamma, map_linear(n, second(both), first))
            return body(of_context, start, map_linear(n, second(both), second))

        return self.builder.let_linear(accumulated, cotangents, "q")

    def _backward_pass(self, steps: to.Term, v: to.Term) -> to.Term:
        n, (b, p) = self.size, (self.builder.names.fresh(name) for name in ("b", "p"))
        if self.scans:
            operand = to.Tuple((to.Zero(NUMBER), to.Slice(1, n + 1, n + 1, v)))
            step = to.LinearCall(second(to.Variable(b)), to.Plus(first(to.LinearVariable(p)), second(to.LinearVariable(p))))
        else:
            operand = to.Tuple((v, to.Zero(vector(n, UNIT))))
            step = to.LinearCall(to.Variable(b), first(to.LinearVariable(p)))
        body = self.builder.let_linear(
            step, lambda w: to.Tuple((to.Last(to.Initial(w)), to.Tuple((to.Initial(to.Initial(w)), to.Last(w)))))
        )
        return to.LinearAccumulate(Mode.REVERSE, n, steps, operand, to.Scope((b, p), body))

    def jvp(self, steps: to.Term, gamma: to.Term, start: to.Term, array: to.Term) -> to.Term:
        """``(mapAccumL(b w. let q = b • ⟨⟨w.2.1, w.1⟩, w.2.2⟩ in ⟨q, q⟩, b, ⟨z, zip ⟨replicate γ, s⟩⟩)).1``

        for the tangents γ, z, s of the context, the start and the array; of a scan, z and after it the second component.
        """
        n, (b, p) = self.size, (self.builder.names.fresh(name) for name in ("b", "p"))
        w, f = to.LinearVariable(p), second(to.Variable(b)) if self.scans else to.Variable(b)
        step = to.LinearCall(f, to.Extend(to.Extend(first(second(w)), first(w)), second(second(w))))
        body = self.builder.let_linear(step, lambda q: to.Tuple((q, q if self.scans else to.Tuple(()))), "q")
        inputs = to.LinearZip(n, to.Tuple((to.LinearReplicate(n, gamma), array)))
        accumulated = to.LinearAccumulate(Mode.FORWARD, n, steps, to.Tuple((start, inputs)), to.Scope((b, p), body))
        if not self.scans:
            return first(accumulated)

        def placed(m: to.Term) -> to.Term:
            entries = to.Place(1, n + 1, n + 1, NUMBER, second(first(m)))
            return to.Plus(to.Place(0, 1, n + 1, NUMBER, second(m)), entries)

        return self.builder.let_linear(to.Tuple((accumulated, start)), placed, "q")
