"""The typing rules of RH Fig. 2 and 3: what they derive, what they refuse, and how far they go."""

from collections.abc import Callable

import numpy as np
import pytest

from rh_kernel.primitives.schemes import instantiate
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Handle,
    Let,
    Operation,
    OrdinaryClause,
    OrdinaryHandler,
    Perform,
    Plus,
    Primitive,
    Proj,
    R,
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
from rh_kernel.syntax.signature import DimKind, Family, Location, LocationVar, LocKind, Parameter, Pattern, ValueKind
from rh_kernel.syntax.types import SCALAR, UNIT, Product, Type, real
from rh_kernel.syntax.values import UNIT_VALUE, constant
from rh_kernel.typing.context import Zone
from rh_kernel.typing.derivation.derivations import Assumption, Derivation, IllTyped, assumptions, drop_delta, extend, look_up
from rh_kernel.typing.derivation.derive import derive_command, derive_handler, derive_term
from rh_kernel.typing.derivation.measures import depth, size
from rh_kernel.typing.derivation.rules import TypingRule

V, PAIR = real(2), Product((real(2), real(2)))
v, w, x, y, z = constant([1.0, 2.0]), constant([3.0, 4.0]), Bound(0, "x"), Bound(1, "y"), Bound(0, "z")
TANH = instantiate("tanh", SYMBOLS["tanh"].schemes[0], ((dim(2),),))
M, N = dim("m"), dim("n")
FC = Family("FC", (Parameter("l", LocKind((M, N))),), real("n"), real("m"), ("m", "n"))
SHIFT = Family("Shift", (Parameter("a", ValueKind(real("n"))),), real("n"), real("n"), ("n",))
CHOOSE = Family("Choose", (Parameter("p", DimKind()),), real("n"), real("p"), ("n",))
W32, W11 = Location("w", (dim(3), dim(2))), Location("u", (dim(1), dim(1)))
IDENTITY = ReverseHandler(V, Scope(("x",), Return(x)), ())


def fc(at: Location | LocationVar, argument: Term) -> Perform:
    """``FC[w](M)``, whose result has three entries"""
    return Perform(Operation(FC, (at,), (dim(3), dim(2)), V, real(3)), argument)


def rules(d: Derivation) -> list[TypingRule]:
    """The rules of a derivation, conclusion first."""
    return [d.rule, *(rule for premise in d.premises for rule in rules(premise))]


# -- what is derived -----------------------------------------------------------------------------------------------------------

TERMS: list[tuple[Term, Type, TypingRule]] = [
    (x, V, TypingRule.T_VAR),
    (v, V, TypingRule.T_CONST),
    (Zero(PAIR), PAIR, TypingRule.T_CONST),
    (Call(TANH, x), V, TypingRule.T_FUNC),
    (Call(RdOf(TANH), Tuple((v, x))), V, TypingRule.T_FUNC),
    (Let(Tuple((x, v)), Scope(("p",), Proj(1, 2, Bound(0)))), V, TypingRule.T_LET),
    (Plus(Tuple((x, v)), Zero(PAIR)), PAIR, TypingRule.T_PLUS),
    (Tuple((x, constant(1.0))), Product((V, SCALAR)), TypingRule.T_TUPLE),
    (Proj(2, 2, Zero(Product((V, SCALAR)))), SCALAR, TypingRule.T_PROJ),
    (Rd(constant(1.0), Scope(("p",), constant(2.0)), Tuple((x, x))), PAIR, TypingRule.T_RD),
    (R(v, Scope(("y",), Plus(Bound(0), Bound(1))), x), V, TypingRule.T_R),
]


@pytest.mark.parametrize(("M", "A", "rule"), TERMS, ids=lambda case: case.value if isinstance(case, TypingRule) else "")
def test_a_term_has_the_type_that_fig_2_gives_it(M: Term, A: Type, rule: TypingRule) -> None:
    d = derive_term((V,), M)
    assert (d.type, d.rule, d.subject) == (A, rule, M)


