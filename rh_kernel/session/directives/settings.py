"""``%locked``, ``%strict``, ``%evaluator``, ``%device``, ``%dtype``: each shows a setting, or changes it with a word."""

from dataclasses import replace

from rh_kernel.session.actions import Action, AnalysisContext, Run, State
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.words import chosen, chosen_words
from rh_kernel.session.results import Notice, Shown, Working
from rh_kernel.session.settings import (
    LOCKED_WORDS,
    Evaluator,
    Settings,
    device_text,
    dtype_text,
    evaluator_text,
    lock_text,
    strict_text,
    with_device,
    with_dtype,
    with_lock,
)
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items


@frozen
class Set(Action):
    """A directive that changes settings: those from here on, and the sentence that tells about them"""

    settings: Settings
    text: str

    def run(self, number: int, state: State) -> Run:
        """Changes the settings."""
        yield Shown(number, Notice(self.text))
        return replace(state, settings=self.settings)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """With these settings."""
        return replace(context, settings=self.settings)


@frozen
class SetDevice(Action):
    """``%device gpu``: the settings from here on; what is shown depends on whether a GPU answers"""

    settings: Settings

    def run(self, number: int, state: State) -> Run:
        """Asks the GPU for its name, which may take a second."""
        yield Working("asking the device")
        yield Shown(number, Notice(device_text(self.settings)))
        return replace(state, settings=self.settings)

    def after(self, context: AnalysisContext) -> AnalysisContext:
        """With these settings."""
        return replace(context, settings=self.settings)


def _locked(item: items.Directive, context: AnalysisContext) -> Set:
    settings = with_lock(context.settings, chosen_words(item, LOCKED_WORDS, alone="off"))
    return Set(settings, lock_text(settings))


def _strict(item: items.Directive, context: AnalysisContext) -> Set:
    word = chosen(item, "on", "off")
    settings = context.settings if word is None else replace(context.settings, strict=word == "on")
    return Set(settings, strict_text(settings))


def _evaluator(item: items.Directive, context: AnalysisContext) -> Set:
    word = chosen(item, *(evaluator.value for evaluator in Evaluator))
    settings = context.settings if word is None else replace(context.settings, evaluator=Evaluator(word))
    return Set(settings, evaluator_text(settings))


def _device(item: items.Directive, context: AnalysisContext) -> SetDevice:
    return SetDevice(with_device(context.settings, chosen(item, "cpu", "gpu")))


def _dtype(item: items.Directive, context: AnalysisContext) -> Set:
    settings = with_dtype(context.settings, chosen(item, "float64", "float32"))
    return Set(settings, dtype_text(settings))


DIRECTIVES = (
    Directive(
        "locked",
        "[empty|infinite|off] [empty|infinite]",
        "to the end of the cell: names are the language's and those of locked cells",
        _locked,
    ),
    Directive("strict", "on|off", "whether a function is undefined where it is not smooth", _strict),
    Directive("evaluator", "compiled|stepped|denoted", "which of the three readings of a program evaluates it", _evaluator),
    Directive("device", "cpu|gpu", "where compiled programs and training runs compute", _device),
    Directive("dtype", "float64|float32", "the precision of compiled programs and training runs", _dtype),
)
