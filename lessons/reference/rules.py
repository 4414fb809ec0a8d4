"""``rules.md``: every rule of reduction and of typing, with a smallest program that uses it, and where the paper has what."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import groupby
from pathlib import Path

from lessons.reference.markdown import code, fence, link, table
from lessons.reference.running import run
from rh_kernel.display.text import to_text
from rh_kernel.display.traces.frames import subject_doc
from rh_kernel.figures import Figure
from rh_kernel.operational.contexts import Subject
from rh_kernel.operational.step import Step
from rh_kernel.paper import Rule
from rh_kernel.session.results import DerivationMade, TraceMade
from rh_kernel.source.diagnostic import KernelBug
from rh_kernel.typing.derivation.derivations import Derivation
from rh_kernel.typing.derivation.rules import TypingRule

_WORDS = Path(__file__).with_name("rules.toml")

WIDTH = 88
"""What a step makes of what is shown in lines of so many columns."""

GROUPS: Mapping[Figure, str] = {
    Figure.DEF_5_4: "Terms",
    Figure.FIG_6: "Reverse derivatives of terms",
    Figure.DEF_5_10: "Commands",
    Figure.FIG_7: "Reverse handlers",
    Figure.EX_5_13: "The heap",
    Figure.SECTION_2_2: "Ordinary handlers",
    Figure.BY_NUMBER: "Draws",
    Figure.IN_A_BATCH: "What a batch has in common",
    Figure.UNFOLDING: "Repetition and sequences",
    Figure.SECTION_10: "Conditionals",
}
TYPING: Mapping[Figure, str] = {
    Figure.FIG_2: "Typing of terms",
    Figure.FIG_3: "Typing of commands and reverse handlers",
    Figure.SECTION_2_2: "Typing of ordinary handlers",
    Figure.UNFOLDING: "Typing of repetition and sequences",
    Figure.SECTION_10: "Typing of conditionals",
    Figure.LEMMA_5_3: "Typing of a derivative on its way",
    Figure.LEMMA_5_9: "Typing of a reverse handler on its way",
}
_ON_ITS_WAY = (
    "A program never begins with this form; it comes up while one is stepped. In the stepper, `t` shows the types of its parts."
)


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """What is written by hand: programs, and what the figures of the paper are about."""
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


def contents_part() -> str:
    """The names of all rules, group by group."""
    rows = [
        (link(_title(f, GROUPS)), " ".join([link(heading(rule), rule.value) for rule in rules])) for f, rules in _by_figure()
    ]
    for f, rules in _typing_by_figure():
        rows.append((link(_title(f, TYPING)), " ".join([link(rule.value) for rule in rules])))
    return table(("", "rules"), rows)


def reduction_part() -> str:
    """The rules of reduction."""
    parts: list[str] = []
    for figure, rules in _by_figure():
        parts.append(f"## {_title(figure, GROUPS)}")
        for rule in rules:
            parts += _reduction(rule)
    return "\n\n".join(parts)


def typing_part() -> str:
    """The rules of typing."""
    parts: list[str] = []
    for figure, rules in _typing_by_figure():
        parts.append(f"## {_title(figure, TYPING)}")
        for rule in rules:
            parts += _typing(rule)
    return "\n\n".join(parts)


def figures_part() -> str:
    """Where what stands: in the paper, here, in the program."""
    titles = {**GROUPS, **{f: t for f, t in TYPING.items() if f not in GROUPS}}
    rows: list[tuple[str, str, str]] = []
    for figure in sorted([figure for figure in Figure if not figure.is_ours], key=_order):
        said = words()["figures"][figure.value]
        here = link(_title(figure, GROUPS if figure in GROUPS else TYPING), said) if figure in titles else said
        rows.append((figure.value, here, code(figure.home)))
    return table(("paper", "what", "module"), rows)


def heading(rule: Rule | TypingRule) -> str:
    """The heading under which a rule stands: ``Let`` and ``Let⇐`` would have one anchor."""
    return f"{rule.value} (commands)" if rule is Rule.LET_COMMAND else rule.value


def _order(figure: Figure) -> tuple[int, ...]:
    kind, _, number = figure.value.rpartition(" ")
    digits = tuple(int(n) for n in number.removeprefix("§").split("."))
    return (0 if kind == "Fig." else 1, *digits)


def _title(figure: Figure, titles: Mapping[Figure, str]) -> str:
    return f"{titles[figure]} ({figure.value})"


def _by_figure() -> Iterator[tuple[Figure, list[Rule]]]:
    for figure, rules in groupby(Rule, key=lambda rule: rule.figure):
        yield figure, list(rules)


def _typing_by_figure() -> Iterator[tuple[Figure, list[TypingRule]]]:
    for figure, rules in groupby(TypingRule, key=lambda rule: rule.figure):
        yield figure, list(rules)


def _reduction(rule: Rule) -> Iterator[str]:
    yield f"### {heading(rule)}"
    yield _sentence(rule.says)
    yield fence(rule.equation)
    if rule.condition:
        yield f"Here {rule.condition}."
    program = words()["reduction"][rule.value].strip()
    yield fence(program, "rh")
    step = fired(rule, program)
    yield fence(f"{_shown(step.redex)}\n→ {_indented(_shown(step.contractum))}{_change(step)}")


def fired(rule: Rule, program: str) -> Step:
    """The first step of the trace of a program that is by this rule. Raises ``KernelBug`` if there is none."""
    for result in run(program).results:
        if isinstance(result, TraceMade):
            for step in result.steps:
                if step.rule is rule:
                    return step
    raise KernelBug(f"the program for {rule.value} does not use it:\n{run(program).text}")


def _shown(M: Subject) -> str:
    return to_text(subject_doc(M), WIDTH)


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _change(step: Step) -> str:
    if step.change is None:
        return ""
    content = ", ".join([f"{entry:g}" for entry in step.change.content.reshape(-1)])
    return f"\n  and {step.change.location.name} holds [{content}]"


def _typing(rule: TypingRule) -> Iterator[str]:
    yield f"### {rule.value}"
    yield _sentence(rule.says)
    yield fence(_inference(rule))
    program = words()["typing"].get(rule.value, "").strip()
    if not program:
        yield _ON_ITS_WAY
        return
    ran = run(program)
    if not any(uses(d, rule) for result in ran.results if isinstance(result, DerivationMade) for d in result.derivations):
        raise KernelBug(f"the program for {rule.value} does not use it:\n{ran.text}")
    yield fence(program, "rh")
    yield fence(ran.text)


def uses(derivation: Derivation, rule: TypingRule) -> bool:
    """Whether a derivation has a judgment by this rule."""
    return derivation.rule is rule or any(uses(premise, rule) for premise in derivation.premises)


def _inference(rule: TypingRule) -> str:
    """The premises over the conclusion, and the conditions that are no judgments behind the line."""
    figure = rule.schema
    above, below = "    ".join(figure.premises), figure.conclusion
    line = "─" * max(len(above), len(below))
    sides = f"  ({', '.join(figure.sides)})" if figure.sides else ""
    return "\n".join([*([above] if above else []), line + sides, below])


def _sentence(text: str) -> str:
    return f"{text}." if re.match("[^aA] ", text) else f"{text[0].upper()}{text[1:]}."
