"""``%load_ext rh_kernel``: the magics ``%%rh`` and ``%rh``, and ``rh`` as the name of the session that they work in."""

from collections.abc import Callable
from typing import Any, Protocol

from rh_kernel.notebook.cells import run_cell
from rh_kernel.notebook.completing import NAME, attach
from rh_kernel.notebook.page import spare
from rh_kernel.session.results import Result
from rh_kernel.source.span import Source
from rh_kernel.workspace.outcome import Outcome
from rh_kernel.workspace.showing import Shell
from rh_kernel.workspace.workspace import workspace_of


class Extensible(Shell, Protocol):
    """What is used of IPython's shell to make a magic."""

    Completer: "Matching"

    def register_magic_function(self, func: Callable[..., object], magic_kind: str, magic_name: str) -> None:
        """Make ``func`` a magic."""
        ...


class Matching(Protocol):
    """What is used of IPython's completer."""

    custom_matchers: list[Any]


def load(where: Extensible) -> None:
    """Make the magics in a shell; ``rh`` is given to Python unless that is the name of something there."""
    where.register_magic_function(magic(where), "line_cell", NAME)
    attach(where, where.Completer.custom_matchers)
    spare(where)
    where.user_ns.setdefault(NAME, workspace_of(where))


def magic(where: Shell) -> Callable[..., Outcome[Result] | None]:
    """The magic of a shell: ``%rh return 1 + 2``, and ``%%rh`` above a program."""
    from IPython.core.magic import no_var_expand

    def rh(line: str, cell: str = "") -> Outcome[Result] | None:
        """Run a program of the language of reverse handlers: as a whole, or not at all if something in it is wrong."""
        # The line of `%%rh` counts, so that the lines of a complaint are those of the cell.
        source = Source(f"cell {where.execution_count}", f"{line}\n{cell}")
        return run_cell(workspace_of(where), source, where)

    # IPython would put Python's variables for `{x}` and `$x`.
    return no_var_expand(rh)
