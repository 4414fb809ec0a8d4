"""``%%python``: a cell that is ordinary IPython in the process of the kernel; ``rh`` there is the session (LANGUAGE §6).

The shell has no terminal, no file of its own and no start-up files; it is made for the first cell that asks for it. A cell that
raises keeps what its calls of ``rh`` did before: each of them takes effect by itself, as a whole or not at all.
"""

import builtins
import gc
import getpass
import os
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeAlias, cast

from rh_kernel.kernel.errors import Content, occupied
from rh_kernel.kernel.python_cells.breaking import Breaks, breakable
from rh_kernel.kernel.python_cells.completing import complete, inspect, is_complete
from rh_kernel.kernel.python_cells.shell import ZMQInteractiveShell, made
from rh_kernel.kernel.python_cells.streams import ALLOWANCE, request_of
from rh_kernel.workspace.errors import Busy
from rh_kernel.workspace.showing import share_widgets
from rh_kernel.workspace.widgets import Widgets
from rh_kernel.workspace.workspace import Workspace, share

Reply: TypeAlias = dict[str, Any]

NAME = "rh"
"""What the session is called in Python."""
DRAWING = "module://matplotlib_inline.backend_inline"
"""Where Matplotlib draws: into the notebook."""
COLLECTING = (700, 10, 10)
"""How often Python looks for cycles; figures are full of them, while the kernel rarely looks."""
QUIET = ("ignore", None, Warning, None, 0)
"""The filter by which the kernel keeps warnings of libraries from cells in the language."""


class Python:
    """The Python of a notebook. ``workspace`` is what it knows as ``rh``; ``widgets`` are those of all cells."""

    def __init__(self, kernel: Any, workspace: Workspace, widgets: Widgets) -> None:
        self._kernel = kernel
        self._workspace = workspace
        self._widgets = widgets
        self._shell: ZMQInteractiveShell | None = None
        self._running = False
        self._threshold = COLLECTING
        self._filters = [f for f in warnings.filters if f != QUIET]

    def set_parent(self, parent: Any) -> None:
        """What is shown from now on belongs to the request ``parent``."""
        if self._shell is not None:
            self._shell.set_parent(parent)

    def guarded(self, handler: Callable[..., object]) -> Callable[..., object]:
        """The handler of what a widget says, which may be answered by Python of the user, and for ever."""
        broken_off = breakable(handler)

        def handle(*message: Any) -> object:
            return handler(*message) if self._shell is None else broken_off(*message)

        return handle

    async def run(
        self, body: str, number: int, cell: str, *, silent: bool, stored: bool
    ) -> tuple[Content | None, list[dict[str, Any]]]:
        """Run a cell: what went wrong, and what the cell asks of the front end. What it shows is shown meanwhile."""
        if self._running:
            # In a subshell: one shell takes one cell at a time.
            error = occupied(Busy())
            if not silent:
                self._kernel.send_response(self._kernel.iopub_socket, "error", error)
            return error, []
        breaks = Breaks()
        with breaks.watched():
            # Making the shell takes a moment, and an interrupt waits for its end.
            shell = self._made()
            shell.user_ns.setdefault(NAME, self._workspace)
            ALLOWANCE.follow(self._workspace.session.settings.bounds.output)
            with self._as_in_python(silent=silent):
                try:
                    error = await breaks.follow(shell.take(body, number, silent=silent, stored=stored, cell=cell))
                except (Exception, KeyboardInterrupt) as exception:  # not in what the cell says, but beside it
                    error = shell.tell(exception)
        return error, shell.payload()

    def complete(self, text: str, start: int, cursor: int) -> Reply:
        """What fits before the cursor, in a cell whose Python begins at ``start``."""
        return complete(self._made(), text, start, cursor)

    def inspect(self, text: str, start: int, cursor: int, detail_level: int, omit_sections: Any) -> Reply:
        """What is known of the name at the cursor."""
        return inspect(self._made(), text, start, cursor, detail_level, omit_sections)

    def is_complete(self, body: str) -> Reply:
        """Whether Enter should run the cell, and if not how far the next line is indented."""
        return is_complete(self._made(), body)

    def _made(self) -> ZMQInteractiveShell:
        if self._shell is None:
            os.environ.setdefault("MPLBACKEND", DRAWING)
            with self._warning():
                self._shell = made(self._kernel)
            self._shell.set_parent(self._kernel.get_parent())
            share(self._shell, self._workspace)
            share_widgets(self._shell, self._widgets)
        return self._shell

    @contextmanager
    def _as_in_python(self, *, silent: bool) -> Generator[None]:
        """Inside, ``input`` asks the front end, cycles are collected, warnings are shown, and a silent cell shows nothing."""
        self._running, threshold = True, gc.get_threshold()
        gc.set_threshold(*self._threshold)
        asked, asked_secretly = builtins.input, getpass.getpass
        builtins.input, getpass.getpass = self._kernel.raw_input, self._kernel.getpass
        if silent:
            ALLOWANCE.silent = request_of(self._kernel.get_parent()["header"])
        try:
            with self._warning():
                yield
        finally:
            self._running, ALLOWANCE.silent, self._threshold = False, None, gc.get_threshold()
            gc.set_threshold(*threshold)
            builtins.input, getpass.getpass = asked, asked_secretly

    @contextmanager
    def _warning(self) -> Generator[None]:
        """Inside, warnings are shown as Python does and as earlier cells have asked for."""
        with warnings.catch_warnings():
            warnings.resetwarnings()
            cast(list[Any], warnings.filters)[:] = self._filters
            try:
                yield
            finally:
                self._filters = [*warnings.filters]
