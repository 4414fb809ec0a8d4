"""The press: what it makes of a text, what it finds wrong with a lesson, and what it leaves alone."""

import json
import re
from pathlib import Path
from textwrap import dedent

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lessons.press.book import bind
from lessons.press.editions import BEGIN, END, YOUR_ANSWER, Unfit, cleared, for_python, locked, proved, reader, solved, teacher
from lessons.press.links import broken, slug
from lessons.press.outputs import differences, plain
from lessons.press.running import judge, record
from lessons.press.texts import ANSWER, CHECK, EXERCISE, FAILS, FOLDER, Lesson, exams, lessons, points, stub, tags
from lessons.press.writing import write
from rh_kernel.command_line.arguments import main
from rh_kernel.exporters.static_pages import picture_loader
from rh_kernel.syntax.parsing.tokens import STUB

FRONT = """\
---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: RH
  language: rh
  name: rh
---

# A lesson

"""

EXERCISES = f"""
Next: [two](02-two.md#here).

```{{code-cell}} rh
:tags: [exercise]
fun twice(x : Real(n)) : Real(n) =
  {BEGIN}
  x + x
  {END}
```

```{{code-cell}} rh
:tags: [check]
check twice([1, 2]) == [2, 4]
```
"""

LINES = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12).filter(
    lambda line: "###" not in line
)


@pytest.fixture
def text(tmp_path: Path) -> Lesson:
    return lesson(tmp_path, EXERCISES)


def lesson(folder: Path, body: str, name: str = "01-one") -> Lesson:
    path = folder / f"{name}.md"
    path.write_text(FRONT + dedent(body), encoding="utf-8")
    return Lesson(path)


@given(st.lists(LINES), st.lists(LINES), st.lists(LINES), st.sampled_from(["", "  ", "    "]))
def test_a_solution_is_cut_out_and_nothing_else(before: list[str], inside: list[str], after: list[str], indent: str) -> None:
    source = "\n".join([*before, indent + BEGIN, *inside, indent + END, *after])
    assert cleared(source) == "\n".join([*before, *(indent + line for line in stub()), *after]).rstrip("\n")
    assert solved(source) == "\n".join([*before, *inside, *after]).rstrip("\n")


@given(st.lists(LINES).map("\n".join))
def test_a_text_without_a_solution_stays_as_it_is(source: str) -> None:
    assert cleared(source) == solved(source) == source.rstrip("\n")


def test_the_reader_is_given_a_stub_and_a_folded_solution(text: Lesson) -> None:
    exercise, check, folded = reader(text).cells[-3:]
    assert exercise.source.splitlines()[-1] == "  YOUR_CODE_HERE"
    assert (tags(exercise), tags(check)) == ([EXERCISE, FAILS], [CHECK, FAILS])
    assert "  x + x" in folded.source
    assert BEGIN not in str(reader(text))


def test_the_stub_is_what_the_language_takes_for_one() -> None:
    assert stub()[-1] == STUB


def test_the_teacher_is_given_what_nbgrader_wants(text: Lesson) -> None:
    exercise, check = teacher(text).cells[-2:]
    assert BEGIN in exercise.source
    assert (exercise.metadata.nbgrader["solution"], exercise.metadata.nbgrader["grade"]) == (True, False)
    assert (check.metadata.nbgrader["solution"], check.metadata.nbgrader["points"]) == (False, 1)


