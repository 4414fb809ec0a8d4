"""``%load_ext rh_kernel``: the magics ``%%rh`` and ``%rh``, and the variable ``rh`` for their workspace."""

from collections.abc import Callable
from typing import Any, Protocol

from rh_kernel.notebook.cells import run_cell
from rh_kernel.notebook.completion import NAME, attach
from rh_kernel.notebook.jupyterlite import skip_cell_transform
from rh_kernel.session.results import Result
from rh_kernel.source.span import Source
from rh_kernel.workspace.ipython_display import Shell, knobs_of, share_knobs, updater
from rh_kernel.workspace.knobs import Knobs
from rh_kernel.workspace.outcome import Outcome
from rh_kernel.workspace.workspace import workspace_of


class Extensible(Shell, Protocol):
    """The part of IPython's shell needed to register a magic."""

    Completer: "Matching"
    events: "Events"

    def register_magic_function(self, func: Callable[..., object], magic_kind: str, magic_name: str) -> None:
        """Register ``func`` as a magic."""
        ...


class Events(Protocol):
    """The part of IPython's events used here."""

    def register(self, event: str, function: Callable[[object], None]) -> None:
        """Call a function whenever the event happens."""
        ...


class Matching(Protocol):
    """The part of IPython's completer used here."""

    custom_matchers: list[Any]


def load(where: Extensible) -> None:
    """Register the magics in a shell; bind ``rh`` to the workspace unless that name is already in use."""
    where.register_magic_function(magic(where), "line_cell", NAME)
    attach(where, where.Completer.custom_matchers)
    skip_cell_transform(where)
    workspace = workspace_of(where)
    where.user_ns.setdefault(NAME, workspace)
    if knobs_of(where) is None:
        knobs = Knobs(workspace, updater(where))
        share_knobs(where, knobs)
        # Python can change names as well, by `rh.const` and `rh.run`.
        where.events.register("post_run_cell", lambda _result: knobs.renew())


def magic(where: Shell) -> Callable[..., Outcome[Result] | None]:
    """Return the magic of a shell: ``%rh return 1 + 2``, and ``%%rh`` above a program."""
    from IPython.core.magic import no_var_expand

    def rh(line: str, cell: str = "") -> Outcome[Result] | None:
        """Run a program of the language of reverse handlers: as a whole, or not at all if something in it is wrong."""
        # Keep the line of `%%rh`, so that line numbers in diagnostics are those of the cell.
        source = Source(f"cell {where.execution_count}", f"{line}\n{cell}")
        return run_cell(workspace_of(where), source, where)

    # Otherwise IPython would substitute Python variables for `{x}` and `$x`.
    return no_var_expand(rh)
