"""``%%python``: an ordinary IPython cell in the kernel's process, where ``rh`` is the session (LANGUAGE §6).

The shell has no terminal, no history file and no start-up files; it is created for the first cell that needs it. If a cell
raises, its earlier calls of ``rh`` stay in effect: each of them is atomic by itself.
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
from rh_kernel.kernel.python_cells.interrupts import InterruptHandler, interruptible
from rh_kernel.kernel.python_cells.requests import complete, inspect, is_complete
from rh_kernel.kernel.python_cells.shell import ZMQInteractiveShell, create_shell
from rh_kernel.kernel.python_cells.streams import ALLOWANCE, request_of
from rh_kernel.workspace.errors import Busy
from rh_kernel.workspace.ipython_display import share_widgets
from rh_kernel.workspace.widgets import Widgets
from rh_kernel.workspace.workspace import Workspace, share

Reply: TypeAlias = dict[str, Any]

NAME = "rh"
"""The name of the session in Python."""
DRAWING = "module://matplotlib_inline.backend_inline"
"""The Matplotlib backend that draws into the notebook."""
COLLECTING = (700, 10, 10)
"""Thresholds of Python's cycle collector in Python cells: figures are full of cycles, the kernel's own data has none."""
QUIET = ("ignore", None, Warning, None, 0)
"""The filter that suppresses warnings of libraries outside Python cells."""


class Python:
    """The Python shell of a notebook. ``workspace`` is its ``rh``; ``widgets`` are those of all cells."""

    def __init__(self, kernel: Any, workspace: Workspace, widgets: Widgets) -> None:
        self._kernel = kernel
        self._workspace = workspace
        self._widgets = widgets
        self._shell: ZMQInteractiveShell | None = None
        self._running = False
        self._threshold = COLLECTING
        self._filters = [f for f in warnings.filters if f != QUIET]

    def set_parent(self, parent: Any) -> None:
        """Attribute output from now on to the request ``parent``."""
        if self._shell is not None:
            self._shell.set_parent(parent)

    def guarded(self, handler: Callable[..., object]) -> Callable[..., object]:
        """Make the handler of a widget message interruptible once there is a shell, since it may then run the user's code."""
        guarded = interruptible(handler)

        def handle(*message: Any) -> object:
            return handler(*message) if self._shell is None else guarded(*message)

        return handle

    async def run(
        self, body: str, number: int, cell: str, *, silent: bool, stored: bool
    ) -> tuple[Content | None, list[dict[str, Any]]]:
        """Run a cell. Returns its error, if any, and its payload for the front end; outputs are sent as they come."""
        if self._running:
            # Called from a subshell: the shell runs one cell at a time.
            error = occupied(Busy())
            if not silent:
                self._kernel.send_response(self._kernel.iopub_socket, "error", error)
            return error, []
        interrupts = InterruptHandler()
        with interrupts.watched():
            # Creating the shell takes a moment; an interrupt is deferred until it exists.
            shell = self._ensure_shell()
            shell.user_ns.setdefault(NAME, self._workspace)
            ALLOWANCE.set_limit(self._workspace.session.settings.bounds.output)
            with self._python_environment(silent=silent):
                try:
                    error = await interrupts.run_async(
                        shell.run_cell_body(body, number, silent=silent, stored=stored, cell=cell)
                    )
                except (Exception, KeyboardInterrupt) as exception:  # not in the cell's own code, but around it
                    error = shell.show_error(exception)
        return error, shell.payload()

    def complete(self, text: str, start: int, cursor: int) -> Reply:
        """Complete at the cursor, in a cell whose Python begins at ``start``."""
        return complete(self._ensure_shell(), text, start, cursor)

    def inspect(self, text: str, start: int, cursor: int, detail_level: int, omit_sections: Any) -> Reply:
        """Describe the name at the cursor."""
        return inspect(self._ensure_shell(), text, start, cursor, detail_level, omit_sections)

    def is_complete(self, body: str) -> Reply:
        """Return whether Enter should run the cell, and if not how to indent the next line."""
        return is_complete(self._ensure_shell(), body)

    def _ensure_shell(self) -> ZMQInteractiveShell:
        if self._shell is None:
            os.environ.setdefault("MPLBACKEND", DRAWING)
            with self._python_warnings():
                self._shell = create_shell(self._kernel)
            self._shell.set_parent(self._kernel.get_parent())
            share(self._shell, self._workspace)
            share_widgets(self._shell, self._widgets)
        return self._shell

    @contextmanager
    def _python_environment(self, *, silent: bool) -> Generator[None]:
        """Inside, ``input`` asks the front end, cycles are collected, warnings are shown, and a silent cell prints nothing."""
        self._running, threshold = True, gc.get_threshold()
        gc.set_threshold(*self._threshold)
        old_input, old_getpass = builtins.input, getpass.getpass
        builtins.input, getpass.getpass = self._kernel.raw_input, self._kernel.getpass
        if silent:
            ALLOWANCE.silent = request_of(self._kernel.get_parent()["header"])
        try:
            with self._python_warnings():
                yield
        finally:
            self._running, ALLOWANCE.silent, self._threshold = False, None, gc.get_threshold()
            gc.set_threshold(*threshold)
            builtins.input, getpass.getpass = old_input, old_getpass

    @contextmanager
    def _python_warnings(self) -> Generator[None]:
        """Inside, warnings are shown as usual in Python, with the filters that earlier cells have set."""
        with warnings.catch_warnings():
            warnings.resetwarnings()
            cast(list[Any], warnings.filters)[:] = self._filters
            try:
                yield
            finally:
                self._filters = [*warnings.filters]
