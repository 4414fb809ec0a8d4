"""``%save``: write the contents of locations to a file."""

from dataclasses import replace
from pathlib import Path

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import file_name
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.heap import held_locations
from rh_kernel.session.results import Notice, Shown
from rh_kernel.session.storage import write
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.typing.definitions import Definitions


@frozen
class Save(Action):
    """``%save file``: the contents of the locations that have a name here"""

    target: Path
    definitions: Definitions
    span: Span

    def run(self, number: int, state: State) -> Run:
        """Write a scratch file, which replaces the target when the cell ends. Raises ``Rejected``."""
        contents = {name: state.heap[location] for name, location in held_locations(self.definitions, state.heap).items()}
        file = write(contents, self.target, self.span)
        try:
            yield Shown(number, Notice(f"{counted(len(contents))} saved to {self.target.name}"))
        except BaseException:
            file.delete()
            raise
        return replace(state, files=(*state.files, file))


def counted(locations: int) -> str:
    """Return, e.g., ``2 locations``."""
    return "1 location" if locations == 1 else f"{locations} locations"


def _analyze(item: items.Directive, context: AnalysisContext) -> Save:
    return Save(context.folder / file_name(item), context.definitions, item.span)


DIRECTIVE = Directive(
    "save",
    "file",
    "write the content of every location to an .npz or .safetensors file",
    _analyze,
    order=220,
    example="""
loc w : Real(2) = [1, 2]
%save weights.npz
""",
    runs_example=False,
    details="""
The file is written under a temporary name and renamed when the whole cell has succeeded: there is never a partial file, and a
cell that fails leaves the old one. An `.npz` or a `.safetensors` file has one array for each location. Put a name with spaces
in quotes. Programs write files only with `%save`, and read them with `%load`, `load("…")` and `data("…")`.
""",
)
