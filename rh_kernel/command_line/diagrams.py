"""``rh diagram``: the string diagram of the last command of a file, as text, as JSON, or drawn into a file."""

from pathlib import Path

from rh_kernel.command_line.errors import CannotWrite
from rh_kernel.command_line.files import write
from rh_kernel.command_line.last_command import find, perform
from rh_kernel.command_line.report import Report
from rh_kernel.denotational.drawing.layout import placed
from rh_kernel.denotational.drawing.sketch import sketch
from rh_kernel.display.diagrams.choice import chosen
from rh_kernel.display.diagrams.dot import diagram_dot
from rh_kernel.display.diagrams.svg import diagram_svg
from rh_kernel.display.diagrams.tikz import diagram_tikz
from rh_kernel.session.directives.diagram import Draw, closed
from rh_kernel.session.results import DiagramMade, Result
from rh_kernel.session.rounds_shown import RoundsShown
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.printer import show
from rh_kernel.typing.elaboration.items import ClosedTerm

_FORMS = "the extension decides the format: `net.svg`, `net.dot` or `net.tex`."
_SMALLER = "draw a smaller command; `.dot` files have no limit, and without a file the diagram is shown as text"


def diagram(file: str, report: Report, settings: Settings, output: str | None, rounds: RoundsShown) -> None:
    """Show the diagram of the last command, or write it to ``output`` if given. Raises ``Failure`` if there is none."""
    if output is not None and Path(output).suffix not in (".svg", ".dot", ".tex"):
        raise Rejected(CannotWrite(file=output, why="does not end in .svg, .dot or .tex", hint=_FORMS))
    subject = find(file, report, settings)
    if subject is None:
        return
    node = subject.closed.term if isinstance(subject.closed, ClosedTerm) else subject.closed.command
    text = show(node) if node.span is None else node.span.text

    def take(result: Result) -> None:
        if isinstance(result, DiagramMade):
            if output is None:
                report.result(subject.item, result)
            else:
                _write(result, output)

    perform(Draw(closed(" ".join(text.split()), subject.closed), rounds), subject, report, take)


def _write(made: DiagramMade, output: str) -> None:
    s = sketch(made.shown, opens_maps=True)
    if Path(output).suffix == ".dot":
        write(output, diagram_dot(s))
        return
    drawn = chosen(s)
    if drawn is None:
        raise Rejected(CannotWrite(file=output, why="would be too large to draw", hint=_SMALLER))
    if made.rounds is RoundsShown.FOLDED:
        drawn = placed(s, folded=True, closes_rounds=True)
    text = diagram_tikz(drawn, made.subject) if Path(output).suffix == ".tex" else diagram_svg(drawn, made.subject) + "\n"
    write(output, text)
