"""Types of EFF (Sigal 2024, Fig. 7.14): principal types, signatures, recursion, handlers, adaptors, diagnostics."""

import pytest

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.core import (
    Apply,
    Branch,
    Computation,
    Constructed,
    Force,
    FunctionDefinition,
    Global,
    Lambda,
    Let,
    Literal,
    Match,
    NamePattern,
    Return,
    Signature,
    Thunk,
    Value,
    Variable,
)
from rh_kernel.ad.eff.definitions import Definitions, Function, Handler
from rh_kernel.ad.eff.errors import EffectNotAllowed, RowsDiffer, UnhandledEffect
from rh_kernel.ad.eff.printing.types import computation, handler_scheme, row, scheme
from rh_kernel.ad.eff.quick_fixes import NEGATIVE_ARGUMENT_HINT
from rh_kernel.ad.eff.reduction import reducer as reduction
from rh_kernel.ad.eff.reduction.native_operations import Content
from rh_kernel.ad.eff.reduction.store import Vector
from rh_kernel.ad.eff.reduction.values import term_of
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.ad.eff.types import FLOAT, INT, Data, Returner
from rh_kernel.ad.eff.typing.checking import check_computation, check_function, recheck
from rh_kernel.ad.eff.typing.generalisation import named
from rh_kernel.ad.eff.typing.unification import Unknowns
from rh_kernel.source.diagnostic import Diagnostic, Rejected

STATE = "effect Counter s = current : s | change : s -> Unit\n"


def type_of(text: str, name: str, definitions: Definitions | None = None) -> str:
    """The type of a function or handler that a text declares."""
    found = loading.declared(text, definitions)
    key = {**found.functions, **found.handlers}[name]
    match found.declared[key]:
        case Function(_, S):
            return scheme(S)
        case Handler(_, H):
            return handler_scheme(H)
        case other:
            raise AssertionError(other)


def refused(text: str, definitions: Definitions | None = None) -> Diagnostic:
    with pytest.raises(Rejected) as raised:
        loading.declared(text, definitions)
    (found,) = raised.value.diagnostics
    return found


# -------------------------------------------------------------------------------------------- principal types

PRINCIPAL = {
    "identity": ("fun f x = x", "a -> a"),
    "constant": ("fun f x y = x", "a -> b -> a"),
    "application": ("fun f g x = g x", "{a -> b} -> a -> b"),
    "composition": ("fun f g h x = g (h x)", "{a -> b} -> {c -> a} -> c -> b"),
    "a thunk is forced": ("fun f t = t!", "{a} -> a"),
    "a thunk is given": ("fun f x = {x}", "a -> {[e] a}"),
    "a computation of function type": ("fun f x = \\y -> (x, y)", "a -> b -> (a, b)"),
    "without parameters": ("fun f = 1 + 2", "{Float}"),
    "numbers are floats if nothing else is said": ("fun f x = x + x", "Float -> Float"),
    "numbers are what they are added to": ("fun f (x : Int) = x + 1", "Int -> Int"),
    "map": ("fun f g xs = match xs | [] -> [] | x :: r -> g x :: f g r", "{a -> b} -> List a -> List b"),
    "pairs of computations": ('fun f x = <| x + 1, "a" |>', "Float -> <| Float, Text |>"),
    "a projection": ('fun f x = (<| x + 1, "a" |>).2', "Float -> Text"),
    "what never returns": ("fun f x = f x", "a -> b"),
    "references": ("fun f x = let r = new x in r := x; @r", "a -> [RefState] a"),
    "arrays": ("fun f xs i = fetch (array xs) i", "List a -> Int -> [RefState] a"),
    "printing": ("fun f x = print (show x)", "a -> [Console] Unit"),
    "an operation": (f"{STATE}fun f x = change x; current!", "a -> [Counter a] a"),
    "an effect of an argument": (f"{STATE}fun f g = change 1; g!", "{{[Counter Float] a}} -> [Counter Float] a"),
    "two instances": (f"{STATE}fun f x y = change x; <Counter> (change y)", "a -> b -> [Counter b, Counter a] Unit"),
    "instances change places": (
        f"{STATE}fun f x y = <Counter(s a b -> s b a)> (change x; <Counter> (change y))",
        "a -> b -> [Counter a, Counter b] Unit",
    ),
    "one instance is left out": (
        f"{STATE}fun f g = <Counter(s a b -> s b)> g!",
        "{[Counter a] b} -> [Counter c, Counter a] b",
    ),
}


