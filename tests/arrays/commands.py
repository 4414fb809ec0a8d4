"""Random well-typed commands over ``V = Real(2)`` and ``V × V``, drawn by type: ``Γ ; Δ ⊢ P : A`` holds by construction."""

from typing import TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from rh_kernel.primitives.formulas import Typed, number
from rh_kernel.primitives.linear import scale
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import (
    Bind,
    Bound,
    Call,
    Command,
    Defined,
    Function,
    Handle,
    Let,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Perform,
    Plus,
    Primitive,
    Proj,
    Rd,
    RdOf,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.dimensions import dim
from rh_kernel.syntax.signature import Family, Location, Parameter, Pattern, ValueKind
from rh_kernel.syntax.types import UNIT, Product, Real, Type, real
from rh_kernel.syntax.values import UNIT_VALUE, constant

V = real(2)
PAIR = Product((V, V))
ACT = Family("Act", (), V, V, ())
SHIFT = Family("Shift", (Parameter("a", ValueKind(V)),), V, V, ())


def location(name: str, *shape: int) -> Location:
    return Location(name, tuple(dim(n) for n in shape))


def get(at: Location) -> Command:
    return Perform(Operation(GET, (at,), (at.shape,), UNIT, Real(at.shape)), UNIT_VALUE)


def put(at: Location, M: Term) -> Command:
    return Perform(Operation(PUT, (at,), (at.shape,), Real(at.shape), UNIT), M)


W0, W1 = location("w0", 2), location("w1", 2)

# ``None`` stands for a continuation k : V ⇝ V. The last of the context is index 0.
Context: TypeAlias = tuple[Type | None, ...]


def symbol(name: str, arity: int) -> Primitive:
    return Primitive(name, ((dim(2),),), V if arity == 1 else PAIR, V)


_x, _w = Typed(Bound(0, "x"), V), Typed(Bound(1, "w"), V)
SINE = Defined("sine", V, V, Scope(("x",), (SYMBOLS["sin"](_x) + _x * _x).term), None)
STRAIGHT = Defined("straight", V, V, Scope(("x",), SYMBOLS["tanh"](_x).term), Scope(("w", "v"), scale(number(2), _w).term))
UNARY: tuple[Function, ...] = (symbol("sin", 1), symbol("tanh", 1), symbol("neg", 1), SINE, STRAIGHT)
BINARY: tuple[Function, ...] = (
    symbol("mul", 2),
    symbol("sub", 2),
    RdOf(SINE),
    RdOf(STRAIGHT),
    RdOf(symbol("tanh", 1)),
)
numbers = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0, 1.5])


@st.composite
def terms(draw: DrawFn, context: Context, A: Type, depth: int) -> Term:
    """``context ⊢ M : A``"""
    here = [i for i, B in enumerate(reversed(context)) if A == B]
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        if here and draw(st.integers(0, 4)):
            return Bound(draw(st.sampled_from(here)))
        if A == PAIR:
            return Tuple((draw(terms(context, V, 0)), draw(terms(context, V, 0))))
        return Zero(V) if draw(st.integers(0, 5)) == 0 else constant([draw(numbers), draw(numbers)])
    below = depth - 1
    choice = draw(st.sampled_from(["let", "plus", "rd", "proj" if A == V else "tuple", "unary", "binary"]))
    if A == PAIR and choice in {"unary", "binary"}:
        choice = "tuple"
    match choice:
        case "let":
            B = draw(st.sampled_from([V, PAIR]))
            return Let(draw(terms(context, B, below)), Scope(("x",), draw(terms((*context, B), A, below))))
        case "plus":
            return Plus(draw(terms(context, A, below)), draw(terms(context, A, below)))
        case "rd":
            B = draw(st.sampled_from([V, PAIR]))
            N = draw(terms((*context, A), B, below))
            return Rd(draw(terms(context, B, below)), Scope(("x",), N), draw(terms(context, A, below)))
        case "tuple":
            return Tuple((draw(terms(context, V, below)), draw(terms(context, V, below))))
        case "proj":
            return Proj(draw(st.integers(1, 2)), 2, draw(terms(context, PAIR, below)))
        case "unary":
            return Call(draw(st.sampled_from(UNARY)), draw(terms(context, V, below)))
        case _:
            return Call(draw(st.sampled_from(BINARY)), draw(terms(context, PAIR, below)))


