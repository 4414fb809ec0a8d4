"""``rh export``: a net of a file, with the weights that it has when the file has run, for another array language."""

from pathlib import Path

from rh_kernel.command_line.errors import NoNet
from rh_kernel.command_line.files import read
from rh_kernel.command_line.report import Report
from rh_kernel.command_line.running import before, drain
from rh_kernel.session.directives.export import exporting
from rh_kernel.session.limits.timing import timed
from rh_kernel.session.results import Event, Result, Shown
from rh_kernel.session.session import Session
from rh_kernel.session.settings import Settings
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Source, Span
from rh_kernel.typing.definitions import NetDefinition


def export(file: str, report: Report, settings: Settings, output: str, net: str | None, target: str | None) -> None:
    """Run the file, and write its net, by default the last one that it declares. Raises ``Failure``.

    Nothing is written if an item of the file fails.
    """
    source = read(file)
    session = before(file, source, report, settings)
    if report.failed:
        return
    span = Span(source, 0, 0)
    name = _last_net(session, source, span) if net is None else net
    action = exporting(name, Path(output).absolute(), target, session.context, span)
    shown: list[Result] = []

    def take(event: Event) -> None:
        report.note(event)
        if isinstance(event, Shown):
            shown.append(event.result)

    with timed(session.settings.bounds.seconds):
        state = drain(action.run(1, session.state), take)
    for made in state.files:
        made.move(span)
    for result in shown:
        report.result(1, result)


def _last_net(session: Session, source: Source, span: Span) -> str:
    """The name of the last net that a text declares. Raises ``Rejected`` if there is none."""
    nets = [d for d in session.definitions.named.values() if isinstance(d.definition, NetDefinition)]
    own = [d for d in nets if d.span is not None and d.span.source == source]
    if not own:
        raise Rejected(NoNet(span=span))
    return max(own, key=lambda declared: declared.number).definition.name
