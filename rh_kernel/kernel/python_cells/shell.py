"""The IPython shell of the Python cells: headless, with its outputs sent to the notebook."""

from typing import Any, TypeAlias, cast

from ipykernel import zmqshell
from ipykernel.displayhook import ZMQShellDisplayHook
from traitlets import Type

from rh_kernel.kernel.errors import Content
from rh_kernel.kernel.python_cells.streams import ALLOWANCE, request_of
from rh_kernel.workspace.ipython_display import clear_widgets

Payload: TypeAlias = list[dict[str, Any]]
"""Requests of a cell to the front end, such as showing a page of help or filling in the next cell."""


class Results(ZMQShellDisplayHook):
    """Displays the value that a cell ends in, under the cell's number even if the cell is not stored in the history."""

    number = 0

    @property
    def prompt_count(self) -> int:
        """The number of the cell."""
        return self.number


class Publisher(zmqshell.ZMQDisplayPublisher):
    """Publishes displayed objects unless the cell is silent."""

    def publish(self, data: Any, metadata: Any = None, **options: Any) -> None:
        """Publish a MIME bundle."""
        if request_of(self.parent_header) != ALLOWANCE.silent:
            super().publish(data, metadata, **options)

    def clear_output(self, wait: bool = False) -> None:
        """Clear the outputs of the cell."""
        ALLOWANCE.reset(request_of(self.parent_header))
        super().clear_output(wait)
        clear_widgets(cast(object, self.shell), wait=wait)


class ZMQInteractiveShell(zmqshell.ZMQInteractiveShell):
    """The shell. Keeps the name of its base class, by which libraries recognise that they run in a notebook."""

    displayhook_class = Type(Results)
    display_pub_class = Type(Publisher)
    _shown_error: Content | None = None
    """The cell's error once it has been shown."""

    def _showtraceback(self, etype: type[BaseException], evalue: object, stb: list[str]) -> None:
        self._record_error(etype, evalue, stb)

    def _record_error(self, etype: type[BaseException], evalue: object, stb: list[str]) -> Content:
        """Show an error unless the cell is silent."""
        self._shown_error = {"ename": etype.__name__, "evalue": _text(evalue), "traceback": stb}
        if request_of(cast(Any, self.displayhook).parent_header) != ALLOWANCE.silent:
            super()._showtraceback(etype, self._shown_error["evalue"], stb)
        return self._shown_error

    async def run_cell_body(self, body: str, number: int, *, silent: bool, stored: bool, cell: str) -> Content | None:
        """Run a cell, without its first line, and return its error, which has been shown by then."""
        shell = cast(Any, self)
        shell.displayhook.number = shell.execution_count = number
        inputs: list[str] = shell.history_manager.input_hist_parsed
        for kept in (inputs, shell.history_manager.input_hist_raw):
            # Cells in the language count too: `In[3]` is cell 3.
            kept.extend([""] * (number - len(kept)))
        self._shown_error, self._last_traceback_during_displayhook = None, False
        transformed, error = body, None
        try:
            # Add the first line back, so that line numbers in tracebacks are those of the cell.
            transformed = "\n" + shell.transform_cell(body)
        except Exception as exception:
            error = (type(exception), exception, exception.__traceback__)
        options = {"transformed_cell": transformed, "preprocessing_exc_tuple": error, "cell_id": cell}
        result: Any = None
        try:
            result = await shell.run_cell_async(body, store_history=stored, silent=silent, **options)
        finally:
            inputs[number:] = [text.removeprefix("\n") for text in inputs[number:]]
            shell.events.trigger("post_execute")
            if not silent:
                shell.events.trigger("post_run_cell", result)
        wrong: BaseException | None = result.error_before_exec or result.error_in_exec
        if wrong is not None:
            # IPython has already printed an exception group, and reports nothing else about it.
            shown = self._shown_error or self._record_error(type(wrong), wrong, [])
            return {**shown, "ename": type(wrong).__name__, "evalue": _text(wrong)}
        # A value that cannot be displayed is an error too.
        return self._shown_error if self._last_traceback_during_displayhook else None

    def show_error(self, wrong: BaseException) -> Content:
        """Return an error from outside the cell's code as content; show it unless the cell's own error has been shown."""
        if self._shown_error is None:
            cast(Any, self).showtraceback((type(wrong), wrong, wrong.__traceback__))
        return self._shown_error or self._record_error(type(wrong), wrong, [])

    def payload(self) -> Payload:
        """Return and clear what the cell has asked of the front end."""
        manager = cast(Any, self.payload_manager)
        asked = manager.read_payload()
        manager.clear_payload()
        return asked


def create_shell(kernel: Any) -> ZMQInteractiveShell:
    """Create the shell of a kernel, configured like any notebook's, but without a history file."""
    config = kernel.config.copy()
    config.HistoryManager.enabled = False
    config.HistoryManager.hist_file = ":memory:"
    shell = ZMQInteractiveShell.instance(parent=kernel, config=config, kernel=kernel, profile_dir=kernel.profile_dir)
    for hook in (cast(Any, shell.displayhook), cast(Any, shell.display_pub)):
        hook.session, hook.pub_socket = kernel.session, kernel.iopub_socket
    return shell


def _text(wrong: object) -> str:
    """The text of an exception, even if its ``__str__`` raises."""
    try:
        return str(wrong)
    except Exception:
        return f"<{type(wrong).__name__} without a text>"
