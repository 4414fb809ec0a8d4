"""``%load``: read the contents of locations from a file."""

from collections.abc import Mapping
from pathlib import Path

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import file_name
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.heap import held_locations
from rh_kernel.session.directives.save import counted
from rh_kernel.session.limits.budget import byte_limit
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Notice, Shown
from rh_kernel.session.storage import Restored, read
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location
from rh_kernel.typing.definitions import Definitions


@frozen
class Load(Action):
    """``%load file`` into the locations that have a name here, and the state beside them"""

    target: Path
    definitions: Definitions
    span: Span

    def run(self, number: int, state: State) -> Run:
        """Read the file, or the one that an earlier item of the cell saves there. Raises ``Failure``."""
        locations = {**self.definitions.locations(), **self.definitions.states()}
        blocks = read(self.target, state.files, locations, byte_limit(state.settings), self.span)
        restored = yield from working(blocks, "reading the file")
        yield Shown(number, Notice(_load_text(self.target.name, restored, held_locations(self.definitions, state.heap))))
        for array in restored.changes.values():
            array.setflags(write=False)
        return state.put({locations[name]: array for name, array in restored.changes.items()})


def _load_text(file: str, restored: Restored, locations: Mapping[str, Location]) -> str:
    changes = restored.changes
    others = [name for name in restored.names if name not in changes]
    kept = [name for name in locations if name not in changes]
    lines = [f"{counted(len(changes))} loaded from {file}: {', '.join(changes)}"]
    lines += [f"not in the file, and as before: {', '.join(kept)}"] if kept else []
    lines += [f"in the file, and no location here: {', '.join(others)}"] if others else []
    return "\n".join(lines)


def _analyze(item: items.Directive, context: AnalysisContext) -> Load:
    return Load(context.folder / file_name(item), context.definitions, item.span)


DIRECTIVE = Directive(
    "load",
    "file",
    "put the contents in such a file into the locations of these names",
    _analyze,
    order=230,
    example="""
loc w : Real(2) = zeros
%load weights.npz
""",
    runs_example=False,
    details="""
Contents are matched by name: shapes must fit, single precision and integers are converted, and locations missing from the
file are listed.
""",
)