@pytest.mark.parametrize(("text", "expected"), PRINCIPAL.values(), ids=PRINCIPAL)
def test_principal_types(text: str, expected: str) -> None:
    assert type_of(text, "f") == expected.replace("{{", "{").replace("}}", "}")


ASK = "effect Ask = ask : Int\n"

HANDLERS = {
    "a number": ("handler h (n : Int) = return x -> n + x | <ask -> k> -> k n", "Int -> <Ask> Int -> Int"),
    "less than could be": ("handler h (x : List a) = <ask -> k> -> k 1", "List a -> <Ask> b -> b"),
    "a thunk, which runs where the clauses do": (
        "handler h (f : {Int -> Int}) = <ask -> k> -> k (f 1)",
        "{Int -> Int} -> <Ask> a -> a",
    ),
    "one that performs": (
        "handler h (f : {[Console] Int}) y = <ask -> k> -> k f!",
        "{[Console] Int} -> a -> <Ask> b -> [Console] b",
    ),
    "of a handler that uses itself": (
        "handler h (n : Int) = return x -> x | <ask -> k> -> k (handle ask! with h (n + 1))",
        "Int -> <Ask> a -> a",
    ),
}


@pytest.mark.parametrize(("text", "expected"), HANDLERS.values(), ids=HANDLERS)
def test_types_of_parameters_of_handlers(text: str, expected: str) -> None:
    assert type_of(ASK + text, "h") == expected


@pytest.mark.parametrize(
    ("text", "code", "at"),
    [
        ("handler h (n : Text) = <ask -> k> -> k n", "RH102", "n"),
        ("handler h (x : a) = <ask -> k> -> k x", "RH513", "x"),
        ("handler h (x : Lost) = <ask -> k> -> k 1", "RH101", "Lost"),
        ("handler h (x : Maybe) = <ask -> k> -> k 1", "RH105", ""),
        ("handler h (x) = <ask -> k> -> k 1", "RH004", ")"),
        ("handler h (x : Int) (x : Int) = <ask -> k> -> k 1", "RH121", "x"),
    ],
)
def test_ill_formed_types_of_parameters_are_rejected(text: str, code: str, at: str) -> None:
    found = refused(ASK + text)
    assert found.code == code
    assert at in ("", found.span.text if found.span else "")


LIBRARY = {
    "c": "Float -> [Smooth a] a",
    "der1": "Unary -> a -> [Smooth a] a",
    "evaluate": "<Smooth Float> a -> a",
    "diff": "<Smooth (Paired a)> b -> [Smooth a] b",
    "d": "{Paired a -> [Smooth a, Smooth (Paired a)] Paired a} -> a -> [Smooth a] a",
    "lift": "a -> [Smooth a, Smooth (Paired a)] Paired a",
    "lift2": "a -> [Smooth a, Smooth (Paired a), Smooth (Paired (Paired a))] Paired (Paired a)",
    "reverse": "<Smooth (Prop a)> b -> [RefState, Smooth a] Unit",
    "grad": "{Prop a -> [RefState, Smooth a, Smooth (Prop a)] Prop a} -> a -> [RefState, Smooth a] a",
    "propagate": "<Smooth (Cont a [e])> b -> [Smooth a] b",
    "incrementName": "<Fresh> a -> Int -> (Int, a)",
}


def library() -> Definitions:
    return loading.program("forward", "evaluate", "stateful", "continuation", "names")


