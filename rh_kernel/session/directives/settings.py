"""``%locked``, ``%strict``, ``%evaluator``, ``%device``, ``%dtype``: each shows a setting, or changes it."""

from dataclasses import replace

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.arguments import choice, several_choices
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.session.settings import Evaluator, Lock, Settings, device_text
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items


@frozen
class Set(Action):
    """A directive that changes settings: the new settings, and the message"""

    settings: Settings
    text: str = ""

    def run(self, number: int, state: State) -> Run:
        """Change the settings."""
        yield Shown(number, Notice(self.text))
        return replace(state, settings=self.settings)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """Return the context with these settings."""
        return replace(context, settings=self.settings)


@frozen
class SetDevice(Set):
    """``%device gpu``: the new settings; the message depends on whether there is a GPU"""

    def run(self, number: int, state: State) -> Run:
        """Query the GPU, which may take a second, and change the settings."""
        yield Working("asking the device")
        return (yield from Set(self.settings, device_text(self.settings)).run(number, state))


_EVALUATORS = {
    Evaluator.COMPILED: "runs as a straight line of array operations (`%compile` shows it)",
    Evaluator.STEPPED: "is reduced step by step, as in section 5 of the paper (`%trace` shows it)",
    Evaluator.DENOTED: "runs as its denotation, section 7 of the paper (`%diagram` shows it)",
}


def _locked(item: items.Directive, context: AnalysisContext) -> Set:
    words = several_choices(item, ("empty", "infinite", "off"), alone="off")
    lock = None if "off" in words else Lock("empty" in words, "infinite" in words)
    return Set(replace(context.settings, locked=lock), _lock_text(lock))


def _lock_text(lock: Lock | None) -> str:
    if lock is None:
        return "locked is off: names are what was declared last"
    allowed = [what for what, is_allowed in (("empty arrays", lock.empty), ("infinite numbers", lock.infinite)) if is_allowed]
    also = f"; {' and '.join(allowed)} count too" if allowed else ""
    return f"locked: names are the language's and those of locked cells, and a check compares finite numbers{also}"


def _strict(item: items.Directive, context: AnalysisContext) -> Set:
    word = choice(item, "on", "off")
    settings = context.settings if word is None else replace(context.settings, strict=word == "on")
    if settings.strict:
        return Set(settings, "strict is on: a function is undefined where it is not smooth, and reduction is stuck there")
    return Set(settings, "strict is off: a function has a value and a slope even where it is not smooth")


def _evaluator(item: items.Directive, context: AnalysisContext) -> Set:
    word = choice(item, *(evaluator.value for evaluator in Evaluator))
    settings = context.settings if word is None else replace(context.settings, evaluator=Evaluator(word))
    evaluator = settings.evaluator
    return Set(settings, f"the evaluator is {evaluator.value}: what you write {_EVALUATORS[evaluator]}")


def _device(item: items.Directive, context: AnalysisContext) -> SetDevice:
    match choice(item, "cpu", "gpu"):
        case "cpu" | "gpu" as device:
            return SetDevice(replace(context.settings, device=device))
        case _:
            return SetDevice(context.settings)


def _dtype(item: items.Directive, context: AnalysisContext) -> Set:
    settings = context.settings
    match choice(item, "float64", "float32"):
        case "float64" | "float32" as precision:
            settings = replace(settings, precision=precision)
        case _:
            pass
    return Set(settings, _dtype_text(settings))


def _dtype_text(settings: Settings) -> str:
    what = f"the dtype is {settings.precision}: compiled programs and training runs compute with"
    match settings.precision:
        case "float64":
            return f"{what} about 16 digits"
        case "float32":
            return f"{what} about 7 digits, and what they put on the heap is rounded to them"


DIRECTIVES = (
    Directive(
        "locked",
        "[empty|infinite|off] [empty|infinite]",
        "to the end of the cell: names are the language's and those of locked cells",
        _locked,
    ),
    Directive("strict", "on|off", "whether a function is undefined where it is not smooth", _strict),
    Directive("evaluator", "compiled|stepped|denoted", "which of the three evaluators runs what you write", _evaluator),
    Directive("device", "cpu|gpu", "where compiled programs and training runs compute", _device),
    Directive("dtype", "float64|float32", "the precision of compiled programs and training runs", _dtype),
)
