"""What there is is taught: each thing of the language stands in a lesson or the reference, and every link leads somewhere."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from lessons.reference.diagnostics import classes
from lessons.reference.markdown import anchors, outside_code
from lessons.reference.words import CHECK_FORMS
from rh_kernel.figures import Figure
from rh_kernel.paper import Rule
from rh_kernel.primitives.table import SYMBOLS
from rh_kernel.session.directives.registry import names
from rh_kernel.session.limits.bounds import MEANINGS
from rh_kernel.syntax.parsing.tokens import INITIALS, TRAINING_OPTIONS
from rh_kernel.typing.derivation.rules import TypingRule

ROOT = Path(__file__).parents[2]
LESSONS = sorted((ROOT / "lessons").glob("[0-9][0-9]-*.md"))
APPENDIX = sorted((ROOT / "lessons" / "appendix").glob("*.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "lessons").rglob("*.md"))]
TOUR = ROOT / "lessons" / "00-tour.md"


@cache
def text() -> str:
    """All that a reader can read."""
    return "\n".join([path.read_text(encoding="utf-8") for path in [*LESSONS, *APPENDIX]])


def is_told(name: str, where: str) -> bool:
    """Whether a name stands there, and not as a part of a longer one."""
    before = r"(?<![\w-])" if name[0].isalnum() else ""
    after = r"(?![\w-]|\.\d)" if name[-1].isalnum() else ""
    return re.search(before + re.escape(name) + after, where) is not None


@pytest.mark.parametrize("figure", Figure)
def test_every_place_of_the_paper_is_told(figure: Figure) -> None:
    assert is_told(figure.value, text())


@pytest.mark.parametrize("rule", [*Rule, *TypingRule])
def test_every_rule_is_told(rule: Rule | TypingRule) -> None:
    assert is_told(rule.value, text())


@pytest.mark.parametrize("code", sorted(classes()))
def test_every_error_is_told(code: str) -> None:
    assert is_told(code, text())
    assert classes()[code].title in text()


@pytest.mark.parametrize("name", sorted(names()))
def test_every_directive_is_told(name: str) -> None:
    assert is_told(f"%{name}", text())


@pytest.mark.parametrize("name", sorted(SYMBOLS))
def test_every_function_symbol_is_told(name: str) -> None:
    assert is_told(name, text())
    assert f"### {name}\n" in text()


@pytest.mark.parametrize("option", [*TRAINING_OPTIONS, *sorted(INITIALS), *MEANINGS])
def test_every_option_of_an_item_is_told(option: str) -> None:
    assert f"`{option}`" in text()


@pytest.mark.parametrize(("form", "_"), CHECK_FORMS)
def test_every_form_of_a_check_is_told(form: str, _: str) -> None:
    assert f"`{form}`" in text()


@pytest.mark.parametrize("number", range(1, 11))
def test_the_tour_has_every_figure_of_the_paper(number: int) -> None:
    assert TOUR.is_file(), "lesson 0 is not written yet"
    assert is_told(f"Fig. {number}", TOUR.read_text(encoding="utf-8"))


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_of_reduction_fires_in_a_program_of_the_reference(rule: Rule) -> None:
    from lessons.reference.rules import fired, words

    assert fired(rule, words()["reduction"][rule.value].strip()).rule is rule


def links(page: str) -> list[str]:
    """Where a page leads: links and pictures, outside of code."""
    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", outside_code(page), flags=re.DOTALL)
    return re.findall(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", prose)


def broken(path: Path) -> list[str]:
    """The links of a page that lead to no file, or to no heading of one."""
    found: list[str] = []
    for address in links(path.read_text(encoding="utf-8")):
        if re.match(r"[a-z][a-z0-9+.-]*:", address):
            continue
        file, _, anchor = address.partition("#")
        there = (path.parent / unquote(file)).resolve() if file else path
        leads = there.exists() and there.is_relative_to(ROOT)
        if leads and anchor:
            leads = there.suffix == ".md" and unquote(anchor) in anchors(there.read_text(encoding="utf-8"))
        if not leads:
            found.append(address)
    return found


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(path: Path) -> None:
    assert broken(path) == []


def test_links_are_found_and_looked_at(tmp_path: Path) -> None:
    page = ROOT / "lessons" / "appendix" / "language.md"
    assert {"symbols.md", "rules.md", "#signs", "directives.md"} <= set(links(page.read_text(encoding="utf-8")))
    wrong = "[a](b.md) `[c](d.md)` ![e](f.svg)\n```\n[g](h.md)\n```\n[`i [j]`](#k)"
    assert links(wrong) == ["b.md", "f.svg", "#k"]


def test_a_broken_link_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.lessons.test_coverage.ROOT", tmp_path)
    (tmp_path / "a.md").write_text(
        "# A\n[here](#a) [b](b.md#b) [no](c.md) [nor](b.md#x) [web](https://x.org)", encoding="utf-8"
    )
    (tmp_path / "b.md").write_text("# B\n", encoding="utf-8")
    assert broken(tmp_path / "a.md") == ["c.md", "b.md#x"]
