"""``Result → {MIME type: data}``: every result as text for a terminal and as HTML for a notebook, trusted or not."""

from rh_kernel.display import diagnostics
from rh_kernel.display.derivations.html import derivation_html
from rh_kernel.display.derivations.latex import derivation_latex
from rh_kernel.display.diagrams.choice import diagram_bundle, diagram_html
from rh_kernel.display.gradients.html import gradient_bundle, gradient_html
from rh_kernel.display.heaps import by_name, heap_html
from rh_kernel.display.html import COLOURS, escape
from rh_kernel.display.markup import FAINT, MONOSPACE, box, element, span
from rh_kernel.display.names import names_html
from rh_kernel.display.plain import PASSED, text
from rh_kernel.display.traces.html import trace_html
from rh_kernel.display.training.runs import progress_html, progress_text, run_html
from rh_kernel.display.values import changes_html, value_html
from rh_kernel.session.results import (
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
    NamesShown,
    Notice,
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
from rh_kernel.syntax.printing.doc import Role
from rh_kernel.training.events import Progress

__all__ = ["bundle", "html", "progress", "text"]


def bundle(result: Result) -> dict[str, str]:
    """What a result looks like, as ``text/plain`` and as ``text/html``; a derivation also as ``text/latex``, for paper.

    A diagram is also there as ``image/svg+xml`` and as ``text/vnd.graphviz``, a gradient as ``image/svg+xml``.
    """
    if isinstance(result, DiagramMade):
        return diagram_bundle(result)
    if isinstance(result, GradientMade):
        return gradient_bundle(result)
    shown = {"text/plain": text(result), "text/html": html(result)}
    return {**shown, "text/latex": derivation_latex(result)} if isinstance(result, DerivationMade) else shown


def progress(p: Progress) -> dict[str, str]:
    """How far a training run is: one line of text, or a bar with the curves so far."""
    return {"text/plain": progress_text(p), "text/html": progress_html(p)}


def sign_of_life(line: str) -> dict[str, str]:
    """What a cell is at, which shows nothing else yet."""
    return {"text/plain": line, "text/html": box(FAINT, span("", line))}


def html(result: Result) -> str:
    """The result as HTML."""
    match result:
        case DeclarationMade(name, kind, A, _):
            return _typed(name, A, kind)
        case ValueFound(A, V, changes, _):
            value = box("display:inline-block;vertical-align:middle", value_html(V))
            return box("", f"{value} {span(FAINT, ':')} {_type(str(A))}") + changes_html(by_name(changes))
        case TraceMade():
            return trace_html(result)
        case ProgramMade():
            from rh_kernel.display.programs.choice import program_html

            return program_html(result)
        case TypeShown(subject, A, remarks):
            return _typed(subject, A, "") + "".join([box(FAINT, escape(remark)) for remark in remarks])
        case DerivationMade():
            return derivation_html(result)
        case DiagramMade():
            return diagram_html(result)
        case GradientMade():
            return gradient_html(result)
        case HeapShown(contents):
            return heap_html(contents)
        case Computed() | Differentiated() | FormsShown() | RewritingShown():
            from rh_kernel.display.laboratory.html import laboratory_html

            return laboratory_html(result)
        case Returned() | Counted() | ReductionShown():
            from rh_kernel.display.effects.html import effects_html

            return effects_html(result)
        case CheckPassed(checked, _, remarks):
            passed = f"{span(f'color:{COLOURS[Role.TYPE]};font-weight:bold', PASSED)} {span(MONOSPACE, checked)}"
            return box("", passed) + "".join([box(FAINT, escape(remark)) for remark in remarks])
        case NamesShown(names):
            return names_html(names)
        case Notice(words):
            return element("pre", "margin:0;white-space:pre-wrap;background:none", escape(words))
        case TrainingDone():
            return run_html(result)
        case ItemFailed(found):
            return "".join(diagnostics.htmls(found))


def _typed(subject: str, type_text: str, kind: str) -> str:
    word = span(f"display:inline-block;min-width:7em;{FAINT};font-size:85%", kind) if kind else ""
    return box("", f"{word}{span(MONOSPACE, subject)} {span(FAINT, ':')} {_type(type_text)}")


def _type(type_text: str) -> str:
    return span(f"{MONOSPACE};color:{COLOURS[Role.TYPE]}", type_text)
