"""A trace as text like RH Fig. 8: ``—RH-Op→``, then the term or command that it leads to, and the change of the heap."""

from collections.abc import Iterator

from rh_kernel.display.rounding import array_line
from rh_kernel.display.text import visible
from rh_kernel.display.traces.captions import ARROWS, SHORT, title
from rh_kernel.display.traces.cropping import is_large
from rh_kernel.display.traces.frames import heap_changes, subject_doc, used_locations
from rh_kernel.display.traces.phases import legs
from rh_kernel.display.traces.rounds import ROUND, Round, outline, rounds
from rh_kernel.display.traces.states import States
from rh_kernel.display.traces.viewport import document
from rh_kernel.session.results import Change, TraceMade
from rh_kernel.syntax.printing.doc import Close, Doc, Newline, Open, layout, plain
from rh_kernel.syntax.printing.printer import PrintCache

WIDTH = 96
"""Columns of a line where it can be broken."""

LINES = 24
"""Lines of each state if not all steps are shown."""


def trace_text(result: TraceMade, limit: int | None = None) -> str:
    """Return every step; if there are more than ``limit``, the first and last ones, each with its first lines."""
    return "\n\n".join(trace_blocks(result, limit))


def trace_blocks(result: TraceMade, limit: int | None = None) -> Iterator[str]:
    """Yield the paragraphs of ``trace_text`` lazily."""
    for block in _blocks(result, limit):
        yield "\n".join([visible(line) for line in block.split("\n")])


def _blocks(result: TraceMade, limit: int | None) -> Iterator[str]:
    steps, changes = result.steps, heap_changes(result)
    found = legs(steps)
    loops = rounds(steps, found)
    most = len(steps) if limit is None else limit
    items = outline(loops, len(steps), most, most * 2 // 3, most - most * 2 // 3)
    begun = {leg.first: leg for leg in found if leg.opened_by is not None}
    begun_rounds = {each.first: each for each in loops}
    memory = PrintCache()
    states = States(result)

    def text(state: int) -> str:
        doc, around = _state(states, state, memory)
        return around + (plain(doc, WIDTH) if limit is None else _begun(doc))

    yield _with_heap(result, text(0))
    for shown in items:
        match shown.item:
            case int(n):
                head = f"—{steps[n].rule.value}→  {n + 1}"
                leg = f"  {ARROWS[begun[n].direction]} {title(begun[n], steps)}" if n in begun else ""
                each = f"  {ROUND} {begun_rounds[n].title}" if n in begun_rounds else ""
                change = f"  {_change(changes[n])}" if n in changes else ""
                yield f"{head}{leg}{each}{change}\n{text(n + 1)}"
            case Round() as each:
                yield f"{ROUND} {each.title}  {each.steps}\n{text(each.last + 1)}"
            case range() as gap:
                yield f"⋮ {len(gap)} steps ({gap.start + 1} to {gap.stop}) are left out; `rh trace FILE` prints all of them"
    yield from [f"stuck: {d.code}: {d.message}" for d in result.stuck]
    if result.value is not None:
        count = f"{len(steps)} step{'' if len(steps) == 1 else 's'}"
        yield f"{plain(subject_doc(result.value, memory=memory), WIDTH)} : {result.type}   in {count}"


def _state(states: States, state: int, memory: PrintCache) -> tuple[Doc, str]:
    """The document of a state, cropped if it is large, and a line on how many frames are hidden."""
    M = states.subject(state)
    if not is_large(M):
        return subject_doc(M, memory=memory), ""
    shown = states.viewport(state)
    around = f"⋮ inside of {shown.viewport.hidden_frames:,} more\n" if shown.viewport.end is not None else ""
    return document(shown.subject, shown.names, SHORT, memory=memory), around


def _begun(doc: Doc) -> str:
    """The first lines of a document."""
    pieces: list[str] = []
    lines = 1
    for event in layout(doc, WIDTH):
        match event:
            case str():
                pieces.append(event)
            case Newline(indent):
                lines += 1
                pieces.append("\n" + " " * indent if lines <= LINES else "\n⋮")
                if lines > LINES:
                    break
            case Open() | Close():
                pass
    return "".join(pieces)


def _with_heap(result: TraceMade, subject: str) -> str:
    """The subject, under the contents of the locations that the trace reads or writes."""
    used = used_locations(result.steps)
    held = [f"{loc.name} ↦ {array_line(array)}" for loc, array in result.heap.items() if loc in used]
    return f"[{', '.join(held)}]\n{subject}" if held else subject


def _change(change: Change) -> str:
    return f"[{change.location.name} ↦ {array_line(change.after)}]"
