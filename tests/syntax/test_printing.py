"""What is printed: the Unicode column of LANGUAGE §1, names as written, patterns put back, marks where they belong."""

import sys
from collections.abc import Callable

import pytest

from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.source.span import Source, Span
from rh_kernel.syntax.builtin import GET, PUT
from rh_kernel.syntax.core import (
    RH,
    Bind,
    Bound,
    Call,
    Command,
    Const,
    Defined,
    Handle,
    IfCommand,
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
    Repeat,
    Resume,
    Return,
    ReverseClause,
    ReverseHandler,
    RevHandle,
    Scan,
    Scope,
    Term,
    Tuple,
    Zero,
)
from rh_kernel.syntax.dimensions import Dim, ceil, dim, floor
from rh_kernel.syntax.printing.doc import Annotation, Mark, Spanned, annotated_texts, plain
from rh_kernel.syntax.printing.printer import Abbreviation, command_doc, handler_doc, show, term_doc, type_text
from rh_kernel.syntax.printing.terms import INDEXED, index_count
from rh_kernel.syntax.signature import DimKind, Family, Location, LocationVar, LocKind, Parameter, Pattern, ValueKind
from rh_kernel.syntax.types import SCALAR, Product, Real, ShapeVar, product, real
from rh_kernel.syntax.values import UNIT_VALUE, constant

V2, V3, M32 = real(2), real(3), real(3, 2)
W0 = Location("w0", M32.shape)
FC = Family("FC", (Parameter("l", LocKind(real("m", "n").shape)),), real("n"), real("m"), ("m", "n"))
FC_W0 = Operation(FC, (W0,), (dim(3), dim(2)), V2, V3)
REDEX = Mark("redex")
N_ = dim("n")


def x(index: int, hint: str = "x") -> Bound:
    return Bound(index, hint)


def entrywise(name: str) -> Callable[[Term], Call]:
    return lambda M: Call(Primitive(name, (V2.shape,), V2, V2), M)


def two(name: str) -> Callable[[Term, Term], Call]:
    return lambda M, N: Call(Primitive(name, (V2.shape,), Product((V2, V2)), V2), Tuple((M, N)))


def scale(M: Term, N: Term) -> Call:
    return Call(Primitive("scale", (V2.shape,), Product((SCALAR, V2)), V2), Tuple((M, N)))


def matmul(M: Term, N: Term) -> Call:
    return Call(Primitive("matmul", (dim(3), dim(2)), Product((M32, V2)), V3), Tuple((M, N)))


def transpose(M: Term) -> Call:
    return Call(Primitive("transpose", (dim(3), dim(2)), M32, real(2, 3)), M)


def let(hint: str, M: Term, N: Term) -> Let:
    return Let(M, Scope((hint,), N))


def bind(hint: str, P: Command, Q: Command) -> Bind:
    return Bind(P, Scope((hint,), Q))


swish, neg, sub, mul, div = entrywise("swish"), entrywise("neg"), two("sub"), two("mul"), two("div")
a, b, c = x(2, "a"), x(1, "b"), x(0, "c")
ABC = ("a", "b", "c")


