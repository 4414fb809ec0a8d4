"""Results as plain data for programs: the objects that ``--json`` prints (LANGUAGE §8).

Arrays are nested lists, a tuple is ``{"tuple": […]}``, and what is no finite number is the string ``nan``, ``inf`` or ``-inf``.
Lines and columns count from 1, ends are exclusive; they are ``None`` for what has no place in a text.
"""

import math
from collections.abc import Iterable

import numpy as np

from rh_kernel.arrays.equations.listing import lines
from rh_kernel.arrays.planning.listing import steps_listing
from rh_kernel.arrays.planning.making import Loose
from rh_kernel.arrays.program import Program
from rh_kernel.denotational.drawing.sketch import Look, Node, operation_text, sketch
from rh_kernel.denotational.parts import Part
from rh_kernel.display.data import Json, Record
from rh_kernel.display.derivations.parts import Proof, fold, premises, sheet
from rh_kernel.display.derivations.text import one_line
from rh_kernel.display.gradients.passes import reading
from rh_kernel.loops.ir import Plan
from rh_kernel.operational.step import Step
from rh_kernel.primitives.values import to_array
from rh_kernel.session.results import (
    Change,
    CheckPassed,
    Computed,
    Counted,
    DeclarationMade,
    DerivationMade,
    DiagramMade,
    Differentiated,
    FormsShown,
    GradientMade,
    HeapShown,
    ItemFailed,
    NameShown,
    NamesShown,
    Notice,
    Pass,
    ProgramMade,
    ReductionShown,
    Result,
    Returned,
    RewritingShown,
    TraceMade,
    TrainingDone,
    TypeShown,
    ValueFound,
)
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.span import Span
from rh_kernel.syntax.core import RH, Array, Bind, Command, Handle, Perform, Resume, Return, RevHandle, Term, Tuple, Zero
from rh_kernel.syntax.printing.doc import Doc, Mark, annotated_texts
from rh_kernel.syntax.printing.printer import Brevity, Memory, Path, command_doc, term_doc
from rh_kernel.syntax.signature import Location
from rh_kernel.syntax.types import Product, Type
from rh_kernel.typing.derivation.derivations import Derivation

RULES, HEIGHT = 5_000, 200
"""Of a derivation there are so many rules, and so many above each other: deeper data can be neither written nor read."""

STEP = Brevity(entries=100)
"""In the terms of a trace arrays of more entries are shown by their types."""


def records(item: int, result: Result) -> tuple[Record, ...]:
    """The objects for item ``item`` (counted from 1): one, and for an item with errors one for each of them."""
    match result:
        case DeclarationMade(name, _, text, changes):
            heap: Record = {"heap": contents(changes)} if changes else {}
            return ({"item": item, "kind": "declaration", "name": name, "type": text, **heap},)
        case ValueFound(A, V, changes, _):
            return ({"item": item, "kind": "value", "type": str(A), "value": value(V), "heap": contents(changes)},)
        case TrainingDone(epochs, samples, measures, _, changes):
            return (_training(item, epochs, samples, measures, changes),)
        case TraceMade(type=A, steps=steps, value=V):
            found = None if V is None else value(V)
            return ({"item": item, "kind": "trace", "steps": len(steps), "type": str(A), "value": found},)
        case ProgramMade(program, A, samples=samples):
            about: Record = {"batch": samples} if A is None else {"type": str(A)}
            return ({"item": item, "kind": "program", **about, **program_record(program, samples or 1), **_compiled(result)},)
        case TypeShown(subject, text, remarks):
            said: Record = {"remarks": [*remarks]} if remarks else {}
            return ({"item": item, "kind": "type", "subject": subject, "type": text, **said},)
        case DiagramMade(subject, text):
            return ({"item": item, "kind": "diagram", "subject": subject, "type": text, **diagram_record(result)},)
        case GradientMade(passes=passes):
            first, *others = map(pass_record, passes)
            against: Record = {"against": others[0]} if others else {}
            return ({"item": item, "kind": "gradient", **first, **against},)
        case DerivationMade(_, derivations):
            return tuple([{"item": item, "kind": "derivation", **derivation_record(d)} for d in derivations])
        case HeapShown(changes):
            return ({"item": item, "kind": "heap", "heap": contents(changes)},)
        case Computed() | Differentiated() | FormsShown() | RewritingShown():
            from rh_kernel.display.laboratory.record import laboratory_records

            return laboratory_records(item, result)
        case Returned() | Counted() | ReductionShown():
            from rh_kernel.display.effects.record import effects_record

            return ({"item": item, **effects_record(result)},)
        case CheckPassed(text, A, remarks):
            told: Record = {"remarks": [*remarks]} if remarks else {}
            return ({"item": item, "kind": "check", "text": text, "type": A, **told},)
        case NamesShown(names):
            return ({"item": item, "kind": "names", "names": [_declared(n) for n in names]},)
        case Notice(text):
            return ({"item": item, "kind": "notice", "text": text},)
        case ItemFailed(diagnostics):
            return tuple({"item": item, **error(d)} for d in diagnostics)