@pytest.mark.parametrize("name", LIBRARY)
def test_the_types_of_the_thesis(name: str) -> None:
    """Listings 4.1 to 4.10"""
    found = library()
    match found.declared[{**found.functions, **found.handlers}[name]]:
        case Function(_, S):
            assert _renamed(scheme(S)) == _renamed(LIBRARY[name])
        case Handler(_, H):
            assert _renamed(handler_scheme(H)) == _renamed(LIBRARY[name])
        case other:
            raise AssertionError(other)


ANNOTATED = [
    k for k, f in library().declared.items() if isinstance(f, Function) and f.definition.signature.codomain is not None
]


@pytest.mark.parametrize("name", ANNOTATED)
def test_the_inferred_type_is_at_least_as_general_as_the_signature(name: str) -> None:
    """A signature is an instance of the principal type."""
    found = library()
    f = found.function(name)
    bare = FunctionDefinition("f", f.definition.body, Signature(tuple(None for _ in _parameters(f))))
    S, unknowns = check_function(bare, found).scheme, Unknowns()
    unknowns.unify(unknowns.instance(S.variables, S.rows)(S.type), f.scheme.type)


def _parameters(f: Function) -> list[str]:
    M, found = f.definition.body.body, list[str]()
    while isinstance(M, Lambda):
        found.append(M.name)
        M = M.body
    return found


def _renamed(text: str) -> str:
    """The text with its variables numbered by first occurrence."""
    names: dict[str, str] = {}
    words = text.replace("[", " [ ").replace("]", " ] ").replace("(", " ( ").replace(")", " ) ").replace("{", " { ")
    return " ".join(
        names.setdefault(w, f"t{len(names)}") if w.isidentifier() and w.islower() else w
        for w in words.replace("}", " } ").replace(",", " , ").replace("<", " < ").replace(">", " > ").split()
    )


# -------------------------------------------------------------------------------------- signatures, recursion


def test_a_signature_is_the_type() -> None:
    assert type_of("fun f (x : Float) = x", "f") == "Float -> Float"
    assert type_of("fun f (x : a) (y : a) : a = x", "f") == "a -> a -> a"
    assert type_of(f"{STATE}fun f (x : a) : [Counter a, Console] a = x", "f") == "a -> [Counter a, Console] a"
    # The row that nobody writes is one and the same in a whole signature.
    assert type_of("fun f (g : {a -> b}) (x : a) : b = g x", "f") == "{a -> b} -> a -> b"
    # Where the result is left out, the row of the function is found, and with it that of what it applies.
    assert type_of('fun f (g : {a -> b}) x = print "x"; g x', "f") == "{a -> [Console] b} -> a -> [Console] b"


def test_polymorphic_recursion_of_functions() -> None:
    """Without annotations, the type is inferred by iteration."""
    nested = "data Nest a = End | More a (Nest (a, a))\n"
    assert type_of(f"{nested}fun size n = match n | End -> 0.0 | More _ r -> 1 + 2 * size r", "size") == "Nest a -> Float"
    assert type_of('fun f x = let a = f 1.0 in let b = f "a" in x', "f") == "a -> a"


def test_polymorphic_recursion_of_handlers() -> None:
    """Like ``reverseh`` in listing 5.3: ``again`` returns a Float for every handled computation."""
    text = """\
effect Twice = again : {[Twice] Float} -> Float
handler h =
    return x -> (x, 1.0)
  | <again p -> k> -> let (y, _) = (handle p! with h) in k y
"""
    assert type_of(text, "h") == "<Twice> a -> (a, Float)"


def test_a_wrong_use_in_the_own_body_is_rejected() -> None:
    """As one outside of the body would be."""
    assert refused('fun f x = match x | 0 -> "a" | _ -> f "b"').code == "RH102"


# ---------------------------------------------------------------------------------------------- diagnostics