@st.composite
def commands(draw: DrawFn, context: Context, depth: int, *, act: bool) -> Command:
    """``context ⊢ P : V``; it performs ``Act`` and ``Shift`` only where ``act`` says that somebody handles them."""
    if depth == 0:
        return draw(_leaves(context, act=act))
    below = depth - 1
    match draw(st.sampled_from(["leaf", "bind", "bind", "bind", "reverse", "ordinary"])):
        case "leaf":
            return draw(_leaves(context, act=act))
        case "bind":
            bound = draw(commands(context, below, act=act))
            return Bind(bound, Scope(("x",), draw(commands((*context, V), below, act=act))))
        case "reverse":
            H, handled = draw(reverse_handlers(below, act=act))
            if draw(st.booleans()):
                body = draw(commands((V,), below, act=handled))
                return RevHandle(draw(terms(context, V, 1)), Scope(("x",), body), H)
            body = draw(commands((V, V), below, act=handled))
            pair = RevHandle(draw(terms(context, PAIR, 1)), Scope(("x", "y"), body), H)
            return Bind(pair, Scope(("p",), Return(Proj(draw(st.integers(1, 2)), 2, Bound(0)))))
        case _:
            H, handled = draw(ordinary_handlers(below, act=act))
            return Handle(draw(commands(context, below, act=handled)), H)


@st.composite
def _leaves(draw: DrawFn, context: Context, *, act: bool) -> Command:
    kinds = ["return", "get", "put"] + (["act", "shift"] * 2 if act else []) + (["resume"] * 3 if None in context else [])
    at = draw(st.sampled_from([W0, W1]))
    match draw(st.sampled_from(kinds)):
        case "return":
            return Return(draw(terms(context, V, 2)))
        case "get":
            return get(at)
        case "put":
            return Bind(put(at, draw(terms(context, V, 1))), Scope(("_",), Return(draw(terms((*context, UNIT), V, 1)))))
        case "act":
            return Perform(Operation(ACT, (), (), V, V), draw(terms(context, V, 1)))
        case "shift":
            return Perform(Operation(SHIFT, (draw(terms((), V, 0)),), (), V, V), draw(terms(context, V, 1)))
        case _:
            ks = [i for i, B in enumerate(reversed(context)) if B is None]
            return Resume(draw(st.sampled_from(ks)), "k", draw(terms(context, V, 1)))


def _pattern(family: Family) -> Pattern:
    return Pattern(family, tuple(p.name for p in family.parameters), ())


@st.composite
def reverse_handlers(draw: DrawFn, depth: int, *, act: bool) -> tuple[ReverseHandler, bool]:
    """``⊢ H : rev handler(V)`` and whether it has clauses for both operations or may forward them."""
    returns = Scope(("x",), draw(commands((V,), min(depth, 1), act=act)))
    clauses: list[ReverseClause] = []
    families = draw(st.sampled_from([(ACT, SHIFT), (ACT, SHIFT), (ACT,), ()]))
    for family in families:
        values: Context = (V,) * len(family.parameters)
        names = tuple(p.name for p in family.parameters)
        kept = draw(terms((*values, V, V), V, 1))
        forward = Bind(
            draw(commands((*values, V), min(depth, 1), act=act)),
            Scope(("y",), Return(Tuple((Bound(0), Tuple((Bound(1), kept)))))),
        )
        backward = draw(commands((*values, V, PAIR), min(depth, 1), act=act))
        clauses.append(
            ReverseClause(_pattern(family), Scope((*names, "x"), forward), PAIR, Scope((*names, "y", "z"), backward))
        )
    return ReverseHandler(V, returns, tuple(clauses)), act or len(families) == 2


@st.composite
def ordinary_handlers(draw: DrawFn, depth: int, *, act: bool) -> tuple[OrdinaryHandler, bool]:
    """``⊢ H : V ⇒ V``, and whether it has clauses for both operations or leaves them to handlers outside."""
    returns = Scope(("x",), draw(commands((V,), min(depth, 1), act=act)))
    families = draw(st.sampled_from([(ACT, SHIFT), (ACT, SHIFT), (ACT,), ()]))
    clauses: list[OrdinaryClause] = []
    for family in families:
        values: Context = (V,) * len(family.parameters)
        names = tuple(p.name for p in family.parameters)
        body = draw(commands((*values, V, None), min(depth, 2), act=act))
        clauses.append(OrdinaryClause(_pattern(family), Scope((*names, "x", "k"), body)))
    return OrdinaryHandler(V, V, returns, tuple(clauses)), act or len(families) == 2
