"""Printing: the text parses as the same term, looks like the source, and has the marks."""

from itertools import islice

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.core import (
    IMPLICIT,
    Apply,
    BuiltIn,
    Computation,
    Constructed,
    Force,
    FunctionDefinition,
    Global,
    Handle,
    HandlerDefinition,
    Lambda,
    Let,
    Literal,
    Named,
    Perform,
    Reference,
    Return,
    Thunk,
    Value,
    Variable,
)
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.elaboration_items import elaborate
from rh_kernel.ad.eff.loading import computation, parse
from rh_kernel.ad.eff.printing import terms as printing
from rh_kernel.ad.eff.printing import types as printing_types
from rh_kernel.ad.eff.printing.items import data, effect, function, handler
from rh_kernel.ad.eff.reduction.reducer import steps
from rh_kernel.ad.eff.types import (
    FLOAT,
    INT,
    TEXT,
    UNIT,
    Data,
    DataDeclaration,
    EffectDeclaration,
    Label,
    Product,
    Returner,
    Row,
    RowVariable,
    ValueType,
    With,
)
from rh_kernel.ad.eff.types import Function as Arrow
from rh_kernel.ad.eff.types import Thunk as ThunkType
from rh_kernel.ad.eff.types import Variable as TypeVariable
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import Mark, annotated_texts, plain
from tests.ad.eff import programs
from tests.ad.eff.alpha import canonical
from tests.ad.eff.texts import expressions, unchecked, vocabulary
from tests.tiers import law

WIDTHS = st.sampled_from([1, 20, 100])


def shown(M: Computation, width: float = 1000) -> str:
    """A computation as text."""
    return plain(printing.computation(M), width)


def elaborated(text: str) -> Computation | None:
    """A random expression, or ``None`` if it does not elaborate: a name is bound twice, or something has too many arguments."""
    try:
        return computation(text, vocabulary())
    except Rejected as rejected:
        if {d.code for d in rejected.diagnostics} <= {"RH105", "RH121", "RH016"}:
            return None
        raise


@law(300)
@given(expressions(), WIDTHS)
def test_printed_terms_parse_as_the_same(text: str, width: int) -> None:
    M = elaborated(text)
    assume(M is not None)
    assert M is not None
    written = plain(printing.computation(M), width)
    assert canonical(computation(indented(written), vocabulary())) == canonical(M)


@law(40)
@given(programs.plain(), WIDTHS)
def test_printed_reducts_parse_as_terms_with_the_same_text(program: programs.Program, width: int) -> None:
    """A reduct may bind values to silent names, which are parsed at their use, so texts are compared."""
    for step in islice(steps(program.term, program.definitions), 40):
        written = plain(printing.computation(step.after), width)
        again = computation(indented(written), program.definitions)
        assert plain(printing.computation(again), width) == written


def indented(text: str) -> str:
    """A text whose lines are indented to be one item."""
    return text.replace("\n", "\n ")


@pytest.mark.parametrize("name", library.names())
@pytest.mark.parametrize("width", [30, 128])
def test_printed_programs_of_the_library_parse_as_the_same(name: str, width: int) -> None:
    definitions = unchecked(library.prelude(), BUILT_IN)
    for item in parse(library.source(name)):
        made = elaborate(item, definitions)
        match made:
            case DataDeclaration():
                doc = data(made)
            case EffectDeclaration():
                doc = effect(made)
            case FunctionDefinition():
                doc = function(made)
            case HandlerDefinition():
                doc = handler(made)
            case _:
                doc = None
        if doc is not None:
            (again,) = parse(plain(doc, width))
            assert elaborate(again, definitions) == made
        definitions = unchecked(item.span.text, definitions)


@pytest.mark.parametrize(
    "text",
    [
        "handle p 1 (p (t 4 2) (n (t 4 4))) with evaluate",
        "let x = f 1 in let y = g x x in g (f x) y",
        "let (x, y) = f 1 in x",
        "let Paired x dx = f 1 in x + dx",
        "f 1; g 2 3; 4",
        "r := f @r",
        "{x (Paired y _) -> g x y}",
        "{f 1}",
        "\\x y -> g x y",
        "(f 1)! 2",
        "fresh! + fresh!",
        "get!!",
        "f (f 1 :: f 2)",
        "[1, f 2, 3]",
        "-f 1 - -2",
        "-(2)",
        "1 - 2 - (3 - 4)",
        "1 - (2 - 3)",
        "if f 1 <= 2 then f 3 else (f 4; 5)",
        "match f 1 | Dot -> 1 | Circle r -> r",
        "match f 1 | Dot -> (match 1 | Dot -> 2) | _ -> match 3 | x -> x",
        "handle f 1 with state (f 2)",
        "handle get! with { return x -> x | <get -> k> -> k 1 | <put x -> _> -> 2 }",
        "(handle f 1 with state 0) 3",
        "<Smooth(s a b -> s b), Fresh> f 1",
        "f (<Smooth> f 1)",
        "<| f 1, 2 |>.1",
        'print ("a" ++ show 1)',
        "f (let x = 1 in f x)",
        "f {x -> f x} (f 2)",
    ],
)
def test_printed_terms_look_like_their_source(text: str) -> None:
    definitions = unchecked("fun t x y = x\nfun p x y = x\nfun n x = x\nfun r = 1", vocabulary())
    assert shown(computation(text, definitions)) == text