REFUSED: dict[str, tuple[str, str, str, str]] = {
    "an operation outside of the row": ('fun f (x : Float) : Float = print "x"; x', "RH512", 'print "x"', "Console"),
    "a function outside of the row": (
        f"{STATE}fun g x = change x\nfun f (x : Float) : [Console] Unit = g x",
        "RH512",
        "g",
        "Counter _",
    ),
    "a row that is another": (
        f"{STATE}fun f (g : {{[Counter Float] Float}}) : [Counter Float, Counter Text] Float = g!",
        "RH518",
        "g",
        "[Counter Float, Counter Text]",
    ),
    "a thunk for a smaller row": (
        f"{STATE}fun f (g : {{[Console] Float}}) : [Counter Text, Console] Float = g!",
        "RH518",
        "g",
        "[Console]",
    ),
    "a variable that is a Float": ("fun f (x : a) : a = x + 1", "RH513", "x", "`a`"),
    "two variables that are one": ("fun f (x : a) (y : b) : a = y", "RH513", "y", "`b`"),
    "a clause that knows too much": (
        "effect Raise = raise : a\nhandler h = return x -> x | <raise -> k> -> k 0",
        "RH513",
        "0",
        "`a`",
    ),
    "a type that leaves its clause": (
        "effect Give = give : a -> Unit\nhandler h r = return x -> r | <give x -> k> -> [x]",
        "RH514",
        "",
        "`give`",
    ),
    "a type inside itself": ("fun f x = x x", "RH515", "x", "contain itself"),
    "a list of itself": ("fun f x = x :: [[x]]", "RH515", "", "contain itself"),
    "a number that is applied": ("fun f (x : Float) = x 2", "RH516", "x", "`Float`"),
    "a number that is forced": ("fun f (x : Float) = x!", "RH516", "x", "`Float`"),
    "an adaptor of too many": (
        f"{STATE}fun f (x : a) : [Counter a] Unit = <Counter(s a b -> s)> x",
        "RH517",
        "",
        "2 instances",
    ),
    "too many arguments": ("fun g (x : Float) = x + 1\nfun f x = g x 2", "RH105", "2", "takes 1 argument"),
    "too few arguments": ("fun g (x : Float) y = x + y\nfun f x = 1 + g x", "RH102", "g x", ""),
    "a thunk where a number is": ("fun f x = {x + 1} + 1", "RH102", "{x + 1}", ""),
    "a text in a sum": ('fun f x = x + "a"', "RH102", '"a"', ""),
    "branches that differ": ('fun f x = match x | 0.0 -> 1.0 | _ -> "a"', "RH102", '"a"', ""),
    "a condition that is no truth value": ("fun f x = if 1 then 2 else 3", "RH102", "1", ""),
    "a pattern of another type": ("fun f (x : Float) = match x | [] -> 1.0", "RH102", "[]", ""),
    "a constructor of another type": ("fun f (x : Float) = [x, Nothing]", "RH102", "Nothing", ""),
    "a data type with too few arguments": ("data D = D List", "RH105", "", "`List` takes 1 type"),
    "a row where a type belongs": ("data D [e] = D (List [e])", "RH105", "", "got a row in brackets"),
}


@pytest.mark.parametrize(("text", "code", "place", "said"), REFUSED.values(), ids=REFUSED)
def test_ill_typed_programs_are_rejected(text: str, code: str, place: str, said: str) -> None:
    """Code, span and message of each diagnostic."""
    found = refused(text)
    assert found.code == code, found.message
    assert found.span is not None
    if place:
        assert found.span.text == place
    assert said in found.message
    if code not in {"RH102", "RH105"}:
        assert found.hint


NEW = "let c = new {x -> x + 1} in "

