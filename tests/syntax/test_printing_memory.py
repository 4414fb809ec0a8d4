"""A printer with a memory prints what one without prints: whatever was printed before, and whatever it has forgotten."""

import math
from collections.abc import Iterator, Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.core import Bound, Call, Let, Plus, Proj, R, Rd, Scope, Term, Tuple
from rh_kernel.syntax.printing import memo as printing_memory
from rh_kernel.syntax.printing.doc import (
    Annotated,
    Annotation,
    Concat,
    Doc,
    Group,
    Line,
    Mark,
    Nest,
    Shared,
    Text,
    annotated_texts,
    plain,
)
from rh_kernel.syntax.printing.printer import EXACT, Abbreviation, Path, PrintCache, symbols, term_doc
from rh_kernel.syntax.printing.symbols import Symbols
from rh_kernel.syntax.types import Type
from rh_kernel.syntax.values import constant
from tests.syntax.test_printing_laws import GAMMA, HINTS, TYPES, VECTOR, a_term, member
from tests.tiers import law

NAMINGS = (("x", "y", "z"), ("z", "y", "x"), ("x", "x'", "x''"), ("swish", "x₃", "p"), ("u", "u", "u"))
MANNERS = (EXACT, Abbreviation(entries=2), Abbreviation.at(1), Abbreviation.at(12, 2))
WIDTHS = (20, 100, math.inf)
SWISH = member("swish", VECTOR.shape)


def family(r: Random, A: Type, fuel: int) -> list[Term]:
    """Terms over Γ that have parts in common, some of them in other places and under other binders."""
    M, N = a_term(r, GAMMA, A, fuel), a_term(r, GAMMA, VECTOR, fuel)
    L = Plus(M, a_term(r, GAMMA, A, 2))
    under = Let(N, Scope((r.choice(HINTS),), a_term(r, (*GAMMA, VECTOR), A, fuel)))
    closed = a_term(r, (), A, fuel)
    deep = Let(closed, Scope((r.choice(HINTS),), Let(closed, Scope((r.choice(HINTS),), Plus(closed, Bound(0))))))
    pair = Tuple((closed, Call(SWISH, N)))
    return [M, L, Plus(M, M), under, Plus(M, under), deep, Plus(under, deep), pair, Proj(1, 2, pair), Call(SWISH, N), M]


def subterms(M: Term) -> Iterator[Path]:
    """Some paths to subterms."""
    yield ()
    match M:
        case Plus() | Tuple() | Let() | Rd() | R():
            yield from ((0,), (1,))
        case Call() | Proj():
            yield (0,)
        case _:
            pass


@law(150)
@given(st.integers(0, 2**32), st.sampled_from(TYPES), st.integers(1, 6), st.sampled_from((1, 3, 20_000)))
def test_what_is_remembered_is_what_is_written(seed: int, A: Type, fuel: int, most: int) -> None:
    r, memory = Random(seed), PrintCache()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printing_memory, "CAPACITY", most)
        for M in family(r, A, fuel) * 2:
            names, manner, width = r.choice(NAMINGS), r.choice(MANNERS), r.choice(WIDTHS)
            path = r.choice([None, *subterms(M)])
            marks: Mapping[Path, Annotation] = {} if path is None else {path: Mark("redex")}
            remembered, written = term_doc(M, names, marks, manner, memory), term_doc(M, names, marks, manner)
            assert annotated_texts(remembered, width) == annotated_texts(written, width)


def test_a_name_that_is_numbered_is_numbered_anew_where_others_are_alike() -> None:
    M = Let(constant(1), Scope(("x",), Tuple((Bound(0), Bound(1), Bound(2), Bound(3)))))
    memory = PrintCache()
    for names, number in ((("x", "x'", "x''"), "₃"), (("x₉", "x", "x'", "x''"), "₄"), (("y", "x", "x'", "x''"), "₃")):
        text = plain(term_doc(M, names, memory=memory))
        assert text == f"let x{number} ← 1.0 in ⟨x{number}, x'', x', x⟩"
    whole = Let(M, Scope(("p",), Bound(0)))
    assert "x₄" in plain(term_doc(whole, ("x₉", "x", "x'", "x''"), memory=memory))


def test_a_variable_is_not_called_like_a_function_that_came_into_sight() -> None:
    M = Let(constant([1, 2]), Scope(("swish",), Bound(0)))
    memory = PrintCache()
    for N, name in ((M, "swish"), (Plus(M, Call(SWISH, Bound(0))), "swish'"), (M, "swish")):
        assert plain(term_doc(N, ("x",), memory=memory)).lstrip("(").startswith(f"let {name} ←")


def test_what_two_documents_have_in_common_is_written_once() -> None:
    part = Call(SWISH, Call(SWISH, constant([1, 2])))
    chain = Let(Bound(0), Scope(("a",), Let(Bound(1), Scope(("b",), Plus(part, Bound(0))))))
    memory = PrintCache()
    first, second = (term_doc(Let(M, Scope(("x",), chain)), ("y",), memory=memory) for M in (part, Plus(part, part)))
    common = {id(doc) for doc in shared(first)} & {id(doc) for doc in shared(second)}
    texts = {" ".join(plain(doc).split()) for doc in shared(second) if id(doc) in common}
    assert {"swish(swish([1.0, 2.0]))", "let a ← x in let b ← x in swish(swish([1.0, 2.0])) + b"} <= texts
    assert plain(first) == "let x ← swish(swish([1.0, 2.0])) in let a ← x in let b ← x in swish(swish([1.0, 2.0])) + b"
    assert all(doc.laid for doc in shared(second) if id(doc) in common)


def shared(doc: Doc) -> Iterator[Shared]:
    """The shared parts of a document."""
    match doc:
        case Text() | Line():
            pass
        case Concat(parts):
            for part in parts:
                yield from shared(part)
        case Nest(_, body) | Group(body) | Annotated(_, body):
            yield from shared(body)
        case Shared(body):
            yield doc
            yield from shared(body)


def test_what_is_marked_is_never_shared() -> None:
    M = Plus(constant(1), constant(2))
    memory = PrintCache()
    for path, text in (((0,), "1.0"), ((1,), "2.0"), ((), "1.0 + 2.0")):
        doc = term_doc(M, (), {path: Mark("redex")}, EXACT, memory)
        assert annotated_texts(doc) == ("1.0 + 2.0", [(Mark("redex"), text)])


def test_the_cache_does_not_exceed_its_capacity(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing_memory, "CAPACITY", 10)
    memory = PrintCache()
    terms = [constant(i) for i in range(100)]
    for M in terms:
        term_doc(M, memory=memory)
    docs, names = memory.of_style(EXACT).docs, memory.of_style(EXACT).names(frozenset())
    found = [docs.find(M, names) is not None for M in reversed(terms)]
    assert found[0]
    assert sum(found) <= 20
    for manner in range(20):
        term_doc(constant(1), brevity=Abbreviation(entries=manner), memory=memory)
    assert len(memory.styles) <= printing_memory.MAX_STYLES


@law(100)
@given(st.integers(0, 2**32), st.sampled_from(TYPES))
def test_the_symbols_of_many_terms_are_those_of_each(seed: int, A: Type) -> None:
    known = Symbols()
    for M in family(Random(seed), A, 4):
        assert known.of(M) == symbols(M)
    assert symbols(Call(SWISH, Rd(Bound(0), Scope(("x",), Call(member("neg", VECTOR.shape), Bound(0))), Bound(1)))) == {
        "swish",
        "neg",
    }