@pytest.mark.parametrize(
    ("M", "text"),
    [
        (constant(0.5), "0.5"),
        (constant(-0.5), "-0.5"),
        (constant(0), "0.0"),
        (constant(2), "2.0"),
        (constant(1e22), "1e+22"),
        (constant(0.1 + 0.2), "0.30000000000000004"),
        (constant([1, 2]), "[1.0, 2.0]"),
        (constant([[1, 2], [3, 4]]), "[[1.0, 2.0], [3.0, 4.0]]"),
        (constant([[0.5]]), "[[0.5]]"),
        (UNIT_VALUE, "()"),
        (Zero(product((V2, SCALAR))), "0"),
        (swish(a), "swish(a)"),
        (swish(UNIT_VALUE), "swish(())"),
        (mul(a, b), "a * b"),
        (Call(Primitive("mul", (), Product((V2, V2)), V2), a), "mul(a)"),
        (mul(Zero(V2), b), "mul(0, b)"),
        (scale(constant(0.1), sub(a, b)), "0.1 · (a - b)"),
        (sub(sub(a, b), c), "a - b - c"),
        (sub(a, sub(b, c)), "a - (b - c)"),
        (Plus(Plus(a, b), c), "a + b + c"),
        (Plus(a, Plus(b, c)), "a + (b + c)"),
        (Plus(mul(a, b), c), "a * b + c"),
        (mul(Plus(a, b), c), "(a + b) * c"),
        (div(a, mul(b, c)), "a / (b * c)"),
        (mul(div(a, b), c), "a / b * c"),
        (neg(a), "-a"),
        (neg(neg(a)), "-(-a)"),
        (neg(Plus(a, b)), "-(a + b)"),
        (neg(constant(0.5)), "neg(0.5)"),
        (Plus(a, neg(b)), "a + -b"),
        (scale(constant(-0.5), a), "-0.5 · a"),
        (matmul(transpose(a), b), "aᵀ @ b"),
        (transpose(matmul(a, b)), "(a @ b)ᵀ"),
        (Tuple((a, Tuple((b, c)))), "⟨a, ⟨b, c⟩⟩"),
        (Proj(2, 2, Proj(1, 2, a)), "a.1.2"),
        (Proj(1, 2, Zero(product((V2, V2)))), "(0).1"),
        (Proj(1, 2, Plus(a, b)), "(a + b).1"),
        (let("x", a, Plus(x(0), b)), "let x ← a in x + c"),
        (Plus(let("y", a, x(0)), b), "(let y ← a in y) + b"),
        (swish(let("y", a, x(0))), "swish(let y ← a in y)"),
        (Rd(a, Scope(("x",), swish(x(0))), b), "a.rd(x. swish(x))(b)"),
        (Rd(constant(1), Scope(("x",), x(0)), Tuple((a, b))), "(1.0).rd(x. x)(⟨a, b⟩)"),
        (R(a, Scope(("x",), x(0)), b), "a.R_b(x. x)"),
        (R(Plus(a, b), Scope(("x",), x(0)), Tuple((b, c))), "(a + b).R_⟨b, c⟩(x. x)"),
        (Call(Primitive("reshape", (M32.shape, real(6).shape), real(6), M32), a), "reshape[3, 2](a)"),
        (Call(Primitive("fill", (V3.shape,), SCALAR, V3), constant(0.5)), "fill[3](0.5)"),
        (Call(RdOf(Primitive("fill", (V3.shape,), SCALAR, V3)), Tuple((a, b))), "rd[fill[3]](a, b)"),
        (Call(RdOf(RdOf(Defined("f", V2, V2, Scope(("x",), x(0)), None))), a), "rd[rd[f]](a)"),
    ],
)
def test_a_term_is_printed_as_it_is_written(M: Term, text: str) -> None:
    assert show(M, names=ABC) == text


def test_a_float32_is_printed_with_its_own_shortest_digits() -> None:
    assert show(Const(constant([0.1, 0.7]).value.astype("float32"))) == "[0.1, 0.7]"


def test_an_abridged_array_shows_its_type() -> None:
    M = Tuple((constant([[0.0] * 10] * 64), constant([1, 2]), a))
    assert show(M, names=ABC, abridge=4) == "⟨‹Real(64, 10)›, [1.0, 2.0], a⟩"


def test_numbers_are_shown_to_so_many_digits() -> None:
    M = Tuple((constant(-2 / 3), constant([1e6 / 7, 0.5, -0.0]), Const(constant([0.1, 0.7]).value.astype("float32"))))
    assert plain(term_doc(M, brevity=Abbreviation(digits=3))) == "⟨-0.667, [143000.0, 0.5, -0.0], [0.1, 0.7]⟩"


def test_a_long_tuple_is_abridged() -> None:
    assert plain(term_doc(Tuple((a, b, c, a)), ABC, brevity=Abbreviation(entries=1))) == "⟨a, b, c, a⟩"
    assert show(Tuple((a, b, c, a)), names=ABC, abridge=2) == "⟨a, b, …⟩"


def test_types() -> None:
    assert type_text(product((M32, product((SCALAR, V2))))) == "Real(3, 2) × (Real(1) × Real(2))"


@pytest.mark.parametrize(
    ("d", "text"),
    [
        (floor(N_ - dim(2), dim(2)), "(n - 2) // 2"),
        (floor(N_, dim(2)), "n // 2"),
        (floor(N_ * dim(2), dim(3)), "(2*n) // 3"),
        (floor(floor(N_, dim(2)), dim(3)), "(n // 2) // 3"),
        (ceil(floor(N_, dim(2)), dim(3)), "ceil((n // 2) / 3)"),
        (floor(ceil(N_, dim(2)), dim(3)), "ceil(n / 2) // 3"),
        (floor(N_, dim(2)) + dim(1), "(n // 2) + 1"),
        (floor(N_, dim(2)) * dim(2), "2*(n // 2)"),
        (floor(N_, dim(2)) * floor(N_, dim(2)), "(n // 2)*(n // 2)"),
        (-floor(N_, dim(2)), "-(n // 2)"),
    ],
)
def test_a_quotient_stands_in_brackets_where_it_is_a_part(d: Dim, text: str) -> None:
    assert str(d) == text
    assert type_text(Real((dim(3), d))) == f"Real(3, {text})"


