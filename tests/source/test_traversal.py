"""The generic traversals, on random terms of every language that declares its children and binders."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any, ClassVar, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.ad.chad.execution import derivative
from rh_kernel.ad.chad.target.terms import Variable as TargetVariable
from rh_kernel.ad.chad.target.traversal import TERMS as TARGET
from rh_kernel.ad.chad.target.types import Mode
from rh_kernel.ad.eff.core import Variable as EffVariable
from rh_kernel.ad.eff.traversal import TERMS as EFF
from rh_kernel.ad.language.binding import TERMS as LANGUAGE
from rh_kernel.ad.language.core import Variable as LanguageVariable
from rh_kernel.ad.linear_negation.binding import TERMS as LINEAR_NEGATION
from rh_kernel.ad.linear_negation.calculus import Var as LinearNegationVariable
from rh_kernel.ad.linear_negation.source import translate
from rh_kernel.ad.unary_form.systems import DIRECT, problem, raw
from rh_kernel.ad.unary_form.terms.binding import TERMS as UNARY_FORM
from rh_kernel.ad.unary_form.terms.terms import Var as UnaryFormVariable
from rh_kernel.source.children import Children, child, telescope
from rh_kernel.source.traversal import Traversal
from tests.ad.eff.programs import plain
from tests.ad.programs import ARRAYS, EVERYTHING, HIGHER_ORDER, programs
from tests.tiers import law

Sample: TypeAlias = tuple[Traversal[Any], Callable[[str], Any], Any]
"""The traversal of a language, its variables, and a term."""


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    """Draw a subterm of a random term of a language, usually with free names."""
    terms: Traversal[Any]
    variable: Callable[[str], Any]
    M: Any
    match draw(st.integers(0, 4)):
        case 0:
            terms, variable, M = LANGUAGE, LanguageVariable, draw(programs(EVERYTHING)).program.body
        case 1:
            asked = problem(DIRECT, draw(programs(ARRAYS, scalar=True)).program)[1]
            terms, variable, M = UNARY_FORM, UnaryFormVariable, raw(asked)
        case 2:
            terms, variable, M = LINEAR_NEGATION, LinearNegationVariable, translate(draw(programs(HIGHER_ORDER)).program).term
        case 3:
            t = derivative("chad", draw(programs(EVERYTHING)).program, Mode.REVERSE)
            terms, variable, M = TARGET, TargetVariable, t
        case _:
            terms, variable, M = EFF, EffVariable, draw(plain(ground=False, forwards=True)).term
    return terms, variable, draw(st.sampled_from([*terms.subterms(M)]))


def _free(terms: Traversal[Any], M: Any) -> set[str]:
    """The definition of free names by recursion on the parts; names in a telescope are bound in all later parts."""
    found = set(terms.free(M)) if not terms.parts(M) else set[str]()
    hidden: set[str] = set()
    for names, N in terms.parts(M):
        is_telescope = isinstance(getattr(M, "stack", None), tuple)
        hidden = hidden.union(names) if is_telescope else set(names)
        found |= _free(terms, N) - hidden
    return found


@law(200)
@given(samples())
def test_a_term_is_rebuilt_from_its_parts(sample: Sample) -> None:
    """``subterms`` are the terms among ``nodes``."""
    terms, _, M = sample
    assert terms.rebuilt(M, terms.parts(M)) == M
    assert terms.mapped(M, lambda N: N) == M
    assert terms.bottom_up(M, lambda N: N) is M
    assert terms.count(M) == 1 + sum(terms.count(N) for _, N in terms.parts(M))
    inside = {id(N) for N in terms.nodes(M)}
    assert all(id(N) in inside for N in terms.subterms(M))


@law(200)
@given(samples())
def test_free_names_are_those_of_the_definition(sample: Sample) -> None:
    """``fv(λx. M) = fv(M) − {x}``"""
    terms, _, M = sample
    assert terms.free(M) == _free(terms, M)


@law(200)
@given(samples())
def test_renaming_keeps_a_term_up_to_its_binders(sample: Sample) -> None:
    """Renaming to fresh binders gives an α-equivalent term with the same free names and distinct binders."""
    terms, variable, M = sample
    numbers = count()
    N = terms.renamed(M, lambda _: f"#{next(numbers)}")
    assert terms.alike(M, N)
    assert terms.free(N) == terms.free(M)
    bound = [*terms.binders(N)]
    assert len(set(bound)) == len(bound)
    for x in terms.free(M):
        assert not terms.alike(M, terms.substituted(N, {x: variable("somewhere else")}))


@law(200)
@given(samples(), st.data())
def test_substitution_does_not_capture(sample: Sample, data: st.DataObject) -> None:
    """``fv(M[y/x]) = (fv(M) − {x}) ∪ {y}`` for an x that is free in M, where M may bind y; M itself if x does not occur."""
    terms, variable, M = sample
    assert terms.substituted(M, {"nowhere": variable("y")}, captures=True) is M
    free, bound = sorted(terms.free(M)), sorted({*terms.binders(M)})
    if free and bound:
        x, y = data.draw(st.sampled_from(free)), data.draw(st.sampled_from(bound))
        N = terms.substituted(M, {x: variable(y)}, captures=True)
        assert terms.free(N) == (terms.free(M) - {x}) | {y}
        assert terms.count(N) == terms.count(M)


@dataclass(frozen=True, slots=True)
class _Var:
    uses: ClassVar[tuple[str, ...]] = ("name",)
    name: str


@dataclass(frozen=True, slots=True)
class _Let:
    children: ClassVar[Children] = child("bound"), child("body", binds="name")
    name: str
    bound: "_Term"
    body: "_Term"


@dataclass(frozen=True, slots=True)
class _Forgotten:
    children: ClassVar[Children] = (child("body", binds="name"),)
    name: str
    bound: "_Term"
    body: "_Term"


@dataclass(frozen=True, slots=True)
class _Misspelt:
    children: ClassVar[Children] = (child("body", binds="nam"),)
    name: str
    body: "_Term"


@dataclass(frozen=True, slots=True)
class _Binding:
    binders: ClassVar[tuple[str, ...]] = ("name",)
    name: str
    bound: "_Term"


@dataclass(frozen=True, slots=True)
class _Block:
    children: ClassVar[Children] = (telescope("stack", then="body"),)
    stack: tuple[_Binding, ...]
    body: "_Term"


_Term: TypeAlias = _Var | _Let | _Block
_TERMS = Traversal[_Term](_Term, _Binding)


def test_a_field_that_no_declaration_mentions_is_reported() -> None:
    """Errors in declarations are raised when the traversals are created, and name the class and the field."""
    with pytest.raises(TypeError, match=r"_Forgotten\.bound holds terms"):
        Traversal(_Var | _Let | _Block | _Forgotten, _Binding)
    with pytest.raises(TypeError, match="_Misspelt declares nam"):
        Traversal(_Var | _Let | _Block | _Misspelt, _Binding)


def test_a_telescope_binds_in_all_that_follow() -> None:
    """``x[y := x][z := y]`` is closed but for x, and the binder y is renamed where a free y takes the place of x."""
    M = _Block((_Binding("y", _Var("x")), _Binding("z", _Var("y"))), _Var("x"))
    assert _TERMS.occurrences(M) == {"x": 2}
    N = _Block((_Binding("y1", _Var("y")), _Binding("z", _Var("y1"))), _Var("y"))
    assert _TERMS.substituted(M, {"x": _Var("y")}, captures=True) == N


def test_depth_is_no_limit() -> None:
    """Five thousand lets, nested both in the bound term and in the body."""
    M: _Term = _Var("x")
    for i in range(5_000):
        M = _Let(f"y{i}", M, _Var("x")) if i % 2 else _Let(f"y{i}", _Var("x"), M)
    N = _TERMS.substituted(M, {"x": _Var("y7")}, captures=True)
    assert _TERMS.free(N) == {"y7"}
    assert _TERMS.count(_TERMS.renamed(N, lambda x: f"{x}'")) == _TERMS.count(M) == 10_001
    assert not _TERMS.alike(M, N)
    assert _TERMS.free(_TERMS.bottom_up(M, lambda t: _Var("z") if isinstance(t, _Var) else t)) == {"z"}
