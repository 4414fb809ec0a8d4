"""``%checkpointing``: which states of a loop are kept for its backward pass."""

from dataclasses import replace

from rh_kernel.arrays.options import Checkpointing
from rh_kernel.session.actions import AnalysisContext, ChangeSettings
from rh_kernel.session.directives.arguments import invalid_arguments
from rh_kernel.session.directives.directive import Directive
from rh_kernel.syntax import surface_items as items

_MOST_DIGITS = 9


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeSettings:
    settings = context.settings
    match item.words:
        case ():
            pass
        case ("off" | "auto" as word,):
            settings = replace(settings, checkpointing=word)
        case (word,) if word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS and int(word) > 0:
            settings = replace(settings, checkpointing=int(word))
        case words:
            wanted = "`off`, `auto`, or a whole number k from 1 on"
            hint = "`%checkpointing 10` keeps every tenth state of a loop, and `auto` every √n-th of n rounds"
            raise invalid_arguments("checkpointing", item.span, wanted, f"`{' '.join(words)}`", hint)
    return ChangeSettings(settings, _text(settings.checkpointing))


def _text(checkpointing: Checkpointing) -> str:
    match checkpointing:
        case "off" | 1:
            return "checkpointing is off: a loop keeps what its backward pass needs of every round"
        case "auto":
            which = "about √n states of a loop of n rounds are kept"
        case k:
            which = f"one state of a loop in {k:,} is kept"
    return f"checkpointing is on: {which}, and the backward pass computes the rounds between them again"


DIRECTIVE = Directive(
    "checkpointing",
    "off|auto|k",
    "which states of a loop are kept for its backward pass; the others are computed again",
    _analyze,
    order=325,
    example="%checkpointing",
    details="""
To go back through `repeat`, `scan` or `map`, a compiled program keeps some values of each round, so its memory grows with the
number of rounds n. After `%checkpointing 10` it keeps the state before every tenth round instead, and in the backward pass
computes ten rounds again at a time: memory for n / 10 states and for the values of ten rounds, and one more forward pass. After
`%checkpointing auto` every √n-th state is kept, which needs the least memory for a long loop. The results are the same: the
contents of locations are part of the state, so `Put` in a forward part is not repeated. Loops of few rounds are unrolled, and
keep everything; traces and `stepped` and `denoted` evaluation are not concerned.
""",
)