def test_every_index_of_a_family_is_printed() -> None:
    assert set(INDEXED) <= set(SYMBOLS)
    for name, row in SYMBOLS.items():
        for scheme in row.schemes:
            assert len(scheme.explicit) == index_count(name, scheme.codomain), name
            assert scheme.variables[: len(scheme.explicit)] == scheme.explicit, name


def get(l: Location | LocationVar) -> Perform:
    return Perform(Operation(GET, (l,), (l.shape,), product(()), V2), UNIT_VALUE)


def put(l: Location | LocationVar, M: Term) -> Perform:
    return Perform(Operation(PUT, (l,), (l.shape,), V2, product(())), M)


L = LocationVar("l", real("m", "n").shape)
FORWARD = bind("w", get(L), Return(Tuple((matmul(x(0, "w"), x(1)), Tuple((x(0, "w"), x(1)))))))
BACKWARD = bind(
    "p",
    Return(x(0, "z")),
    bind(
        "w",
        Return(Proj(1, 2, x(0, "p"))),
        bind("x", Return(Proj(2, 2, x(1, "p"))), Return(matmul(transpose(x(1, "w")), x(4, "y")))),
    ),
)
SGD = ReverseHandler(
    V2,
    Scope(("x",), Return(scale(constant(0.1), sub(x(0), constant([1, 2]))))),
    (ReverseClause(Pattern(FC, ("l",), ("m", "n")), Scope(("x",), FORWARD), V2, Scope(("y", "z"), BACKWARD)),),
)
NET = bind("z", Perform(FC_W0, x(0)), Return(swish(x(0, "z"))))


def test_commands() -> None:
    assert show(NET, names=("x",)) == "let z ⇐ FC[w0](x) in ⌊swish(z)⌋"
    assert show(bind("w", get(W0), put(W0, Tuple((x(0), x(0)))))) == "let w ⇐ Get[w0]() in Put[w0](w, w)"


def test_a_reverse_handler() -> None:
    assert show(SGD, width=60) == (
        "{\n"
        "  return x → ⌊0.1 · (x - [1.0, 2.0])⌋\n"
        "  FC[l](x) → let w ⇐ Get[l]() in ⌊⟨w @ x, ⟨w, x⟩⟩⌋\n"
        "    | y, z → let ⟨w, x⟩ ⇐ ⌊z⌋ in ⌊wᵀ @ y⌋\n"
        "}"
    )
    assert show(SGD, width=1000) == (
        "{ return x → ⌊0.1 · (x - [1.0, 2.0])⌋ ; FC[l](x) → let w ⇐ Get[l]() in ⌊⟨w @ x, ⟨w, x⟩⟩⌋"
        " | y, z → let ⟨w, x⟩ ⇐ ⌊z⌋ in ⌊wᵀ @ y⌋ }"
    )


def test_handling() -> None:
    P = RevHandle(constant([1, 2]), Scope(("x",), NET), SGD)
    arrays = plain(command_doc(P, brevity=Abbreviation(entries=1)), 1000)
    assert arrays == f"rev handle (‹Real(2)›) ⟨x⟩. let z ⇐ FC[w0](x) in ⌊swish(z)⌋ with {show(SGD, 1000)}".replace(
        "[1.0, 2.0]", "‹Real(2)›"
    )
    assert show(P, abridge=9) == "rev handle ([1.0, 2.0]) ⟨x⟩. let z ⇐ FC[w0](x) in ⌊swish(z)⌋ with {…}"
    named = ReverseHandler(SGD.type, SGD.returns, SGD.clauses, "sgd")
    Q = RevHandle(Tuple((constant(1), x(0, "u"))), Scope(("x", "y"), Return(x(1))), named)
    assert show(Q, names=("u",)) == "rev handle (1.0, u) ⟨x, y⟩. ⌊x⌋ with sgd"
    assert show(RevHandle(UNIT_VALUE, Scope((), get(W0)), named)) == "rev handle () ⟨⟩. Get[w0]() with sgd"


