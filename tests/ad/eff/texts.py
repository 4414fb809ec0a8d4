"""Texts of EFF for tests: random valid ones, random ones that may be invalid, and unchecked declarations."""

from functools import lru_cache

from hypothesis import strategies as st

from rh_kernel.ad.eff import definitions as d
from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.builtin_effects import BUILT_IN
from rh_kernel.ad.eff.core import FunctionDefinition, HandlerDefinition
from rh_kernel.ad.eff.definitions import Definitions
from rh_kernel.ad.eff.frontend.elaboration_items import Group, Include, Run, TypeQuery, elaborate
from rh_kernel.ad.eff.loading import parse
from rh_kernel.ad.eff.types import (
    FLOAT,
    UNIT,
    DataDeclaration,
    EffectDeclaration,
    HandlerScheme,
    Returner,
    Row,
    Scheme,
    Thunk,
)
from rh_kernel.source.span import Source

VOCABULARY = """
data Paired x = Paired x x
data Shape = Dot | Circle Float
effect Smooth x = ap0 : Float -> x | ap1 : Text -> x -> x | ap2 : Text -> x -> x -> x
effect Fresh = fresh : Int
effect State s = get : s | put : s -> Unit
fun f x = x
fun g x y = x
fun h = f 1
handler evaluate = return x -> x | <ap0 n -> k> -> k n | <ap1 u x -> k> -> k x | <ap2 b x y -> k> -> k x
handler state s = <get -> k> -> k s | <put t -> k> -> k ()
"""
"""Declarations for the random texts."""


def unchecked(text: str | Source, definitions: Definitions) -> Definitions:
    """The definitions of a text, without type checking."""
    for item in parse(text):
        match elaborate(item, definitions):
            case Include(name, _):
                if name not in definitions.included:
                    definitions = unchecked(library.source(name), definitions.of_library(name))
            case DataDeclaration() | EffectDeclaration() as made:
                definitions = definitions.with_(made)
            case FunctionDefinition() as made:
                definitions = definitions.with_(d.Function(made, Scheme((), (), Thunk(Row(), Returner(UNIT)))))
            case Group(functions):
                for made in functions:
                    definitions = definitions.with_(d.Function(made, Scheme((), (), Thunk(Row(), Returner(UNIT)))))
            case HandlerDefinition() as made:
                scheme = HandlerScheme((), (), (), FLOAT, Row(), Row(), Returner(FLOAT))
                definitions = definitions.with_(d.Handler(made, scheme))
            case Run() | TypeQuery():
                pass
    return definitions


@lru_cache(maxsize=1)
def vocabulary() -> Definitions:
    """The prelude and ``VOCABULARY``, unchecked."""
    return unchecked(VOCABULARY, unchecked(library.prelude(), BUILT_IN))


LOCALS = ("a", "b", "k", "x'")
"""Names that the random texts bind."""

_NUMBERS = st.sampled_from(["0", "2", "0.5", "-1", "1e3"])


def patterns() -> st.SearchStrategy[str]:
    """Atomic patterns."""
    leaves = st.sampled_from(["_", "a", "b", "0", '"t"', "()", "[]", "Dot", "-2"])
    return st.recursive(
        leaves,
        lambda p: st.one_of(
            st.builds("({}, {})".format, p, p),
            st.builds("(Paired {} {})".format, p, p),
            st.builds("(Circle {})".format, p),
            st.builds("[{}, {}]".format, p, p),
            st.builds("({} :: {})".format, p, p),
        ),
        max_leaves=3,
    )


