"""Ground terms ``F G ::= x | r | f(x1, …, xk) | F + G | F[x := G]``, and first-order backpropagation ``bp`` (Def. 10).

``bp`` of G is ``⟨G0, ⟨G1, …, Gn⟩α⟩β``: the value and, for an adjoint a of it, those of the inputs. It is no compositional
transformation, for it looks into what it made of the parts; the sums ``⊕`` that leave zeros out keep it linear.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.calculus import (
    ZERO,
    Bang,
    Binding,
    Block,
    Fun,
    Num,
    Pair,
    Plus,
    R,
    Term,
    Var,
    block,
    is_zero,
    mul,
    tuple_of,
)
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import partial


def is_ground(t: Term) -> bool:
    """Whether t is made of variables, numerals, sums, function symbols and substitutions of such terms."""
    match t:
        case Var() | Num():
            return True
        case Plus(left, right):
            return is_ground(left) and is_ground(right)
        case Fun(_, arguments):
            return all(map(is_ground, arguments))
        case Block(stack, body):
            return all(isinstance(b, Bang) and is_ground(b.bound) for b in stack) and is_ground(body)
        case _:
            return False


def let_form(t: Term, supply: NameSupply | None = None) -> Term:
    """T without sugar: the arguments of function symbols are variables, ``f(G1, …)`` is ``f(x1, …)[x1 := G1]…``."""
    supply = supply or NameSupply(names(t))
    match t:
        case Plus(left, right):
            return Plus(let_form(left, supply), let_form(right, supply))
        case Fun(symbol, arguments):
            named: list[Binding] = []
            atoms: list[Term] = []
            for u in arguments:
                if isinstance(u, Var):
                    atoms.append(u)
                else:
                    x = supply.fresh("g")
                    named.insert(0, Bang(x, R, let_form(u, supply)))
                    atoms.append(Var(x))
            return block(tuple(named), Fun(symbol, tuple(atoms)))
        case Block(stack, body):
            bound = [Bang(b.name, b.type, let_form(b.bound, supply)) for b in stack if isinstance(b, Bang)]
            return block(tuple(bound), let_form(body, supply))
        case _:
            return t


@dataclass(frozen=True, slots=True)
class Backward:
    """``⟨G0, ⟨G1, …, Gn⟩α⟩β``, the partial results by name, without those that are written as 0; stacks outermost first"""

    value: Term
    partials: dict[str, Term]
    alpha: tuple[Binding, ...] = ()
    beta: tuple[Binding, ...] = ()

    def term(self, inputs: Iterable[str]) -> Term:
        """The term."""
        adjoints = tuple(self.partials.get(x, ZERO) for x in inputs)
        return block(self.beta, Pair(self.value, block(self.alpha, tuple_of(adjoints))))


def bp(t: Term, inputs: Sequence[str], a: str, supply: NameSupply, *, plain: bool = False) -> Backward:
    """``bp_{x, a}(G)`` for a G in let form; ``plain`` writes ``+`` for ``⊕``, and is quadratic."""
    return _Backpropagation(supply, plain).of(t, tuple(inputs), a)


@dataclass(frozen=True, slots=True)
class _Backpropagation:
    supply: NameSupply
    plain: bool

    def of(self, t: Term, x: tuple[str, ...], a: str) -> Backward:
        match t:
            case Var(y):
                return Backward(t, self.all({y: Var(a)}, x))
            case Num():
                return Backward(t, self.all({}, x))
            case Fun(symbol, arguments):
                partials: dict[str, Term] = {}
                for i, u in enumerate(arguments, 1):
                    if not isinstance(u, Var):
                        raise outside("an argument that is no variable")
                    partials = self.added(partials, {u.name: mul(partial(symbol, i, arguments), Var(a))})
                return Backward(t, self.all(partials, x))
            case Plus(left, right):
                first, second = self.of(left, x, a), self.of(right, x, a)
                return Backward(
                    Plus(first.value, second.value),
                    self.added(first.partials, second.partials),
                    (*second.alpha, *first.alpha),
                    (*second.beta, *first.beta),
                )
            case Block(stack, body):
                return self.block(stack, body, x, a)
            case _:
                raise outside("a term that is not ground")

    def block(self, stack: tuple[Binding, ...], body: Term, x: tuple[str, ...], a: str) -> Backward:
        """``F[z := F′]``, from the innermost substitution to the outermost"""
        known = [b for b in stack if isinstance(b, Bang)]
        done = self.of(body, (*x, *(b.name for b in known)), a)
        value, partials = done.value, dict(done.partials)
        alpha, beta = [*done.alpha], [*reversed(done.beta)]
        for i in reversed(range(len(known))):
            z = known[i]
            H = partials.pop(z.name, ZERO)
            b = self.supply.fresh("b")
            inner = self.of(z.bound, (*x, *(y.name for y in known[:i])), b)
            beta += (Bang(z.name, R, inner.value), *reversed(inner.beta))
            if not is_zero(H):
                partials = self.added(partials, inner.partials)
                alpha += (Bang(b, R, H), *inner.alpha)
        return Backward(value, partials, tuple(alpha), tuple(reversed(beta)))

    def added(self, first: dict[str, Term], second: dict[str, Term]) -> dict[str, Term]:
        """``Fᵢ ⊕ Fᵢ′`` for each i: the other one if one is 0"""
        total = dict(first)
        for x, u in second.items():
            total[x] = Plus(total[x], u) if x in total else u
        return total

    def all(self, partials: dict[str, Term], x: tuple[str, ...]) -> dict[str, Term]:
        """With zeros for all other inputs, if zeros are written."""
        return {y: partials.get(y, ZERO) for y in x} if self.plain else partials