TO_BE_MENDED = {
    "the content of a reference": (f"fun f = {NEW}(@c) 1", "@c", f"{NEW}(@c)! 1"),
    "a content of which nothing is known": ("fun f r = (@r) 1", "@r", "(@r)! 1"),
    "in a part of an expression": (f"fun f = {NEW}2 * (@c) (1)", "@c", f"{NEW}2 * (@c)! (1)"),
    "what a function gives": ("fun h x = {y -> x + y}\nfun f = h 1 2", "2", "(h 1)! 2"),
    "what a function in brackets gives": ("fun h x = {y -> x + y}\nfun f = (h 1) 2", "2", "(h 1)! 2"),
    "after some of the arguments": (
        "fun h x = {y z -> x + y + z}\nfun f = h (1 + 1) (2) 3",
        "2",
        "(h (1 + 1))! (2) 3",
    ),
    "what a thunk gives": ("fun f (t : {{Int -> Int}}) = t 1", "1", "t!! 1"),
    "what a thunk gives that is forced": ("fun f (t : {{Int -> Int}}) = t! 1", "1", "t!! 1"),
    "what a branch gives": (
        "fun f b = (if b then {x -> x} else {x -> x + 1}) 2",
        "if b then {x -> x} else {x -> x + 1}",
        "(if b then {x -> x} else {x -> x + 1})! 2",
    ),
    "what a match gives": ("fun f b = (match b | x -> {y -> x}) 2", "match b | x -> {y -> x}", "(match b | x -> {y -> x})! 2"),
    "what a handled computation gives": (
        "fun f = (handle {x -> x} with { return x -> x }) 2",
        "handle {x -> x} with { return x -> x }",
        "(handle {x -> x} with { return x -> x })! 2",
    ),
    "what an operation gives": ("effect E = op : {Int -> Int}\nfun f = op! 1", "op!", "op!! 1"),
    "a negative argument": ("fun h x = x + 1\nfun f = h -1", "h", "h (-1)"),
    "a negative argument of a thunk": ("fun f (h : {Int -> Int}) x = 2 * h -x", "h", "2 * h (-x)"),
    "a second negative argument": ("fun h x y = x + y\nfun f = h 1 -2", "h 1", "h 1 (-2)"),
    "a negative argument after brackets": ("fun h x y = x + y\nfun f = (h 1) -2.5", "h 1", "(h 1) (-2.5)"),
}


@pytest.mark.parametrize(("text", "place", "mended"), TO_BE_MENDED.values(), ids=TO_BE_MENDED)
def test_quick_fixes_for_applications(text: str, place: str, mended: str) -> None:
    """`!` after an applied thunk, and brackets around a negative argument."""
    found = refused(text)
    assert found.span is not None
    assert found.span.text == place
    assert found.hint
    assert found.fix is not None
    at = found.fix.span
    written = text[: at.start] + found.fix.text + text[at.end :]
    assert written.endswith(f"= {mended}")
    loading.declared(written)


ADVICE = {
    "a product of plain numbers": ("d {x -> x * x} (c 3)", "x", "`t x x`"),
    "a constant in it": ("d {x -> x * 2} (c 3)", "x", "`t x (c 2)`"),
    "a part of it": ("d {x -> t x x + x} (c 3)", "t x x", "`p (t x x) x`"),
    "a function of plain numbers": ("d {x -> sin x} (c 3)", "x", "`sin_ x`"),
    "the other sign": ("d {x -> -x} (c 3)", "x", "`n x`"),
    "a function of two arguments": ("d t (c 3)", "t", "it takes 2 arguments, but a function of one argument is needed here"),
    "an Int where a Float is": ("c (quotient 4 2)", "quotient 4 2", "`float (quotient 4 2)`"),
    "a Float where an Int is": ("c (float (quotient 3.5 2))", "3.5", "`(x : Int)`"),
    "an Int where a text is": ("print (quotient 4 2)", "quotient 4 2", "`show (quotient 4 2)`"),
    "a number where a text is": ("print 1", "1", "`show 1`"),
    "a tuple where an argument is": ("c (1, 2)", "(1, 2)", "one after the other"),
    "texts that are compared": ('"a" == "a"', '"a"', "compare numbers"),
    "truth values that are compared": ("True == True", "True", "compare numbers"),
    "texts that are added": ('"a" + "b"', '"a"', "concatenate"),
    "the side of a tuple": ("(1, 2).1", "(1, 2)", "let (x, y) = M in N"),
    "the side of a tuple with a name": ("let x = (1, 2) in x.1", "x", "let (x, y) = M in N"),
    "the side of a number": ("let x = 3 in x.2", "x", "<| M, N |>"),
}


