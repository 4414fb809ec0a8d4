"""What a session is set to (LANGUAGE §4–§6); settings are values, so a cell that fails leaves them as they were."""

from dataclasses import dataclass
from enum import Enum

from rh_kernel.session.bounds import DEFAULT as BOUNDS
from rh_kernel.session.bounds import Bounds


class Evaluator(Enum):
    """Which of the three readings of a program evaluates it; training is always compiled."""

    COMPILED = "compiled"
    STEPPED = "stepped"
    DENOTED = "denoted"


@dataclass(frozen=True, slots=True)
class Settings:
    """``strict`` leaves a function undefined where it is not smooth, as in PSmooth (RH Def. E.4); ``bounds`` are its limits."""

    strict: bool = False
    evaluator: Evaluator = Evaluator.COMPILED
    bounds: Bounds = BOUNDS


DEFAULT = Settings()

_EVALUATORS = {
    Evaluator.COMPILED: "runs as a straight line of array operations (`%compile` shows it)",
    Evaluator.STEPPED: "is reduced step by step, as in section 5 of the paper (`%trace` shows it)",
    Evaluator.DENOTED: "runs as its denotation, section 7 of the paper (`%diagram` shows it)",
}


def strict_text(settings: Settings) -> str:
    """What ``%strict`` says."""
    if settings.strict:
        return "strict is on: where a function is not smooth it is undefined, and reduction is stuck there"
    return "strict is off: where a function is not smooth it has a value and a slope all the same"


def evaluator_text(settings: Settings) -> str:
    """What ``%evaluator`` says."""
    return f"the evaluator is {settings.evaluator.value}: what you write {_EVALUATORS[settings.evaluator]}"