def test_what_reverse_handling_unfolds_to() -> None:
    named = ReverseHandler(SGD.type, SGD.returns, SGD.clauses, "sgd")
    P = RH(Tuple((x(0, "y"), constant([1, 2]))), Scope(("y", "x"), NET), named)
    assert show(P, names=("v",)) == "RH^⟨v, [1.0, 2.0]⟩_sgd(⟨y, x⟩. let z ⇐ FC[w0](x) in ⌊swish(z)⌋)"
    assert show(RH(x(0), Scope(("x",), Return(x(0))), SGD), names=("v",)) == "RH^⟨v⟩_{…}(⟨x⟩. ⌊x⌋)"
    assert show(RH(UNIT_VALUE, Scope((), get(W0)), named)) == "RH^⟨⟩_sgd(⟨⟩. Get[w0]())"


def test_an_ordinary_handler_and_its_continuation() -> None:
    scaled = Family("Scaled", (Parameter("a", ValueKind(SCALAR)), Parameter("p", DimKind())), V2, V2, ())
    clause = Scope(("a", "x", "k"), Resume(0, "k", scale(x(2, "a"), x(1))))
    H = OrdinaryHandler(V2, V2, Scope(("x",), Return(x(0))), (OrdinaryClause(Pattern(scaled, ("a", "p"), ()), clause),))
    op = Operation(scaled, (constant(0.5), dim("n")), (), V2, V2)
    assert show(Handle(Perform(op, x(0)), H), names=("v",)) == (
        "handle Scaled[0.5, n](v) with { return x → ⌊x⌋ ; Scaled[a, p](x), k → k • (a · x) }"
    )


def test_a_long_bound_command_has_lines_of_its_own() -> None:
    inner = bind("y", get(W0), bind("z", get(W0), Return(Plus(x(0), x(1)))))
    assert show(bind("w", inner, Return(x(0))), width=30) == (
        "let w ⇐\n  let y ⇐ Get[w0]() in\n  let z ⇐ Get[w0]() in\n  ⌊z + y⌋\nin\n⌊w⌋"
    )


def test_a_hint_is_primed_only_if_it_would_be_confused() -> None:
    assert show(let("x", a, Plus(x(0), x(2))), names=("x", "y", "z")) == "let x ← x in x + y"
    assert show(let("x", a, Plus(x(0), x(3))), names=("x", "y", "z")) == "let x' ← x in x' + x"
    M = let("x", a, let("x", b, let("x", c, Tuple((x(0), x(1), x(2))))))
    assert show(M, names=("x", "y", "z")) == "let x ← x in let x' ← z in let x'' ← x' in ⟨x'', x', x⟩"


def test_many_variables_of_one_name_are_numbered() -> None:
    M: Term = Tuple(tuple(x(i) for i in range(6)))
    for _ in range(6):
        M = let("x", constant(1), M)
    assert show(M).endswith("⟨x₅, x₄, x₃, x'', x', x⟩")


def test_a_used_variable_without_a_name_gets_one() -> None:
    assert show(let("_", a, x(0)), names=ABC) == "let x ← a in x"
    assert show(let("_", a, b), names=ABC) == "let _ ← a in c"
    assert show(let("no name", a, x(0)), names=ABC) == "let x ← a in x"
    assert show(let("in", a, x(0)), names=ABC) == "let x ← a in x"


def test_a_variable_is_not_called_like_a_function_in_its_scope() -> None:
    assert show(let("swish", a, swish(x(0))), names=ABC) == "let swish' ← a in swish(swish')"


def test_variables_of_one_pattern_have_different_names() -> None:
    P = RevHandle(Tuple((a, b)), Scope(("x", "x"), Return(x(0))), ReverseHandler(V2, Scope(("x",), Return(x(0))), (), "h"))
    assert show(P, names=ABC) == "rev handle (a, b) ⟨x, x'⟩. ⌊x'⌋ with h"


def test_a_variable_from_outside_shows_its_index() -> None:
    assert show(let("x", x(1), Plus(x(0), x(3)))) == "let x ← ?1 in x + ?2"


def split(M: Term, *hints: str, then: Term) -> Let:
    """``let p ← M in let x1 ← p.1 in … in then``"""
    body = then
    n = len(hints)
    for i in reversed(range(n)):
        body = let(hints[i], Proj(i + 1, n, x(i, "p")), body)
    return let("p", M, body)