@pytest.mark.parametrize(("text", "place", "advice"), ADVICE.values(), ids=ADVICE)
def test_hints_for_types_that_differ(text: str, place: str, advice: str) -> None:
    found = refused(f"fun f = handle {text} with evaluate", library())
    assert found.span is not None
    assert found.span.text == place
    assert advice in found.hint, found.hint


def test_hint_to_put_a_number_into_a_thunk() -> None:
    found = refused("fun h (t : Maybe {Float}) = t\nfun f = h (Just 1)")
    assert found.hint == "`{1}` is a thunk of it"


def test_quick_fix_that_forces_a_name() -> None:
    text = "fun two = c 2\nfun f = handle t two! two with evaluate"
    found = refused(text, library())
    assert found.fix is not None
    at = found.fix.span
    mended = text[: at.start] + found.fix.text + text[at.end :]
    assert mended.endswith("t two! two! with evaluate")
    loading.declared(mended, library())


def test_no_hint_to_perform_an_operation_on_other_values() -> None:
    assert "performs" not in refused("fun f = [1] * 2", library()).hint


@pytest.mark.parametrize("text", ["fun h x = x\nfun f = h - 1", "fun f = (1 + 2) 3", "fun f (x : Text) = x -1"])
def test_no_quick_fix_for_ambiguous_applications(text: str) -> None:
    found = refused(text)
    assert found.fix is None
    assert found.hint != NEGATIVE_ARGUMENT_HINT


def test_the_message_of_a_missing_effect() -> None:
    found = refused(f"{STATE}fun f (x : Float) : [Console] Unit = change x")
    assert isinstance(found, EffectNotAllowed)
    assert found.message == "`change x` needs `Counter`, which the row here does not have"
    assert (found.found, found.expected) == ("[Console]", "[Console, Counter]")


def test_the_message_of_rows_that_differ() -> None:
    found = refused(REFUSED["a thunk for a smaller row"][0])
    assert isinstance(found, RowsDiffer)
    assert (found.found, found.expected) == ("[Console]", "[Counter Text, Console]")
    assert found.hint == "an adaptor, as `<Counter>`, takes an effect out of the row"


# ------------------------------------------------------------------------------------------------- whole items


def unhandled(text: str, *programs: str) -> UnhandledEffect:
    with pytest.raises(Rejected) as raised:
        loading.checked(text, loading.program(*programs))
    (found,) = raised.value.diagnostics
    assert isinstance(found, UnhandledEffect)
    return found


def test_unhandled_effects() -> None:
    """The operation, the function that performs it, and the declared handlers of it"""
    found = unhandled("1 + t 2 3", "forward", "evaluate")
    assert found.message == "`ap2` of the effect `Smooth Float` is performed by `t`, and no enclosing handler handles it"
    assert found.span is not None
    assert found.span.text == "t"
    assert found.hint == "`handle … with` `evaluate` handles `Smooth Float`"
    found = unhandled("ap1 Negate (Paired 1 2)", "forward", "evaluate")
    assert found.message.startswith("`ap1` of the effect `Smooth (Paired Float)` is performed here")
    assert found.hint == "`handle … with` `diff` handles `Smooth (Paired Float)`"


def test_an_unhandled_level_is_distinguished_from_a_handled_one() -> None:
    """Inside of ``diff`` there is one more level; ``c`` outside of the adaptor is handled."""
    found = unhandled("handle p (Paired 1 1) (c 2); <Smooth> (c 3) with diff", "forward", "evaluate")
    assert found.operation == "ap0"
    assert found.span is not None
    assert found.span.start == len("handle p (Paired 1 1) (c 2); <Smooth> (")


def test_the_machine_handles_references_and_printing() -> None:
    checked = loading.checked('print "a"; let r = new 1 in r := @r + 1; @r')
    assert (computation(checked.type), row(checked.row)) == ("Float", "[RefState, Console]")


# ------------------------------------------------------------------------------------------ literals, settled


def literals(text: str) -> list[object]:
    return [n.value for n in nodes(loading.checked(text).term) if isinstance(n, Literal)]


