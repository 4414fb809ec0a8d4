"""User text is never markup: no text in a program can add elements, attributes or commands to HTML, SVG, DOT or LaTeX."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rh_kernel.display import diagnostics
from rh_kernel.display.registry import bundle, records
from rh_kernel.display.training.runs import progress
from rh_kernel.session.results import ItemFailed, Progress, Result, Shown, results
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Array
from tests.display.allowed import CONTROLS, assert_allowed, assert_allowed_dot, assert_allowed_html, assert_allowed_svg
from tests.tiers import law

MARKUP = (
    *(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' onmouseover='x",
        "&lt;b&gt;",
        "&amp;",
        "]]>",
        "<!--",
        "-->",
    ),
    *("<![CDATA[", "<?xml?>", "</svg>", "</style><script>", "</pre>", "javascript:x", "\\", "\\n", "\\N", '\\"', "\\G", "${x}"),
    *(
        "\x00",
        "\x1b[31m",
        "\x07",
        "\x9b",
        "\r",
        "\t",
        "\u2028",
        "\u202e",
        "\u2066",
        "\u061c",
        "\u200f",
        "\ufeff",
        "\ud800",
        "\udfff",
    ),
    *("x" * 5000, "<b>" * 500, "{0}", "{span}", "%s", "`", "$x$", "\\input{x}", "data:text/html,<b>", "https://example.com/"),
)
hostile = st.lists(st.one_of(st.sampled_from(MARKUP), st.text(max_size=5)), min_size=1, max_size=3).map("".join)
"""Words that look like markup or commands."""

LETTERS = "aZ_'éß\u0130ﬁﷺשלאבمرحاअ́ก数字ⅷ𝔸𝒶ｘʼˈªº₀₁ɐ\u0301\u0308\u0345\u20dd\u0e33\u1d62"
"""Unusual characters of names: right-to-left, combining, wide, and quotes."""

OWN = ("dim", "const", "loc", "op", "fun", "net", "handler", "x", "y", "a", "s", "l", "z", "u", "wide")
"""The names of the program."""

PROGRAM = """dim {dim} = 2
const {const} : Real({dim}) = [0.5, 1.0]
loc {loc} : Real(2, {dim}) = [[1, 2], [3, 4]]
op {op}[{l} : Loc(m, k)] : Real(k) -> Real(m)
op {wide} : Real -> Real
fun {fun}({x} : Real({z})) : Real({z}) = let {y} <- {x} in {y} + sin({x})
net {net}({x} : Real({dim})) : Real(2) = let {y} <= {op}[{loc}]({x}) in return {fun}({y})
handler {handler}({a} : Real, {s} : Real({u})) : rev handler(Real({u})) = {{
  return {x} -> return {a} * ({x} - {s})
  {op}[{l}]({x}) -> let {z} <= Get[{l}]() in return ({z} @ {x}, ({z}, {x}))
    | {y}, {z} -> let ({u}, {x}) <- {z} in let _ <= Put[{l}]({u} - outer({y}, {x})) in return {u}^T @ {y}
}}
"""
PASS = "rev handle ({const}) <{x}>. {net}({x}) with {handler}(0.1, [1, 2])"
SHOWN = (
    PASS,
    f"%trace {PASS}",
    f"%derivation {PASS}",
    f"%diagram {PASS}",
    f"%gradient {PASS} against {PASS}",
    f"%compile {PASS}",
    f"%compile --passes {PASS}",
    f"%compile --profile {PASS}",
    f"%type {PASS}",
    "%derivation {handler}\n%derivation {fun}\n%derivation {net}",
    "%diagram {net}\n%diagram {fun}",
    "%type {net}\n%type {handler}\n%help {net}\n%help {handler}\n%help {loc}\n%heap\n%reset",
    "train rev handle ({x}) <{u}>. {net}({u}) with {handler}(0.1, {y})\n"
    '  for ({x}, {y}) in data("given") epochs 2 measure return sum({y} - {y})',
    "{net}(1)",
    "{nowhere}\n{net}[{loc}](1)\n{handler}\n{loc}({x})",
    "{wide}(1)",
    "%strict on\nlet {x} <- relu({const} - {const}) in {x}",
    "net {net}({x} : Real({y})) : Real({y}, {z}) = {op}[{loc}]({x})",
    "handler {net} = {{ {op}[{l}]({x}) -> return {x} | {y}, {z} -> return {const} }}",
    'train return {x} for ({x}, {z}) in data("given")',
    '%sees rev handle ({x}) <{u}>. {net}({u}) with {handler}(0.1, {y}) for ({x}, {y}) in data("given")',
    '%surface {fun}({x}) for ({x}, {y}) in data("given")',
    'train return {x} for ({x}, {y}) in data("given") surface return {fun}({x})',
    '%confusion {fun}({x}) for ({x}, {y}) in data("given")\n%confusion {x} for {x} in data("given")',
)


@st.composite
def names(draw: st.DrawFn) -> dict[str, str]:
    """Distinct names of unusual letters."""
    found = {"nowhere": "x" + draw(st.text(LETTERS, max_size=6)) + "9"}
    for number, what in enumerate(OWN):
        letters = draw(st.text(LETTERS, max_size=6)) * draw(st.sampled_from((1, 1, 1, 1, 200)))
        found[what] = ("N" if what in ("op", "wide") else "n") + letters + f"q{number}"
    return found


def outputs(
    session: Session, source: Source, *, keep_going: bool = False
) -> Iterator[tuple[Result | Progress, Mapping[str, str]]]:
    """Render the results of a text, and intermediate results."""
    for event in execute(session, source, keep_going=keep_going):
        if isinstance(event, Shown):
            yield event.result, bundle(event.result)
        elif isinstance(event, Progress):
            yield event, progress(event)


def check(session: Session, text: str, source: str = "cell") -> list[Result | Progress]:
    """Run a text and check everything that is rendered."""
    seen: list[Result | Progress] = []
    for result, shown in outputs(session, Source(source, text)):
        seen.append(result)
        assert_allowed(shown)
        if isinstance(result, ItemFailed):
            for d in result.diagnostics:
                assert not CONTROLS.search(diagnostics.ansi(d).replace("\x1b[", ""))
    return seen


@pytest.mark.parametrize("number", range(len(SHOWN)))
def test_names_are_nothing_but_names(number: int) -> None:
    @law(15)
    @given(names())
    def holds(named: dict[str, str]) -> None:
        given_data = {"given": {named["x"]: np.ones((2, 2)), named["y"]: np.ones((2, 2))}}
        session = replace(Session.start(Path("<b>&")), given=given_data)
        declared = results(execute(session, Source("cell", PROGRAM.format(**named))))
        assert not any(isinstance(result, ItemFailed) for result in declared)
        for result in declared:
            assert_allowed(bundle(result))
        assert check(session, f"{PROGRAM}{SHOWN[number]}\n".format(**named))

    holds()


def quoted(text: str) -> str:
    """The part of a text that may occur in a string or a comment."""
    return text.translate(dict.fromkeys(map(ord, '"\r\n'), " "))


@law(60)
@given(hostile)
def test_strings_are_nothing_but_strings(text: str) -> None:
    session = Session.start(Path("<b>&"))
    word = quoted(text)
    assert check(session, f'loc w : Real = load("{word}")')
    assert check(session, f'train return x for x in data("{word}")')
    assert check(session, f'train return x for x in data("{word}.csv")')
    assert check(session, f'%help "{word}"\n%strict "{word}"\n%evaluator {word}')
    assert check(session, f'"{word}"')


@law(60)
@given(hostile)
def test_what_is_no_word_of_the_language_is_shown_as_it_is(text: str) -> None:
    session = Session.start(Path())
    for around in ("{}", "%{}", "%help {}", "1 + {}", "net {}", "loc w : {} = zeros", "[1, {}]", "%type {}", "%trace {}"):
        check(session, around.format(text))


@law(60)
@given(hostile)
def test_comments_in_what_is_asked_about_are_nothing_but_comments(text: str) -> None:
    session = Session.start(Path())
    word = quoted(text)
    for directive in ("type", "derivation", "diagram", "gradient", "trace", "compile"):
        assert check(session, f"%{directive} return 1 # {word}\n  + 2")
    assert check(session, f'train return x for x in data("xor") measure return sum(x) # {word}\n  + 2')


@law(60)
@given(hostile)
def test_the_name_of_a_source_is_nothing_but_a_name(text: str) -> None:
    session = Session.start(Path())
    assert check(session, "1 + nowhere\n2 + [1, 2, 3]\nnet f(x : Real(n)) = x +", text)


@law(60)
@given(hostile, hostile)
def test_names_from_python_are_nothing_but_names(data: str, array: str) -> None:
    arrays: dict[str, Array] = {array: np.ones((3, 2)), "x": np.ones((4, 2))}
    session = replace(
        Session.start(Path()), given={quoted(data): arrays, "given": arrays, "words": {"x": np.array([array, "b"])}}
    )
    assert check(session, 'train return x for x in data("nowhere")')
    assert check(session, 'train return x for x in data("given")')
    assert check(session, 'train return x for (x, y) in data("given")')
    assert check(session, 'train return x for x in data("words")')
    assert check(session, f'train return x for (x, y) in data("{quoted(data)}")')


@law(60)
@given(hostile)
def test_names_of_files_are_nothing_but_names(text: str) -> None:
    session = Session.start(
        Path("folder") / quoted(text.encode(errors="replace").decode()).replace("\x00", "").replace("/", " ")
    )
    assert check(session, 'loc w : Real = load("nowhere.npy")')
    assert check(session, 'train return x for x in data("nowhere.csv")')


@pytest.mark.parametrize(
    ("assertion", "made"),
    [
        (assert_allowed_html, "<script>alert(1)</script>"),
        (assert_allowed_html, "<div onclick=x>a</div>"),
        (assert_allowed_html, '<img src="https://example.com/x.png">'),
        (assert_allowed_html, '<img src="data:text/html;base64,PGI+">'),
        (assert_allowed_html, '<div style="background:url(x)"></div>'),
        (assert_allowed_html, "<style>@import 'x';</style>"),
        (assert_allowed_html, "<div><span></div>"),
        (assert_allowed_html, "<div><!-- a --></div>"),
        (assert_allowed_html, "<div>\u202e</div>"),
        (assert_allowed_svg, '<svg xmlns="http://www.w3.org/2000/svg"><a/></svg>'),
        (assert_allowed_svg, '<svg xmlns="http://www.w3.org/2000/svg"><g onload="x"/></svg>'),
        (assert_allowed_svg, '<svg xmlns="http://www.w3.org/2000/svg"><foreignObject/></svg>'),
        (assert_allowed_dot, 'digraph { a [URL="x"] }'),
        (assert_allowed_dot, 'digraph { a [label="x" y"] }'),
        (assert_allowed_dot, "digraph { a [label=<<B>x</B>>] }"),
    ],
)
def test_what_is_not_allowed_is_found(assertion: object, made: str) -> None:
    assert callable(assertion)
    with pytest.raises(AssertionError):
        assertion(made)


@law(60)
@given(hostile)
def test_records_say_what_was_written(text: str) -> None:
    """Text in JSON is not escaped: that is up to its consumer."""
    session = Session.start(Path())
    for event in execute(session, Source("cell", f'%help "{quoted(text)}"')):
        if isinstance(event, Shown):
            assert records(1, event.result)