def expressions() -> st.SearchStrategy[str]:
    """Expressions that can be elaborated, unless a name is bound twice; they may be ill typed."""
    atoms = st.one_of(st.sampled_from([*LOCALS, "f", "g", "()", "Nil", "Dot", "fresh", "get!", '"t\\n"', "h!"]), _NUMBERS)

    def more(M: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        form = [
            "f ({})", "({}) ({})", "({})!", "({})! ({})", "g ({}) (f ({}))", "ap1 ({}) ({})", "Paired ({}) ({})", "Circle ({})",
            "({}) + ({})", "({}) - ({}) - ({})", "({}) * ({})", "-({})", "({}) <= ({})", "({}) == ({})", "({}) ++ ({})",
            "({}) :: ({})", "[{}, {}]", "({}, {})", "{{ {} }}", "{{a -> {} }}", "\\a b -> {}", "<| {}, {} |>", "({}).1",
            "@({})",
            "({}) := ({})", "new ({})", "sin ({})", "<Smooth> ({})", "<Smooth(s a b -> s b), Fresh> ({})", "{}; {}",
            "let a = {} in {}", "let _ = {} in {}", "if {} then {} else ({})", "handle {} with evaluate",
            "handle {} with state ({})",
            "match ({}) | Dot -> ({}) | Circle a -> ({})", "match ({}) | a -> ({})",
            "match ({}) | True -> ({}) | False -> ({})",
            "handle {} with {{ return a -> {} | <fresh -> k> -> {} }}", "handle {} with {{ <fresh -> _> -> {} }}",
            "(handle {} with state 1) ({})", "print ({}); {}", "(\\a -> {}) ({})", "{{ {} }} ({})", "f ({}) ({})",
        ]  # fmt: skip
        plain = st.sampled_from(form).flatmap(lambda text: st.builds(text.format, *[M] * _holes(text)))
        with_pattern = ["let {} = ({}) in {}", "{{ {} {} -> {} }}", "match {} | {} -> {}"]
        taken = st.one_of(
            st.builds(with_pattern[0].format, patterns(), M, M),
            st.builds("{{ {} a -> {} }}".format, patterns(), M),
            st.builds("match ({}) | {} -> ({}) | {} -> ({})".format, M, patterns(), M, patterns(), M),
        )
        return st.one_of(plain, taken)

    return st.recursive(atoms, more, max_leaves=8).map(lambda text: f"{{a b k x' -> {text}}}")


def _holes(text: str) -> int:
    return text.replace("{{", "").replace("}}", "").count("{}")


TOKENS = (
    *(
        "data",
        "effect",
        "fun",
        "and",
        "handler",
        "include",
        "let",
        "in",
        "match",
        "if",
        "then",
        "else",
        "handle",
        "with",
        "return",
    ),
    *("x", "f", "k", "_", "Paired", "Smooth", "fresh", "ap1", "evaluate", "state", "True", "sin", "x'", "λ", "%trace", "%type"),
    *("0", "2.5", "1e400", "3x", '"t"', '"t', ".1", ".7", "(", ")", "[", "]", "{", "}", "<", ">", "<|", "|>", "|", "->", "<-"),
    *("=", ":=", "::", ":", ";", ",", "+", "-", "*", "/", "++", "==", "<=", "!", "@", "\\", "!=", "&&", "#", "\n ", "\n", "?"),
    *("\t", "²", "YOUR_CODE_HERE", "→", "≤"),
)
"""Pieces of random texts that may be invalid."""


def soup() -> st.SearchStrategy[str]:
    """Any tokens, one after the other."""
    return st.lists(st.tuples(st.sampled_from(TOKENS), st.sampled_from([" ", " ", " ", ""])), max_size=25).map(
        lambda parts: "".join([a + b for a, b in parts])
    )


@lru_cache(maxsize=1)
def _pieces() -> tuple[str, ...]:
    """Pieces of some lines of the library."""
    found: list[str] = []
    for name in library.names():
        lines = library.source(name).text.split("\n")
        found += ["\n".join(lines[i : i + 12]) for i in range(0, len(lines), 12)]
    return tuple(found)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A piece of the library with a part deleted, doubled or inserted."""
    text = draw(st.sampled_from(_pieces()))
    for _ in range(draw(st.integers(1, 3))):
        place, end = (draw(st.integers(0, len(text))) for _ in range(2))
        match draw(st.integers(0, 2)):
            case 0:
                text = text[:place] + draw(st.sampled_from(TOKENS)) + text[place:]
            case 1:
                text = text[:place] + text[place + draw(st.integers(1, 8)) :]
            case _:
                text = text[:place] + text[end : end + 12] + text[place:]
    return text