def test_literals_are_resolved_by_the_expected_type() -> None:
    assert [(type(x), x) for x in literals("let x = 2 in x + 0.5")] == [(float, 2.0), (float, 0.5)]
    assert [type(x) for x in literals("fetch (array [1, 2.5]) 0")] == [float, float, int]
    assert [type(x) for x in literals("(1, 2)")] == [float, float]
    assert [type(x) for x in literals('match quotient 7 2 | 3 -> "a" | _ -> "b"')] == [int, int, str, str]
    assert [type(x) for x in literals("let f = {x -> x + 1} in f (quotient 7 2)")] == [int, int, int]


def test_a_term_with_resolved_literals_keeps_its_type() -> None:
    M = loading.checked("(quotient 7 2, 2, sqrt 2)").term
    assert computation(recheck(M, loading.prelude()).type) == "(Int, Float, Float)"


PROGRAMS = [
    ("handle d {x -> t x (d {y -> p (lift x) y} (c 1))} 1.0 with evaluate", ("forward", "evaluate")),
    ("handle grad {x -> let y = c 4 in term x y} 2 with evaluate", ("stateful", "evaluate")),
    ("handle dc {x -> term x (c 4)} 2 with evaluate", ("continuation", "evaluate")),
    ("handle dt {x -> t x x} 2 with evaluate", ("taped", "evaluate")),
    ("handle dd {x -> t x (t x x)} 2 with evaluate", ("second", "evaluate")),
    (
        "handle gradc {x -> let z = checkpoint {p x (c 2)} in p z (checkpoint {t x z})} 2 with evaluate",
        ("checkpointed", "evaluate"),
    ),
    ("handle gradh {x -> let f = abs {y -> t y y} in app f (app f x)} 3 with evaluate", ("higher_order", "evaluate")),
]


def _content(content: Content) -> Value | tuple[Value, ...]:
    return tuple(term_of(V) for V in content) if isinstance(content, Vector) else term_of(content)


@pytest.mark.parametrize(("text", "programs"), PROGRAMS, ids=[names[0] for _, names in PROGRAMS])
def test_preservation(text: str, programs: tuple[str, ...]) -> None:
    """Thm 7.2.5 with references: every term of a reduction, with the contents of its references, has the type of the first."""
    definitions = loading.program(*programs)
    checked = loading.checked(text, definitions)
    for i, step in enumerate(reduction.steps(checked.term, definitions)):
        if i % 7 == 0:
            again = recheck(step.after, definitions, [_content(c) for c in step.cells])
            unknowns = Unknowns(1 << 40)
            unknowns.unify(again.type, checked.type)
            assert not [L for L in again.row.labels if L.effect != "RefState"]


# --------------------------------------------------------------------------------------------- long programs


@pytest.mark.slow
def test_long_programs_and_long_lists() -> None:
    """Lets on either side, chains of matches and lists may be longer than Python's recursion limit."""
    lets: Computation = Return(Variable("x"))
    for _ in range(20_000):
        lets = Let("x", Return(Literal(1)), lets)
    assert check_computation(lets, BUILT_IN).type
    inner: Computation = Return(Literal(1.0))
    for _ in range(20_000):
        inner = Let("x", inner, Return(Variable("x")))
    assert check_computation(inner, BUILT_IN).type == Returner(FLOAT)
    matches: Computation = Return(Variable("x"))
    for _ in range(20_000):
        matches = Match(Literal(1), (Branch(NamePattern("x"), matches),))
    found = check_computation(matches, BUILT_IN)
    assert found.type == Returner(FLOAT)
    assert isinstance(found.term, Match)
    assert isinstance(found.term.value, Literal)
    assert isinstance(found.term.value.value, float)
    xs: Value = Constructed("Nil", ())
    for _ in range(30_000):
        xs = Constructed("Cons", (Literal(2), xs))
    found = check_computation(Let("x", Return(xs), Return(Variable("x"))), loading.prelude())
    assert found.type == Returner(Data("List", (FLOAT,)))
    made = found.term
    assert isinstance(made, Let)
    assert isinstance(made.bound, Return)
    assert isinstance(made.bound.value, Constructed)
    assert made.bound.value.fields[0] == Literal(2.0)


