"""``%save`` and ``%load``: write the contents of locations to a file, and read them back."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import file_name
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.heap import declared_locations
from rh_kernel.session.limits.budget import byte_limit
from rh_kernel.session.limits.timing import working
from rh_kernel.session.results import Notice, Shown
from rh_kernel.session.storage import Restored, followed, read, write
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.signature import Location


@frozen
class _FileAction(Action):
    target: Path
    locations: Mapping[str, Location]
    span: Span


@frozen
class Save(_FileAction):
    """``%save file``: the contents of these locations, by name"""

    def run(self, number: int, state: State) -> Run:
        """Write a scratch file, which replaces the target when the cell ends. Raises ``Rejected``."""
        contents = {name: state.heap[location] for name, location in self.locations.items()}
        file = write(contents, self.target, self.span)
        try:
            yield Shown(number, Notice(f"{_count(len(contents))} saved to {self.target.name}"))
        except BaseException:
            file.delete()
            raise
        return replace(state, files=(*state.files, file))


@frozen
class Load(_FileAction):
    """``%load file`` into these locations"""

    def run(self, number: int, state: State) -> Run:
        """Read the file, or the one that an earlier item of the cell saves there. Raises ``Failure``."""
        target = followed(self.target)
        file = next((file.scratch for file in reversed(state.files) if file.target == target), target)
        blocks = read(file, self.target, self.locations, byte_limit(state.settings), self.span)
        restored = yield from working(blocks, "reading the file")
        yield Shown(number, Notice(_load_text(self.target.name, restored, self.locations)))
        for array in restored.changes.values():
            array.setflags(write=False)
        return state.put({self.locations[name]: array for name, array in restored.changes.items()})


def _load_text(file: str, restored: Restored, locations: Mapping[str, Location]) -> str:
    changes = restored.changes
    others = [name for name in restored.names if name not in changes]
    kept = [name for name in locations if name not in changes]
    lines = [f"{_count(len(changes))} loaded from {file}: {', '.join(changes)}"]
    lines += [f"not in the file, and as before: {', '.join(kept)}"] if kept else []
    lines += [f"in the file, and no location here: {', '.join(others)}"] if others else []
    return "\n".join(lines)


def _count(locations: int) -> str:
    return "1 location" if locations == 1 else f"{locations} locations"


def _save(item: items.Directive, context: AnalysisContext) -> Save:
    return Save(context.folder / file_name(item), declared_locations(context.definitions), item.span)


def _load(item: items.Directive, context: AnalysisContext) -> Load:
    return Load(context.folder / file_name(item), declared_locations(context.definitions), item.span)


DIRECTIVES = (
    Directive("save", "file", "write the content of every location to an .npz or .safetensors file", _save),
    Directive("load", "file", "put the contents in such a file into the locations of these names", _load),
)
