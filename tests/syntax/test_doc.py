"""Documents: a group stands on one line exactly if it fits, and annotations are nested whatever the width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.syntax.printing import doc as doc_module
from rh_kernel.syntax.printing.doc import (
    HARD,
    LINE,
    SOFT,
    Annotated,
    Close,
    Concat,
    Doc,
    Group,
    Mark,
    Nest,
    Newline,
    Open,
    Role,
    Shared,
    Text,
    annotated_texts,
    cells,
    concat,
    group,
    join,
    layout,
    nest,
    plain,
    role,
)

LEAVES = st.one_of(st.text("abc", max_size=5).map(Text), st.sampled_from([LINE, SOFT, HARD]))
DOCS: st.SearchStrategy[Doc] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: Concat(tuple(parts))),
        st.builds(Nest, st.integers(0, 4), inner),
        inner.map(Group),
        inner.map(Shared),
        st.builds(Annotated, st.sampled_from([Mark("redex"), Role.KEYWORD]), inner),
    ),
    max_leaves=25,
)


def test_a_group_that_fits_stands_on_one_line() -> None:
    doc = group("f(", nest("a,", LINE, "b"), ")")
    assert plain(doc, width=7) == "f(a, b)"
    assert plain(doc, width=6) == "f(a,\n  b)"


def test_what_follows_a_group_on_its_line_counts() -> None:
    doc = concat(group("a", LINE, "b"), ";", LINE, "c")
    assert plain(doc, width=4) == "a b;\nc"
    assert plain(doc, width=3) == "a\nb;\nc"


def test_a_hard_line_breaks_the_groups_around_it() -> None:
    assert plain(group("a", LINE, group("b", HARD, "c"), LINE, "d")) == "a\nb\nc\nd"


def test_separators_that_are_groups_fill_the_line() -> None:
    assert plain(join(concat(",", Group(LINE)), map(Text, "abcdefg")), width=7) == "a, b,\nc, d,\ne, f, g"


@given(DOCS, st.integers(0, 30))
def test_a_group_is_flat_exactly_if_the_line_fits(doc: Doc, width: int) -> None:
    text = plain(Group(doc), width)
    if doc.flat <= width:
        assert "\n" not in text
        assert cells(text) == doc.flat
    elif doc.flat == float("inf"):
        assert "\n" in text


@given(DOCS, st.integers(0, 30))
def test_annotations_are_nested_and_the_text_does_not_depend_on_them(doc: Doc, width: int) -> None:
    depth = 0
    for event in layout(doc, width):
        depth += isinstance(event, Open) - isinstance(event, Close)
        assert depth >= 0
    assert depth == 0
    assert plain(doc, width) == plain(_without_annotations(doc), width)


@given(DOCS, st.lists(st.integers(0, 30), min_size=2, max_size=12), st.integers(1, 20))
def test_what_was_laid_out_before_is_laid_out_the_same_anywhere(doc: Doc, widths: list[int], longest: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(doc_module, "LONGEST_PIECE", longest)
        part = Shared(doc)
        for width in widths:
            around = (concat("a", it, LINE, nest(it, SOFT), Group(it), it, ";", HARD, it, "b") for it in (part, doc))
            whole, alone = (Group(it) if width % 2 else it for it in around)
            assert plain(whole, width) == plain(_without_annotations(alone), width)


@given(DOCS, st.integers(0, 30))
def test_the_width_changes_spaces_only(doc: Doc, width: int) -> None:
    assert plain(doc, width).split() == plain(doc, 1000).split() or SOFT in _parts(doc)


def test_an_annotation_covers_its_text() -> None:
    doc = concat("a ", Annotated(Mark("redex"), concat("b", role(Role.KEYWORD, "c"))), " d")
    assert annotated_texts(doc) == ("a bc d", [(Mark("redex"), "bc")])
    assert annotated_texts(doc, of=(Mark, Role))[1] == [(Role.KEYWORD, "c"), (Mark("redex"), "bc")]


def test_a_very_deep_document_is_laid_out() -> None:
    doc: Doc = Text("x")
    for _ in range(20_000):
        doc = Group(Nest(1, concat("(", doc, ")")))
    assert sum(not isinstance(e, Newline) for e in layout(doc)) == 40_001


def test_cells_of_wide_and_combining_characters() -> None:
    assert cells("wᵀ ← x₀") == 7
    assert cells("日本") == 4
    assert cells("e\u0301") == 1


def _parts(doc: Doc) -> list[Doc]:
    match doc:
        case Text():
            return [doc]
        case Concat(parts):
            return [doc, *(d for part in parts for d in _parts(part))]
        case Nest(_, body) | Group(body) | Annotated(_, body) | Shared(body):
            return [doc, *_parts(body)]
        case _:
            return [doc]


def _without_annotations(doc: Doc) -> Doc:
    match doc:
        case Concat(parts):
            return Concat(tuple(_without_annotations(p) for p in parts))
        case Nest(indent, body):
            return Nest(indent, _without_annotations(body))
        case Group(body):
            return Group(_without_annotations(body))
        case Annotated(_, body) | Shared(body):
            return _without_annotations(body)
        case _:
            return doc