def _declared(n: NameShown) -> Record:
    older: Record = {"older_than": [*n.newer]} if n.newer else {}
    return {"name": n.name, "is": n.kind, "type": n.type, "place": n.place, **older}


def error(d: Diagnostic) -> Record:
    """A diagnostic; from ``found`` on, what is known of it. A fix gives the text to be written at its place."""
    known = {"found": d.found, "expected": d.expected, "hint": d.hint, "rule": d.rule}
    notes: list[Json] = [{**_place(note.span), "source": note.span.source.name, "text": note.text} for note in d.notes]
    return {
        "kind": "error",
        "code": d.code,
        "title": d.title,
        "message": d.message,
        **_place(d.span),
        **{key: text for key, text in known.items() if text},
        **({"notes": notes} if notes else {}),
        **({} if d.fix is None else {"fix": {**_place(d.fix.span), "text": d.fix.text}}),
    }


def _place(span: Span | None) -> Record:
    places = (None, None, None, None) if span is None else span.position
    return dict(zip(("line", "column", "end_line", "end_column"), places, strict=True))


def step_record(number: int, step: Step, memory: Memory) -> Record:
    """One step of a trace, counted from 0: ``term`` is the whole before the step, ``heap`` what the step changes.

    Only in ``heap`` are large arrays written out. ``memory`` is that of the trace.
    """
    term, marked = annotated_texts(step_document(step.before, step.path, memory), math.inf)
    ((_, redex),) = marked
    change = step.change
    heap = {} if change is None else {change.location.name: array(change.content)}
    return {"step": number, "rule": step.rule.value, "redex": redex, "term": " ".join(term.split()), "heap": heap}


def end_record(steps: int, A: Type, V: Term) -> Record:
    """What a trace ends with."""
    return {"steps": steps, "type": str(A), "value": value(V)}


def derivation_record(d: Derivation) -> Record:
    """A derivation: ``rule``, ``judgment`` and ``premises``, each again one; where its height is cut, ``left_out`` rules.

    ``size`` (RH Fig. 5), and of a command or handler ``depth`` (Fig. 4), are those of the whole.
    """
    shown = sheet(d, RULES, HEIGHT, exact=True)
    measures: Record = {"size": shown.size} if shown.depth is None else {"depth": shown.depth, "size": shown.size}
    return {**fold(shown.root, premises, _rule), **measures}


def program_record(program: Program, samples: int = 1) -> Record:
    """A straight-line program: its lines, and how many equations, checks and, for so many samples, operations it has."""
    shown = _lines(program)
    checks: Record = {"checks": program.checks} if program.checks else {}
    return {
        "program": shown,
        "equations": len(program.equations) - program.checks,
        **checks,
        "operations": program.cost_of(samples),
    }


def _compiled(made: ProgramMade) -> Record:
    """What each pass leaves, or what each step takes, if that was asked for."""
    if made.profile is not None:
        steps: list[Json] = [
            {
                "step": step.line.text,
                "calls": step.calls,
                "operations": step.line.operations,
                "bytes": step.bytes,
                "predicted": step.predicted,
                "seconds": step.seconds,
            }
            for step in made.profile.steps
        ]
        model = made.profile.model
        constants: Record = {"call": model.call, "bandwidth": model.bandwidth, "rate": model.rate}
        return {"profile": {"place": made.place, "model": constants, "steps": steps, "seconds": made.profile.whole}}
    if not made.in_full:
        return {}
    passes: list[Json] = [
        {
            "pass": p.made_by.value,
            "count": p.lines,
            "operations": p.operations,
            "bytes": p.bytes,
            "scratch": p.scratch,
            "program": _lines(p.form),
        }
        for p in made.passes
    ]
    return {"passes": passes}


