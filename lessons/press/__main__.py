"""``python -m lessons.press``: the lessons as notebooks, run through the kernel, and as a book."""

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

from lessons.press.editions import Unfit
from lessons.press.running import Verdict, judge, judge_in_python, record
from lessons.press.texts import FOLDER, Lesson, exams, lessons
from lessons.press.writing import write

RECORDED = FOLDER.parent / "tests" / "lessons" / "outputs"
"""What the cells showed when somebody last looked at it."""


def main() -> int:
    """Do what the command line says; 1 if a lesson is not as it should be."""
    arguments = _parser().parse_args()
    try:
        chosen = lessons(tuple(arguments.lesson))
        match arguments.command:
            case "notebooks":
                return notebooks(chosen, arguments.folder, solutions=arguments.solutions, python=arguments.python)
            case "book":
                from lessons.press.book import bind

                return bind([text for text in chosen if not text.is_exam], arguments.folder)
            case _:
                return run(
                    chosen if arguments.lesson else [*chosen, *exams()], update=arguments.update, python=arguments.python
                )
    except (LookupError, Unfit) as problem:
        print(problem, file=sys.stderr)
        return 1


def notebooks(chosen: list[Lesson], folder: Path, *, solutions: bool, python: bool) -> int:
    """Write notebooks, and say which; the pictures go with them."""
    if folder.resolve() != FOLDER:
        copytree(FOLDER / "pictures", folder / "pictures", dirs_exist_ok=True)
    for lesson in chosen:
        path, written = write(lesson, folder, solutions=solutions, python=python)
        if written:
            print(f"wrote {path}")
    return 0


def run(chosen: list[Lesson], *, update: bool, python: bool) -> int:
    """Run lessons, as many at a time as there are processors, and print what came of each."""
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as workers:
        verdicts = workers.map(partial(_judged, update=update, python=python), chosen)
        wrong = [verdict for verdict in verdicts if not _told(verdict)]
    total = len(chosen)
    print(f"{total - len(wrong)} of {total} lessons are as they should be")
    return 1 if wrong else 0


def _judged(lesson: Lesson, *, update: bool, python: bool) -> Verdict:
    """Run a lesson in a folder of its own, where it may write; compare it with the record, or rewrite that record."""
    on_record = RECORDED / f"{lesson.name}.txt"
    with TemporaryDirectory() as folder:
        if python:
            return judge_in_python(lesson, Path(folder))
        expected = on_record.read_text(encoding="utf-8") if on_record.exists() and not update else None
        verdict = judge(lesson, Path(folder), expected)
    if update:
        RECORDED.mkdir(parents=True, exist_ok=True)
        on_record.write_text(record(verdict.notebook), encoding="utf-8")
    return verdict


def _told(verdict: Verdict) -> bool:
    """Print a verdict, and say whether it is good."""
    solved, stubbed = verdict.seconds
    print(
        f"{'ok ' if not verdict.mistakes else 'BAD'}  {verdict.lesson.name:32} solved {solved:5.1f} s   stubs {stubbed:5.1f} s"
    )
    for mistake in verdict.mistakes:
        print("     " + mistake.replace("\n", "\n     "))
    sys.stdout.flush()
    return not verdict.mistakes


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m lessons.press", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("notebooks", help="write the notebooks of lessons")
    making.add_argument("folder", type=Path)
    making.add_argument("--solutions", action="store_true", help="the teacher's edition, for nbgrader")
    making.add_argument("--python", action="store_true", help="for a Python kernel, with %%%%rh in front of the cells")
    running = commands.add_parser("run", help="run lessons through the kernel, with solutions and with stubs")
    running.add_argument("--update", action="store_true", help="put what they show on record")
    running.add_argument("--python", action="store_true", help="in a Python kernel, under %%%%rh, with solutions only")
    binding = commands.add_parser("book", help="make the pages of the book")
    binding.add_argument("folder", type=Path)
    for command in (making, running, binding):
        command.add_argument("lesson", nargs="*", help="how names begin, such as 04, or exam; all lessons, if left out")
    return parser


sys.exit(main())
