"""The book: lessons and reference link to each other, its pages can be searched, and are complete without scripts."""

import json
import re
from pathlib import Path

import pytest

from lessons.press.book import index_of_names
from lessons.press.search import write_search
from lessons.press.sections import outline, sections
from lessons.press.texts import FOLDER, Lesson, Notebook, lessons
from lessons.reference.markdown import anchors
from lessons.reference.mentions import KINDS, SUMMARY, entries, referenced, summary, used
from tests.lessons.test_press import lesson

LINKS = re.compile(r"\]\(([\w./-]+)#([^)]*)\)")


def texts_of(notebook: Notebook) -> str:
    return "\n\n".join([cell.source for cell in notebook.cells if cell.cell_type == "markdown"])


def to_reference(text: str) -> set[str]:
    """The addresses of entries of the reference that a text links to."""
    return {f"{file}#{anchor}" for file, anchor in LINKS.findall(text) if file.removeprefix("appendix/") in KINDS}


# -- from the lessons to the reference, and back -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", lessons(), ids=lambda text: text.name)
def test_a_lesson_links_to_the_entries_that_it_has_and_to_no_others(text: Lesson) -> None:
    wanted = {entry.address for entry in used(text)}
    by_hand = to_reference(text.path.read_text(encoding="utf-8"))
    in_sentences = to_reference(texts_of(referenced(text.notebook()))) - by_hand
    assert to_reference(summary(text)) == wanted
    assert in_sentences <= wanted
    for address in wanted:
        file, _, anchor = address.partition("#")
        assert anchor in anchors((FOLDER / file).read_text(encoding="utf-8")), address


@pytest.mark.parametrize("page", sorted(KINDS))
def test_an_entry_links_to_the_lessons_that_have_it_and_to_no_others(page: str) -> None:
    text = (FOLDER / "appendix" / page).read_text(encoding="utf-8")
    told = 0
    for entry in [entry for entry in entries().values() if entry.page == page]:
        section = text.partition(f"\n### {entry.heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        line = re.findall(r"^In lessons? (.+)\.$", section, re.MULTILINE)
        found = (
            {(f"{file.removeprefix('../')}.md", anchor) for file, anchor in re.findall(r"\]\(([^)#]+)\.md#?([^)]*)\)", *line)}
            if line
            else set()
        )
        wanted = {(lesson.path.name, used(lesson)[entry]) for lesson in lessons() if entry in used(lesson)}
        assert found == wanted, entry.name
        told += len(found)
    assert told > 10


def test_the_first_mention_in_a_sentence_is_a_link_and_no_other(tmp_path: Path) -> None:
    body = """
    ## The rule `RH-Op`

    First [`swish`](x.md), `swish(z)` and `swish`; `RH-Op`, RH-Op, `RH-Nonsense`, then RH204 and `%trace P`.

    ```rh
    %type `tanh`
    ```
    """
    text = texts_of(referenced(lesson(tmp_path, body).notebook()))
    assert "## The rule `RH-Op`" in text
    assert "First [`swish`](x.md), [`swish(z)`](appendix/symbols.md#swish) and `swish`;" in text
    assert "[`RH-Op`](appendix/rules.md#rh-op), RH-Op, `RH-Nonsense`," in text
    assert "[RH204](appendix/errors.md#rh204-" in text
    assert "[`%trace P`](appendix/directives.md#trace)" in text
    assert "%type `tanh`" in text


def test_what_a_lesson_has_is_found_in_sentences_and_in_programs(tmp_path: Path) -> None:
    body = """
    ## One

    Of `RH-Op`.

    ```{code-cell} rh
    %trace 1 # tanh(2)
    fun cube(x : Real) : Real = exp(x)
    ```

    ## Two

    ```{code-cell} rh
    %%python
    tanh(2)
    ```
    """
    found = {entry.name: anchor for entry, anchor in used(lesson(tmp_path, body)).items()}
    assert found == {"RH-Op": "one", "%trace": "one", "exp": "one"}


def test_the_index_has_every_name_once() -> None:
    text = index_of_names(lessons())
    assert sorted(re.findall(r"^- \[`(.+?)`\]", text, re.MULTILINE)) == sorted(entries())
    assert re.search(r"^- \[`RH204`\]\(appendix/errors.md#\S+\) .* \(error\)", text, re.MULTILINE)
    assert re.search(r"^- \[`conv2d`\]\(\S+\) \(function\): lesson \[9\]\(09-", text, re.MULTILINE)


# -- sections ------------------------------------------------------------------------------------------------------------------

PAGE = """<body><nav><h2 id="n">no</h2></nav><main>
<section><h1 id="a">A <code>b</code></h1><p>one<em>two</em></p><p>three &lt;</p></section>
<div class="rh-outputs"><h2 id="x">no</h2>no<br>no</div><h2 id="b">B</h2><svg><text>no</text></svg>four
</main><script>no</script></body>"""


def test_a_page_is_divided_at_its_headings() -> None:
    found = [(one.anchor, one.title, one.text) for one in sections(PAGE)]
    assert found == [("a", "A b", "onetwo three <"), ("b", "B", "four")]


def test_a_search_reads_the_sections_of_all_pages_but_for_lists_of_links(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(PAGE.replace("</main>", f'<h2 id="r">{SUMMARY}</h2>RH-Op</main>'), encoding="utf-8")
    data = write_search({"a.html": "A page"}, tmp_path).read_text(encoding="utf-8")
    read = json.loads(data.removeprefix("window.rhBook = ").removesuffix(";\n"))
    assert read["pages"] == [{"address": "a.html", "title": "A page"}]
    assert [section[:3] for section in read["sections"]] == [[0, "a", "A b"], [0, "b", "B"]]
    assert {path.name for path in (tmp_path / "assets").iterdir()} == {"book.js", "minisearch.js", "search-data.js"}


def test_the_contents_of_a_page_are_its_sections(tmp_path: Path) -> None:
    body = "## One `a`\n\n### [Two](x.md)\n\n```\n## no\n```\n\n" + "### more\n" * 3
    found = [(heading.level, heading.title, heading.anchor) for heading in outline(lesson(tmp_path, body).notebook())]
    assert found[:2] == [(2, "One a", "one-a"), (3, "Two", "two")]
    assert len(found) == 5
    assert len(outline(lesson(tmp_path, body + "### many\n" * 50).notebook())) == 1
