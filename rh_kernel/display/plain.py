"""``Result → text``: what a result looks like in a terminal. What only some results need is loaded when there is such a one."""

from rh_kernel.display.diagnostics import texts
from rh_kernel.display.heaps import by_name, heap_text
from rh_kernel.display.names import names_text
from rh_kernel.display.text import visible
from rh_kernel.display.training.runs import run_text
from rh_kernel.display.values import changes_text, value_text
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

STEPS = 60
"""The text of a longer trace leaves out steps in the middle."""

PASSED = "✓"


def text(result: Result) -> str:
    """The result as text, with no line end at its end."""
    match result:
        case DeclarationMade(name, _, A, _):
            return visible(f"{name} : {A}")
        case ValueFound(A, V, changes, _):
            return _lines(f"{value_text(V)} : {A}", changes_text(by_name(changes)))
        case TraceMade():
            from rh_kernel.display.traces.text import trace_text

            return trace_text(result, STEPS)
        case ProgramMade():
            from rh_kernel.display.programs.choice import program_text

            return visible(program_text(result))
        case TypeShown(subject, A, remarks):
            return visible("\n".join([f"{subject} : {A}", *remarks]))
        case DerivationMade():
            from rh_kernel.display.derivations.text import derivation_text

            return derivation_text(result)
        case DiagramMade():
            from rh_kernel.display.diagrams.text import diagram_text

            return diagram_text(result)
        case GradientMade():
            from rh_kernel.display.gradients.text import gradient_text

            return gradient_text(result)
        case HeapShown(contents):
            return heap_text(contents)
        case Computed() | Differentiated() | FormsShown() | RewritingShown():
            from rh_kernel.display.laboratory.text import laboratory_text

            return visible(laboratory_text(result))
        case Returned() | Counted() | ReductionShown():
            from rh_kernel.display.effects.text import effects_text

            return visible(effects_text(result))
        case CheckPassed(checked, _, remarks):
            return visible("\n".join([f"{PASSED} {checked}", *[f"  {remark}" for remark in remarks]]))
        case NamesShown(names):
            return names_text(names)
        case Notice(words):
            return visible(words)
        case TrainingDone():
            return visible(run_text(result))
        case ItemFailed(found):
            return "\n".join(texts(found))


def _lines(*parts: str) -> str:
    return "\n".join([part for part in parts if part])
