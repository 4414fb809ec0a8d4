"""The reference: its generated parts are what the code says, its programs run, its costs, points and grammar are right."""

import math
import re
from collections.abc import Iterator, Mapping
from html import escape
from itertools import product
from pathlib import Path

import pytest

from lessons.reference import diagnostics, laboratory, rules, words
from lessons.reference.figures import imports, layers, stages
from lessons.reference.files import files
from lessons.reference.grammar import Grammar, read, signs, strays
from lessons.reference.markdown import anchored, anchors, contents, headings, slug, table
from lessons.reference.pages import APPENDIX, COMMAND, PARTS, documents, filled, names, pages, written
from lessons.reference.running import run, start
from rh_kernel.ad.eff import library
from rh_kernel.ad.eff.frontend import lexing
from rh_kernel.ad.eff.machine.builtins import OPERATORS
from rh_kernel.ad.registry import NAMES as SYSTEMS
from rh_kernel.figures import Figure
from rh_kernel.paper import Rule
from rh_kernel.primitives.schemes import Scheme, instantiate, size_of
from rh_kernel.primitives.table import SYMBOLS, cost, failing
from rh_kernel.session.directives.registry import all_directives
from rh_kernel.session.directives.registry import names as names_of_directives
from rh_kernel.session.forms import FORMS, SIGNS
from rh_kernel.session.sections.lambda_forms import LAMBDA_FORMS
from rh_kernel.source.diagnostic import Diagnostic, KernelBug
from rh_kernel.syntax.core import Primitive
from rh_kernel.syntax.dimensions import Dim, DimVar, dim
from rh_kernel.syntax.parsing.tokens import EXPRESSION_DIRECTIVES, KEYWORDS, SPELLINGS, TRAINING_OPTIONS
from rh_kernel.syntax.types import Real, concrete_shape
from rh_kernel.training.bundled import NAMES
from rh_kernel.typing.derivation.rules import TypingRule
from tests.programs.test_golden import OTHERWISE, classes

PROGRAMS = Path(__file__).parents[1] / "programs"

# -- generated parts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_page_is_as_the_code_has_it(name: str) -> None:
    page = pages()[name]
    assert page == written(page), f"lessons/appendix/{name} is out of date; regenerate it: {COMMAND}"


@pytest.mark.parametrize("path", sorted(files()), ids=lambda path: path.name)
def test_a_file_of_the_program_is_as_the_tables_have_it(path: Path) -> None:
    found = path.read_text(encoding="utf-8") if path.exists() else ""
    assert found == files()[path], f"{path} is out of date; regenerate it: {COMMAND}"


@pytest.mark.parametrize("path", sorted(documents()), ids=lambda path: path.name)
def test_a_page_beside_the_appendix_is_as_the_code_has_it(path: Path) -> None:
    assert documents()[path] == filled(documents()[path]), f"{path.name} is out of date; regenerate it: {COMMAND}"


def test_every_part_stands_on_one_page() -> None:
    every = [*pages().values(), *documents().values()]
    found = [name for page in every for name in names(page) if name != "contents"]
    assert sorted(found) == sorted(PARTS)


def test_a_part_that_nothing_makes_is_refused() -> None:
    with pytest.raises(KernelBug, match="no generated part is called 'nonsense'"):
        written("<!-- begin generated: nonsense -->\n<!-- end generated -->")


def test_what_is_written_by_hand_is_about_what_there_is() -> None:
    assert set(diagnostics.words()) == set(diagnostics.classes()) == set(classes().values())
    assert all(directive.example and directive.details for directive in all_directives().values())
    assert set(rules.words()["reduction"]) == {rule.value for rule in Rule}
    assert set(rules.words()["typing"]) == {rule.value for rule in TypingRule if rule.value.startswith("T-")}
    assert set(rules.words()["figures"]) == {figure.value for figure in Figure if not figure.is_ours}


