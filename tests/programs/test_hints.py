"""Every kind of diagnostic says what to do: each place that makes one gives a hint or a fix, or there is a reason why not."""

import ast
import json
import re
from functools import cache

from lessons.reference.diagnostics import classes as imported
from tests.programs.test_golden import BAD, GOOD, OTHERWISE, PACKAGE, WARNED, classes

NO_HINT: dict[str, str] = {}
"""The kinds of diagnostic about which nothing can be said, and why. So far there is none: all have a hint somewhere."""


@cache
def named() -> dict[str, str]:
    return classes()


@cache
def made() -> dict[str, list[str]]:
    """For each kind of diagnostic the places in the package that make one without a hint and without a fix."""
    found: dict[str, list[str]] = {name: [] for name in named()}
    makes_one = re.compile(rf"\b(?:{'|'.join(found)})\(")
    texts = {module: module.read_text(encoding="utf-8") for module in sorted(PACKAGE.rglob("*.py"))}
    for module, text in texts.items():
        for node in ast.walk(ast.parse(text)) if makes_one.search(text) else ():
            match node:
                case ast.Call(ast.Name(name) | ast.Attribute(attr=name), keywords=given) if name in found and not {
                    "hint",
                    "fix",
                } & {k.arg for k in given}:
                    found[name].append(f"{module.relative_to(PACKAGE)}:{node.lineno}")
                case _:
                    pass
    return found


def with_hint_of_its_own() -> set[str]:
    """The kinds whose every diagnostic has the same hint."""
    return {kind.__name__ for kind in imported().values() if "hint" in vars(kind) and kind.hint}


def test_a_diagnostic_is_made_with_a_hint() -> None:
    silent = {name: places for name, places in made().items() if places}
    assert silent.keys() - with_hint_of_its_own() - NO_HINT.keys() == set(), silent


def test_a_reason_is_given_only_where_there_is_no_hint() -> None:
    assert {name for name in NO_HINT if not made().get(name)} == set()
    assert all(NO_HINT.values())


def test_every_kind_of_diagnostic_that_a_program_gets_says_what_to_do() -> None:
    helpful: set[str] = set()
    for golden in [program.with_suffix(suffix) for kind, suffix in ((BAD, ".err"), (WARNED, ".warn")) for program in kind]:
        for said in re.split(r"^(?=(?:Warning )?RH\d{3} )", golden.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if re.search(r"^ +(?:hint|fix) ", said, re.MULTILINE):
                helpful.add(said.removeprefix("Warning ")[:5])
    for golden in [program.with_suffix(".out") for program in GOOD]:
        shown = [json.loads(line) for line in golden.read_text(encoding="utf-8").splitlines()]
        helpful |= {record["code"] for record in shown if record["kind"] == "warning" and "hint" in record}
    assert {code for name, code in named().items() if name not in {*OTHERWISE, *NO_HINT}} - helpful == set()
