"""Print, then parse and elaborate, is the identity up to α: for random well-typed terms, and for programs of every form."""

import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.core import Bound, Call, Command, Let, Plus, Primitive, Proj, Rd, RdOf, Scope, Term, Tuple, Zero
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.parsing.parser import parse, parse_expression
from rh_kernel.syntax.printing.notation import Notation
from rh_kernel.syntax.printing.printer import show
from rh_kernel.syntax.types import SCALAR, Product, Real, Shape, Type, concrete_shape, product, real
from rh_kernel.syntax.values import constant
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.definitions import BUILT_IN, Definitions
from rh_kernel.typing.elaboration.commands import Commands
from rh_kernel.typing.elaboration.declarations import declare
from rh_kernel.typing.elaboration.items import ClosedTerm, elaborate_evaluation
from rh_kernel.typing.elaboration.zonking import finished
from rh_kernel.typing.unification.unify import Unifier
from tests.tiers import law

VECTOR, MATRIX = real(2), real(3, 2)
PAIR = product((VECTOR, SCALAR))
TYPES: tuple[Type, ...] = (SCALAR, VECTOR, real(3), MATRIX, PAIR)
HINTS = ("x", "y", "x'", "p", "_", "swish", "ξ₀", "no name")
NUMBERS = (0.0, -0.5, 1.0, 1e22, 1e-7, 0.1 + 0.2, -3.0)
Gamma = tuple[Type, ...]


def member(name: str, *at: Shape | Dim) -> Primitive:
    return instantiate(name, SYMBOLS[name].schemes[0], at)


def a_term(r: Random, gamma: Gamma, A: Type, fuel: int) -> Term:
    """M with Γ ⊢ M : A; the last type of Γ is that of index 0."""
    variables = [Bound(len(gamma) - 1 - i) for i, B in enumerate(gamma) if B == A]
    if fuel <= 0:
        return r.choice(variables) if variables and r.random() < 0.7 else a_constant(r, A)

    def term(B: Type, *further: Type) -> Term:
        return a_term(r, (*gamma, *further), B, fuel - r.randint(1, 2))

    def scope(B: Type, C: Type) -> Scope:
        return Scope((r.choice(HINTS),), term(C, B))

    B = r.choice(TYPES)
    match r.randrange(9):
        case 0:
            return Plus(term(A), term(A))
        case 1:
            return r.choice((Plus(term(A), Zero(A)), Plus(Zero(A), term(A))))
        case 2:
            return Let(term(B), scope(B, A))
        case 3:
            last = Let(Proj(2, 2, Bound(1)), Scope((r.choice(HINTS),), term(A, PAIR, VECTOR, SCALAR)))
            return Let(term(PAIR), Scope(("p",), Let(Proj(1, 2, Bound(0)), Scope((r.choice(HINTS),), last))))
        case 4:
            return Rd(term(B), scope(A, B), term(A))
        case 5:
            return r.choice((Proj(1, 2, term(product((A, B)))), Proj(2, 2, term(product((B, A))))))
        case _ if isinstance(A, Real):
            return a_call(r, A, term)
        case _ if isinstance(A, Product):
            return Tuple(tuple(term(C) for C in A.factors))
        case _:
            raise AssertionError


def a_call(r: Random, A: Real, term: Callable[[Type], Term]) -> Term:
    name = r.choice(("neg", "swish", "sub", "mul", "div", "scale", "rd", "fill", "matmul", "transpose", "broadcast_rows"))
    match name:
        case "sub" | "mul" | "div":
            return Call(member(name, A.shape), Tuple((term(A), term(A))))
        case "scale":
            return Call(member(name, A.shape), Tuple((term(SCALAR), term(A))))
        case "rd":
            return Call(RdOf(member("swish", A.shape)), Tuple((term(A), term(A))))
        case "fill":
            return Call(member(name, A.shape), term(SCALAR))
        case "matmul" if real(3) == A:
            return Call(member(name, dim(3), dim(2)), Tuple((term(MATRIX), term(VECTOR))))
        case "transpose" if A == MATRIX:
            return Call(member(name, dim(2), dim(3)), term(real(2, 3)))
        case "broadcast_rows" if A == MATRIX:
            return Call(member(name, dim(3), dim(2)), term(VECTOR))
        case _:
            return Call(member("neg", A.shape), term(A))


def a_constant(r: Random, A: Type) -> Term:
    match A:
        case Product(factors):
            return Tuple(tuple(a_constant(r, B) for B in factors))
        case _:
            sizes = concrete_shape(A) if isinstance(A, Real) else None
            assert sizes is not None
            return constant(np.array([r.choice(NUMBERS) for _ in range(math.prod(sizes))]).reshape(sizes))


GAMMA: Gamma = (VECTOR, SCALAR, VECTOR)
NAMES = ("x", "y", "z")
WIDTHS = st.sampled_from([1, 30, 100, 10**9])


