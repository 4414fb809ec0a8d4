"""Print, then parse and elaborate, is the identity up to α: for random well-typed terms, and for programs of every form."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import ROWS
from rh_kernel.source.span import Source
from rh_kernel.syntax import surface as s
from rh_kernel.syntax.core import Bound, Call, Command, Let, Plus, Primitive, Proj, Rd, RdOf, Scope, Term, Tuple, Zero, constant
from rh_kernel.syntax.dimensions import Dim, dim
from rh_kernel.syntax.parser import Unparsed, parse, parse_expression
from rh_kernel.syntax.printing import show
from rh_kernel.syntax.types import SCALAR, Product, Shape, Type, product, real
from rh_kernel.typing.commands import Commands
from rh_kernel.typing.context import Context, Entry, Zone
from rh_kernel.typing.declarations import declare
from rh_kernel.typing.definitions import BUILT_IN, Definitions
from rh_kernel.typing.finishing import finished
from rh_kernel.typing.items import ClosedTerm, elaborate_evaluation
from rh_kernel.typing.unify import Unifier

# -- random terms, by type ---------------------------------------------------------------------------------------------

VECTOR, MATRIX = real(2), real(3, 2)
PAIR = product((VECTOR, SCALAR))
TYPES: tuple[Type, ...] = (SCALAR, VECTOR, real(3), MATRIX, PAIR)
HINTS = st.sampled_from(["x", "y", "x'", "p", "_", "swish", "ξ₀", "no name"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
Gamma = tuple[Type, ...]


def member(name: str, *at: Shape | Dim, scheme: int = 0) -> Primitive:
    return instantiate(name, ROWS[name].schemes[scheme], at)


def terms(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    """Terms M with Γ ⊢ M : A; the last type of Γ is that of index 0."""
    smaller = fuel - 1
    leaves = [_constants(A)]
    variables = [Bound(len(gamma) - 1 - i) for i, B in enumerate(gamma) if B == A]
    if variables:
        leaves += [st.sampled_from(variables)] * 2
    if fuel <= 0:
        return st.one_of(leaves)
    same = st.deferred(lambda: terms(gamma, A, smaller))
    forms = [
        *leaves,
        st.builds(Plus, same, same),
        st.builds(Plus, same, st.just(Zero(A))),
        st.deferred(lambda: _lets(gamma, A, smaller)),
        st.deferred(lambda: _pattern_lets(gamma, A, smaller)),
        st.deferred(lambda: _derivatives(gamma, A, smaller)),
        st.deferred(lambda: _projections(gamma, A, smaller)),
    ]
    if isinstance(A, Product):
        forms.append(st.tuples(*(terms(gamma, B, smaller) for B in A.factors)).map(Tuple))
    else:
        forms += [st.deferred(lambda: _calls(gamma, A, smaller))] * 3
    return st.one_of(forms)


def _constants(A: Type) -> st.SearchStrategy[Term]:
    if isinstance(A, Product):
        return st.tuples(*(_constants(B) for B in A.factors)).map(Tuple)
    sizes = [d.constant or 0 for d in A.shape] if isinstance(A, type(SCALAR)) and isinstance(A.shape, tuple) else []
    rows: st.SearchStrategy[object] = NUMBERS
    for n in reversed(sizes):
        rows = st.lists(rows, min_size=n, max_size=n)
    return rows.map(constant)


def _lets(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    def of(B: Type) -> st.SearchStrategy[Term]:
        scope = st.builds(lambda hint, body: Scope((hint,), body), HINTS, terms((*gamma, B), A, fuel))
        return st.builds(Let, terms(gamma, B, fuel), scope)

    return st.sampled_from(TYPES).flatmap(of)


def _pattern_lets(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    def build(M: Term, hints: tuple[str, str], N: Term) -> Term:
        second = Let(Proj(2, 2, Bound(1)), Scope((hints[1],), N))
        return Let(M, Scope(("p",), Let(Proj(1, 2, Bound(0)), Scope((hints[0],), second))))

    body = terms((*gamma, PAIR, VECTOR, SCALAR), A, fuel)
    return st.builds(build, terms(gamma, PAIR, fuel), st.tuples(HINTS, HINTS), body)


def _derivatives(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    def of(B: Type) -> st.SearchStrategy[Term]:
        scope = st.builds(lambda hint, body: Scope((hint,), body), HINTS, terms((*gamma, A), B, fuel))
        return st.builds(Rd, terms(gamma, B, fuel), scope, terms(gamma, A, fuel))

    return st.sampled_from(TYPES).flatmap(of)


def _projections(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    first = terms(gamma, product((A, SCALAR)), fuel).map(lambda M: Proj(1, 2, M))
    second = terms(gamma, product((VECTOR, A)), fuel).map(lambda M: Proj(2, 2, M))
    return st.one_of(first, second)


def _calls(gamma: Gamma, A: Type, fuel: int) -> st.SearchStrategy[Term]:
    if isinstance(A, Product) or not hasattr(A, "shape"):
        raise TypeError
    shape = A.shape if isinstance(A, type(SCALAR)) else ()
    M = terms(gamma, A, fuel)
    pairs = st.tuples(M, M).map(Tuple)
    forms: list[st.SearchStrategy[Term]] = [
        *(M.map(lambda N, f=member(name, shape): Call(f, N)) for name in ("neg", "swish")),
        *(pairs.map(lambda N, f=member(name, shape): Call(f, N)) for name in ("sub", "mul", "div")),
        st.tuples(terms(gamma, SCALAR, fuel), M).map(lambda N: Call(member("scale", shape), Tuple(N))),
        pairs.map(lambda N: Call(RdOf(member("swish", shape)), N)),
        terms(gamma, SCALAR, fuel).map(lambda N: Call(member("fill", shape), N)),
    ]
    if real(3) == A:
        operands = st.tuples(terms(gamma, MATRIX, fuel), terms(gamma, VECTOR, fuel))
        forms.append(operands.map(lambda N: Call(member("matmul", dim(3), dim(2)), Tuple(N))))
    if A == MATRIX:
        forms.append(terms(gamma, real(2, 3), fuel).map(lambda N: Call(member("transpose", dim(2), dim(3)), N)))
        forms.append(terms(gamma, VECTOR, fuel).map(lambda N: Call(member("broadcast_rows", dim(3), dim(2)), N)))
    return st.one_of(forms)


GAMMA: Gamma = (VECTOR, SCALAR, VECTOR)
NAMES = ("x", "y", "z")
WIDTHS = st.sampled_from([1, 30, 100, 10**9])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TYPES).flatmap(lambda A: st.tuples(st.just(A), terms(GAMMA, A, 3))), WIDTHS)
def test_print_then_parse_is_the_identity_on_terms(typed: tuple[Type, Term], width: int) -> None:
    A, M = typed
    text = show(M, width, names=NAMES)
    unifier = Unifier()
    gamma = Context(BUILT_IN).bind(*(Entry(name, B, Zone.DELTA) for name, B in zip(NAMES, GAMMA, strict=True)))
    N = Commands(unifier).terms.check(gamma, parse_expression(Source("printed", text)), A)
    assert finished(unifier, N, N.span or _nowhere()) == M, text


def _nowhere() -> s.Span:
    return s.Span(Source("printed", ""), 0, 0)


# -- programs of every form --------------------------------------------------------------------------------------------

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
rev handle ([1, 2]) <x>. mlp(x) with { return x -> return x  FC[w0](x) -> return (fill[3](0.0), x) | y, _ -> return fill[2](1.0) }
handle Scaled[0.5, w0]([1, 2]) with { return x -> return x ; Scaled[a, l](x), k -> \
let w <= Get[l]() in k(a * (w @ x) + fill[m](a)) }
handle Choose[3]([1, 2]) with { return x -> return x ; Choose[q](x), k -> let y <= k • fill[q](sum(x)) in return y + y }
""".replace("\\\n", "").strip()


@pytest.fixture(scope="module")
def definitions() -> Definitions:
    known = BUILT_IN
    for item in parse(Source("declarations", DECLARATIONS)):
        assert not isinstance(item, Unparsed | s.Evaluation | s.TrainItem | s.Directive)
        known = known.with_(declare(known, item), None)
    return known


@pytest.mark.parametrize("width", [1, 40, 100, 10**9])
@pytest.mark.parametrize("text", PROGRAMS.split("\n"))
def test_print_then_parse_is_the_identity_on_programs(definitions: Definitions, text: str, width: int) -> None:
    M = elaborate(definitions, text)
    assert elaborate(definitions, show(M, width)) == M


def elaborate(definitions: Definitions, text: str) -> Term | Command:
    found = elaborate_evaluation(definitions, parse_expression(Source("input", text)))
    return found.term if isinstance(found, ClosedTerm) else found.command
