"""``include "sgd.rh"``: the declarations of a file are analyzed and run as if they stood in its place.

A file whose declarations are all in force is not run again. So two files that both include a third one share its locations.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import replace
from typing import TypeAlias

from rh_kernel.session.actions import Action, AnalysisContext, Refuse, Run, State
from rh_kernel.session.declare import Declare, with_contents
from rh_kernel.session.included_files import IncludedFile, load
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.source.diagnostic import Diagnostic, Failure, KernelBug, Note
from rh_kernel.source.records import frozen
from rh_kernel.source.span import Span
from rh_kernel.syntax import surface_items as items
from rh_kernel.syntax.parsing.parser import Unparsed
from rh_kernel.typing.definitions import Definitions

_MOST_LISTED = 8

AnalyzeItem: TypeAlias = Callable[
    [items.Declaration | Unparsed, AnalysisContext], Generator[Working, None, tuple[AnalysisContext, Action]]
]


@frozen
class Include(Action):
    """The declarations of an included file; none if all of them are in force"""

    file: IncludedFile
    actions: "tuple[Declare | Include, ...]"
    is_new: bool

    def summary(self, text: str) -> Notice:
        """Return the names that are declared."""
        return self._notice

    def run(self, number: int, state: State) -> Run:
        """Compute the initial contents of locations, and show the names."""
        state = yield from self.declared(state)
        yield Shown(number, self._notice)
        return state

    def declared(self, state: State) -> Generator[Working, None, State]:
        """Return the state after all declarations. Raises ``Failure``, with a note for each ``include`` on the way."""
        inside = replace(state, folder=self.file.folder)
        for action in self.actions:
            try:
                match action:
                    case Include():
                        inside = yield from action.declared(inside)
                    case Declare():
                        inside = with_contents(inside, (yield from action.contents(inside)))
            except Failure as failure:
                span = action.content if isinstance(action, Declare) else action.file.place
                placed = [replace(d, span=d.span or span) for d in failure.diagnostics]
                raise type(failure)(*[_included(d, self.file.place) for d in placed]) from None
        return replace(inside, folder=state.folder)

    @property
    def _notice(self) -> Notice:
        name = self.file.source.name
        if not self.is_new:
            return Notice(f"{name} is included already")
        own = _names([part for part in self.file.parts if not isinstance(part, IncludedFile)])
        names = list(dict.fromkeys([*own, *_names(self.file.items)]))
        listed = ", ".join(
            _shortened(own) if len(own) > _MOST_LISTED else [*names[:_MOST_LISTED], *["…"] * (len(names) > _MOST_LISTED)]
        )
        count = f"{len(names)} declaration{'' if len(names) == 1 else 's'}"
        checks = self.file.checks
        left_out = (
            "" if not checks else "; its check is not run here" if checks == 1 else f"; its {checks} checks are not run here"
        )
        return Notice(f"included {name}: {count}{f' ({listed})' if names else ''}{left_out}")


def _names(parts: Iterable[items.Declaration | Unparsed]) -> list[str]:
    return list(dict.fromkeys([part.name.text for part in parts if not isinstance(part, Unparsed)]))


def _shortened(names: list[str]) -> list[str]:
    """The first names, and the last one, which is often what the others are for."""
    return names if len(names) <= _MOST_LISTED else [*names[: _MOST_LISTED - 1], "…", names[-1]]


def analyze_include(
    item: items.IncludeItem, everything: Definitions, context: AnalysisContext, analyze: AnalyzeItem
) -> Generator[Working, None, tuple[Definitions, Action]]:
    """Return all definitions after the file, and its action: ``Refuse`` if an item of it has an error.

    Raises ``Rejected`` if the file cannot be read.
    """
    return (yield from _analyze(load(item, context.folder), replace(context, definitions=everything), analyze))


def _analyze(
    file: IncludedFile, context: AnalysisContext, analyze: AnalyzeItem
) -> Generator[Working, None, tuple[Definitions, Action]]:
    if _is_in_force(file, context):
        return context.definitions, Include(file, (), is_new=False)
    inside = replace(context, folder=file.folder)
    actions: list[Declare | Include] = []
    refused: list[Diagnostic] = []
    is_refused = False
    for part in file.parts:
        if isinstance(part, IncludedFile):
            definitions, action = yield from _analyze(part, inside, analyze)
            inside = replace(inside, definitions=definitions)
        else:
            inside, action = yield from analyze(part, inside)
        match action:
            case Declare() | Include():
                actions.append(action)
            case Refuse(diagnostics):
                is_refused = True
                refused += diagnostics
            case _:
                raise KernelBug(f"{file.source.name} contains a {type(action).__name__}")
    if is_refused:
        return inside.definitions, Refuse(tuple([_included(d, file.place) for d in refused]))
    return inside.definitions, Include(file, tuple(actions), is_new=True)


def _included(diagnostic: Diagnostic, place: Span) -> Diagnostic:
    """Add a note that says where the file of the diagnostic is included."""
    return replace(diagnostic, notes=(*diagnostic.notes, Note(span=place, text="included from here")))


def _is_in_force(file: IncludedFile, context: AnalysisContext) -> bool:
    """Whether each name of the file means what this text of the file declares, and depends on nothing that has changed."""
    spans: dict[str, Span] = {}
    for part in file.items:
        if isinstance(part, Unparsed):
            return False
        spans[part.name.text] = part.name.span
    definitions = context.definitions
    named = definitions.named if context.settings.locked is None else definitions.locked
    outdated = definitions.outdated()
    declared = [named.get(name) for name in spans]
    is_declared = all(d is not None and d.span == span for d, span in zip(declared, spans.values(), strict=True))
    return bool(spans) and is_declared and outdated.keys().isdisjoint(spans)
