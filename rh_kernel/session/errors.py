"""Diagnostics of sessions: directives, checks, limits, files."""

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen_kw_only


@frozen_kw_only
class UnknownDirective(Diagnostic):
    """``%frobnicate``"""

    code, title = "RH041", "Unknown directive"
    label = "there is no directive `%{name}`"
    name: str


@frozen_kw_only
class DirectiveArguments(Diagnostic):
    """``%trace`` with nothing after it, ``%reset w0``"""

    code, title = "RH042", "Invalid use of a directive"
    label = "`%{name}` takes {wanted}"
    name: str
    wanted: str


@frozen_kw_only
class NothingToStep(Diagnostic):
    """A file without a command"""

    code, title = "RH043", "Nothing to step through"
    label = "there is no term or command here"


@frozen_kw_only
class CheckFailed(Diagnostic):
    """``check 1 + 1 == 3``"""

    code, title = "RH207", "Check failed"
    label = "the two sides are not equal{where}"
    where: str = ""


@frozen_kw_only
class NothingCompared(Diagnostic):
    """``%locked`` and ``check exp(1000) == exp(2000)``"""

    code, title = "RH217", "Locked check compares nothing"
    label = "a locked check compares finite numbers, and {why}"
    why: str


@frozen_kw_only
class OutOfTime(Diagnostic):
    """``%limit seconds 1`` and a long training run"""

    code, title = "RH208", "Time limit reached"
    label = "the cell was stopped after {seconds:,} s"
    hint: str = "raise the limit with `%limit seconds` in a separate cell"
    seconds: int


@frozen_kw_only
class RunLost(Diagnostic):
    """A run of a sweep whose process is killed, and when it is begun again, killed again"""

    code, title = "RH218", "Run lost"
    label = "the process that ran this run has ended {attempts} times before it answered"
    hint: str = "perhaps it needed more memory than there is: `%limit bytes` bounds the arrays of each run"
    attempts: int


@frozen_kw_only
class TooMuchOutput(Diagnostic):
    """A cell with very many traces"""

    code, title = "RH209", "Output limit reached"
    label = "the cell was stopped because its output would exceed {limit:,} characters"
    hint: str = "show less in one cell, or raise the limit with `%limit output`"
    limit: int


@frozen_kw_only
class NothingToUndo(Diagnostic):
    """``%undo`` in a new session"""

    code, title = "RH045", "Nothing to undo"
    label = "{why}"
    why: str


@frozen_kw_only
class NoGPU(Diagnostic):
    """``%device gpu`` on a machine without a graphics card; a warning"""

    code, title = "RH401", "No GPU available"
    label = "{why}; compiled programs and training runs use the CPU"
    why: str


@frozen_kw_only
class CannotSave(Diagnostic):
    """``%save nowhere/w.npz``"""

    code, title = "RH342", "Cannot be saved"
    label = "{why}"
    why: str


@frozen_kw_only
class CannotRestore(Diagnostic):
    """``%load nowhere.npz``"""

    code, title = "RH343", "Heap cannot be loaded"
    label = "{why}"
    why: str


@frozen_kw_only
class CannotInclude(Diagnostic):
    """``include "nowhere.rh"``"""

    code, title = "RH344", "File cannot be included"
    label = "{why}"
    why: str


@frozen_kw_only
class CannotLoad(Diagnostic):
    """``load("nowhere.npy")``"""

    code, title = "RH341", "Content cannot be loaded"
    label = "{why}"
    why: str


@frozen_kw_only
class CannotShow(Diagnostic):
    """``%confusion`` of a net with one output"""

    code, title = "RH046", "Cannot be shown"
    label = "{why}"
    why: str