def test_silent_results_that_are_used_in_another_order_get_a_name() -> None:
    first, second = (BuiltIn("sin", (Literal(float(n)),)) for n in (1, 2))
    pair = BuiltIn("sub", (Variable("%2"), Variable("%1")))
    assert shown(Let("%1", first, Let("%2", second, pair))) == "let v1 = sin 1 in let v2 = sin 2 in v2 - v1"
    late = Let("%1", first, Return(Thunk(Return(Variable("%1")))))
    assert shown(late) == "let v1 = sin 1 in {v1}"
    between = Let("%1", first, Let("x", second, BuiltIn("sub", (Variable("x"), Variable("%1")))))
    assert shown(between) == "let v1 = sin 1 in let x = sin 2 in x - v1"


def test_a_local_name_that_clashes_with_a_declared_one_is_renamed() -> None:
    """The result of (λf. λx. x f) applied to the declared f and to a variable, under a binder f."""
    M = Lambda("f", Apply(Force(Variable("f")), Global("f")))
    assert shown(M) == "\\f' -> f' f"
    assert canonical(computation(shown(M), vocabulary())) == canonical(M)
    N = Lambda("get", Let("%1", Perform("State", "get", ()), BuiltIn("add", (Variable("%1"), Variable("get")))))
    assert shown(N) == "\\get' -> get! + get'"
    sine = Lambda("sin", BuiltIn("sin", (Variable("sin"),)))
    assert shown(sine) == "\\sin' -> sin sin'"


def test_references_and_numbers() -> None:
    values: list[tuple[Value, str]] = [
        (Reference(3), "⟨r3⟩"),
        (Literal(2.0), "2"),
        (Literal(-0.5), "-0.5"),
        (Literal(-0.0), "-0.0"),
        (Literal(1e300), "1e+300"),
        (Literal('a "b"\n'), r'"a \"b\"\n"'),
        (Constructed("Just", (Literal(-1.0),)), "Just (-1)"),
    ]
    for V, text in values:
        assert plain(printing.value(V)) == text


def marked(M: Computation, node: object) -> list[str]:
    """The marked parts of a printed computation."""
    doc = printing.computation(M, {id(node): Mark("redex")})
    return [text for _, text in annotated_texts(doc, 1000)[1]]


def test_marked_nodes_are_annotated_wherever_they_are_printed() -> None:
    M = computation("let x = f (g 1 2) in handle f (f x 3) with state x; {f 7} 5", vocabulary())
    assert isinstance(M, Let)
    assert isinstance(M.body, Let)
    assert isinstance(M.body.body, Let)
    assert marked(M, M) == [shown(M)]
    assert marked(M, M.bound) == ["g 1 2"]
    assert marked(M, M.body.bound) == ["f (g 1 2)"]
    rest = M.body.body
    assert marked(M, rest) == ["handle f (f x 3) with state x; {f 7} 5"]
    assert isinstance(rest.bound, Handle)
    assert isinstance(rest.bound.handler, Named)
    assert marked(M, rest.bound) == ["handle f (f x 3) with state x"]
    assert marked(M, rest.bound.handler.arguments[0]) == ["x"]
    inner = rest.bound.body
    assert isinstance(inner, Let)
    assert isinstance(inner.bound, Apply)
    assert isinstance(inner.bound.function, Apply)
    assert marked(M, inner.bound.function) == ["f x"]
    assert marked(M, inner.bound.function.function) == ["f"]
    assert isinstance(rest.body, Apply)
    assert isinstance(rest.body.function, Force)
    assert marked(M, rest.body.function) == ["{f 7}"]


