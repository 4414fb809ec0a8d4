"""What need not be computed round by round leaves a loop.

A value of values that all rounds share is computed once, before the loop. A product ``W x`` with a row x that each round is
given is a row of one matrix product before it, and one that is only returned is a row of one after it. And ``w ← w ± y xᵀ`` in
each round is one matrix product after it, of all y and x, if the rounds do not use w otherwise; ``v ← v ± y`` is one sum. So
the rounds compute only what depends on the round before.
"""

from collections import Counter
from collections.abc import Sequence

from rh_kernel.arrays.drafts import CopiedLoop, Draft
from rh_kernel.arrays.program import Equation, Loop, Operator, OuterMean, ProductMean, Register
from rh_kernel.loops.trees import leaves
from rh_kernel.primitives.formulas import MATRIX_MATRIX
from rh_kernel.primitives.linear import SCALE, TRANSPOSE
from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.structural import SUM_ROWS
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import dim


@frozen
class _Sum:
    """``c ← c ± s · y xᵀ`` in each round: the symbol that adds or subtracts, the register of s, if any, and the product

    Without a product, ``c ← c ± y`` for a vector y, the only operand.
    """

    sign: Primitive
    operands: tuple[Register, ...]
    factor: Register | None = None
    product: Operator | None = None


def split(draft: Draft, f: Loop, arguments: tuple[Register, ...]) -> CopiedLoop:
    """Split a loop of a draft: return the loop that is left, and how its results become those of the whole."""
    return _Fission(draft, f, arguments).run()