FORWARD = Scope(("x",), Return(Tuple((Zero(real("m")), x))))
CLAUSE = ReverseClause(Pattern(FC, ("l",), ("m", "n")), FORWARD, real("n"), Scope(("y", "z"), Return(z)))
REVERSE = ReverseHandler(real(3), Scope(("x",), Return(x)), (CLAUSE,))
INFER = OrdinaryHandler(
    real(3),
    SCALAR,
    Scope(("x",), Return(constant(1.0))),
    (OrdinaryClause(Pattern(FC, ("l",), ("m", "n")), Scope(("x", "k"), Resume(0, "k", Zero(real("m"))))),),
)

COMMANDS: list[tuple[Command, Type, TypingRule]] = [
    (Return(x), V, TypingRule.T_PURE),
    (fc(W32, x), real(3), TypingRule.T_OP),
    (Bind(fc(W32, x), Scope(("h",), Return(Tuple((Bound(0), Bound(1)))))), Product((real(3), V)), TypingRule.T_CLET),
    (RevHandle(x, Scope(("x",), fc(W32, x)), REVERSE), V, TypingRule.T_RHANDLE),
    (RevHandle(Tuple((x, v)), Scope(("x", "y"), fc(W32, Plus(x, y))), REVERSE), PAIR, TypingRule.T_RHANDLE),
    (RevHandle(UNIT_VALUE, Scope((), Return(v)), IDENTITY), UNIT, TypingRule.T_RHANDLE),
    (RH(Tuple((x, v)), Scope(("x", "y"), fc(W32, x)), REVERSE), PAIR, TypingRule.T_RH),
    (Handle(fc(W32, x), INFER), SCALAR, TypingRule.T_HANDLE),
]


@pytest.mark.parametrize(("P", "A", "rule"), COMMANDS, ids=lambda case: case.value if isinstance(case, TypingRule) else "")
def test_a_command_has_the_type_that_fig_3_gives_it(P: Command, A: Type, rule: TypingRule) -> None:
    d = derive_command((), (V,), P)
    assert (d.type, d.rule, d.subject) == (A, rule, P)


def test_a_derivation_lists_its_premises_in_the_order_of_the_rule() -> None:
    d = derive_command((), (V,), RevHandle(x, Scope(("x",), fc(W32, x)), REVERSE))
    argument, body, handler = d.premises
    assert (argument.rule, body.rule, handler.rule) == (TypingRule.T_VAR, TypingRule.T_OP, TypingRule.T_RHANDLER)
    assert [premise.type for premise in handler.premises] == [real(3), Product((real("m"), real("n"))), real("n")]
    assert str(handler.type) == "rev handler(Real(3))"
    assert str(derive_handler((), INFER).type) == "Real(3) ⇒ Real(1)"


def test_t_rhandle_drops_delta_and_keeps_gamma() -> None:
    a = Bound(2, "a")
    d = derive_command(
        (SCALAR,), (V,), RevHandle(x, Scope(("u",), Return(a)), ReverseHandler(SCALAR, Scope(("x",), Return(x)), ()))
    )
    inner = assumptions(d.premises[1].context)
    assert [None if e is None else (e.zone, e.type) for e in inner] == [(Zone.GAMMA, SCALAR), None, (Zone.DELTA, V)]


def test_names_stay_with_their_variables() -> None:
    d = derive_term((V, SCALAR), Let(x, Scope(("h",), x)), names=("alpha", "t"))
    assert [e.name for e in assumptions(d.premises[1].context) if e is not None] == ["alpha", "t", "h"]


# -- what is refused -----------------------------------------------------------------------------------------------------------

BAD_TERMS: dict[str, Term] = {
    "a variable that nothing binds": Bound(1),
    "a function at another type": Call(TANH, constant([1.0])),
    "a sum of two types": Plus(v, constant(1.0)),
    "a component that is not there": Proj(3, 2, Tuple((v, v))),
    "a component of another product": Proj(1, 3, Tuple((v, v))),
    "a component of an array": Proj(1, 2, v),
    "a tuple of one": Tuple((v,)),
    "a cotangent of another type": Rd(constant(1.0), Scope(("x",), x), v),
    "an unfolding with a cotangent of another type": R(constant(1.0), Scope(("x",), x), v),
    "a symbol that is not there": Call(Primitive("nonsense", (), V, V), v),
    "a symbol that lies about its type": Call(Primitive("tanh", ((dim(2),),), V, SCALAR), v),
    "a reshape that loses entries": Call(Primitive("reshape", ((dim(3),), (dim(2),)), V, real(3)), v),
    "a definition that lies about its type": Call(Defined("f", V, SCALAR, Scope(("x",), x), None), v),
    "a derivative that lies about its type": Call(Defined("f", V, V, Scope(("x",), x), Scope(("w", "x"), constant(1.0))), v),
    "a definition that is not closed": Call(Defined("f", V, V, Scope(("x",), Bound(1)), None), v),
    "the derivative of such a definition": Call(RdOf(Defined("f", V, SCALAR, Scope(("x",), x), None)), Tuple((v, v))),
    "a scope of two variables": Let(v, Scope(("x", "y"), x)),
}


