"""What the derivatives of ``foldl`` and ``scanl`` have in common, in λ-terms and in combinators (digest of CHAD, §3.5).

``let ⟨r, b⟩ = mapAccumL(a x. D(t), z, s)`` keeps the linear functions of all steps. In reverse mode they are run from the last
to the first, each given what the one after it found for the accumulator. In forward mode they are run alongside.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rh_kernel.ad.chad.rules import each, first, let, let_linear, second
from rh_kernel.ad.chad.source import NameSupply
from rh_kernel.ad.chad.target import terms as to
from rh_kernel.ad.chad.target.types import NUMBER, UNIT, AnyType, Mode, vector


@dataclass(frozen=True, slots=True)
class Steps:
    """A fold over n entries; of one that ``scans``, every accumulator is an entry of the result, the start the first."""

    size: int
    scans: bool
    supply: NameSupply

    def kept(
        self,
        start: to.Term,
        array: to.Term,
        step: Callable[[to.Term, to.Term], to.Term],
        body: Callable[[to.Term, to.Term], to.Term],
    ) -> to.Term:
        """``let ⟨r, b⟩ = mapAccumL(a x. step, z, s) in body``, which is given the result and b."""
        r, b, a, x = (self.supply.fresh(name) for name in ("r", "b", "a", "x"))
        entry, values = step(to.Variable(a), to.Variable(x)), to.Variable(r)
        if self.scans:
            (o, o_), c = self.supply.pair("o"), self.supply.fresh("c")
            entry = let((o, o_), entry, to.Tuple((to.Variable(o), to.Tuple((to.Variable(o), to.Variable(o_))))))
            values = to.Prepend(self.size, start, to.Map(self.size, to.Scope((c,), first(to.Variable(c))), (to.Variable(b),)))
        bound = to.Accumulate(self.size, start, array, to.Scope((a, x), entry))
        return let((r, b), bound, body(values, to.Variable(b)))

    def pulled(
        self, kept: to.Term, v: to.Term, gamma: AnyType, body: Callable[[to.Term, to.Term, to.Term], to.Term]
    ) -> to.Term:
        """``let q = mapAccumR(b v. let p = b • v in ⟨snd (fst p), ⟨fst (fst p), snd p⟩⟩, b, v) in body``

        The body is given the cotangents of the context, of the start and of the array.
        """
        n, q, f, g = self.size, self.supply.fresh("q"), self.supply.fresh("v"), self.supply.fresh("v")
        both, start = to.LinearVariable(q), first(to.LinearVariable(q))
        accumulated = self._from_the_right(kept, v)
        if self.scans:
            accumulated = to.Tuple((accumulated, to.Slice(0, 1, n + 1, v)))
            both, start = first(both), to.Plus(first(first(both)), second(both))
        of_context = to.LinearSum(n, gamma, each(n, f, second(both), first(to.LinearVariable(f))))
        of_array = each(n, g, second(both), second(to.LinearVariable(g)))
        return let_linear(q, accumulated, body(of_context, start, of_array))

    def _from_the_right(self, kept: to.Term, v: to.Term) -> to.Term:
        n, (b, p, w) = self.size, (self.supply.fresh(name) for name in ("b", "p", "v"))
        if self.scans:
            operand = to.Tuple((to.Zero(NUMBER), to.Slice(1, n + 1, n + 1, v)))
            step = to.LinearCall(second(to.Variable(b)), to.Plus(first(to.LinearVariable(p)), second(to.LinearVariable(p))))
        else:
            operand = to.Tuple((v, to.Zero(vector(n, UNIT))))
            step = to.LinearCall(to.Variable(b), first(to.LinearVariable(p)))
        found = to.LinearVariable(w)
        back = to.Tuple((to.Last(to.Initial(found)), to.Tuple((to.Initial(to.Initial(found)), to.Last(found)))))
        return to.LinearAccumulate(Mode.REVERSE, n, kept, operand, to.Scope((b, p), let_linear(w, step, back)))

    def pushed(self, kept: to.Term, gamma: to.Term, start: to.Term, array: to.Term) -> to.Term:
        """``(mapAccumL(b w. let q = b • ⟨⟨w.2.1, w.1⟩, w.2.2⟩ in ⟨q, q⟩, b, ⟨z, zip ⟨replicate γ, s⟩⟩)).1``

        for the tangents γ, z, s of the context, the start and the array; of a scan, z and after it the second component.
        """
        n, (b, p, q) = self.size, (self.supply.fresh(name) for name in ("b", "p", "q"))
        w, f = to.LinearVariable(p), second(to.Variable(b)) if self.scans else to.Variable(b)
        step = to.LinearCall(f, to.Extend(to.Extend(first(second(w)), first(w)), second(second(w))))
        entry: to.Term = to.LinearVariable(q) if self.scans else to.Tuple(())
        body = let_linear(q, step, to.Tuple((to.LinearVariable(q), entry)))
        inputs = to.LinearZip(n, to.Tuple((to.LinearReplicate(n, gamma), array)))
        accumulated = to.LinearAccumulate(Mode.FORWARD, n, kept, to.Tuple((start, inputs)), to.Scope((b, p), body))
        if not self.scans:
            return first(accumulated)
        m = self.supply.fresh("q")
        placed = to.Place(0, 1, n + 1, NUMBER, second(to.LinearVariable(m)))
        steps = to.Place(1, n + 1, n + 1, NUMBER, second(first(to.LinearVariable(m))))
        return let_linear(m, to.Tuple((accumulated, start)), to.Plus(placed, steps))
