"""The replay of an item: what it needs to run again, from the heap from which it ran, with other values of some names."""

from collections.abc import Mapping
from dataclasses import replace

from rh_kernel.session.errors import OutOfTime
from rh_kernel.session.knobs.turning import declared_name, parameter_name, turned
from rh_kernel.session.reachable import depends_on
from rh_kernel.session.results import ItemFailed, Result, Shown
from rh_kernel.session.session import Session, run_items
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Term
from rh_kernel.syntax.surface import HandlerName
from rh_kernel.syntax.surface_items import Item, SweepItem, TrainItem
from rh_kernel.syntax.surface_traversal import nodes
from rh_kernel.typing.definitions import Declared

SECONDS = 1
"""How long an item may run again."""


@frozen
class Replay:
    """An item, and the session in which it ran."""

    item: Item
    session: Session

    def depends_on(self, name: str) -> bool:
        """Whether the item depends on what a knob of this name sets, and it was declared when the item ran."""
        definitions, owner = self.session.definitions, declared_name(name)
        return owner in definitions.named and depends_on(self.item, definitions, owner)

    def applications(self, name: str) -> int:
        """How often the item itself applies the handler whose parameter a knob of this name sets."""
        owner = declared_name(name) if parameter_name(name) else ""
        return len([e for e in nodes(self.item) if isinstance(e, HandlerName) and e.name.text == owner])

    def knew(self, declared: Declared) -> bool:
        """Whether this declaration, perhaps with another value, was there when the item ran."""
        mine = self.session.definitions.named.get(declared.definition.name)
        return mine is not None and (mine.number == declared.number or (mine.span is not None and mine.span == declared.span))

    @property
    def is_training(self) -> bool:
        """Whether the item trains, which takes too long to be done again at each change."""
        return isinstance(self.item, TrainItem | SweepItem)

    def run(self, kind: type[Result], values: Mapping[str, Term | None]) -> Result:
        """Run the item with these values, for at most ``SECONDS``; return its result of this kind, or ``ItemFailed``.

        ``None`` stands for what is written. Nothing of the run takes effect.
        """
        session = self.session
        bounds = replace(session.settings.bounds, seconds=SECONDS)
        session = replace(session, settings=replace(session.settings, bounds=bounds))
        try:
            # A handler that is declared again with another constant begins without values for its parameters.
            for name, value in sorted(values.items(), key=lambda entry: bool(parameter_name(entry[0]))):
                session = session if value is None else turned(session, name, value)
        except Failure as failure:
            return ItemFailed(failure.diagnostics)
        found = [event.result for event in run_items(session, (self.item,)) if isinstance(event, Shown)]
        failed = [result for result in found if isinstance(result, ItemFailed)]
        wanted = [result for result in found if type(result) is kind]
        return failed[0] if failed else wanted[-1] if wanted else ItemFailed(())


def is_out_of_time(result: ItemFailed) -> bool:
    """Whether an item took longer than it may."""
    return any(isinstance(diagnostic, OutOfTime) for diagnostic in result.diagnostics)
