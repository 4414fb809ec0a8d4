"""Data types and effects that are declared again: in the same words, of the same types, they stay what they are."""

import pytest

from rh_kernel.ad.eff import loading
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.errors import UnhandledEffect
from rh_kernel.ad.eff.printing.types import computation
from rh_kernel.source.diagnostic import Diagnostic, Rejected

TREE = "data Tree a = Leaf | Node (Tree a) a (Tree a)\n"
YIELD = "effect Yield a = yield : a -> Unit\n"
COLLECT = "handler collect = return _ -> [] | <yield x -> k> -> x :: k ()\n"


def declared(*texts: str) -> Definitions:
    found = loading.prelude()
    for text in texts:
        found = loading.declared(text, found)
    return found


def refused(text: str, definitions: Definitions) -> Diagnostic:
    with pytest.raises(Rejected) as raised:
        loading.checked(text, definitions)
    return raised.value.diagnostics[0]


@pytest.mark.parametrize(
    "text",
    [
        TREE,
        YIELD,
        "data Two = One | Other\n",
        "data Stream a [e] = Stream {[e] (a, Stream a [e])}\n",
        "effect Fail = fail_with : Text -> a\n",
        "effect Self = get_self : {[Self] Unit}\n",
        "data Maybe a = Nothing | Just a\n",
        "data Bool = True | False\n",
    ],
)
def test_a_declaration_in_the_same_words_changes_nothing(text: str) -> None:
    """Neither do spaces and comments."""
    once = declared(text)
    assert declared(text, text.replace(" ", "  ") + "# the same\n") == once


def test_what_was_made_before_can_be_used() -> None:
    function = "fun count t = match t | Leaf -> 0 | Node l _ r -> count l + 1 + count r\n"
    found = declared(TREE, function, TREE)
    assert computation(loading.checked("count (Node Leaf 1 Leaf)", found).type) == "Float"
    found = declared(YIELD, COLLECT, YIELD)
    assert computation(loading.checked("handle (yield 1) with collect", found).type) == "List Float"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("data T = A | B", "data T = A"),
        ("data T = A | B", "data T = B | A"),
        ("data T = A Float", "data T = A Int"),
        ("data T a = A", "data T = A"),
        ("data T a = A", "data T [a] = A"),
        ("effect E = op : Int", "effect E = op : Float"),
        ("effect E = op : Int", "effect E = op : Int | oq : Int"),
        ("effect E a = op : a", "effect E = op : a"),
    ],
)
def test_one_that_differs_is_another(one: str, other: str) -> None:
    found = declared(one, other)
    assert {"T", "T#2"} <= found.declared.keys() or {"E", "E#2"} <= found.declared.keys()
    assert {**found.types, **found.effects}[one.split()[1]].endswith("#2")


def test_one_of_a_newer_type_is_another() -> None:
    """The words are the same, and they mean something else."""
    user = "data User = User Role\neffect Ask = ask : Role\n"
    found = declared("data Role = Admin\n", user, "data Role = Admin | Guest\n", user)
    assert found.types["User"] == "User#2"
    assert found.effects["Ask"] == "Ask#2"
    assert declared("data Role = Admin\n", user, "data Role = Admin\n", user).types["User"] == "User"


def test_what_it_was_in_between_does_not_matter() -> None:
    """A change that is taken back is no change."""
    found = declared(YIELD, COLLECT, "effect Yield a = yield : a -> a\n", YIELD)
    assert found.effects["Yield"] == "Yield"
    assert loading.checked("handle (yield 1) with collect", found)
    assert declared(TREE, "data Tree = Leaf\n", TREE, "data Tree = Leaf\n").types["Tree"] == "Tree#2"


def test_names_that_had_gone_to_something_else_come_back() -> None:
    found = declared("data T = K\n", "data U = K\n", "data T = K\n")
    assert found.constructors["K"] == "T"
    found = declared(YIELD, "fun yield x = x\n", YIELD)
    assert found.operations["yield"] == "Yield"
    assert "yield" not in found.functions


def test_a_program_of_the_library_that_is_declared_again() -> None:
    """The same words as a program's mean what the program means, but only where it is included."""
    text = "data Paired x = Paired x x\n"
    assert loading.declared(text, loading.program("forward").of_session()).types["Paired"] == "Paired"
    found = loading.declared(text, loading.prelude().of_session())
    assert found.types["Paired"] == "Paired#2"
    assert loading.declared(text, found).types["Paired"] == "Paired#2"


# -- what is said of an older one ----------------------------------------------------------------------------------------------

OTHER = "effect Yield a = yield : a -> Unit | stop : Unit\n"


@pytest.mark.parametrize("text", ["handle (yield 1) with collect", "handle give! with collect", "give!"])
def test_a_handler_of_an_older_effect_is_said_to_be_one(text: str) -> None:
    found = refused(text, declared(YIELD, COLLECT, OTHER, "fun give = yield 1\n"))
    assert isinstance(found, UnhandledEffect)
    assert found.hint == "`collect` handles an older effect `Yield`: redeclare it"


def test_an_older_handler_that_is_around_counts_more_than_one_that_is_not() -> None:
    found = declared(YIELD, COLLECT, OTHER, "handler all = return _ -> 0 | <yield _ -> k> -> k () | <stop -> k> -> 1\n")
    assert refused("handle (yield 1) with collect", found).hint == (
        "`collect` handles an older effect `Yield`: redeclare it, or `handle … with` `all` handles `Yield Float`"
    )
    assert refused("yield 1", found).hint == "`handle … with` `all` handles `Yield Float`"


def test_a_handler_beside_the_place_is_not_around_it() -> None:
    found = declared(YIELD, COLLECT, "fun old = yield 1\n", OTHER)
    found = loading.declared("handler all = return _ -> 0 | <yield _ -> k> -> k () | <stop -> k> -> 1\n", found)
    hint = refused("let _ = handle old! with collect in yield 1", found).hint
    assert hint == "`handle … with` `all` handles `Yield Float`"


# -- names of the language -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["effect RefState = new : Int", "effect Console = line : Text -> Unit", "data Float = F"])
def test_what_is_built_in_cannot_be_declared(text: str) -> None:
    with pytest.raises(Rejected) as raised:
        declared(text)
    (found,) = raised.value.diagnostics
    assert found.code == "RH124"
    assert found.span is not None
    assert found.span.text == text.split()[1]
    assert found.hint == f"choose another name for the {'type' if text.startswith('data') else 'effect'}"