@pytest.mark.parametrize("M", BAD_TERMS.values(), ids=BAD_TERMS)
def test_a_term_without_a_derivation_is_refused(M: Term) -> None:
    with pytest.raises(IllTyped):
        derive_term((V,), M)


def reverse(forward: Term, D: Type = V, backward: Term = z, at: str | Location = "l") -> ReverseHandler:
    """A handler with one clause."""
    clause = ReverseClause(
        Pattern(FC, (at,), ("m", "n")), Scope(("x",), Return(forward)), D, Scope(("y", "z"), Return(backward))
    )
    return ReverseHandler(V, Scope(("x",), Return(x)), (clause,))


BAD_COMMANDS: dict[str, Command] = {
    "an argument of another type": fc(W32, constant(1.0)),
    "a location of another shape": fc(W11, v),
    "an operation that lies about its type": Perform(Operation(FC, (W32,), (dim(3), dim(2)), V, V), v),
    "an index of another type": Perform(Operation(SHIFT, (constant(1.0),), (dim(2),), V, V), v),
    "too few indices": Perform(Operation(SHIFT, (), (dim(2),), V, V), v),
    "an index of another kind": Perform(Operation(SHIFT, (dim(2),), (dim(2),), V, V), v),
    "an index out of Δ": Perform(Operation(SHIFT, (x,), (dim(2),), V, V), v),
    "a variable of Δ under a reverse handler": RevHandle(v, Scope(("u",), Return(Bound(1))), IDENTITY),
    "a variable of Δ in a clause": RevHandle(
        v, Scope(("u",), Return(v)), ReverseHandler(V, Scope(("x",), Return(Bound(1))), ())
    ),
    "a handler of another type": RevHandle(v, Scope(("u",), Return(constant(1.0))), IDENTITY),
    "as many variables as there are not": RevHandle(v, Scope(("u", "x"), Return(v)), IDENTITY),
    "an unfolding for a handler of another type": RH(v, Scope(("u",), Return(constant(1.0))), IDENTITY),
    "an ordinary handler of another type": Handle(Return(v), INFER),
    "a continuation that is a variable": Resume(0, "k", v),
    "a variable that is a continuation": Handle(
        fc(W32, v),
        OrdinaryHandler(
            real(3),
            real(3),
            Scope(("x",), Return(x)),
            (OrdinaryClause(Pattern(FC, ("l",), ("m", "n")), Scope(("x", "k"), Return(Bound(0)))),),
        ),
    ),
    "a forward part that gives no pair": RevHandle(v, Scope(("u",), Return(v)), reverse(Zero(real("m")))),
    "a forward part of another type": RevHandle(v, Scope(("u",), Return(v)), reverse(Tuple((Zero(real("n")), v)))),
    "other auxiliary data": RevHandle(v, Scope(("u",), Return(v)), reverse(Tuple((Zero(real("m")), v)), SCALAR)),
    "a backward part of another type": RevHandle(v, Scope(("u",), Return(v)), reverse(Tuple((Zero(real("m")), v)))),
    "a return clause of another type": RevHandle(
        v, Scope(("u",), Return(v)), ReverseHandler(V, Scope(("x",), Return(constant(1.0))), ())
    ),
}


@pytest.mark.parametrize("P", BAD_COMMANDS.values(), ids=BAD_COMMANDS)
def test_a_command_without_a_derivation_is_refused(P: Command) -> None:
    with pytest.raises(IllTyped):
        derive_command((), (V,), P)


def test_a_clause_at_a_location_has_the_sizes_of_that_location() -> None:
    at_w = reverse(Tuple((constant([1.0, 2.0, 3.0]), x)), V, z, W32)
    assert derive_handler((), at_w).rule is TypingRule.T_RHANDLER
    with pytest.raises(IllTyped):
        derive_handler((), reverse(Tuple((Zero(real("m")), x)), V, z, W32))