@law(300)
@given(st.integers(0, 2**32), st.sampled_from(TYPES), st.integers(0, 6), WIDTHS, st.sampled_from(Notation))
def test_print_then_parse_is_the_identity_on_terms(seed: int, A: Type, fuel: int, width: int, notation: Notation) -> None:
    M = a_term(Random(seed), GAMMA, A, fuel)
    text = show(M, width, names=NAMES, notation=notation)
    unifier = Unifier()
    gamma = Context(BUILT_IN).bind(*(Entry(name, B, Zone.DELTA) for name, B in zip(NAMES, GAMMA, strict=True)))
    N = Commands(unifier).terms.check(gamma, parse_expression(Source("printed", text)), A)
    assert finished(unifier, N, Span(Source("printed", text), 0, len(text))) == M, text


DECLARATIONS = """
loc w0 : Real(3, 2) = zeros
loc w1 : Real(2, 3) = zeros
fun sq(x : Real(n)) : Real(n) = x * x
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
op Scaled[a : Real, l : Loc(m, n)] : Real(n) -> Real(m)
op Choose[p : Dim] : Real(n) -> Real(p)
net mlp(x : Real(2)) : Real(2) =
  let z <= FC[w0](x) in
  let h <= return swish(z) in
  FC[w1](h)
handler keep : rev handler(Real(2)) = {
  return x -> return x
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
"""

PROGRAMS = """
let x <- [1, 2, 3] in let (a, (b, c)) <- (x, (0.5, [[1, 2], [3, 4]])) in (b * a, -a / b, c.rd(z. z @ c)(c), (a, b).2, 0)
let p <- (1.0, (2.0, 3.0)) in p.2.1 + p.1
let x <- [0.5, 0.25] in x - (x - x) * x / (x / x)
rd[swish]([1.0], [2.0]) + rd[rd[sq]]([0.5], ([1.0], [2.0])).2
reshape[3, 2]([1, 2, 3, 4, 5, 6]) @ [1, 2] + fill[3](0.5) + rd[reshape[3, 1]](reshape[3, 1]([1, 2, 3]), [1, 2, 3])
neg(0.5) + (-(-0.5)) + neg(0) - -0.5
return ()
mlp([1.0, 2.0])
let (a, b) <= return ([1, 2], [2, 3]) in let _ <= return a in let c <= mlp(b) in return (c, a, b)
let f <= (let y <= return 1.0 in return y) in let (a, b) <- (f, f) in return ((a, b).1 + (let z <- a in z))
rev handle ([1, 2]) <x>. mlp(x) with keep
rev handle ([1, 2]) <x>. let y <= rev handle (x) <x>. mlp(x) with keep in mlp(y) with keep
rev handle () <>. return 1.0 with { return x -> return x }
rev handle (([1, 2], [3, 4]), 0.5) <(x, y), z>. let u <= mlp(x) in return (u, y + z * u) with { return p -> return p }
rev handle ([1, 2], 0.5) <x, y>. let z <= mlp(x) in return (z, y) with { return (p, q) -> return (q * p, q) ; FC[l](x) -> \
let w <= Get[l]() in return (w @ x, (w, x)) | y, (w, x) -> let _ <= Put[l](w - outer(y, x)) in return w^T @ y }
rev handle ([1, 2]) <x>. mlp(x) with { return x -> return x  FC[w0](x) -> \
return (fill[3](0.0), x) | y, _ -> return fill[2](1.0) }
handle Scaled[0.5, w0]([1, 2]) with { return x -> return x ; Scaled[a, l](x), k -> \
let w <= Get[l]() in k(a * (w @ x) + fill[m](a)) }
handle Choose[3]([1, 2]) with { return x -> return x ; Choose[q](x), k -> let y <= k • fill[q](sum(x)) in return y + y }
""".replace("\\\n", "").strip()


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    known = BUILT_IN
    for item in parse(Source("declarations", DECLARATIONS)):
        assert isinstance(item, items.Declaration)
        known = known.with_(declare(known, item), None)
    return known


@pytest.mark.parametrize("notation", Notation)
@pytest.mark.parametrize("width", [1, 40, 100, 10**9])
@pytest.mark.parametrize("text", PROGRAMS.split("\n"))
def test_print_then_parse_is_the_identity_on_programs(
    definitions: Definitions, text: str, width: int, notation: Notation
) -> None:
    M = elaborate(definitions, text)
    printed = show(M, width, notation=notation)
    assert elaborate(definitions, printed) == M
    assert notation is Notation.PAPER or not set(printed) & set("⟨⟩⌊⌋←⇐→·ᵀ")


def elaborate(definitions: Definitions, text: str) -> Term | Command:
    found = elaborate_evaluation(definitions, parse_expression(Source("input", text)))
    return found.term if isinstance(found, ClosedTerm) else found.command
