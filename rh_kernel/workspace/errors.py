"""Exceptions that Python code gets when a program is wrong, gets stuck, is interrupted, or finds the session busy."""

from typing import Any, cast

from rh_kernel.display.diagnostics import texts
from rh_kernel.source.diagnostic import Diagnostic


class NoTraceback(BaseException):
    """Base of these exceptions. The fault is not in ``rh_kernel``, so IPython shows no frames below those of the caller."""

    def _render_traceback_(self) -> list[str]:
        from IPython.core.getipython import get_ipython

        frame = self.__traceback__
        while frame is not None and frame.tb_next is not None:
            if frame.tb_next.tb_frame.f_globals.get("__name__", "").startswith("rh_kernel"):
                frame.tb_next = None
            frame = frame.tb_next
        shows = cast(Any, get_ipython()).InteractiveTB
        return shows.structured_traceback(type(self), self, self.__traceback__, tb_offset=1)


class Wrong(NoTraceback, Exception):
    """A program, or a value passed from Python, was rejected. The message is what the command line would print.

    ``diagnostics`` holds the diagnostics as data; there is at least one.
    """

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(texts(diagnostics)))
        self.diagnostics = diagnostics


class Stopped(NoTraceback, KeyboardInterrupt):
    """The user interrupted the program; ``kept`` says whether its effects so far remain, as those of a training run do."""

    def __init__(self, *, kept: bool) -> None:
        super().__init__("The work done so far is kept." if kept else "Nothing of this program took effect.")
        self.kept = kept


class Busy(NoTraceback, RuntimeError):
    """The session is already running a program, e.g. a slider was moved while a cell trains."""

    def __init__(self) -> None:
        super().__init__("Another program is running in this session. Try again when it has finished.")
