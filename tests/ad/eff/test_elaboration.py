"""Elaboration: intermediate results are named from left to right, names become keys, and errors have hints."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.ad.eff.core import (
    IMPLICIT,
    Adapt,
    Adaptor,
    AnyPattern,
    Apply,
    Branch,
    BuiltIn,
    Clause,
    Clauses,
    Computation,
    Constructed,
    ConstructorPattern,
    Force,
    FunctionDefinition,
    Global,
    Handle,
    HandlerDefinition,
    Lambda,
    Let,
    Literal,
    Match,
    Named,
    NamePattern,
    Node,
    Pair,
    Pattern,
    Perform,
    Projection,
    Return,
    ReturnClause,
    Thunk,
    Tuple,
    TuplePattern,
    Value,
    Variable,
)
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.elaboration_items import Elaborated, Include, Run, TypeQuery, elaborate
from rh_kernel.ad.eff.frontend.parsing_items import chunks, item
from rh_kernel.ad.eff.loading import checked, computation, declared, parse, prelude, program
from rh_kernel.ad.eff.machine.running import run
from rh_kernel.ad.eff.types import (
    Base,
    Data,
    DataDeclaration,
    EffectDeclaration,
    Function,
    Label,
    Returner,
    Row,
    RowVariable,
)
from rh_kernel.ad.eff.types import Thunk as ThunkType
from rh_kernel.ad.eff.types import Variable as TypeVariable
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.span import Source
from tests.ad.eff.texts import expressions, mutated, soup, unchecked, vocabulary

f, g = Force(Global("f")), Force(Global("g"))
one, two, three = Literal(1), Literal(2), Literal(3)
first, second = Variable("%1"), Variable("%2")
x, k = Variable("x"), Variable("k")
nil = Constructed("Nil", ())
true, false = ConstructorPattern("True", ()), ConstructorPattern("False", ())


def cons(V: Value, W: Value) -> Value:
    """``V :: W``"""
    return Constructed("Cons", (V, W))


def circle(p: Pattern) -> Pattern:
    """``Circle p``"""
    return ConstructorPattern("Circle", (p,))


def made(text: str, definitions: Definitions | None = None) -> Elaborated:
    """The one item of a text, elaborated."""
    (item,) = parse(text)
    return elaborate(item, vocabulary() if definitions is None else definitions)


def diagnostic(text: str, definitions: Definitions | None = None) -> Diagnostic:
    """The diagnostic of the one item of a text."""
    with pytest.raises(Rejected) as rejected:
        made(text, definitions)
    return rejected.value.diagnostics[0]


@pytest.mark.parametrize(
    ("text", "M"),
    [
        ("f 1", Apply(f, one)),
        ("f", Return(Global("f"))),
        ("f!", f),
        (
            "g (f 1) (f 2)",
            Let("%1", Apply(f, one), Let("%2", Apply(f, two), Apply(Apply(g, first), second))),
        ),
        ("f (f (f 1))", Let("%1", Apply(f, one), Let("%2", Apply(f, first), Apply(f, second)))),
        ("(f 1)! (f 2)", Let("%1", Apply(f, two), Let("%2", Apply(f, one), Apply(Force(second), first)))),
        ("(f 1) 2", Apply(Apply(f, one), two)),
        ("{x -> x} 1", Apply(Force(Thunk(Lambda("x", Return(x)))), one)),
        ("(\\x -> x) 1", Apply(Lambda("x", Return(x)), one)),
        ("let x = f 1 in f x", Let("x", Apply(f, one), Apply(f, x))),
        ("f (let x = f 1 in x)", Let("%1", Let("x", Apply(f, one), Return(x)), Apply(f, first))),
        ("f 1; f 2", Let("_", Apply(f, one), Apply(f, two))),
        ("let _ = f 1 in f 2", Let("_", Apply(f, one), Apply(f, two))),
        (
            "let (x, _) = f 1 in x",
            Let("%1", Apply(f, one), Match(first, (Branch(TuplePattern((NamePattern("x"), AnyPattern())), Return(x)),))),
        ),
        ("f 1 + f 2", Let("%1", Apply(f, one), Let("%2", Apply(f, two), BuiltIn("add", (first, second))))),
        (
            "1 + 2 - f 3",
            Let("%1", BuiltIn("add", (one, two)), Let("%2", Apply(f, three), BuiltIn("sub", (first, second)))),
        ),
        ("-2", Return(Literal(-2))),
        ("-(2)", BuiltIn("negate", (two,))),
        ("sin 1", BuiltIn("sin", (one,))),
        ("[1, f 2]", Let("%1", Apply(f, two), Return(cons(one, cons(first, nil))))),
        ("1 :: f 2 :: []", Let("%1", Apply(f, two), Return(cons(one, cons(first, nil))))),
        ("(1, f 2)", Let("%1", Apply(f, two), Return(Tuple((one, first))))),
        ("Paired 1 (Circle 2)", Return(Constructed("Paired", (one, Constructed("Circle", (two,)))))),
        ('ap2 "t" 1 2', Perform("Smooth", "ap2", (Literal("t"), one, two))),
        ("fresh", Perform("Fresh", "fresh", ())),
        ("fresh!", Perform("Fresh", "fresh", ())),
        ("fresh!!", Let("%1", Perform("Fresh", "fresh", ()), Force(first))),
        ("f fresh", Let("%1", Perform("Fresh", "fresh", ()), Apply(f, first))),
        ("@f", Perform("RefState", "read", (Global("f"),))),
        ("f := @f", Let("%1", Perform("RefState", "read", (Global("f"),)), Perform("RefState", "write", (Global("f"), first)))),
        ("new 1", Perform("RefState", "new", (one,))),
        ("if True then 1 else 2", Match(Constructed("True", ()), (Branch(true, Return(one)), Branch(false, Return(two))))),
        ("match f 1 | Dot -> 2", Let("%1", Apply(f, one), Match(first, (Branch(ConstructorPattern("Dot", ()), Return(two)),)))),
        ("handle f 1 with state (f 2)", Let("%1", Apply(f, two), Handle(Apply(f, one), Named("state", (first,))))),
        ("<Smooth> f (f 1)", Adapt((Adaptor("Smooth"),), Let("%1", Apply(f, one), Apply(f, first)))),
        ("f (<Smooth> f 1)", Let("%1", Adapt((Adaptor("Smooth"),), Apply(f, one)), Apply(f, first))),
        ("<| 1, f 2 |>.2", Projection(2, Pair(Return(one), Apply(f, two)))),
        ("{x -> x.1}", Return(Thunk(Lambda("x", Projection(1, Force(x)))))),
        ("{_ x -> x}", Return(Thunk(Lambda("_", Lambda("x", Return(x)))))),
        (
            "{(Circle x) y -> x}",
            Return(Thunk(Lambda("%1", Lambda("y", Match(first, (Branch(circle(NamePattern("x")), Return(x)),)))))),
        ),
    ],
)
def test_results_get_names_from_left_to_right(text: str, M: Computation) -> None:
    assert computation(text, vocabulary()) == M


@pytest.mark.parametrize(
    ("text", "adaptor"),
    [
        ("<Smooth> 1", Adaptor("Smooth")),
        ("<Smooth(s a -> s)> 1", Adaptor("Smooth", 1, ())),
        ("<Smooth(s a b -> s b)> 1", Adaptor("Smooth", 2, (0,))),
        ("<Smooth(s a b c -> s a)> 1", Adaptor("Smooth", 3, (2,))),
        ("<Smooth(s a b -> s b a)> 1", Adaptor("Smooth", 2, (1, 0))),
        ("<Smooth(s a -> s a a)> 1", Adaptor("Smooth", 1, (0, 0))),
        ("<Smooth(s -> s)> 1", Adaptor("Smooth", 0, ())),
    ],
)
def test_instances_are_counted_from_the_innermost(text: str, adaptor: Adaptor) -> None:
    assert computation(text, vocabulary()) == Adapt((adaptor,), Return(one))


def test_handlers() -> None:
    text = "handler taken s = return Paired x _ -> x | <ap0 x -> k> -> k s | <ap1 _ x -> k> -> x | <ap2 _ _ x -> _> -> x"
    match made(text):
        case HandlerDefinition("taken", ("s",), Clauses(returns, clauses, ("Smooth",))):
            p = ConstructorPattern("Paired", (NamePattern("x"), AnyPattern()))
            assert returns == ReturnClause(p, Return(x))
            assert clauses[0] == Clause("Smooth", "ap0", (NamePattern("x"),), "k", Apply(Force(k), Variable("s")))
            assert [clause.continuation for clause in clauses] == ["k", "k", "_"]
        case other:
            pytest.fail(str(other))


def test_a_handler_without_a_return_clause_returns_what_it_is_given() -> None:
    match computation("handle fresh with { <fresh -> k> -> k 1 }", vocabulary()):
        case Handle(_, Clauses(ReturnClause(NamePattern(name), Return(Variable(same))))):
            assert name == same
        case other:
            pytest.fail(str(other))


def test_recursive_functions_and_handlers() -> None:
    match made("fun f x = f (handle x with evaluate)"):
        case FunctionDefinition("f#2", Thunk(Lambda("x", Let("%1", _, Apply(Force(Global(own)), _))))):
            assert own == "f#2"
        case other:
            pytest.fail(str(other))
    match made("handler state s = <get -> k> -> handle k s with state 1 | <put t -> k> -> k ()"):
        case HandlerDefinition("state#2", _, Clauses(_, (Clause(body=Handle(_, Named(own))), _))):
            assert own == "state#2"
        case other:
            pytest.fail(str(other))


def test_signatures_have_an_implicit_row() -> None:
    match made("fun lift (x : a) y : [Smooth a, Smooth (Paired a)] Paired a = x"):
        case FunctionDefinition(signature=signature):
            a = TypeVariable("a")
            paired = Data("Paired", (a,))
            labels = (Label("Smooth", (a,)), Label("Smooth", (paired,)))
            assert signature.domains == (a, None)
            assert signature.row == Row(labels, RowVariable(IMPLICIT))
            assert signature.codomain == Returner(paired)
        case other:
            pytest.fail(str(other))
    match made("fun h (x : {Float -> [e] Int}) : Text -> {Float} = x"):
        case FunctionDefinition(signature=signature):
            implicit = Row((), RowVariable(IMPLICIT))
            assert signature.domains == (ThunkType(Row((), RowVariable("e")), Function(Base("Float"), Returner(Base("Int")))),)
            assert signature.row == implicit
            assert signature.codomain == Function(Base("Text"), Returner(ThunkType(implicit, Returner(Base("Float")))))
        case other:
            pytest.fail(str(other))


def test_declarations_have_no_implicit_row() -> None:
    match made("data Cont x [e] = Cont x {x -> [e | Smooth x] x} {[] x} (List (Cont x [e]))"):
        case DataDeclaration("Cont", _, (constructor,)):
            a = TypeVariable("x")
            row = Row((Label("Smooth", (a,)),), RowVariable("e"))
            assert constructor.fields[:3] == (a, ThunkType(row, Function(a, Returner(a))), ThunkType(Row(), Returner(a)))
            assert constructor.fields[3] == Data("List", (Data("Cont", (a, Row((), RowVariable("e")))),))
        case other:
            pytest.fail(str(other))


def test_operations_are_generic_in_other_variables_than_parameters() -> None:
    match made("effect Exception t = exception : t -> a | other : (a, b) -> t"):
        case EffectDeclaration("Exception", _, operations):
            assert [o.variables for o in operations] == [("a",), ("a", "b")]
        case other:
            pytest.fail(str(other))


def test_a_redeclaration_has_a_new_key() -> None:
    definitions = unchecked("data Paired x = Paired x | Pair x\neffect Smooth x = ap0 : x", vocabulary())
    assert definitions.constructors["Paired"] == definitions.constructors["Pair"] == "Paired#2"
    assert computation("Paired 1", definitions) == Return(Constructed("Paired#2", (one,)))
    assert computation("ap0", definitions) == Perform("Smooth#2", "ap0#2", ())
    assert computation('ap1 "t" 1', definitions) == Perform("Smooth", "ap1", (Literal("t"), one))


def test_two_types_never_have_constructors_of_the_same_key() -> None:
    """``Dot`` is a constructor of ``Shape`` already, so as one of ``Sign`` it has another key, as has the type."""
    definitions = unchecked("data Sign = Dot | Dash\neffect Other = fresh : Text", vocabulary())
    assert computation("Dot", definitions) == Return(Constructed("Dot#2", ()))
    assert definitions.types["Sign"] == "Sign#2"
    assert computation("fresh", definitions) == Perform("Other#2", "fresh#2", ())


def test_a_later_function_hides_an_operation_and_conversely() -> None:
    definitions = unchecked("fun fresh = 1", vocabulary())
    assert computation("fresh", definitions) == Return(Global("fresh"))
    again = unchecked("effect Again = fresh : Int", definitions)
    assert computation("fresh!", again) == Perform("Again#2", "fresh#2", ())
    assert computation("let sin = 1 in sin", definitions) == Let("sin", Return(one), Return(Variable("sin")))
    assert computation("sin 1", unchecked("fun sin x = x", definitions)) == Apply(Force(Global("sin")), one)


def test_directives() -> None:
    match [
        made(text) for text in ("f 1", "%trace f 1", "%type f", "%type evaluate", "%type ap1", "%type Circle", "%type Smooth")
    ]:
        case [
            Run("", M),
            Run("trace", N),
            Run("type", L),
            TypeQuery(kind1, key1),
            TypeQuery(kind2, key2),
            TypeQuery(k3, x3),
            TypeQuery(k4, x4),
        ]:
            assert M == N == Apply(f, one)
            assert Return(Global("f")) == L
            assert [kind1, kind2, k3, k4] == ["handler", "operation", "constructor", "effect"]
            assert [key1, key2, x3, x4] == ["evaluate", "ap1", "Circle", "Smooth"]
        case other:
            pytest.fail(str(other))
    assert isinstance(made("include smooth"), Include)


@pytest.mark.parametrize(
    ("text", "code", "place", "says"),
    [
        ("f z", "RH101", "z", ""),
        ("sinn 1", "RH101", "sinn", "did you mean `sin`"),
        ("Pared 1 2", "RH101", "Pared", "did you mean `Paired`"),
        ("handle f 1 with evaluat", "RH101", "evaluat", "did you mean `evaluate`"),
        ("<Smoth> f 1", "RH101", "Smoth", "did you mean `Smooth`"),
        ("<Smooth(s a -> s b)> f 1", "RH101", "b", "left of the arrow"),
        ("<Smooth(s a a -> s)> f 1", "RH121", "a", ""),
        ("fun k (x : Flaot) = x", "RH101", "Flaot", "did you mean `Float`"),
        ("data D = D x", "RH101", "x", "parameter"),
        ("data D = D {[e] Int}", "RH101", "e", "[e]"),
        ("data D [e] = D e", "RH104", "e", "[e]"),
        ("data D = D (Float Int)", "RH105", "Float", ""),
        ("data Float = F", "RH124", "Float", ""),
        ("data D = D (Smooth Int)", "RH104", "Smooth", ""),
        ("data D = D {[Paired Int] Int}", "RH104", "Paired", ""),
        ("data D x x = D", "RH121", "x", ""),
        ("data D = A | A", "RH121", "A", ""),
        ("effect E = a : Int | a : Int", "RH121", "a", ""),
        ("fun k x x = x", "RH121", "x", ""),
        ("{x (Paired x y) -> x}", "RH121", "x", ""),
        ("let (x, x) = f 1 in x", "RH121", "x", ""),
        ("match f 1 | Paired x x -> x", "RH121", "x", ""),
        ("handler h s s = return x -> x", "RH121", "s", ""),
        ("handler h = <fresh -> k> -> 1 | <fresh -> k> -> 2", "RH114", "fresh", ""),
        ("handler h = return x -> x | return y -> y", "RH114", "return y -> y", ""),
        ("handler h = <ap0 k -> k> -> 1", "RH121", "k", ""),
        ("handler h = <freesh -> k> -> 1", "RH101", "freesh", "did you mean `fresh`"),
        ("handler h = <f -> k> -> 1", "RH101", "f", "operation"),
        ("handler h = <ap1 x -> k> -> 1", "RH105", "ap1", "brackets"),
        ("Paired 1", "RH105", "Paired", "all its fields"),
        ("f Paired 1 2", "RH105", "Paired", "brackets"),
        ("match f 1 | Circle -> 1", "RH105", "Circle", "brackets"),
        ("{Circle x -> x}", "RH105", "Circle", "brackets"),
        ("ap1 1", "RH105", "ap1", "{x y -> ap1 x y}"),
        ("f sin", "RH105", "sin", "{x -> sin x}"),
        ("fresh 1", "RH105", "fresh", "applied by fresh!! M"),
        ("sin 1 2", "RH105", "sin", "all its arguments, sin x"),
        ("sin -1", "RH105", "sin", "stands in brackets"),
        ("Just -1", "RH105", "Just", "stands in brackets"),
        ("ap1 1 1 2", "RH105", "ap1", "applied by (ap1 x y)! M"),
        ("handle 3 with f", "RH101", "f", "f is a function, not a handler"),
        ("evaluate (f 1)", "RH104", "evaluate", "handle M with evaluate"),
        ("f Smooth", "RH104", "Smooth", ""),
        ("f Shape", "RH104", "Shape", ""),
    ],
)
def test_programs_that_cannot_be_elaborated_are_rejected(text: str, code: str, place: str, says: str) -> None:
    found = diagnostic(text)
    assert found.span is not None
    assert (found.code, found.span.text) == (code, place)
    assert says in found.hint
    assert found.hint or found.expected or found.fix


def test_a_handler_has_a_clause_for_each_operation_of_its_effects() -> None:
    found = diagnostic("handler h = <ap1 u x -> k> -> k x")
    assert found.code == "RH520"
    assert found.message == "this handler of Smooth has no clause for `ap0`, `ap2`"
    assert "<ap0 x -> k> -> M | <ap2 x y z -> k> -> M" in found.hint


@given(expressions())
def test_every_node_has_a_span(text: str) -> None:
    try:
        M = computation(text, vocabulary())
    except Rejected:
        assume(False)
        return
    for node in nodes(M):
        assert node.span is not None
        assert 0 <= node.span.start <= node.span.end <= len(text)


def nodes(start: Node) -> Iterator[Node]:
    """All nodes of a term, with patterns and clauses."""
    pending: list[Any] = [start]
    while pending:
        part = pending.pop()
        if isinstance(part, tuple):
            pending += part
        elif isinstance(part, Node) and is_dataclass(part):
            yield part
            pending += [getattr(part, field.name) for field in fields(part)]


def test_including_an_unknown_program_is_rejected() -> None:
    with pytest.raises(Rejected) as rejected:
        declared("include smoth")
    found = rejected.value.diagnostics[0]
    assert found.code == "RH101"
    assert "did you mean `smooth`" in found.hint


@given(st.one_of(soup(), mutated()))
def test_every_text_is_elaborated_or_rejected_with_a_hint(text: str) -> None:
    for chunk in chunks(Source("cell", text)):
        try:
            found = item(chunk)
            if found is not None:
                elaborate(found, vocabulary())
        except Rejected as rejected:
            advised = [bool(d.hint or d.expected or d.fix) and d.span is not None for d in rejected.diagnostics]
            assert all(advised)


def test_including_a_program_twice_is_including_it_once() -> None:
    once = program("forward")
    assert declared("include forward\ninclude smooth\ninclude forward", once) is once
    assert program("forward") is once
    assert {"forward", "smooth"} <= once.included


def test_a_program_of_any_length_is_elaborated() -> None:
    count = 5_000
    for text in ("let x = f 1 in " * count + "x", "f 1; " * count + "2", "f 1 + " * count + "1", f"[{'1, ' * count}1]"):
        M = computation(text, vocabulary())
        lets = 0
        while isinstance(M, Let):
            lets, M = lets + 1, M.body
        assert lets == {"l": count, "f": lets, "[": 0}[text[0]]
        assert lets >= count or text[0] == "["


def test_a_program_of_the_library_is_independent_of_where_it_is_included() -> None:
    mine = "include forward\ninclude evaluate\nfun t x y = c 0\ndata Prop = Mine\neffect Fresh = fresh : Float -> Float\n"
    definitions = declared(f"{mine}include stateful\ninclude taped", prelude().of_session())
    for mode in ("d", "grad", "dt"):
        M = checked(f"handle {mode} {{x -> ap2 Times x x}} (c 3) with evaluate", definitions).term
        assert run(M, definitions).value == Literal(6.0)
    M = checked("handle t (c 1) (c 1) with evaluate", definitions).term
    assert run(M, definitions).value == Literal(0.0)
