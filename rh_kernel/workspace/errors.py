"""What Python is told when a program is wrong, is stuck, or was stopped."""

from typing import Any, cast

from rh_kernel.display.diagnostics import texts
from rh_kernel.source.diagnostic import Diagnostic


class Refusal(BaseException):
    """What is wrong is in no code of ours, so IPython shows the frames of those who asked, and none below."""

    def _render_traceback_(self) -> list[str]:
        from IPython.core.getipython import get_ipython

        frame = self.__traceback__
        while frame is not None and frame.tb_next is not None:
            if frame.tb_next.tb_frame.f_globals.get("__name__", "").startswith("rh_kernel"):
                frame.tb_next = None
            frame = frame.tb_next
        shows = cast(Any, get_ipython()).InteractiveTB
        return shows.structured_traceback(type(self), self, self.__traceback__, tb_offset=1)


class Wrong(Refusal, Exception):
    """A program, or a value given from Python, is refused. The message is what the command line would print.

    ``diagnostics`` holds the complaints as data, at least one.
    """

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("\n".join(texts(diagnostics)))
        self.diagnostics = diagnostics


class Stopped(Refusal, KeyboardInterrupt):
    """A person interrupted the program; ``kept`` tells whether what it did until then stays, as in a training run."""

    def __init__(self, *, kept: bool) -> None:
        super().__init__("The work done so far is kept." if kept else "Nothing of this program took effect.")
        self.kept = kept


class Busy(Refusal, RuntimeError):
    """Another program is at work in the same session, as when a slider is moved while a cell trains."""

    def __init__(self) -> None:
        super().__init__("Another program is running in this session. Try again when it has finished.")