def test_checks_are_locked_for_the_teacher_where_they_can_be(tmp_path: Path) -> None:
    exercise = "```{code-cell} rh\n:tags: [exercise]\n### BEGIN SOLUTION\nconst a = 1\n### END SOLUTION\n```\n"
    checks = [
        "```{code-cell} rh\n:tags: [check]\ncheck a == 1\n```\n",
        "```{code-cell} rh\n:tags: [check, unlocked]\ncheck a == 1\n```\n",
        "```{code-cell} rh\n:tags: [check]\n%%python\nassert True\n```\n",
    ]
    made = locked(teacher(lesson(tmp_path, "\n".join([f"{exercise}\n{check}" for check in checks]))))
    sources = [cell.source for cell in made.cells if CHECK in tags(cell)]
    assert sources == ["%locked\ncheck a == 1", "check a == 1", "%%python\nassert True"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "file", [*sorted(FOLDER.glob("[01]*.md")), *[exam.path for exam in exams()]], ids=lambda file: file.stem
)
def test_the_solutions_pass_where_no_python_runs(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = write(Lesson(file), tmp_path, solutions=True)
    monkeypatch.chdir(tmp_path)
    code = main(["grade", str(path), "--json"])
    cells = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    locked_cells = [cell for cell in cells if cell["kind"] == "locked"]
    assert (code, len(locked_cells)) == (0, Path(path).read_text(encoding="utf-8").count("%locked\\n"))
    assert all(cell["passed"] for cell in locked_cells)


QUESTION = """
How much is it?

```rh
const a = 1
```

+++ {"tags": ["answer", "points-3"]}

One.

```rh
check a == 1
```

```rh fails RH101
nowhere
```

+++

More.
"""


def test_an_exam_gives_the_reader_neither_answers_nor_solutions(tmp_path: Path) -> None:
    exam = lesson(tmp_path, QUESTION + EXERCISES.replace("[check]", "[check, points-4]"), "exam-one")
    sources = [cell.source for cell in reader(exam).cells]
    assert YOUR_ANSWER in sources
    assert not [source for source in sources if "One." in source or "x + x" in source or "Solution" in source]
    made = teacher(exam)
    grading = {cell.metadata.nbgrader["grade_id"]: cell.metadata.nbgrader for cell in made.cells if "nbgrader" in cell.metadata}
    assert {name: one.get("points") for name, one in grading.items()} == {
        "exam-one-answer-1": 3,
        "exam-one-exercise-1": None,
        "exam-one-exercise-1-check": 4,
    }
    assert (grading["exam-one-answer-1"]["cell_type"], grading["exam-one-answer-1"]["solution"]) == ("markdown", True)


def test_the_programs_in_the_text_of_an_exam_are_run(tmp_path: Path) -> None:
    right = lesson(tmp_path, QUESTION, "exam-one")
    added = [cell for cell in proved(teacher(right)).cells if cell.cell_type == "code"]
    assert [(cell.source, tags(cell)) for cell in added] == [("const a = 1", []), ("check a == 1", []), ("nowhere", [FAILS])]
    assert judge(right, tmp_path, None).mistakes == ()
    wrong = lesson(tmp_path, QUESTION.replace("check a == 1", "check a == 2"), "exam-two")
    assert [mistake for mistake in judge(wrong, tmp_path, None).mistakes if mistake.startswith("fails: markdown-2-program-1")]


def test_an_exam_is_no_lesson(tmp_path: Path) -> None:
    one, exam = lesson(tmp_path, ""), lesson(tmp_path, "", "exam-one")
    assert lessons(folder=tmp_path) == [one]
    assert lessons(("exam",), tmp_path) == exams(tmp_path) == [exam]
    assert lessons(("0", "exam"), tmp_path) == [one, exam]


@pytest.mark.parametrize("exam", exams(), ids=lambda exam: exam.name)
def test_the_points_of_an_exam_are_those_it_announces(exam: Lesson) -> None:
    text = exam.path.read_text(encoding="utf-8")
    worth = [points(cell) for cell in teacher(exam).cells if {ANSWER, CHECK} & {*tags(cell)}]
    questions = [int(number) for number in re.findall(r"^### Question .* \((\d+) points\)$", text, re.MULTILINE)]
    assert worth == questions
    assert f"{sum(worth)} points" in text
    for cell in teacher(exam).cells:
        if parts := re.findall(r"\((\d+) points?\)", cell.source) if ANSWER in tags(cell) else []:
            assert sum(map(int, parts)) == points(cell)


def test_a_cell_of_text_ends_where_something_is_folded(tmp_path: Path) -> None:
    folded = "<details><summary>What happens</summary>\n\nThis.\n\n</details>"
    cells = [cell.source for cell in lesson(tmp_path, f"Before.\n\n{folded}\n\nAfter.\n").notebook().cells]
    assert cells == [f"# A lesson\n\nBefore.\n\n{folded}", "After."]


def test_a_python_kernel_is_given_magics(tmp_path: Path) -> None:
    code = "```{code-cell} rh\nswish(1)\n```\n\n```{code-cell} rh\n%%python\nrh.heap\n```\n"
    cells = [cell.source for cell in for_python(reader(lesson(tmp_path, code))).cells if cell.cell_type == "code"]
    assert cells[1:] == ["%%rh\nswish(1)", "rh.heap"]
    assert "%load_ext rh_kernel" in cells[0]


def test_a_lesson_that_is_right_is_found_right(text: Lesson, tmp_path: Path) -> None:
    first = judge(text, tmp_path, None)
    assert first.mistakes == ()
    assert "✓" in record(first.notebook)
    assert judge(text, tmp_path, record(first.notebook).replace("✓", "×")).mistakes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "diagnostic"),
    [
        ("```{code-cell} rh\nnowhere\n```", "fails"),
        ("```{code-cell} rh\n:tags: [raises-exception]\n1 + 1\n```", "does not fail"),
        (EXERCISES.replace("check twice([1, 2]) == [2, 4]", "check 1 == 1"), "passes without a solution"),
        (EXERCISES + "\n```{code-cell} rh\ntwice(3)\n```\n", "depends on an exercise"),
        (EXERCISES.replace("x + x", "x"), "fails"),
    ],
)
def test_a_lesson_that_is_wrong_is_found_wrong(tmp_path: Path, body: str, diagnostic: str) -> None:
    mistakes = judge(lesson(tmp_path, body), tmp_path, None).mistakes
    assert any(mistake.startswith(diagnostic) for mistake in mistakes), mistakes


