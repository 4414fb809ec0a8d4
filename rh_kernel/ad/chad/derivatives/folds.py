"""What the derivatives of ``foldl`` and ``scanl`` have in common, in λ-terms and in combinators (digest of CHAD, §3.5).

``let ⟨r, b⟩ = mapAccumL(a x. D(t), z, s)`` keeps the linear functions of all steps. In reverse mode they are run from the last
to the first, each given what the one after it found for the accumulator. In forward mode they are run alongside.
"""

from collections.abc import Callable
from dataclasses import dataclass

from rh_kernel.ad.chad.rules import each, first, let, let_linear, second
from rh_kernel.ad.chad.source import Supply
from rh_kernel.ad.chad.target.terms import (
    Accumulate,
    Extend,
    Initial,
    Last,
    LinearAccumulate,
    LinearCall,
    LinearReplicate,
    LinearSum,
    LinearVariable,
    LinearZip,
    Map,
    Place,
    Plus,
    Prepend,
    Scope,
    Slice,
    Term,
    Tuple,
    Variable,
    Zero,
)
from rh_kernel.ad.chad.target.types import NUMBER, UNIT, AnyType, Mode, vector


@dataclass(frozen=True, slots=True)
class Steps:
    """A fold over n entries; of one that ``scans``, every accumulator is an entry of the result, the start the first."""

    size: int
    scans: bool
    supply: Supply

    def kept(self, start: Term, array: Term, step: Callable[[Term, Term], Term], body: Callable[[Term, Term], Term]) -> Term:
        """``let ⟨r, b⟩ = mapAccumL(a x. step, z, s) in body``, which is given the result and b."""
        r, b, a, x = (self.supply.fresh(name) for name in ("r", "b", "a", "x"))
        entry, values = step(Variable(a), Variable(x)), Variable(r)
        if self.scans:
            (o, o_), c = self.supply.pair("o"), self.supply.fresh("c")
            entry = let((o, o_), entry, Tuple((Variable(o), Tuple((Variable(o), Variable(o_))))))
            values = Prepend(self.size, start, Map(self.size, Scope((c,), first(Variable(c))), (Variable(b),)))
        bound = Accumulate(self.size, start, array, Scope((a, x), entry))
        return let((r, b), bound, body(values, Variable(b)))

    def pulled(self, kept: Term, v: Term, gamma: AnyType, body: Callable[[Term, Term, Term], Term]) -> Term:
        """``let q = mapAccumR(b v. let p = b • v in ⟨snd (fst p), ⟨fst (fst p), snd p⟩⟩, b, v) in body``

        The body is given the cotangents of the context, of the start and of the array.
        """
        n, q, f, g = self.size, self.supply.fresh("q"), self.supply.fresh("v"), self.supply.fresh("v")
        both, start = LinearVariable(q), first(LinearVariable(q))
        accumulated = self._from_the_right(kept, v)
        if self.scans:
            accumulated = Tuple((accumulated, Slice(0, 1, n + 1, v)))
            both, start = first(both), Plus(first(first(both)), second(both))
        of_context = LinearSum(n, gamma, each(n, f, second(both), first(LinearVariable(f))))
        of_array = each(n, g, second(both), second(LinearVariable(g)))
        return let_linear(q, accumulated, body(of_context, start, of_array))

    def _from_the_right(self, kept: Term, v: Term) -> Term:
        n, (b, p, w) = self.size, (self.supply.fresh(name) for name in ("b", "p", "v"))
        if self.scans:
            operand = Tuple((Zero(NUMBER), Slice(1, n + 1, n + 1, v)))
            step = LinearCall(second(Variable(b)), Plus(first(LinearVariable(p)), second(LinearVariable(p))))
        else:
            operand = Tuple((v, Zero(vector(n, UNIT))))
            step = LinearCall(Variable(b), first(LinearVariable(p)))
        found = LinearVariable(w)
        back = Tuple((Last(Initial(found)), Tuple((Initial(Initial(found)), Last(found)))))
        return LinearAccumulate(Mode.REVERSE, n, kept, operand, Scope((b, p), let_linear(w, step, back)))

    def pushed(self, kept: Term, gamma: Term, start: Term, array: Term) -> Term:
        """``(mapAccumL(b w. let q = b • ⟨⟨w.2.1, w.1⟩, w.2.2⟩ in ⟨q, q⟩, b, ⟨z, zip ⟨replicate γ, s⟩⟩)).1``

        for the tangents γ, z, s of the context, the start and the array; of a scan, z and after it the second component.
        """
        n, (b, p, q) = self.size, (self.supply.fresh(name) for name in ("b", "p", "q"))
        w, f = LinearVariable(p), second(Variable(b)) if self.scans else Variable(b)
        step = LinearCall(f, Extend(Extend(first(second(w)), first(w)), second(second(w))))
        entry: Term = LinearVariable(q) if self.scans else Tuple(())
        body = let_linear(q, step, Tuple((LinearVariable(q), entry)))
        inputs = LinearZip(n, Tuple((LinearReplicate(n, gamma), array)))
        accumulated = LinearAccumulate(Mode.FORWARD, n, kept, Tuple((start, inputs)), Scope((b, p), body))
        if not self.scans:
            return first(accumulated)
        m = self.supply.fresh("q")
        placed = Place(0, 1, n + 1, NUMBER, second(LinearVariable(m)))
        steps = Place(1, n + 1, n + 1, NUMBER, second(first(LinearVariable(m))))
        return let_linear(m, Tuple((accumulated, start)), Plus(placed, steps))
