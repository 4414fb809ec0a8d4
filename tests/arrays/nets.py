"""Commands of the core for the tests: the nets and handlers of RH §4, at any sizes and depths."""

from rh_kernel.primitives.formulas import Typed, entrywise, number, outer, scale, transpose
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Command,
    Operation,
    Perform,
    Plus,
    Proj,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
    Tuple,
)
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Family, Loc, Location, LocationVar, LocKind, Parameter, Pattern
from rh_kernel.syntax.types import UNIT, Product, Real, Type, real
from rh_kernel.syntax.values import UNIT_VALUE

swish = entrywise("swish")

FC = Family("FC", (Parameter("l", LocKind((dim("m"), dim("n")))),), real("n"), real("m"), ("m", "n"))
L = LocationVar("l", (dim("m"), dim("n")))


def location(name: str, *shape: int) -> Location:
    return Location(name, tuple(dim(n) for n in shape))


def get(at: Loc) -> Command:
    return Perform(Operation(GET, (at,), (at.shape,), UNIT, Real(at.shape)), UNIT_VALUE)


def put(at: Loc, M: Term) -> Command:
    return Perform(Operation(PUT, (at,), (at.shape,), Real(at.shape), UNIT), M)


def fc(at: Location, M: Term) -> Command:
    assert isinstance(at.shape, tuple)
    m, n = at.shape
    return Perform(Operation(FC, (at,), (m, n), real(n), real(m)), M)


def var(index: int, A: Type) -> Typed:
    return Typed(Bound(index), A)


def let(P: Command, Q: Command, hint: str = "x") -> Command:
    return Bind(P, Scope((hint,), Q))


W, X, Y = real("m", "n"), real("n"), real("m")


def fc_clause() -> ReverseClause:
    w, x = var(0, W), var(1, X)
    forward = let(get(L), Return(Tuple(((w @ x).term, Tuple((w.term, x.term))))), "w")
    z = Bound(0, "z")
    w, x, y = Typed(Proj(1, 2, z), W), Typed(Proj(2, 2, z), X), var(1, Y)
    after = Typed(Proj(1, 2, Bound(1, "z")), W), var(2, Y)
    backward = let(put(L, (w - outer(y, x)).term), Return((transpose(after[0]) @ after[1]).term), "_")
    return ReverseClause(Pattern(FC, ("l",), ("m", "n")), Scope(("x",), forward), Product((W, X)), Scope(("y", "z"), backward))


def sgd(alpha: float, t: Typed) -> ReverseHandler:
    """``{x ↦ ⌊α · (x − t)⌋} ∪ {FC …}``; ``t`` is seen from inside the return clause."""
    x = Typed(Bound(0, "x"), t.type)
    return ReverseHandler(t.type, Scope(("x",), Return(scale(number(alpha), x - t).term)), (fc_clause(),), "sgd")


def mlp(locations: list[Location], residual: bool = False) -> Command:
    """``x ⊢ let z ⇐ FC[w0](x) in let h ⇐ ⌊swish(z)⌋ in … FC[wn](h)``; index 0 is x."""
    *inner, last = locations
    P: Command = fc(last, Bound(0, "h"))
    for at in reversed(inner):
        assert isinstance(at.shape, tuple)
        z = var(0, real(at.shape[0]))
        h = Plus(swish(z).term, Bound(1, "h")) if residual else swish(z).term
        P = let(fc(at, Bound(0, "h")), let(Return(h), P, "h"), "z")
    return P


def trained(net: Command, H: ReverseHandler, M: Term) -> Command:
    """``rev handle (M) ⟨x⟩. net with H``"""
    return RevHandle(M, Scope(("x",), net), H)
