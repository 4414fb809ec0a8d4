"""What can go wrong with a cell beyond its language: directives, files of initial contents, sizes."""

from dataclasses import dataclass

from rh_kernel.source.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class UnknownDirective(Diagnostic):
    """``%frobnicate``"""

    code, title = "RH041", "Unknown directive"
    label = "there is no directive `%{name}`"
    name: str


@dataclass(frozen=True, kw_only=True)
class DirectiveWords(Diagnostic):
    """``%trace`` with nothing after it, ``%reset w0``"""

    code, title = "RH042", "Directive used in another way"
    label = "`%{name}` takes {wanted}"
    name: str
    wanted: str


@dataclass(frozen=True, kw_only=True)
class NothingToStep(Diagnostic):
    """A file without a command"""

    code, title = "RH043", "Nothing to step through"
    label = "this text holds no term and no command"


@dataclass(frozen=True, kw_only=True)
class CannotLoad(Diagnostic):
    """``load("nowhere.npy")``"""

    code, title = "RH341", "Content cannot be loaded"
    label = "{why}"
    why: str
