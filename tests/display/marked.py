"""Captions derived independently from the marks of a frame."""

from rh_kernel.display.traces.captions import LONGEST, cut
from rh_kernel.display.traces.frames import Frame
from rh_kernel.display.traces.marking import Marks, RuleFocus, contractum_marks, moved, redex_marks, rule_focus
from rh_kernel.operational.step import Step
from rh_kernel.syntax.printing.doc import Annotation, Close, Doc, Mark, MarkKind, Newline, Open, layout


def before_marks(step: Step) -> Marks:
    """The marks of the redex in the whole term."""
    return moved(redex_marks(step), step.path)


def after_marks(step: Step) -> Marks:
    """The marks of the contractum in the whole term."""
    return moved(contractum_marks(step), step.path)


def marked(doc: Doc, kind: MarkKind) -> str:
    """The part of ``doc`` with this mark, on one line; empty if there is none."""
    wanted: Annotation = Mark(kind)
    pieces: list[str] = []
    inside = 0
    for event in layout(doc, float("inf")):
        match event:
            case Open(annotation):
                inside += 1 if inside or annotation == wanted else 0
            case Close():
                inside -= 1 if inside else 0
                if pieces and not inside:
                    break
            case Newline():
                pieces += [" "] if inside else []
            case str():
                pieces += [event] if inside else []
    return "".join(pieces)


def words_marked(f: Frame) -> tuple[str, str]:
    """What the rule inspects, and what became of it."""
    match rule_focus(f.step.rule):
        case RuleFocus.VALUE:
            name = marked(f.before, "redex").removeprefix("let ")
            ends = [name.index(arrow) for arrow in ("←", "⇐") if arrow in name]
            return cut(name[: min(ends, default=0)].strip(), LONGEST), _bare(marked(f.before, "focus"))
        case RuleFocus.HEAD:
            return _bare(marked(f.before, "focus")), ""
        case RuleFocus.PASS:
            return "", ""
        case RuleFocus.REDEX:
            return cut(marked(f.before, "redex"), LONGEST), _bare(marked(f.after, "contractum"))


def _bare(text: str) -> str:
    return cut(text.removeprefix("⌊").removesuffix("⌋"), LONGEST)