@pytest.mark.slow
def test_a_type_that_does_not_fit_into_memory_is_rejected() -> None:
    """Each function applies the one before twice, whose type occurs twice in its own: 2, 4, 16, 256, 65536, 2³² leaves."""
    doubling = "".join(f"fun f{i} x = f{i - 1} (f{i - 1} x)\n" for i in range(1, 6))
    found = refused(f"fun f0 x = (x, x)\n{doubling}")
    assert (found.code, found.message) == ("RH241", "the type of `f5` would need 859.0 GB of memory")


def test_a_recursive_function_whose_type_grows_without_end_is_rejected() -> None:
    """Each iteration doubles the type."""
    assert refused("fun f x y = if y then f (x, f) else f (f, x)").code in {"RH515", "RH102"}


def test_unknown_types_of_an_expression_are_named() -> None:
    checked = check_computation(loading.computation("{x -> d {y -> p x y} (c 1)}", library()), library())
    E, C = named(checked.row, checked.type)
    assert computation(C, E) == "{Paired a -> [Smooth a] a}"


def test_thunk_literals_can_be_applied() -> None:
    """``{λx. M}! V``, which occurs in reductions"""
    M = Apply(Force(Thunk(Lambda("x", Return(Variable("x"))))), Literal(2.0))
    assert check_computation(M, BUILT_IN).type == Returner(FLOAT)


def test_each_use_of_a_declared_function_is_a_new_instance() -> None:
    definitions = loading.declared("fun f x = x")
    both = Let("a", Apply(Force(Global("f")), Literal(1.5)), Apply(Force(Global("f")), Literal("a")))
    assert computation(check_computation(both, definitions).type) == "Text"


def test_an_int_is_no_float() -> None:
    assert refused("fun f (x : Int) : Float = x").code == "RH102"
    assert loading.checked("quotient 7 2").type == Returner(INT)


def test_the_hint_names_a_redeclared_type() -> None:
    with pytest.raises(Rejected) as caught:
        loading.declared('data T = A Float\nfun f t = match t | A x -> x\ndata T = C Text\nfun g = f (C "a")')
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.found, diagnostic.expected) == ("T", "T")
    assert "redeclared" in (diagnostic.hint or "")


TWICE = """\
effect E = op : Int
fun f = op!
handler old = return x -> x | <op -> k> -> k 1
effect E = op : Float
handler new = return x -> x | <op -> k> -> k 2
"""


@pytest.mark.parametrize("text", ["handle f! with new", "f!", "handle f! with { <op -> k> -> k 3 }"])
def test_the_hint_names_a_redeclared_effect(text: str) -> None:
    """A handler of the newer effect E does not handle the older one of the same name."""
    with pytest.raises(Rejected) as caught:
        loading.checked(text, loading.declared(TWICE))
    (found,) = caught.value.diagnostics
    assert isinstance(found, UnhandledEffect)
    assert "as it was before it was redeclared" in found.message
    assert "newer effect `E`" in found.hint
    assert "redeclare `f` too" in found.hint
    assert "with` `old` handles" in found.hint
    assert "`new`" not in found.hint


@pytest.mark.parametrize(
    "text",
    [
        "fun g x : [E] Int = f!",
        "fun g (t : {[E] Int}) : Int = handle t! with old",
        "fun g (t : {[E] Int}) = t!\nfun h : [E] Int = g f",
        "fun g (t : {[E] Int}) = t!\nfun h (x : Int) : [] Int = handle g f with new",
    ],
)
def test_rows_with_an_older_effect_and_a_newer_one_of_its_name(text: str) -> None:
    found = refused(text, loading.declared(TWICE))
    assert "newer effect `E`" in found.hint or "redeclared" in found.hint
    assert "redeclare" in found.hint


def test_the_newest_effect_of_a_name_is_not_called_older() -> None:
    with pytest.raises(Rejected) as caught:
        loading.checked("op!", loading.declared(TWICE))
    (found,) = caught.value.diagnostics
    assert "newer" not in found.hint
    assert "redeclared" not in found.message
