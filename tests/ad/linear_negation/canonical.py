"""Equality up to ≡ and the sum's order, bracketing and zeros: of ``bp(G)`` and of the normal form of ``D(t)`` (Thm 15).

A value is a sum of atoms with multiplicities; an atom is an input, the adjoint, a numeral or a function symbol of values. Equal
atoms have the same number.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from rh_kernel.ad.linear_negation.binding import float_out
from rh_kernel.ad.linear_negation.calculus import App, Block, Fun, LinearLambda, Num, Open, Pair, Plus, Term, Var, is_zero
from rh_kernel.ad.linear_negation.ground import Backward
from rh_kernel.ad.linear_negation.normal_form import Symbolic
from rh_kernel.source.diagnostic import KernelBug

Value: TypeAlias = Counter[int]
"""The multiplicity of each atom in a sum."""
Known: TypeAlias = dict[str, Value]


class Canon:
    """The numbers of the atoms."""

    __slots__ = ("_atoms",)

    def __init__(self) -> None:
        self._atoms: dict[object, int] = {}

    def atom(self, key: object) -> Value:
        """The value of a single atom."""
        return Counter({self._atoms.setdefault(key, len(self._atoms)): 1})

    def value(self, t: Term, known: Known) -> Value:
        """The value of a ground term."""
        match t:
            case Var(x):
                return known[x]
            case Num() if is_zero(t):
                return Counter()
            case Num(r):
                return self.atom(r)
            case Plus(left, right):
                return self.value(left, known) + self.value(right, known)
            case Fun(symbol, arguments):
                return self.atom((symbol, *(frozenset(self.value(u, known).items()) for u in arguments)))
            case Block(stack, body):
                inner = dict(known)
                for b in stack:
                    if isinstance(b, Open):
                        break
                    inner[b.name] = self.value(b.bound, inner)
                return self.value(body, inner)
            case _:
                raise KernelBug("this is no ground term")

    def inputs(self, names: Sequence[str]) -> Known:
        """The inputs, by their indices."""
        return {x: self.atom(("input", i)) for i, x in enumerate(names)}

    def symbolic(self, found: Symbolic) -> tuple[Value, ...]:
        """``G0, G1, …, Gn`` of a normal form."""
        known = self.inputs(found.opened.inputs)
        core = self._bound(found.term, known)
        if not isinstance(core, Pair) or not isinstance(core.right, LinearLambda):
            raise KernelBug("this is no normal form of a number")
        value = self.value(core.left, known)
        known[core.right.name] = self.atom("adjoint")
        adjoints = {x: Counter[int]() for x in found.opened.tags}
        for t in _summands(self._bound(core.right.body, known)):
            match t:
                case App(Var(tag), e):
                    adjoints[tag] = adjoints[tag] + self.value(e, known)
                case _ if is_zero(t):
                    pass
                case _:
                    raise KernelBug("this is no sum of tags")
        return value, *adjoints.values()

    def backward(self, found: Backward, inputs: Sequence[str], a: str) -> tuple[Value, ...]:
        """``G0, G1, …, Gn`` of a result of ``bp``."""
        known = self.inputs(inputs)
        for b in found.beta:
            self._bound(Block((b,), Var("")), known)
        value = self.value(found.value, known)
        known[a] = self.atom("adjoint")
        for b in found.alpha:
            self._bound(Block((b,), Var("")), known)
        return value, *(self.value(found.partials[x], known) if x in found.partials else Counter[int]() for x in inputs)

    def _bound(self, t: Term, known: Known) -> Term:
        """The term under the substitutions of t, whose values are entered in ``known``."""
        stack, core = float_out(t)
        for b in stack:
            if isinstance(b, Open):
                raise KernelBug("a pair that was not taken apart")
            known[b.name] = self.value(b.bound, known)
        return core


def _summands(t: Term) -> list[Term]:
    found: list[Term] = []
    pending = [t]
    while pending:
        u = pending.pop()
        if isinstance(u, Plus):
            pending += (u.left, u.right)
        else:
            found.append(u)
    return found