def test_a_pattern_is_put_back() -> None:
    assert show(split(a, "x", "y", then=Plus(x(1), x(0))), names=ABC) == "let ⟨x, y⟩ ← a in x + y"
    assert show(split(a, "x", "_", then=x(1)), names=ABC) == "let ⟨x, _⟩ ← a in x"


def test_a_tuple_with_another_use_is_no_pattern() -> None:
    M = split(a, "x", "y", then=Plus(x(1), x(2, "p")))
    assert show(M, names=ABC) == "let p ← a in let x ← p.1 in let y ← p.2 in x + p"


def test_projections_that_are_not_all_or_not_in_order_are_no_pattern() -> None:
    M = let("p", a, let("y", Proj(2, 2, x(0)), let("x", Proj(1, 2, x(1)), Plus(x(0), x(1)))))
    assert show(M, names=ABC) == "let p ← a in let y ← p.2 in let x ← p.1 in x + y"
    N = let("p", a, let("x", Proj(1, 3, x(0)), let("y", Proj(2, 3, x(1)), x(0))))
    assert show(N, names=ABC) == "let p ← a in let x ← p.1 in let y ← p.2 in y"


def test_patterns_nest() -> None:
    inner = let("u", Proj(1, 2, x(0)), let("v", Proj(2, 2, x(1)), let("y", Proj(2, 2, x(3)), Plus(x(0), x(2)))))
    M = let("p", a, let("q", Proj(1, 2, x(0)), inner))
    assert show(M, names=ABC) == "let ⟨⟨u, v⟩, y⟩ ← a in y + u"


def test_patterns_in_every_form_that_binds() -> None:
    body = let("u", Proj(1, 2, x(0)), let("v", Proj(2, 2, x(1)), x(0)))
    assert show(Rd(a, Scope(("p",), body), b), names=ABC) == "a.rd(⟨u, v⟩. v)(b)"
    command = bind("u", Return(Proj(1, 2, x(1))), bind("v", Return(Proj(2, 2, x(2))), Return(Plus(x(0), x(2)))))
    P = RevHandle(Tuple((a, b)), Scope(("p", "y"), command), ReverseHandler(V2, Scope(("x",), Return(x(0))), (), "h"))
    assert show(P, names=ABC) == "rev handle (a, b) ⟨⟨u, v⟩, y⟩. ⌊v + y⌋ with h"


def marked(M: Term | Command, *path: int) -> list[str]:
    marks: dict[tuple[int, ...], Annotation] = {path: REDEX}
    names = ABC
    match M:
        case Bind() | Return() | Perform() | RevHandle() | RH() | Handle() | Resume() | Repeat() | Scan() | IfCommand():
            doc = command_doc(M, names, marks)
        case _:
            doc = term_doc(M, names, marks)
    return [text for annotation, text in annotated_texts(doc)[1] if annotation == REDEX]


H = ReverseHandler(V2, Scope(("x",), Return(x(0))), (), "h")


