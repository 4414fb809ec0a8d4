"""Diagrams of the examples of the paper."""

from pathlib import Path

from rh_kernel.denotational.arrows import Arrow
from rh_kernel.denotational.commands import interpret
from rh_kernel.session.analyze import analyze_at_once
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.session import Session
from rh_kernel.source.span import Source
from rh_kernel.syntax.core import Scope
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.typing.elaboration.items import ClosedCommand

FOLDER = Path(__file__).parents[1] / "programs" / "paper"

MLP = ("example_4_1_mlp", "example_4_2_residual", "shared_location")
"""Programs whose last command runs a net forward and backward."""

PROGRAMS = (*MLP, "example_4_3_trained", "example_4_3_deep_trained", "example_4_5_unet", "example_2_2_1_inference", "momentum")


def arrow(name: str, more: str = "") -> Arrow:
    """The denotation of the last command of a program, extended by the text ``more``."""
    file = FOLDER / f"{name}.rh"
    session = Session.start(FOLDER)
    context = session.context
    found: list[ClosedCommand] = []
    for item in parse(Source(name, f"{file.read_text(encoding='utf-8')}\n{more}\n")):
        context, planned = analyze_at_once(item, context)
        if isinstance(planned, Evaluate) and isinstance(planned.subject, ClosedCommand):
            found.append(planned.subject)
    return interpret((), Scope((), found[-1].command))
