"""Which results a page may ask about, and the view of each."""

from rh_kernel.display.live.drawings import DiagramView
from rh_kernel.display.live.player import Player
from rh_kernel.display.live.proofs import DerivationView
from rh_kernel.display.live.stepper import Stepper
from rh_kernel.display.live.view import View
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


def view_of(result: Result) -> View | None:
    """The view of a result, if it has one."""
    match result:
        case TraceMade():
            return Stepper(result)
        case GradientMade():
            return Player(result)
        case DiagramMade():
            return DiagramView(result)
        case DerivationMade():
            return DerivationView(result)
        case RewritingShown() | ReductionShown():
            from rh_kernel.display.live.rewriting import Rewriting

            return Rewriting(result)
        case (
            DeclarationMade()
            | ValueFound()
            | ProgramMade()
            | Computed()
            | Differentiated()
            | FormsShown()
            | Returned()
            | Counted()
            | TypeShown()
            | HeapShown()
            | CheckPassed()
            | NamesShown()
            | Notice()
            | TrainingDone()
        ):
            return None
        case ItemFailed():
            return None