class _Fission:
    """The state of splitting a loop, whose registers are mapped to registers of the draft or of the new body.

    ``new`` are those of the new body; ``shared`` those of the draft with what all rounds share, and ``wholes`` those that have
    a row for each round. ``later`` are the products that are computed after the loop.
    """

    def __init__(self, draft: Draft, f: Loop, arguments: tuple[Register, ...]) -> None:
        self.draft = draft
        self.f = f
        self.inner = Draft()
        self.inputs, self.results = leaves(f.body.inputs), leaves(f.body.result)
        carried, rows = f.arity
        self.starts = dict(zip(self.inputs[:carried], arguments, strict=False))
        self.new: dict[Register, Register] = {}
        self.wholes = dict(zip(self.inputs[carried : carried + rows], arguments[carried:], strict=False))
        self.shared = dict(zip(self.inputs[carried + rows :], arguments[carried + rows :], strict=True))
        self.shared |= {r: draft.constant(array) for r, array in f.body.constants}
        self.given: dict[Register, Register] = {}
        self.rows: dict[Register, Register] = {}
        self.definitions = {e.result: e for e in f.body.equations}
        self.later: dict[Register, tuple[Register, Register]] = {}
        self.uses = Counter([a for e in f.body.equations for a in e.arguments] + [*self.results])
        self.sums = self._sums()

    def run(self) -> CopiedLoop:
        f, body, inner = self.f, self.f.body, self.inner
        states = [r for r in self.starts if r not in self.sums]
        ends = dict(zip(self.starts, self.results, strict=False))
        skipped = {ends[r] for r in self.sums}
        for r in states:
            self.new[r] = inner.fresh(body.shapes[r], batched=body.batched[r])
        for e in body.equations:
            if e.result not in skipped and not self._moved(e):
                inner.span = e.span
                self.new[e.result] = inner.equation(e.operator, tuple([self._register(a) for a in e.arguments]))
        stacked = self._stacked()
        outputs = [self._register(r) for r in (*[ends[r] for r in states], *stacked)]
        inputs = (tuple([self.new[r] for r in states]), tuple(self.rows), tuple(self.given))
        arguments = (*[self.starts[r] for r in states], *self.rows.values(), *self.given.values())
        made = Loop(f.rounds, inner.finished(body.names, inputs, tuple(outputs)), f.backward)
        return CopiedLoop(made, arguments, lambda loop: self._found(self.draft.parts(loop), states, stacked))

    def _sums(self) -> dict[Register, _Sum]:
        """The carried values to which the rounds only add products of vectors."""
        body, found = self.f.body, dict[Register, _Sum]()
        uses = self.uses
        for c, end in zip(self.starts, self.results, strict=False):
            e = self.definitions.get(end)
            if e is None or uses[c] != 1 or uses[end] != 1 or not isinstance(e.operator, Primitive) or c not in e.arguments:
                continue
            if e.operator.name == "add" or (e.operator.name == "sub" and e.arguments[0] == c):
                (g,) = [a for a in e.arguments if a != c]
                factor, product = self._product(g)
                if product is not None:
                    found[c] = _Sum(e.operator, product.arguments, factor, product.operator)
                elif len(body.shapes[c]) == 1 and g not in self.shared:
                    found[c] = _Sum(e.operator, (g,))
        return found

    def _product(self, g: Register) -> tuple[Register | None, Equation | None]:
        """The factor s, if any, and the product y xᵀ that g is made of."""
        e = self.definitions.get(g)
        if e is None:
            return None, None
        if isinstance(e.operator, OuterMean) or (isinstance(e.operator, Primitive) and e.operator.name == "outer"):
            return None, e
        if isinstance(e.operator, Primitive) and e.operator.name == "scale" and e.arguments[0] in self.shared:
            _, product = found = self._product(e.arguments[1])
            return (e.arguments[0], product) if found[0] is None else (None, None)
        return None, None

    def _moved(self, e: Equation) -> bool:
        """Compute the equation before the loop, if that is possible."""
        f, body = e.operator, self.f.body
        if not isinstance(f, Primitive):
            return False
        if all(a in self.shared for a in e.arguments):
            self.draft.span = e.span
            self.shared[e.result] = self.draft.apply(f, tuple([self.shared[a] for a in e.arguments]))
            return True
        if f.name != "matmul" or len(body.shapes[e.result]) != 1:
            return False
        w, x = e.arguments
        if w in self.shared and self._has_rows(x):
            self.wholes[e.result] = self._products(self.wholes[x], self.shared[w])
            return True
        carried, _ = self.f.arity
        if w in self.shared and self.uses[e.result] == 1 and e.result in self.results[carried:]:
            self.later[e.result] = (w, x)
            return True
        return False

    def _products(self, X: Register, W: Register) -> Register:
        """``X Wᵀ``, whose rows are the products of W and the rows of X."""
        n, (m, k) = self.f.rounds, self.draft.shapes[W]
        return self.draft.apply(_matmul(n, k, m), (X, self._transposed(W)))

    def _transposed(self, x: Register) -> Register:
        m, n = self.draft.shapes[x]
        return self.draft.apply(instantiate("transpose", TRANSPOSE, (dim(m), dim(n))), (x,))

    def _has_rows(self, r: Register) -> bool:
        """Whether there is an array with its values in all rounds, in the order of the axes of a stack."""
        found = self.wholes.get(r)
        return found is not None and self.draft.shapes[found] == (self.f.rounds, *self.f.body.shapes[r])

    def _stacked(self) -> list[Register]:
        """What the new loop returns from each round."""
        carried, _ = self.f.arity
        factors = [r for found in self.sums.values() for r in found.operands]
        results = [self.later[r][1] if r in self.later else r for r in self.results[carried:]]
        wanted = [r for r in (*results, *factors) if not self._has_rows(r)]
        return [*dict.fromkeys(wanted)]

    def _register(self, r: Register) -> Register:
        """The register of the new body; what the rounds share or are given rows of becomes an input."""
        found = self.new.get(r)
        if found is not None:
            return found
        shape, outer = self.f.body.shapes[r], self.shared.get(r, self.wholes.get(r, -1))
        held = self.draft.held(outer) if r in self.shared else None
        if held is not None:
            found = self.inner.constant(held)
        else:
            found = self.inner.fresh(shape, batched=self.draft.batched[outer])
            (self.given if r in self.shared else self.rows)[found] = outer
        self.new[r] = found
        return found

    def _found(self, parts: Sequence[Register], states: Sequence[Register], stacked: Sequence[Register]) -> list[Register]:
        """The results of the whole, from those of the new loop."""
        carried, _ = self.f.arity
        ends = dict(zip(states, parts, strict=False))
        wholes = {r: self.wholes[r] for r in self.wholes if self._has_rows(r)}
        wholes |= dict(zip(stacked, parts[len(states) :], strict=True))
        wholes |= {r: self._products(wholes[x], self.shared[w]) for r, (w, x) in self.later.items()}
        found = [ends[c] if c in ends else self._end(c, wholes) for c in self.starts]
        return [*found, *[wholes[r] for r in self.results[carried:]]]

    def _end(self, c: Register, wholes: dict[Register, Register]) -> Register:
        """The last value of a sum: what it begins with, and one matrix product, or one sum of rows."""
        draft, made, n = self.draft, self.sums[c], self.f.rounds
        if made.product is None:
            (Y,) = [wholes[r] for r in made.operands]
            rows = instantiate("sum_rows", SUM_ROWS, (dim(n), dim(draft.shapes[Y][1])))
            return draft.apply(made.sign, (self.starts[c], draft.apply(rows, (Y,))))
        Y, X = [wholes[r] for r in made.operands]
        (_, m), (_, k) = draft.shapes[Y], draft.shapes[X]
        is_mean = isinstance(made.product, OuterMean)
        total = draft.apply(ProductMean((m, k), n) if is_mean else _matmul(m, n, k), (self._transposed(Y), X))
        if made.factor is not None:
            total = draft.apply(instantiate("scale", SCALE, ((dim(m), dim(k)),)), (self.shared[made.factor], total))
        return draft.apply(made.sign, (self.starts[c], total))


def _matmul(m: int, k: int, n: int) -> Primitive:
    """The product of m × k and k × n matrices."""
    return instantiate("matmul", MATRIX_MATRIX, (dim(m), dim(k), dim(n)))