@pytest.mark.parametrize(
    ("M", "path", "text"),
    [
        (swish(Plus(a, b)), (0,), "a + b"),
        (swish(Plus(a, b)), (0, 1), "b"),
        (swish(Plus(a, b)), (), "swish(a + b)"),
        (mul(Plus(a, b), c), (0, 0), "a + b"),
        (mul(Plus(a, b), c), (0,), "(a + b) * c"),
        (Call(Primitive("dot", (), Product((V2, V2)), SCALAR), Tuple((a, b))), (0, 1), "b"),
        (Call(Primitive("dot", (), Product((V2, V2)), SCALAR), Tuple((a, b))), (0,), "a, b"),
        (neg(a), (0,), "a"),
        (transpose(matmul(a, b)), (0,), "a @ b"),
        (Tuple((a, Proj(1, 2, b))), (1, 0), "b"),
        (let("x", swish(a), Plus(x(0), b)), (0,), "swish(a)"),
        (let("x", swish(a), Plus(x(0), b)), (1,), "x + c"),
        (let("x", a, let("y", b, Plus(x(0), x(1)))), (1,), "let y ← c in y + x"),
        (let("x", a, let("y", b, Plus(x(0), x(1)))), (1, 1, 0), "y"),
        (Rd(a, Scope(("x",), swish(x(0))), b), (0,), "a"),
        (Rd(a, Scope(("x",), swish(x(0))), b), (1,), "swish(x)"),
        (Rd(a, Scope(("x",), swish(x(0))), b), (2,), "b"),
        (R(a, Scope(("x",), swish(x(0))), b), (1, 0), "x"),
        (R(a, Scope(("x",), swish(x(0))), b), (2,), "b"),
        (Return(Plus(a, b)), (0, 0), "a"),
        (NET, (0, 0), "c"),
        (NET, (1,), "⌊swish(z)⌋"),
        (RevHandle(Tuple((a, b)), Scope(("x", "y"), Return(swish(x(0)))), H), (0, 1), "b"),
        (RevHandle(Tuple((a, b)), Scope(("x", "y"), Return(swish(x(0)))), H), (1, 0), "swish(y)"),
        (RH(Tuple((a, b)), Scope(("x", "y"), Return(swish(x(0)))), H), (0, 0), "a"),
        (RH(a, Scope(("x",), Return(swish(x(0)))), H), (0,), "a"),
        (RH(a, Scope(("x",), Return(swish(x(0)))), H), (1,), "⌊swish(x)⌋"),
        (Handle(Return(a), OrdinaryHandler(V2, V2, Scope(("x",), Return(x(0))), (), "h")), (0, 0), "a"),
        (split(a, "x", "y", then=Plus(x(1), x(0))), (0,), "a"),
        (split(a, "x", "y", then=Plus(x(1), x(0))), (1, 1, 1), "x + y"),
        (split(a, "x", "y", then=Plus(x(1), x(0))), (1, 1, 1, 0), "x"),
        (split(a, "x", "y", then=Plus(x(1), x(0))), (1, 0), "p.1"),
        (split(a, "x", "y", then=Plus(x(1), x(0))), (1, 1), "let y ← p.2 in x + y"),
    ],
)
def test_a_mark_lands_on_its_subterm(M: Term | Command, path: tuple[int, ...], text: str) -> None:
    assert marked(M, *path) == [text]


def test_a_subterm_with_a_span_carries_it() -> None:
    source = Source("cell 1", "swish(u)")
    u = Span(source, 6, 7)
    whole = Span(source, 0, 8)
    doc = term_doc(Call(Primitive("swish", (V2.shape,), V2, V2), Bound(0, "u", span=u), span=whole), ("u",))
    assert [(s.span, text) for s, text in annotated_texts(doc, of=(Spanned,))[1] if isinstance(s, Spanned)] == [
        (u, "u"),
        (whole, "swish(u)"),
    ]


def test_a_handler_with_a_shape_variable_prints() -> None:
    l = LocationVar("l", ShapeVar("s"))
    clause = Scope(("x", "k"), bind("w", get(l), Resume(1, "k", x(0, "w"))))
    H = OrdinaryHandler(V2, V2, Scope(("x",), Return(x(0))), (OrdinaryClause(Pattern(GET, ("l",), ("s",)), clause),))
    assert plain(handler_doc(H)) == "{ return x → ⌊x⌋ ; Get[l](x), k → let w ⇐ Get[l]() in k • w }"


def calls(work: Callable[[], object]) -> int:
    """How many calls of functions ``work`` makes: a clock that is always right."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(tick)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def lets(n: int) -> Term:
    M: Term = Plus(x(0), x(3))
    for i in range(n):
        M = let("x", Plus(x(0), x(i % 3)), M)
    return M


def lets_all_used(n: int) -> Term:
    M: Term = Tuple(tuple(x(i) for i in range(n)))
    for _ in range(n):
        M = let("x", constant(1), M)
    return M


def sums(n: int) -> Term:
    M: Term = a
    for i in range(n):
        M = Plus(M, a) if i % 2 else Plus(a, M)
    return M


def projections(n: int) -> Term:
    M: Term = a
    for i in range(n):
        M = split(M, "x", "y", then=x(i % 2))
    return M


@pytest.mark.parametrize("chain", [lets, lets_all_used, sums, projections])
def test_a_program_of_any_size_prints_in_linear_time(chain: Callable[[int], Term]) -> None:
    small, large = chain(600), chain(2400)
    assert calls(lambda: show(large, names=ABC)) < 5 * calls(lambda: show(small, names=ABC))


def test_a_long_chain_of_lets_is_a_line_each() -> None:
    assert show(lets(5000), names=ABC).count("\n") == 5000


def test_a_long_chain_of_commands_prints() -> None:
    P: Command = Return(x(0))
    for _ in range(5000):
        P = bind("x", Perform(FC_W0, x(0)), P)
    assert show(P, names=ABC).count("FC[w0](") == 5000