def test_errors_without_an_example_are_those_that_no_cell_gets() -> None:
    without = {diagnostics.classes()[code].__name__ for code in diagnostics.words() if diagnostics.example(code) is None}
    assert without == {*OTHERWISE, "TooDeep"}


def test_every_subclass_of_diagnostic_is_found() -> None:
    def below(c: type[Diagnostic]) -> Iterator[type[Diagnostic]]:
        for sub in c.__subclasses__():
            yield sub
            yield from below(sub)

    ours = {c.code for c in below(Diagnostic) if c.__module__.startswith("rh_kernel.")}
    assert ours == set(diagnostics.classes())


@pytest.mark.parametrize("word", sorted({*KEYWORDS, *FORMS, *NAMES}))
def test_every_word_is_in_the_tables_of_the_language(word: str) -> None:
    page = pages()["language.md"]
    generated = page[page.index("begin generated: data sets") :]
    assert f"| `{word}` |" in generated


@pytest.mark.parametrize("sign", sorted({*SIGNS, *SPELLINGS, *SPELLINGS.values()}))
def test_every_sign_is_in_the_tables_of_the_language(sign: str) -> None:
    page = pages()["language.md"]
    found = page[page.index("begin generated: signs") :]
    assert f"`{sign}`" in found or f"<code>{escape(sign).replace('|', '&#124;')}</code>" in found


# -- programs ------------------------------------------------------------------------------------------------------------------

BLOCK = re.compile(r"^```rh(?P<info>[^\n]*)\n(?P<program>.*?)^```$", re.MULTILINE | re.DOTALL)


def test_blocks_are_marked_in_a_known_way() -> None:
    for path in APPENDIX.glob("*.md"):
        for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
            assert re.fullmatch(r"| (fails|warns) RH\d{3}", block["info"]), f"{path.name}: {block[0]}"


@pytest.mark.parametrize("path", sorted(APPENDIX.glob("*.md")), ids=lambda path: path.stem)
def test_programs_of_a_page_run_or_fail_as_they_say(path: Path, tmp_path: Path) -> None:
    """As the cells of a notebook, one after the other in one session. Those of the errors run when their page is made."""
    session = start(tmp_path)
    for block in BLOCK.finditer("" if path.stem == "errors" else path.read_text(encoding="utf-8")):
        ran = run(block["program"], session)
        codes = {d.code for d in (*ran.diagnostics, *ran.warnings)}
        assert codes == set(block["info"].split()[1:]), f"{block['program']}\n{ran.text}"
        session = ran.session


# -- function symbols ----------------------------------------------------------------------------------------------------------


def members(name: str, scheme: Scheme) -> Iterator[tuple[Primitive, Mapping[str, int]]]:
    """Instances at small sizes, each with the numbers that the variables stand for; a shape is told by its entries."""
    sizes = {v: range(len(scheme.order)) if v in scheme.order else range(1, 4) for v in scheme.variables}
    choices = [sizes[v] if isinstance(v, DimVar) else ((dim(2),), (dim(2), dim(3)), (dim(6),)) for v in scheme.variables]
    for values in product(*choices):
        at = tuple([dim(value) if isinstance(value, int) else value for value in values])
        try:
            f = instantiate(name, scheme, at)
        except ValueError:
            continue
        if failing(f) is None and isinstance(f.codomain, Real) and min(concrete_shape(f.codomain) or (0,)) >= 0:
            numbers = [a.constant if isinstance(a, Dim) else (size_of(a) or dim(0)).constant for a in at]
            yield f, {v.name: n for v, n in zip(scheme.variables, numbers, strict=True) if n is not None}