def _lines(form: Program | Loose | Plan) -> list[Json]:
    if isinstance(form, Program):
        return [f"{line.left} = {line.right}" if line.left else line.right for line in lines(form)]
    found = steps_listing(form)
    return [*found.before, *(step.text for step in found.steps), *found.after]


def diagram_record(made: DiagramMade) -> Record:
    """Boxes and wires by their numbers; wires of the unit type, and what only makes them, are left out (RH §6.1)."""
    s = sketch(made.diagram)
    wires = sorted({*s.inputs, *s.outputs, *[w for node in s.nodes.values() for w in (*node.inputs, *node.outputs)]})
    return {
        "boxes": [_box(node) for node in s.nodes.values()],
        "wires": [{"id": w, "type": str(s.types[w]), "name": s.names[w]} for w in wires],
        "inputs": [*s.inputs],
        "outputs": [*s.outputs],
    }


def pass_record(made: Pass) -> Record:
    """A recorded pass: its boxes in their order with their values and cotangents, ``None`` where nothing came back.

    Where the rest was run more than once, the cotangents are as in a tuple.
    """
    boxes: list[Json] = []
    for row in reading(made).rows:
        back: list[Json] = [array(made.recording.values[w]) for w in row.cotangents]
        cotangent: Json = {"tuple": back} if len(back) > 1 else back[0] if back else None
        forward = array(made.recording.values[row.wire])
        boxes.append({"label": row.label, "part": row.part, "forward": forward, "cotangent": cotangent})
    return {"type": str(made.type), "value": value(made.value), "boxes": boxes, "heap": contents(made.changes)}


def _box(node: Node) -> Record:
    return {
        "id": node.number,
        "kind": "operation" if node.figure.look is Look.OPERATION else "pure",
        "label": node.figure.text,
        "inputs": [*node.inputs],
        "outputs": [*node.outputs],
        "place": [_part(part) for part in node.place],
    }


def _part(part: Part) -> Record:
    operation: Record = {} if part.operation is None else {"operation": operation_text(part.operation)}
    return {"handler": part.handler, "part": part.leg.value, "level": part.level, **operation}


def value(V: Term) -> Json:
    """A closed value: nested lists, and ``{"tuple": […]}``."""
    match V:
        case Tuple(items):
            return {"tuple": [value(W) for W in items]}
        case Zero(Product(factors)):
            return {"tuple": [value(Zero(A)) for A in factors]}
        case _:
            return array(to_array(V))


def array(content: Array) -> Json:
    """Nested lists of the entries."""
    nested: Json = content.tolist()
    return nested if np.isfinite(content).all() else _finite(nested)


def contents(changes: Iterable[Change]) -> Record:
    """The new content of each location; one that a later declaration hides has its version behind its name."""
    found = [(change.location, change.after) for change in changes]
    newest: dict[str, Location] = {}
    for location, _ in found:
        if location.name not in newest or newest[location.name].version < location.version:
            newest[location.name] = location
    return {_name(location, newest): array(after) for location, after in found}


def _rule(proof: Proof, above: list[Record]) -> Record:
    left_out: Record = {"left_out": proof.left_out} if proof.left_out else {}
    return {"rule": proof.rule.value, "judgment": one_line(proof), "premises": [*above], **left_out}


def _name(location: Location, newest: dict[str, Location]) -> str:
    return location.name if newest[location.name] == location else f"{location.name}#{location.version}"


def _training(
    item: int, epochs: int, samples: int, measures: tuple[tuple[str, tuple[float, ...]], ...], changes: tuple[Change, ...]
) -> Record:
    averages: list[Json] = [{"text": text, "measure": _finite([*values])} for text, values in measures]
    first = _finite([*measures[0][1]]) if measures else []
    more: Record = {"measures": averages} if len(averages) > 1 else {}
    heap = contents(changes)
    return {"item": item, "kind": "training", "epochs": epochs, "samples": samples, "measure": first, **more, "heap": heap}


def _finite(entry: Json) -> Json:
    match entry:
        case list():
            return [_finite(inner) for inner in entry]
        case float() if not math.isfinite(entry):
            return str(entry)
        case _:
            return entry


def step_document(subject: Term | Command, path: Path, memory: Memory) -> Doc:
    """A term or command of a trace with its redex marked, which is at the end of ``path``."""
    marks = {path: Mark("redex")}
    match subject:
        case Return() | Perform() | Bind() | RevHandle() | RH() | Handle() | Resume():
            return command_doc(subject, (), marks, STEP, memory)
        case _:
            return term_doc(subject, (), marks, STEP, memory)
