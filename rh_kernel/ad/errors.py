"""The diagnostics of ``%ad`` (RH50x). The docstring of each is an input that has it."""

from dataclasses import dataclass

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class OutsideFragment(Diagnostic):
    """``%ad reverse-handler f(1)`` where f uses a ``λ``"""

    code, title = "RH501", "Not supported by this system"
    label = "{system} does not differentiate {construct}"
    system: str
    construct: str


@dataclass(frozen=True, kw_only=True)
class UnknownSystem(Diagnostic):
    """``%ad chat f(1)``"""

    code, title = "RH502", "Unknown system"
    label = "there is no system `{name}`"
    name: str


@dataclass(frozen=True, kw_only=True)
class NeedsCotangent(Diagnostic):
    """``%ad chad f(1)`` where the result of f is a tuple"""

    code, title = "RH503", "A cotangent is needed"
    label = "the result of `{name}` has type {type}, so the gradient needs a cotangent of that type"
    name: str
    type: str


@dataclass(frozen=True, kw_only=True)
class CannotDo(Diagnostic):
    """``%ad finite-differences f(1) --trace``"""

    code, title = "RH504", "Unsupported request"
    label = "{system} {what}"
    system: str
    what: str
