"""The kernel: Jupyter's ``execute``, ``complete``, ``inspect``, ``is_complete`` and ``history`` requests, and comms."""

import asyncio
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from typing import Any, cast

from ipykernel._version import kernel_protocol_version
from ipykernel.iostream import OutStream
from ipykernel.kernelbase import Kernel
from traitlets import List

from rh_kernel.display.fault import fault
from rh_kernel.display.registry import bundle
from rh_kernel.kernel.comms import MESSAGES, manager
from rh_kernel.kernel.completeness import completeness
from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.error_replies import answering, refuse
from rh_kernel.kernel.errors import Content, failed, faulty, interrupted, malformed, occupied
from rh_kernel.kernel.history import Cell, History, history_file
from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.kernel.language_info import LANGUAGE_INFO, VERSION
from rh_kernel.kernel.linting import TARGET, listener
from rh_kernel.kernel.python_cells.python import Python
from rh_kernel.kernel.requests import Malformed, well_formed
from rh_kernel.kernel.time_slicing import drive
from rh_kernel.session.results import Event, ItemFailed, Result, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.diagnostic import Failure
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.lexer import python_starts
from rh_kernel.workspace.errors import Busy
from rh_kernel.workspace.interrupts import Interrupts
from rh_kernel.workspace.knobs import Knobs
from rh_kernel.workspace.outputs import Bundle, Outputs, static_only
from rh_kernel.workspace.widgets import Widgets
from rh_kernel.workspace.workspace import Workspace

Reply = dict[str, Any]

PAPER = "https://arxiv.org/abs/2602.18090"
RELEASE_DELAY = 0.2
"""Seconds after an interrupt until the interrupted computation's memory is released."""


