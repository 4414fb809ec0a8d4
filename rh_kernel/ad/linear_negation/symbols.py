"""``F ⊆ F′``, the function symbols, and ``∂/∂i : F ⇀ F′`` (§2.3).

F has the function symbols of ``%%lambda`` cells without ``add``, which is a constructor here, and some symbols of the paper's
examples: ``ReLU`` with ``∂ReLU = Step``, whose value at 0 is 1, and the ternary ``fma(x, y, z) = x · y + z``. Partial
derivatives that are a constant, a variable or one symbol (``∂sin = cos``) are written as in the paper; any other is a symbol of
F′ that has no derivative of its own.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

from rh_kernel.ad.language import scalars
from rh_kernel.ad.language.core import Apply, Constant, Variable
from rh_kernel.ad.language.core import Term as CoreTerm
from rh_kernel.ad.language.evaluation import OpCounter, evaluate
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.linear_negation.calculus import Fun, Num, Partial, Symbol, Term
from rh_kernel.source.diagnostic import KernelBug

EXAMPLES: Mapping[str, int] = MappingProxyType({"ReLU": 1, "Step": 1, "fma": 3})
"""The arities of the symbols of the examples."""


def arity(f: Symbol) -> int:
    """The arity of f."""
    match f:
        case Partial(of):
            return arity(of)
        case str():
            return EXAMPLES[f] if f in EXAMPLES else scalars.SYMBOLS[f]


def apply(f: Symbol, numbers: Sequence[float]) -> float:
    """``⟦f⟧(r1, …, rk)``, by which rules (14) and (23) reduce"""
    match f:
        case "ReLU":
            return max(numbers[0], 0.0)
        case "Step":
            return 0.0 if numbers[0] < 0 else 1.0
        case "fma":
            return numbers[0] * numbers[1] + numbers[2]
        case Partial(of, i):
            M = _written(of, i)
            V: Value = evaluate(M, dict(zip(_NAMES, numbers, strict=False)), OpCounter())
            if not isinstance(V, float):
                raise KernelBug(f"{f} is no number")
            return V
        case str():
            return scalars.apply(f, *numbers)


@cache
def operations(f: Symbol) -> int:
    """The number of operations on numbers in f: those in the term that ∂f/∂i abbreviates, and 1 for any other symbol."""
    match f:
        case "fma":
            return 2
        case str():
            return 1
        case Partial(of, i):
            counter = OpCounter()
            with scalars.quietly():
                evaluate(_written(of, i), dict.fromkeys(_NAMES, 0.5), counter)
            return counter.operations


def partial(f: Symbol, i: int, arguments: tuple[Term, ...]) -> Term:
    """``∂f/∂i(t1, …, tk)`` for variables and numerals t; i counts from 1. Raises ``KernelBug`` where F′ has no such symbol."""
    match f, i:
        case "ReLU", _:
            return Fun("Step", arguments)
        case "Step", _:
            return Num(0.0)
        case "fma", 3:
            return Num(1.0)
        case "fma", _:
            return arguments[2 - i]
        case Partial(), _:
            raise KernelBug(f"{f} has no derivative of its own")
        case str(), _:
            return _instance(f, i, arguments)


def _instance(f: str, i: int, arguments: tuple[Term, ...]) -> Term:
    match _written(f, i):
        case Constant() | Variable() as M:
            return _atom(M, arguments)
        case Apply(g, terms) if g != "add" and all(isinstance(M, Constant | Variable) for M in terms):
            return Fun(g, tuple(_atom(M, arguments) for M in terms))
        case _:
            return Fun(Partial(f, i), arguments)


def _atom(M: CoreTerm, arguments: tuple[Term, ...]) -> Term:
    match M:
        case Constant(value):
            return Num(value)
        case Variable(x):
            return arguments[_NAMES.index(x)]
        case _:
            raise KernelBug("neither a constant nor a variable")


_NAMES = ("x", "y")


@cache
def _written(f: str, i: int) -> CoreTerm:
    return scalars.partial(f, i, tuple(map(Variable, _NAMES[: scalars.SYMBOLS[f]])))