def test_a_clause_is_refused_that_binds_a_dimension_of_what_is_around_it() -> None:
    def handler(p: str) -> OrdinaryHandler:
        clause = OrdinaryClause(Pattern(CHOOSE, (p,), ("j",)), Scope(("x", "k"), Return(Zero(real("p")))))
        return OrdinaryHandler(SCALAR, real("p"), Scope(("x",), Return(Zero(real("p")))), (clause,))

    assert derive_handler((), handler("q")).rule is TypingRule.T_HANDLER
    with pytest.raises(IllTyped, match="binds p once more"):
        derive_handler((), handler("p"))


def test_the_fault_is_shown_at_the_least_tree_around_it() -> None:
    fault = Plus(v, constant(1.0))
    with pytest.raises(IllTyped) as raised:
        derive_command((), (), Bind(Return(v), Scope(("x",), Return(Let(fault, Scope(("y",), x))))))
    assert raised.value.subject is fault
    assert "Real(1)" in str(raised.value)


def test_a_command_in_the_place_of_a_term_is_refused() -> None:
    with pytest.raises(IllTyped):
        derive_term((), Let(v, Scope(("x",), Return(v))))
    with pytest.raises(IllTyped):
        derive_command((), (), Bind(Return(v), Scope(("x",), x)))


# -- how far it goes -----------------------------------------------------------------------------------------------------------

DEEP = 5000


def chain(step: Callable[[Term], Term]) -> Term:
    """``step(step(… v))``"""
    found: Term = v
    for _ in range(DEEP):
        found = step(found)
    return found


STEPS: dict[str, Callable[[Term], Term]] = {
    "a spine of lets": lambda M: Let(v, Scope(("x",), M)),
    "lets in lets": lambda M: Let(M, Scope(("x",), x)),
    "sums": lambda M: Plus(M, v),
    "applications": lambda M: Call(TANH, M),
    "projections of tuples": lambda M: Proj(1, 2, Tuple((M, v))),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_no_term_is_too_deep(step: Callable[[Term], Term]) -> None:
    d = derive_term((), chain(step))
    assert d.type == V
    assert size(d) > DEEP


def test_no_spine_of_commands_is_too_long() -> None:
    P: Command = Return(x)
    for _ in range(DEEP):
        P = Bind(Return(Plus(x, x)), Scope(("x",), P))
    d = derive_command((), (V,), P)
    assert d.type == V
    assert depth(P) == 0


# -- contexts and measures -----------------------------------------------------------------------------------------------------


def test_what_was_dropped_keeps_its_place() -> None:
    a, b, c = (Assumption(name, V, zone) for name, zone in zip("abc", (Zone.GAMMA, Zone.DELTA, Zone.DELTA), strict=True))
    cx = extend(drop_delta(extend(None, (a, b))), (c,))
    assert [look_up(cx, i) for i in range(4)] == [c, None, a, None]
    assert assumptions(cx) == (a, None, c)


def test_the_measures_are_those_of_fig_4_and_fig_5() -> None:
    net = Bind(fc(W32, x), Scope(("h",), Return(Plus(Bound(0), Zero(real(3))))))
    assert size(derive_command((), (V,), net)) == 1 + (2 + 1) + (1 + 1 + 1)
    trained = RevHandle(x, Scope(("x",), net), REVERSE)
    # 1 + |M| + |R| + |H|, and |H| is 1 + |P| + |Q^f| + |Q^b|
    assert size(derive_command((), (V,), trained)) == 1 + 1 + 7 + (1 + 1 + (1 + 1 + 1) + 1)
    assert depth(net) == 0
    assert depth(trained) == 1
    assert depth(RevHandle(x, Scope(("x",), trained), IDENTITY)) == 2
    assert depth(Bind(trained, Scope(("x",), Return(x)))) == 1
    assert depth(Handle(trained, INFER)) == 1


def test_an_array_of_any_shape_is_a_constant_of_that_shape() -> None:
    assert derive_term((), Const(np.zeros((2, 3, 4)))).type == real(2, 3, 4)
    assert derive_term((), UNIT_VALUE).type == UNIT