class RHKernel(Kernel):
    """One session, one cell at a time. A cell that fails or is interrupted leaves the session as it was."""

    implementation = "rh_kernel"
    implementation_version = VERSION
    banner = f"rh_kernel {VERSION}: reverse handlers for arrows. %help lists the directives."
    language_info = LANGUAGE_INFO

    help_links = List([{"text": "The paper on reverse handlers", "url": PAPER}])

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.workspace = Workspace()
        self._history = History(history_file())
        self._widgets = Widgets()
        self._knobs = Knobs(self.workspace, self._update_output)
        self._python = Python(self, self.workspace, self._widgets)
        self.comm_manager = manager()
        self.comm_manager.register_target(TARGET, listener(lambda: self.rh))
        for handlers in cast(tuple[dict[str, Any], ...], (self.shell_handlers, self.control_handlers)):
            for request, handler in handlers.items():
                handlers[request] = answering(self, handler, VERSION)
        for message in MESSAGES:
            self.shell_handlers[message] = self._python.guarded(getattr(self.comm_manager, message))

    @property
    def rh(self) -> Session:
        """The current session; ``rh`` in Python is a view of it."""
        return self.workspace.session

    @property
    def kernel_info(self) -> dict[str, Any]:
        """What a ``kernel_info_reply`` says. There is no debugger, and subshells exist but are not advertised.

        Otherwise JupyterLab would send widget messages through a subshell and take their end for the end of the cell. The base
        class is not asked: it would import debugpy, which is 8 MB and a tenth of a second, to see whether it is there.
        """
        return {
            "protocol_version": kernel_protocol_version,
            "implementation": self.implementation,
            "implementation_version": self.implementation_version,
            "language_info": self.language_info,
            "banner": self.banner,
            "help_links": self.help_links,
            "supported_features": [],
        }

    def set_parent(self, ident: Any, parent: Any, channel: str = "shell") -> None:
        """Attribute printed output to the request that is being served."""
        super().set_parent(ident, parent, channel)
        if channel == "shell":
            self._python.set_parent(parent)
            for stream in (sys.stdout, sys.stderr):
                if isinstance(stream, OutStream):
                    stream.set_parent(parent)

    async def shell_main(self, subshell_id: str | None, msg: Any) -> None:
        """Serve requests one at a time, except that widget messages are served at once while a cell runs.

        The base class would serve them concurrently with the cell and then lose track of which request is the current one.
        """
        if subshell_id is None and self._main_asyncio_lock.locked() and self._message_type(msg) in MESSAGES:
            self._serve_widget_message(msg)
        else:
            await super().shell_main(subshell_id, msg)

    def _message_type(self, msg: Any) -> str:
        """The type of a raw message from the socket."""
        session: Any = self.session
        try:
            _, frames = session.feed_identities(msg, copy=False)
            return session.deserialize(frames, content=False, copy=False)["header"]["msg_type"]
        except (ValueError, TypeError, KeyError):
            return ""

    def _serve_widget_message(self, msg: Any) -> None:
        """Pass a message on to its widget, with ``busy`` and ``idle`` of its own; afterwards the cell is ``busy`` again."""
        session, running = cast(Any, self.session), self.get_parent("shell")
        try:
            idents, frames = session.feed_identities(msg, copy=False)
            message = session.deserialize(frames, copy=False)
            self._publish_status("busy", "shell", parent=message)
            self.shell_handlers[message["msg_type"]](None, idents, message)
            self._publish_status("idle", "shell", parent=message)
        except Exception:
            self.log.exception("A message of a widget could not be served")
        self._publish_status("busy", "shell", parent=running)

    def should_handle(self, stream: Any, msg: Any, idents: Any) -> Any:
        """Whether to serve a request; a malformed one is answered here."""
        request = msg["header"]["msg_type"]
        try:
            msg["content"] = well_formed(request, msg["content"])
            if request not in self.shell_handlers:
                raise Malformed(f"{request}: the shell channel does not know this type of message")
        except Malformed as wrong:
            if request.endswith("_request"):
                refuse(self, stream, idents, msg, malformed(wrong))
            return False
        return super().should_handle(stream, msg, idents)

    def pre_handler_hook(self) -> None:
        """Keep ignoring SIGINT while no cell runs: between two messages it would end the process."""

    def post_handler_hook(self) -> None:
        """Nothing to restore."""

    async def do_execute(
        self,
        code: str,
        silent: bool,
        store_history: bool = True,
        user_expressions: Mapping[str, str] | None = None,
        allow_stdin: bool = False,
        *,
        cell_meta: Any = None,
        cell_id: str | None = None,
    ) -> Reply:
        """Run a cell and return the reply, with status ``ok`` or ``error``."""
        number = self.execution_count
        # The cell id comes from the client, and can be any JSON value.
        cell = cell_id if isinstance(cell_id, str) and not silent else ""
        self._allow_stdin = allow_stdin
        start = python_starts(code)
        value, payload = None, list[dict[str, Any]]()
        if start is None:
            error, value = await self._run(Source(f"cell {number}", code), cell, silent=silent)
        else:
            if cell:
                # An earlier version of this cell may have been in the language; withdraw its declarations.
                await self._run(Source(f"cell {number}", ""), cell, silent=silent)
            elif not silent:
                self._widgets.clear(f"{number}")
            error, payload = await self._python.run(code[start:], number, cell, silent=silent, stored=store_history)
        expressions = await self._evaluate(user_expressions or {}) if error is None else {}
        if store_history and not silent:
            self._history.add(Cell(number, code, value))
        elif not silent:
            self.execution_count = number - 1
        if error is not None:
            return {"status": "error", "execution_count": number, "payload": payload, **error}
        return {"status": "ok", "execution_count": number, "payload": payload, "user_expressions": expressions}

    async def _run(self, source: Source, cell: str, *, silent: bool) -> tuple[Content | None, str | None]:
        """Run a cell in the language. Returns its error, if any, and the text of the value it ends in."""
        outputs = self._outputs(self.execution_count, cell or f"{self.execution_count}", silent=silent)
        interrupts = Interrupts()
        with interrupts.watched(), nullcontext() if silent else outputs.alive():
            error = await self._process(source, cell, outputs, interrupts)
        self._knobs.renew()
        if error is not None and not silent:
            self._send_output("error", error)
        return error, outputs.value

    def _outputs(self, number: int, cell: str, *, silent: bool) -> Outputs:
        """Return the outputs of a cell, with a widget for each result that has a view."""
        if silent:
            return Outputs(self._discard_output, number, time.monotonic, static_only)
        self._widgets.clear(cell)
        self._knobs.clear(cell)
        limit, display_of = self.rh.settings.bounds.output, partial(self._knobs.display_of, cell)
        return Outputs(self._send_output, number, time.monotonic, self._knobs.adding(self._widgets, cell), limit, display_of)

    async def _process(self, source: Source, cell: str, outputs: Outputs, interrupts: Interrupts) -> Content | None:
        """Process the events of ``source`` and keep its session if it succeeds; otherwise return the error."""
        before = self.rh
        try:
            with self.workspace.changing() as put:
                put(await drive(execute(before, source, cell=cell), outputs.take, interrupts))
        except KeyboardInterrupt as stop:
            # The traceback keeps the interrupted computation alive, which may be large; drop it once the front end is told.
            asyncio.get_running_loop().call_later(RELEASE_DELAY, stop.with_traceback, None)
            outputs.abandon("interrupted")
            return interrupted(kept=False)
        except Busy as busy:
            outputs.abandon("failed")
            return occupied(busy)
        except Failure as failure:  # too many outputs
            outputs.abandon("failed")
            return failed(failure.diagnostics, undone=outputs.has_shown)
        except Exception as exception:
            outputs.abandon("failed")
            return faulty(fault(exception, VERSION))
        if interrupts.delivered:
            outputs.abandon("interrupted")
            return interrupted(kept=self.rh is not before)
        if outputs.diagnostics:
            outputs.abandon("failed")
            return failed(outputs.diagnostics, undone=outputs.has_shown)
        outputs.finish()
        return None

    async def _evaluate(self, expressions: Mapping[str, str]) -> Reply:
        """Evaluate the ``user_expressions`` of a request; they change nothing."""
        replies: Reply = {}
        for name, text in expressions.items():
            found: list[Result] = []

            def take(event: Event, found: list[Result] = found) -> None:
                if isinstance(event, Shown):
                    found.append(event.result)

            interrupts = Interrupts()
            try:
                with interrupts.watched():
                    await drive(execute(self.rh, Source(name, text)), take, interrupts)
                replies[name] = _expression(found)
            except KeyboardInterrupt:
                replies[name] = {"status": "error", **interrupted(kept=False)}
            except Exception as exception:
                replies[name] = {"status": "error", **faulty(fault(exception, VERSION))}
        return replies

    async def do_complete(self, code: str, cursor_pos: int) -> Reply:
        """Complete the word before the cursor."""
        python, cursor_pos = python_starts(code), min(max(cursor_pos, 0), len(code))
        if python is not None and python <= cursor_pos:
            return self._python.complete(code, python, cursor_pos)
        start, found = completions(self.rh, code, cursor_pos)
        types = [{"text": c.text, "type": c.kind, "start": start, "end": cursor_pos, "signature": c.signature} for c in found]
        return {
            "status": "ok",
            "matches": [c.text for c in found],
            "cursor_start": start,
            "cursor_end": cursor_pos,
            "metadata": {"_jupyter_types_experimental": types},
        }

    async def do_inspect(self, code: str, cursor_pos: int, detail_level: int = 0, omit_sections: Any = ()) -> Reply:
        """Return the type and the documentation of the name at the cursor."""
        python, cursor_pos = python_starts(code), min(max(cursor_pos, 0), len(code))
        if python is not None and python <= cursor_pos:
            return self._python.inspect(code, python, cursor_pos, detail_level, omit_sections)
        data = inspection(self.rh, code, cursor_pos, detail_level)
        return {"status": "ok", "found": data is not None, "data": dict(data or {}), "metadata": {}}

    async def do_is_complete(self, code: str) -> Reply:
        """Return whether Enter should run the text, and otherwise the indentation of the next line."""
        python = python_starts(code)
        if python is not None:
            return self._python.is_complete(code[python:])
        status, indent = completeness(code)
        return {"status": status, "indent": indent} if status == "incomplete" else {"status": status}

    async def do_history(
        self,
        hist_access_type: str,
        output: bool = False,
        raw: bool = True,
        session: int | None = None,
        start: int | None = None,
        stop: int | None = None,
        n: int | None = None,
        pattern: str | None = None,
        unique: bool = False,
    ) -> Reply:
        """Return cells that were run."""
        match hist_access_type:
            case "tail":
                found = self._history.tail(n or 0, output=output)
            case "range":
                found = self._history.between(session or 0, start or 0, stop, output=output)
            case _:
                found = self._history.search(pattern or "*", n, output=output, unique=unique)
        return {"status": "ok", "history": found}

    async def do_debug_request(self, msg: Any) -> Reply:
        """Decline: there is no debugger, and ``kernel_info`` does not advertise one."""
        del msg
        return {"type": "response", "success": False, "message": "this kernel has no debugger"}

    def _send_output(self, message: str, content: Mapping[str, Any]) -> None:
        self.send_response(self.iopub_socket, message, dict(content))

    def _update_output(self, display: str, data: Bundle) -> None:
        """Replace what is shown under a display id."""
        content = {"data": dict(data), "metadata": {}, "transient": {"display_id": display}}
        self._send_output("update_display_data", content)

    def _discard_output(self, message: str, content: Mapping[str, Any]) -> None:
        """Discard the output of a silent cell."""


def _expression(found: list[Result]) -> Reply:
    match found:
        case [*_, ItemFailed(diagnostics)]:
            return {"status": "error", **failed(diagnostics)}
        case [*_, last]:
            return {"status": "ok", "data": dict(bundle(last)), "metadata": {}}
        case _:
            return {"status": "ok", "data": {}, "metadata": {}}
