"""Ground terms ``F G ::= x | r | f(x1, …, xk) | F + G | F[x := G]``, and first-order backpropagation ``bp`` (Def. 10).

``bp`` of G is ``⟨G0, ⟨G1, …, Gn⟩α⟩β``: the value and, for an adjoint a of it, the adjoints of the inputs. It is not
compositional, as it inspects the results for subterms; the sums ``⊕``, which omit zeros, keep the size of its result linear.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rh_kernel.ad.linear_negation import calculus as c
from rh_kernel.ad.linear_negation.binding import names
from rh_kernel.ad.linear_negation.names import NameSupply
from rh_kernel.ad.linear_negation.refusal import outside
from rh_kernel.ad.linear_negation.symbols import partial


def is_ground(t: c.Term) -> bool:
    """Whether t has variables, numerals, sums, function symbols and substitutions only."""
    match t:
        case c.Var() | c.Num():
            return True
        case c.Plus(left, right):
            return is_ground(left) and is_ground(right)
        case c.Fun(_, arguments):
            return all(map(is_ground, arguments))
        case c.Block(stack, body):
            return all(isinstance(b, c.Bang) and is_ground(b.bound) for b in stack) and is_ground(body)
        case _:
            return False


def let_form(t: c.Term, supply: NameSupply | None = None) -> c.Term:
    """Bind the arguments of function symbols to variables: ``f(G1, …)`` becomes ``f(x1, …)[x1 := G1]…``."""
    supply = supply or NameSupply(names(t))
    match t:
        case c.Plus(left, right):
            return c.Plus(let_form(left, supply), let_form(right, supply))
        case c.Fun(symbol, arguments):
            named: list[c.Binding] = []
            atoms: list[c.Term] = []
            for u in arguments:
                if isinstance(u, c.Var):
                    atoms.append(u)
                else:
                    x = supply.fresh("g")
                    named.insert(0, c.Bang(x, c.R, let_form(u, supply)))
                    atoms.append(c.Var(x))
            return c.block(tuple(named), c.Fun(symbol, tuple(atoms)))
        case c.Block(stack, body):
            bound = [c.Bang(b.name, b.type, let_form(b.bound, supply)) for b in stack if isinstance(b, c.Bang)]
            return c.block(tuple(bound), let_form(body, supply))
        case _:
            return t


@dataclass(frozen=True, slots=True)
class Backward:
    """``⟨G0, ⟨G1, …, Gn⟩α⟩β``, with the ``Gᵢ`` that are not 0 by the names of the inputs"""

    value: c.Term
    partials: dict[str, c.Term]
    alpha: tuple[c.Binding, ...] = ()
    beta: tuple[c.Binding, ...] = ()

    def term(self, inputs: Iterable[str]) -> c.Term:
        """The whole term."""
        adjoints = tuple(self.partials.get(x, c.ZERO) for x in inputs)
        return c.block(self.beta, c.Pair(self.value, c.block(self.alpha, c.tuple_of(adjoints))))


def bp(t: c.Term, inputs: Sequence[str], a: str, supply: NameSupply, *, plain: bool = False) -> Backward:
    """``bp_{x, a}(G)`` for a G in let form; with ``plain``, ``+`` instead of ``⊕``, of quadratic size."""
    return _Backpropagation(supply, plain).of(t, tuple(inputs), a)


@dataclass(frozen=True, slots=True)
class _Backpropagation:
    supply: NameSupply
    plain: bool

    def of(self, t: c.Term, x: tuple[str, ...], a: str) -> Backward:
        match t:
            case c.Var(y):
                return Backward(t, self.all({y: c.Var(a)}, x))
            case c.Num():
                return Backward(t, self.all({}, x))
            case c.Fun(symbol, arguments):
                partials: dict[str, c.Term] = {}
                for i, u in enumerate(arguments, 1):
                    if not isinstance(u, c.Var):
                        raise outside("an argument that is no variable")
                    partials = _added(partials, {u.name: c.mul(partial(symbol, i, arguments), c.Var(a))})
                return Backward(t, self.all(partials, x))
            case c.Plus(left, right):
                first, second = self.of(left, x, a), self.of(right, x, a)
                return Backward(
                    c.Plus(first.value, second.value),
                    _added(first.partials, second.partials),
                    (*second.alpha, *first.alpha),
                    (*second.beta, *first.beta),
                )
            case c.Block(stack, body):
                return self.block(stack, body, x, a)
            case _:
                raise outside("a term that is not ground")

    def block(self, stack: tuple[c.Binding, ...], body: c.Term, x: tuple[str, ...], a: str) -> Backward:
        """``F[z := F′]…``, from the innermost substitution to the outermost"""
        known = [b for b in stack if isinstance(b, c.Bang)]
        done = self.of(body, (*x, *(b.name for b in known)), a)
        value, partials = done.value, dict(done.partials)
        alpha, beta = [*done.alpha], [*reversed(done.beta)]
        for i in reversed(range(len(known))):
            z = known[i]
            H = partials.pop(z.name, c.ZERO)
            b = self.supply.fresh("b")
            inner = self.of(z.bound, (*x, *(y.name for y in known[:i])), b)
            beta += (c.Bang(z.name, c.R, inner.value), *reversed(inner.beta))
            if not c.is_zero(H):
                partials = _added(partials, inner.partials)
                alpha += (c.Bang(b, c.R, H), *inner.alpha)
        return Backward(value, partials, tuple(alpha), tuple(reversed(beta)))

    def all(self, partials: dict[str, c.Term], x: tuple[str, ...]) -> dict[str, c.Term]:
        """The partial results, if ``plain`` with zeros for all other inputs."""
        return {y: partials.get(y, c.ZERO) for y in x} if self.plain else partials


def _added(first: dict[str, c.Term], second: dict[str, c.Term]) -> dict[str, c.Term]:
    """``Fᵢ ⊕ Fᵢ′`` for each i; missing terms are 0."""
    return first | {x: c.Plus(first[x], u) if x in first else u for x, u in second.items()}
