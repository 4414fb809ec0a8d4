"""Types of Source and Target (Figs 2, 3): what has one, and what has none, by the rule that does not apply (O27)."""

import pytest

from rh_kernel.ad.unary_form.direct.direct import derive
from rh_kernel.ad.unary_form.terms.terms import (
    ONE,
    ZERO,
    App,
    Const,
    Fill,
    Fold,
    Fun,
    If,
    Let,
    Map,
    Map2,
    Nabla,
    Pack,
    Plus,
    Proj,
    Scale,
    Shift,
    Term,
    Use,
    Var,
)
from rh_kernel.ad.unary_form.terms.types import Arrow, Context, R, Type, VectorType, numbers, times
from rh_kernel.ad.unary_form.terms.typing import Language, TypeCheckError, check
from rh_kernel.ad.unary_form.translation.primitives import array, constant, index, unit
from tests.ad.unary_form.primitives import dot, gather, scatter
from tests.ad.unary_form.terms import add, map2_of, mul, op, reduce_of

GAMMA: Context = (("x", R), ("A", numbers(3)), ("B", numbers(4)), ("p", times(R, numbers(3))))
x, A, B, p = map(Var, ("x", "A", "B", "p"))
CORE, SOURCE, TARGET = Language.CORE, Language.SOURCE, Language.TARGET


@pytest.mark.parametrize(
    ("rule", "M", "language"),
    [
        ("reduce", Fold("reduce", "a", "b", add(mul(Var("a"), x), Var("b")), ZERO, A), CORE),
        ("map2", map2_of("mul", A, B), SOURCE),
        ("map2", Map2("a", "b", Pack((Var("a"), Var("b"))), A, A), CORE),
        ("proj", Proj(1, x), SOURCE),
        ("op", op("sin", A), SOURCE),
        ("map", Map("a", A, A), CORE),
        ("op", op("sin", x, x), SOURCE),
        ("proj", Proj(3, p), SOURCE),
        ("proj", Proj(0, p), SOURCE),
        ("var", Var("y"), SOURCE),
        ("var", add(Let(("y",), x, Var("y")), Var("y")), SOURCE),
        ("tuple", Pack((x, x, x)), SOURCE),
        ("map", Map("a", Var("a"), x), SOURCE),
        ("reduce", Fold("reduce", "a", "b", Var("b"), A, A), SOURCE),
        ("foldl", Fold("foldl", "a", "b", Pack((Var("a"), Var("b"))), ZERO, A), SOURCE),
        ("foldl", Fold("foldl", "a", "b", Var("a"), ZERO, A), CORE),
        ("scanr", Fold("scanr", "a", "b", Var("a"), ZERO, A), SOURCE),
        ("if", If(A, x, x, x), SOURCE),
        ("if", If(x, x, x, A), SOURCE),
        ("if", If(x, x, x, x), CORE),
        ("fill", Fill(3, x), CORE),
        ("primitive", Use(dot(), (A, A)), CORE),
        ("dot", Use(dot(), (A, B)), SOURCE),
        ("index[3]", Use(index(3), (A,)), SOURCE),
        ("array", Use(array(), (x, A)), SOURCE),
        ("gather[0, 5]", Use(gather((0, 5)), (A,)), SOURCE),
        ("shift", Shift("L", A), SOURCE),
        ("shift", Shift("L", x), TARGET),
        ("target", Plus(x, x), SOURCE),
        ("+̂", Plus(A, B), TARGET),
        ("+̂", Plus(Fun((("y", R),), Var("y")), Fun((("z", R),), Var("z"))), TARGET),
        ("*̂", Scale(A, A), TARGET),
        ("app", App(x, (x,)), TARGET),
        ("app", App(Fun((("y", R),), Var("y")), (x, x)), TARGET),
        ("app", App(Fun((("y", R),), Var("y")), (A,)), TARGET),
        ("let", Let(("y", "z"), x, Var("y")), TARGET),
        ("let", Let(("y", "z"), p, Var("y")), SOURCE),
        ("∇", Nabla(derive, GAMMA, A, ("x",), ONE), TARGET),
    ],
)
def test_o27_what_has_no_type(rule: str, M: Term, language: Language) -> None:
    with pytest.raises(TypeCheckError) as error:
        check(GAMMA, M, language)
    assert error.value.rule == rule
    assert str(error.value).startswith(rule)


@pytest.mark.parametrize(
    ("M", "wanted", "language"),
    [
        (Let(("y",), mul(x, x), Pack((Var("y"), A))), times(R, numbers(3)), CORE),
        (Proj(2, p), numbers(3), CORE),
        (Map2("a", "b", mul(Var("a"), add(x, reduce_of("add", ZERO, B, "u", "v"))), A, A), numbers(3), CORE),
        (reduce_of("mul", ONE, A), R, CORE),
        (Fold("scanl", "a", "b", mul(Var("a"), x), x, A), numbers(4), SOURCE),
        (If(x, ONE, A, Fill(3, x)), numbers(3), SOURCE),
        (Fold("foldl", "a", "b", Pack((Proj(2, Var("a")), Var("b"))), Pack((x, x)), A), times(R, R), SOURCE),
        (Use(constant((1.0, 2.0)), ()), numbers(2), SOURCE),
        (Use(unit(1, 3), (x,)), numbers(3), SOURCE),
        (Use(scatter((0, 0, 1), 2), (A,)), numbers(2), SOURCE),
        (Fold("scanr", "a", "b", mul(Var("a"), Var("b")), x, A), numbers(4), TARGET),
        (Shift("R", Use(constant(()), ())), numbers(0), TARGET),
        (Plus(p, p), times(R, numbers(3)), TARGET),
        (Scale(p, Const(2.0)), times(R, numbers(3)), TARGET),
        (Map2("a", "b", Pack((Var("a"), Var("b"))), A, A), VectorType(times(R, R), 3), TARGET),
        (Fun((("y", R), ("z", numbers(3))), Var("z")), Arrow((R, numbers(3)), numbers(3)), TARGET),
        (App(Fun((("y", R), ("z", R)), Var("z")), (x, x)), R, TARGET),
        (Let(("y", "z"), p, Var("z")), numbers(3), TARGET),
        (Nabla(derive, GAMMA, x, ("x", "A"), ONE), times(R, numbers(3)), TARGET),
    ],
)
def test_what_has_a_type(M: Term, wanted: Type, language: Language) -> None:
    assert check(GAMMA, M, language) == wanted


@pytest.mark.parametrize(
    ("A", "text"),
    [
        (times(R, numbers(3)), "R × A[R]^3"),
        (Arrow((R, times(R, R)), R), "R × (R × R) → R"),
        (VectorType(times(R, R), 2), "A[R × R]^2"),
        (times(), "1"),
    ],
)
def test_types_as_they_are_written(A: Type, text: str) -> None:
    assert str(A) == text