def test_nested_sequences_are_printed_as_one() -> None:
    first, second, third = (BuiltIn("sin", (Literal(n),)) for n in (1, 2, 3))
    inner = Let("_", first, second)
    M = Let("_", inner, third)
    assert shown(M) == "sin 1; sin 2; sin 3"
    assert marked(M, inner) == ["sin 1; sin 2"]
    assert shown(Let("_", Let("x", first, second), third)) == "(let x = sin 1 in sin 2); sin 3"
    match_last = Let("_", Let("_", first, computation("match f 1 | Dot -> 2", vocabulary())), third)
    assert shown(match_last) == "sin 1; (match f 1 | Dot -> 2); sin 3"


def test_terms_of_any_depth_are_printed() -> None:
    depth = 2_000
    M: Computation = Return(Literal(1))
    V: Value = Constructed("Nil", ())
    for i in range(depth):
        M = Handle(Let("_", M, Return(Literal(i))), Named("evaluate"))
        V = Constructed("Cons", (Literal(i), V))
    assert shown(M).count("handle") == depth
    assert shown(Return(V)).count(",") == depth - 1
    N: Computation = Return(Literal(1))
    for _ in range(depth):
        N = Return(Thunk(N))
    assert shown(N) == "{" * depth + "1" + "}" * depth


def test_long_sequences_of_lets_are_printed_and_parsed() -> None:
    count = 1_000
    for text in ("let x = f 1 in\n " * count + "x", "f 1;\n " * count + "2", "f 1 + " * count + "1", "f 1 :: " * count + "[]"):
        M = computation(text, vocabulary())
        written = indented(plain(printing.computation(M), 100))
        assert plain(printing.computation(computation(written, vocabulary())), 100) == plain(printing.computation(M), 100)


def value_types() -> st.SearchStrategy[ValueType]:
    """Types that may occur in a signature."""
    leaves = st.sampled_from([FLOAT, INT, TEXT, UNIT, Data("Shape"), TypeVariable("a"), TypeVariable("b")])

    def more(A: st.SearchStrategy[ValueType]) -> st.SearchStrategy[ValueType]:
        label = st.one_of(st.just(Label("Fresh")), A.map(lambda B: Label("Smooth", (B,))))
        labels = st.lists(label, max_size=3).map(tuple)
        row = st.builds(Row, labels, st.sampled_from([RowVariable(IMPLICIT), RowVariable("e")]))
        returner = st.builds(Returner, A)
        result = st.one_of(returner, st.builds(With, returner, st.builds(Arrow, A, returner)))
        C = st.one_of(result, st.builds(Arrow, A, result), st.builds(Arrow, A, st.builds(Arrow, A, result)))
        return st.one_of(
            st.tuples(A, A).map(Product),
            A.map(lambda B: Data("List", (B,))),
            A.map(lambda B: Data("Ref", (B,))),
            st.builds(ThunkType, row, C),
        )

    return st.recursive(leaves, more, max_leaves=6)


@given(value_types())
def test_printed_types_parse_as_the_same(A: ValueType) -> None:
    for text in (f"fun u (x : {printing_types.value(A)}) = x", f"fun u (x : List {printing_types.value(A, atomic=True)}) = x"):
        (item,) = parse(text)
        made = elaborate(item, vocabulary())
        assert isinstance(made, FunctionDefinition)
        assert made.signature.domains in {(A,), (Data("List", (A,)),)}


def test_declarations_are_printed_as_in_the_source() -> None:
    texts = [
        "data Cont x [e] = Cont x {x -> [e | Smooth x] x}",
        "effect Exception = exception : Text -> a | other : (Int, Text) -> Unit",
        "fun lift (x : a) : [Smooth a, Smooth (Paired a)] Paired a = Paired x (<Smooth> f 1)",
        "fun k (Paired x _) (y : {a -> [State Int] b}) = y x",
        "fun swap ((x, y) : (a, b)) (z : c) : (b, a) = (y, x)",
        "fun basic = f {x -> f x}",
        "handler again s = return x -> x | <fresh -> k> -> handle k s with again (s + 1)",
        "handler plain = <fresh -> k> -> k 1",
        "handler typed (s : Int) f (g : {a -> [State Int] List a}) = return x -> x | <fresh -> k> -> k s",
    ]
    definitions: Definitions = vocabulary()
    for text in texts:
        (item,) = parse(text)
        match elaborate(item, definitions):
            case DataDeclaration() as made:
                doc = data(made)
            case EffectDeclaration() as made:
                doc = effect(made)
            case FunctionDefinition() as made:
                doc = function(made)
            case HandlerDefinition() as made:
                doc = handler(made)
            case other:
                pytest.fail(str(other))
        assert plain(doc, 1000) == text