@pytest.mark.parametrize(
    ("body", "diagnostic"),
    [
        (EXERCISES.replace(BEGIN, "# begin"), "without ###"),
        (EXERCISES.replace("[check]", "[other]"), "without a check"),
        ("```{code-cell} rh\n:tags: [check]\ncheck 1 == 1\n```", "without an exercise"),
    ],
)
def test_an_exercise_has_a_solution_and_a_check(tmp_path: Path, body: str, diagnostic: str) -> None:
    with pytest.raises(Unfit, match=diagnostic):
        teacher(lesson(tmp_path, body))


def test_numbers_may_differ_in_what_rounding_does_and_in_nothing_else() -> None:
    assert not [*differences("loss 0.123456 of 3", "loss 0.123457 of 3")]
    assert [*differences("loss 0.123456 of 3", "loss 0.125 of 3")]
    assert [*differences("loss 0.1 of 3", "loss 0.1 of 4")]
    assert [*differences("one\ntwo", "one")]
    assert not [*differences("finite-differences  3  1e-10", "finite-differences  3  4e-11")]
    assert [*differences("2 of 3e", "2 of 4e")]


def test_a_notebook_is_written_and_kept_up_to_date(text: Lesson, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    path, written = write(text, folder)
    assert written
    assert "](02-two.ipynb#here)" in path.read_text(encoding="utf-8")
    assert write(text, folder) == (path, False)
    lesson(tmp_path, EXERCISES + "\nMore.\n")
    assert write(text, folder) == (path, True)
    assert "More." in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("python", [False, True])
@pytest.mark.parametrize("solutions", [False, True])
def test_a_notebook_that_was_never_opened_is_as_complete_as_a_saved_one(
    text: Lesson, tmp_path: Path, *, solutions: bool, python: bool
) -> None:
    path, _ = write(text, tmp_path, solutions=solutions, python=python)
    made = nbformat.read(path, as_version=4)
    nbformat.validate(made)
    identities = [cell["id"] for cell in made.cells]
    assert len(identities) == len(set(identities))
    language = made.metadata["language_info"]
    assert language["name"] == made.metadata["kernelspec"]["language"] == ("python" if python else "rh")
    assert language["file_extension"] == (".py" if python else ".rh")
    assert {"mimetype", "codemirror_mode", "pygments_lexer", "nbconvert_exporter"} <= set(language)


def test_a_notebook_with_older_metadata_is_written_again(text: Lesson, tmp_path: Path) -> None:
    path, _ = write(text, tmp_path)
    notebook = nbformat.read(path, as_version=4)
    del notebook.metadata["language_info"]
    del notebook.metadata["rh_kernel"]["metadata"]
    nbformat.write(notebook, path)
    assert write(text, tmp_path) == (path, True)
    assert "language_info" in nbformat.read(path, as_version=4).metadata


def test_what_a_reader_has_done_is_never_written_over(text: Lesson, tmp_path: Path) -> None:
    path, _ = write(text, tmp_path)
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[-3].source = "fun twice(x : Real(n)) : Real(n) = 2 * x"
    nbformat.write(notebook, path)
    kept = path.read_bytes()
    lesson(tmp_path, EXERCISES + "\nMore.\n")
    assert write(text, tmp_path) == (path, False)
    assert path.read_bytes() == kept


@pytest.mark.parametrize(
    "content", ["", "no notebook", "{}", json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": []})]
)
def test_another_file_of_that_name_stays(text: Lesson, tmp_path: Path, content: str) -> None:
    (tmp_path / "01-one.ipynb").write_text(content, encoding="utf-8")
    assert write(text, tmp_path) == (tmp_path / "01-one.ipynb", False)
    assert (tmp_path / "01-one.ipynb").read_text(encoding="utf-8") == content


def test_the_book_has_a_page_for_each_text_and_no_broken_link(tmp_path: Path) -> None:
    text = lesson(tmp_path, EXERCISES.replace("02-two.md#here", "01-one.md#a-lesson"))
    assert bind([text], tmp_path / "book") == 0
    page = (tmp_path / "book" / "01-one.html").read_text(encoding="utf-8")
    assert '<a href="01-one.html#a-lesson">' in page
    assert "YOUR_CODE_HERE" in page
    names = {path.stem for path in (tmp_path / "book" / "appendix").iterdir()}
    assert names == {path.stem for path in (FOLDER / "appendix").glob("*.md")}
    assert {"http:", "https:", "//"} & {page.split('src="')[1][:6] if 'src="' in page else ""} == set()


def test_a_page_of_the_appendix_has_the_pictures_of_the_lessons_and_no_others(tmp_path: Path) -> None:
    folder = FOLDER / "appendix"
    assert (picture_loader(folder, FOLDER)("../pictures/00-tour.svg") or "").startswith("data:image/svg+xml;base64,")
    assert picture_loader(folder)("../pictures/00-tour.svg") is None
    (tmp_path / "a.svg").write_text("<svg/>", encoding="utf-8")
    assert picture_loader(tmp_path / "in", tmp_path / "in")("../a.svg") is None


@pytest.mark.parametrize(
    "link", ["nowhere.html", "#nowhere", "https://example.org/", "//example.org/x.js", "b.html#nowhere", "../c.html"]
)
def test_a_broken_link_is_found(tmp_path: Path, link: str) -> None:
    (tmp_path / "a.html").write_text(f'<p id="here"><a href="#here">x</a><a href="b.html">x</a><img src="{link}"></p>')
    (tmp_path / "b.html").write_text("<p>b</p>")
    assert len(broken(tmp_path)) == 1


def test_headings_are_named_as_on_github() -> None:
    assert slug("1. A network is a description") == "1-a-network-is-a-description"
    assert slug("What <code>rd[f]</code> &amp; co. mean") == "what-rdf--co-mean"


@pytest.mark.parametrize("text", lessons(), ids=lambda text: text.name)
def test_every_lesson_has_the_parts_of_one(text: Lesson) -> None:
    notebook = teacher(text)
    words = text.path.read_text(encoding="utf-8")
    asked = sum(EXERCISE in tags(cell) for cell in notebook.cells)
    tour = text.number == "00"
    assert asked >= (1 if tour else 3)
    assert words.count("> **Predict.**") >= (1 if tour else 3)
    assert "## Summary" in words
    assert tour or "## Where it is in the paper" in words
    assert (FOLDER / "pictures" / f"{text.name}.svg").exists()
    assert f"(pictures/{text.name}.svg)" in words


def test_in_how_many_messages_a_cell_printed_does_not_matter() -> None:
    def cell(*streams: tuple[str, str]) -> nbformat.NotebookNode:
        shown = nbformat.v4.new_output("execute_result", {"text/plain": "7"})
        return nbformat.v4.new_code_cell(
            outputs=[*[nbformat.v4.new_output("stream", name=name, text=text) for name, text in streams], shown]
        )

    once = cell(("stdout", "a b\nc\n"))
    assert plain(once) == "a b\nc\n7"
    assert plain(cell(("stdout", "a"), ("stdout", " b\n"), ("stdout", "c\n"))) == plain(once)
    assert plain(cell(("stdout", "a"), ("stderr", " b\n"))) == "a\n b\n7"
