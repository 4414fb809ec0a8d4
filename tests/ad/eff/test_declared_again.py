"""Redeclared data types and effects keep their keys if they are equal to the first declaration."""

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
def test_an_equal_redeclaration_changes_nothing(text: str) -> None:
    """Spaces and comments do not matter."""
    once = declared(text)
    assert declared(text, text.replace(" ", "  ") + "# the same\n") == once


def test_earlier_declarations_can_still_be_used() -> None:
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
def test_a_different_redeclaration_has_a_new_key(one: str, other: str) -> None:
    found = declared(one, other)
    assert {"T", "T#2"} <= found.declared.keys() or {"E", "E#2"} <= found.declared.keys()
    assert {**found.types, **found.effects}[one.split()[1]].endswith("#2")


def test_a_redeclaration_that_uses_a_newer_type_has_a_new_key() -> None:
    """The text is the same, but a name in it refers to another type."""
    user = "data User = User Role\neffect Ask = ask : Role\n"
    found = declared("data Role = Admin\n", user, "data Role = Admin | Guest\n", user)
    assert found.types["User"] == "User#2"
    assert found.effects["Ask"] == "Ask#2"
    assert declared("data Role = Admin\n", user, "data Role = Admin\n", user).types["User"] == "User"


def test_a_redeclaration_that_restores_the_first_one_keeps_its_key() -> None:
    """Also after a different declaration in between."""
    found = declared(YIELD, COLLECT, "effect Yield a = yield : a -> a\n", YIELD)
    assert found.effects["Yield"] == "Yield"
    assert loading.checked("handle (yield 1) with collect", found)
    assert declared(TREE, "data Tree = Leaf\n", TREE, "data Tree = Leaf\n").types["Tree"] == "Tree#2"


def test_redeclaring_restores_the_names_of_members() -> None:
    found = declared("data T = K\n", "data U = K\n", "data T = K\n")
    assert found.constructors["K"] == "T"
    found = declared(YIELD, "fun yield x = x\n", YIELD)
    assert found.operations["yield"] == "Yield"
    assert "yield" not in found.functions


def test_redeclaring_a_program_of_the_library() -> None:
    """A declaration equal to one of the library keeps its key only if the program is included."""
    text = "data Paired x = Paired x x\n"
    assert loading.declared(text, loading.program("forward").of_session()).types["Paired"] == "Paired"
    found = loading.declared(text, loading.prelude().of_session())
    assert found.types["Paired"] == "Paired#2"
    assert loading.declared(text, found).types["Paired"] == "Paired#2"


# -- hints about redeclared effects --------------------------------------------------------------------------------------------

OTHER = "effect Yield a = yield : a -> Unit | stop : Unit\n"


@pytest.mark.parametrize("text", ["handle (yield 1) with collect", "handle give! with collect", "give!"])
def test_the_hint_names_a_handler_of_an_older_effect(text: str) -> None:
    found = refused(text, declared(YIELD, COLLECT, OTHER, "fun give = yield 1\n"))
    assert isinstance(found, UnhandledEffect)
    assert found.hint == "`collect` handles an older effect `Yield`: redeclare it"


def test_the_hint_prefers_a_handler_around_the_operation() -> None:
    found = declared(YIELD, COLLECT, OTHER, "handler all = return _ -> 0 | <yield _ -> k> -> k () | <stop -> k> -> 1\n")
    assert refused("handle (yield 1) with collect", found).hint == (
        "`collect` handles an older effect `Yield`: redeclare it, or `handle … with` `all` handles `Yield Float`"
    )
    assert refused("yield 1", found).hint == "`handle … with` `all` handles `Yield Float`"


def test_a_handler_beside_an_operation_is_not_around_it() -> None:
    found = declared(YIELD, COLLECT, "fun old = yield 1\n", OTHER)
    found = loading.declared("handler all = return _ -> 0 | <yield _ -> k> -> k () | <stop -> k> -> 1\n", found)
    hint = refused("let _ = handle old! with collect in yield 1", found).hint
    assert hint == "`handle … with` `all` handles `Yield Float`"


# -- names of the language -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["effect RefState = new : Int", "effect Console = line : Text -> Unit", "data Float = F"])
def test_built_in_names_cannot_be_declared(text: str) -> None:
    with pytest.raises(Rejected) as raised:
        declared(text)
    (found,) = raised.value.diagnostics
    assert found.code == "RH124"
    assert found.span is not None
    assert found.span.text == text.split()[1]
    assert found.hint == f"choose another name for the {'type' if text.startswith('data') else 'effect'}"
