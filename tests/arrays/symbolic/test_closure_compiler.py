"""A term that is met again adds the same equations as the first time, though its tree is not looked at any more."""

from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.arrays.options import CompileOptions
from rh_kernel.arrays.program import Equation
from rh_kernel.arrays.symbolic.builder import Builder
from rh_kernel.arrays.symbolic.closure_compiler import DEEPEST, evaluator
from rh_kernel.arrays.symbolic.tape import EMPTY, NO_NAMES, Environment
from rh_kernel.arrays.symbolic.terms import evaluate
from rh_kernel.arrays.symbolic.values import Symbolic, SymbolicZero
from rh_kernel.syntax.core import Bound, Call, Let, Plus, Rd, Scope, Term, Zero
from rh_kernel.syntax.types import SCALAR, Type
from tests.arrays.commands import symbol
from tests.strategies import contexts, terms, types


def world(gamma: tuple[Type, ...], zeros: tuple[bool, ...]) -> tuple[Builder, Environment]:
    """An input for each variable, or 0."""
    b = Builder(options=CompileOptions(strict=True))
    rho: Environment = EMPTY
    for A, is_zero in zip(gamma, zeros, strict=True):
        rho = (SymbolicZero(A) if is_zero else b.input(A)[1], rho, NO_NAMES)
    return b, rho


def appended(b: Builder, M: Term, rho: Environment) -> tuple[list[Equation], Symbolic, int]:
    """The equations that M adds, its value, and how many registers there were before."""
    equations, registers = len(b.equations), len(b.shapes)
    V = evaluate(M, rho, b)
    return [line for line in b.equations[equations:] if isinstance(line, Equation)], V, registers


@given(st.data())
def test_what_is_met_again_is_what_it_was(data: st.DataObject) -> None:
    gamma = data.draw(contexts())
    M = data.draw(terms(gamma, data.draw(types())))
    zeros = data.draw(st.tuples(*[st.booleans() for _ in gamma]))
    b, rho = world(gamma, zeros)
    first, V, before = appended(b, M, rho)
    for _ in range(2):
        again, W, now = appended(b, M, rho)
        moved = now - before

        def image(r: int, before: int = before, moved: int = moved) -> int:
            return r + moved if r >= before else r

        assert [(e.operator, tuple(map(image, e.arguments)), image(e.result)) for e in first] == [
            (e.operator, e.arguments, e.result) for e in again
        ]
        assert b.materialise(W) == moved_tree(b.materialise(V), before, moved) or has_zero(V)


def moved_tree(tree: object, before: int, moved: int) -> object:
    """The registers of a value that were new, as many places further."""
    if isinstance(tree, tuple):
        return tuple([moved_tree(branch, before, moved) for branch in tree])
    return tree + moved if isinstance(tree, int) and tree >= before else tree


def has_zero(V: Symbolic) -> bool:
    """Whether a part of V is 0: what that is written into is new each time."""
    return isinstance(V, SymbolicZero) or (isinstance(V, tuple) and any(map(has_zero, V)))


def test_what_differentiates_or_is_too_deep_is_left_to_evaluate() -> None:
    b, _ = world((SCALAR,), (False,))
    sin = symbol("sin", 1)
    deep: Term = Bound(0)
    for _ in range(DEEPEST):
        deep = Call(sin, deep)
    assert evaluator(deep, b) is not None
    assert evaluator(Call(sin, deep), b) is None
    assert evaluator(Rd(Bound(0), Scope(("x",), Bound(0)), Bound(0)), b) is None
    assert evaluator(Let(Bound(0), Scope(("x",), Plus(Bound(0), Zero(SCALAR)))), b) is not None