def value_of(formula: str, numbers: Mapping[str, int]) -> int:
    text = re.sub(r"\|(\w+)\|", r"\1", formula)
    return int(eval(text, {"__builtins__": {}, "ceil": math.ceil}, dict(numbers)))


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_the_cost_of_a_symbol_is_as_the_page_says(name: str) -> None:
    schemes, formulas = SYMBOLS[name].schemes, SYMBOLS[name].costs
    for formula, scheme in zip(formulas if len(formulas) > 1 else formulas * len(schemes), schemes, strict=True):
        found = list(members(name, scheme))
        assert found
        for f, numbers in found:
            assert cost(f) == value_of(formula, numbers), (f, formula)


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_a_symbol_is_undefined_where_the_page_says(name: str) -> None:
    nonsmooth = SYMBOLS[name].nonsmooth
    if nonsmooth is not None:
        point = nonsmooth.example
        assert [d.code for d in run(f"%strict on\n{point}").diagnostics] == ["RH203"]
        assert not run(point).diagnostics
    else:
        assert not run(f"%strict on\n{SYMBOLS[name].example}").diagnostics


# -- grammar -------------------------------------------------------------------------------------------------------------------

OUTSIDE = {
    "projection_zero": "a component from 1 on is asked for by the grammar's words alone",
    "syntax_still_open": "a stub is a name like others",
    "syntax_indented_first_line": "the grammar does not see spaces",
    "syntax_option_twice": "an option may come any number of times",
    "syntax_measure_named_twice": "a name may stand any number of times",
    "syntax_too_deep": "the grammar has no limits",
    "sweep_indented_unevenly": "the grammar does not see spaces",
    "sweep_name_twice": "a name may stand any number of times",
    "sweep_of_too_many": "the grammar has no limits",
    "sweep_over_a_location": "a name is a name",
    "laboratory_map_without_a_variable": "the names of formers are names like others",
}
"""Wrong texts that the grammar allows, and why."""


@pytest.fixture(scope="module")
def grammar() -> Grammar:
    page = (APPENDIX / "language.md").read_text(encoding="utf-8")
    of_language, of_laboratory, _ = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return read(of_language + of_laboratory)


@pytest.fixture(scope="module")
def effects() -> Grammar:
    page = (APPENDIX / "language.md").read_text(encoding="utf-8")
    *_, of_effects = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    return read(of_effects, lexing.SPELLINGS)


@pytest.mark.parametrize("program", sorted([*PROGRAMS.glob("good/*.rh"), *PROGRAMS.glob("paper/*.rh")]), ids=lambda p: p.stem)
def test_right_programs_follow_the_grammar(program: Path, grammar: Grammar, effects: Grammar) -> None:
    assert strays(grammar, effects, program.read_text(encoding="utf-8")) == []


def test_programs_of_the_reference_follow_the_grammar(grammar: Grammar, effects: Grammar) -> None:
    for path in APPENDIX.glob("*.md"):
        for block in BLOCK.finditer(path.read_text(encoding="utf-8")):
            if not block["info"] or block["info"] > " fails RH119":
                assert strays(grammar, effects, block["program"]) == []


@pytest.mark.parametrize("program", sorted(PROGRAMS.glob("bad/*.rh")), ids=lambda p: p.stem)
def test_wrong_texts_do_not_follow_the_grammar_and_wrong_programs_do(program: Path, grammar: Grammar, effects: Grammar) -> None:
    codes = set(re.findall(r"^(RH\d{3}) ", program.with_suffix(".err").read_text(encoding="utf-8"), re.MULTILINE))
    is_stray = program.stem != "syntax_too_deep" and bool(strays(grammar, effects, program.read_text(encoding="utf-8")))
    # RH118: the parser reads any expression as a size, and says later that it is none.
    if program.stem not in OUTSIDE and "RH118" not in codes:
        assert is_stray == any(code <= "RH041" for code in codes)


def test_the_grammar_has_every_word_and_sign(grammar: Grammar) -> None:
    found = {sign for form in grammar.values() for sign in signs(form)}
    assert found >= {*KEYWORDS, *TRAINING_OPTIONS, *names_of_directives(), *EXPRESSION_DIRECTIVES}
    assert found >= {*SPELLINGS.values()} - {"⟩"}


