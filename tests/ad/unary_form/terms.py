"""Terms of Source and Target for the tests, written short, and gradients of programs both ways."""

from collections import Counter

from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.names import Names
from rh_kernel.ad.unary_form.direct import direct
from rh_kernel.ad.unary_form.optimisation.gradients import Gradient, Problem, gradient
from rh_kernel.ad.unary_form.optimisation.rewriting import trace
from rh_kernel.ad.unary_form.optimisation.rules import ALL, Rule
from rh_kernel.ad.unary_form.systems import DIRECT, UNARY, problem
from rh_kernel.ad.unary_form.terms.binding import parts, subterms
from rh_kernel.ad.unary_form.terms.naming import Numbered
from rh_kernel.ad.unary_form.terms.terms import ONE, ZERO, App, Fold, Fun, If, Let, Map, Map2, Op, Term, Var
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, Type
from rh_kernel.ad.unary_form.unary import from_unary
from rh_kernel.ad.unary_form.unary.forms import Types

WAYS = (UNARY, DIRECT)
DERIVES = (from_unary.derive, direct.derive)


def op(symbol: str, *arguments: Term) -> Op:
    """``op(e1, …)``"""
    return Op(symbol, arguments)


def mul(M: Term, N: Term) -> Op:
    """``e1 * e2``"""
    return op("mul", M, N)


def add(M: Term, N: Term) -> Op:
    """``e1 + e2``"""
    return op("add", M, N)


def reduce_of(symbol: str, start: Term, array: Term, a: str = "a", x: str = "x") -> Fold:
    """``reduce op e A``"""
    return Fold("reduce", a, x, op(symbol, Var(a), Var(x)), start, array)


def map2_of(symbol: str, A: Term, B: Term, a: str = "a", b: str = "b") -> Map2:
    """``map2 op A B``"""
    return Map2(a, b, op(symbol, Var(a), Var(b)), A, B)


def sum_of(A: Term) -> Fold:
    """``reduce + 0 A``"""
    return reduce_of("add", ZERO, A, "u", "v")


def used(M: Term) -> set[str]:
    """All names that occur in M."""
    names = {N.name for N in subterms(M) if isinstance(N, Var)}
    for N in subterms(M):
        for bound, _ in parts(N):
            names.update(bound)
    return names


def asked(context: Context, e: Term, way: int = 0, seed: Term = ONE) -> Problem:
    """The gradient of a term of Source as what is to be found."""
    names = Numbered((*used(e), *(x for x, _ in context)))
    return Problem(DERIVES[way], context, e, seed, names)


def optimised(program: Program, way: int = 0, rules: frozenset[Rule] = ALL) -> Gradient:
    """The gradient of a program, with the rules that are switched on."""
    return gradient(problem(WAYS[way], program)[1], rules)


def double(A: Term) -> Map:
    """``map (x. x + x) A``"""
    return Map("d", add(Var("d"), Var("d")), A)


def has_functions(M: Term) -> bool:
    """Whether M contains a function or an application: after partial evaluation it does not."""
    return any(isinstance(N, Fun | App) for N in subterms(M))


def normal_form(context: Context, M: Term, names: Names, rules: frozenset[Rule] = ALL) -> tuple[Term, Counter[Rule]]:
    """The last term of the optimiser's trace, and how often it used each rule."""
    fired: Counter[Rule] = Counter()
    for step in trace(context, M, names, rules):
        M = step.term
        fired[step.rule] += 1
    return M, fired


def nesting(M: Term) -> int:
    """``NAO(e)`` (§5.3): how deep operations on arrays are nested; a branch counts as one, as its gradient runs it again."""
    deepest = 0
    while isinstance(M, Let):
        deepest = max(deepest, nesting(M.bound))
        M = M.body
    for i, (names, N) in enumerate(parts(M)):
        is_inner = bool(names) or (isinstance(M, If) and i > 1)
        deepest = max(deepest, nesting(N) + is_inner)
    return deepest


def reverse_types(T: Types, ρ: Type) -> Types:
    """``D_ρ(A1, …, An) = A1, …, An, (A1 × … × An) → ρ``"""
    return (*T, Arrow(T, ρ))