def test_the_grammar_has_every_word_of_the_laboratory(grammar: Grammar) -> None:
    found = {sign for form in grammar.values() for sign in signs(form)}
    assert found >= LAMBDA_FORMS.keys() - {"λ", "sum", "dot", "all"}


def test_the_grammar_has_every_word_and_sign_of_effects(effects: Grammar) -> None:
    found = {sign for form in effects.values() for sign in signs(form)}
    assert found >= {*lexing.KEYWORDS, *lexing.DIRECTIVES, *lexing.CLOSERS, *lexing.CLOSERS.values(), *OPERATORS}


@pytest.mark.parametrize("name", library.names())
def test_the_programs_of_the_library_follow_the_grammar(name: str, grammar: Grammar, effects: Grammar) -> None:
    assert strays(grammar, effects, f"%%eff\n{library.source(name).text}") == []


def test_the_systems_stand_in_the_table_of_fragments() -> None:
    """Each is asked; that none takes a construct, or all take all, would tell nothing."""
    answers = {name: [laboratory.takes(name, program) for program in laboratory.CONSTRUCTS.values()] for name in SYSTEMS}
    assert all(first for first, *_ in answers.values())
    assert len({tuple(taken) for taken in answers.values()}) > 2


def test_a_grammar_that_is_not_one_is_refused() -> None:
    with pytest.raises(KernelBug, match="no rule for other"):
        read('item = other "x"')
    with pytest.raises(KernelBug, match="not closed"):
        read('item = [ "x"')


# -- Markdown ------------------------------------------------------------------------------------------------------------------


def test_anchors_are_those_of_github() -> None:
    assert slug("A `let` without its `in`") == "a-let-without-its-in"
    assert slug("Terms (Def. 5.4)") == "terms-def-54"
    assert slug("%trace") == "trace"
    assert slug("[a link](x.md) and `log_softmax`") == "a-link-and-log_softmax"
    assert anchors("# A\n## B\n## B\n```\n# no\n```\n") == {"a", "b", "b-1"}


def test_anchors_are_written_once() -> None:
    page = "# A\n## B c\n```\n## no\n```\n"
    assert anchored(page) == '# A\n<a id="b-c"></a>\n\n## B c\n```\n## no\n```\n'
    assert anchored(anchored(page)) == anchored(page)


@pytest.mark.parametrize("name", sorted(pages()))
def test_no_two_headings_of_a_page_have_one_anchor(name: str) -> None:
    found = [slug(heading) for heading in headings(pages()[name])]
    assert len(found) == len(set(found))


def test_tables_and_contents() -> None:
    assert table(("a", "b"), [("`x | <`", "z|")]) == "| a | b |\n| --- | --- |\n| <code>x &#124; &lt;</code> | z&#124; |"
    assert contents("# A\n## B c\n### D\n## E\n") == "[B c](#b-c) · [E](#e)"


def test_words_of_the_language_are_those_of_the_lexer() -> None:
    assert set(re.findall(r"`(\w+)`", words.reserved_part())) == KEYWORDS


def test_every_import_goes_to_a_lower_layer() -> None:
    order = [package for layer in layers() for package in layer]
    assert len(order) == len(set(order)) > 15
    for i, package in enumerate(order):
        assert (imports(package) - {package}) & {*order} <= {*order[i + 1 :]}


def test_the_figure_of_the_stages_shows_that_all_three_semantics_end_with_one_result() -> None:
    (text, core), (reduction, diagram, program), end = stages()
    assert "rev handle" in text.lines[2]
    assert core.lines[-1] == ": Real(1)"
    assert reduction.lines[-1].startswith("-12.0 : Real(1)")
    assert "Put[w]" in " ".join(diagram.lines)
    assert "return" in program.lines[-1]
    assert end.lines[0] == "-12.0 : Real(1)"
