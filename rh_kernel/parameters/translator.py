"""papermill's parameters: ``papermill in.ipynb out.ipynb -p alpha 0.1`` declares them in the language.

papermill has no place where a translator is registered from outside. It loads the entry points of the group
``papermill.engine`` while it is imported, so ours, the attribute ``engine`` of this module, registers the translator too.
"""

from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from rh_kernel.display.diagnostics import text
from rh_kernel.parameters.declarations import Declared, declarations, declared_in
from rh_kernel.source.diagnostic import Rejected

if TYPE_CHECKING:
    from papermill.models import Parameter

LANGUAGE = "rh"

# papermill shows the cell with the parameters to one method and asks another for the declarations.
_declared: ContextVar[tuple[Declared, ...]] = ContextVar("declared", default=())


class Refused(ValueError):
    """A parameter that the language has no name or no value for; the message is what the command line would print."""


class Translator:
    """What papermill asks about the language. It does so by class, and knows its methods by name."""

    @classmethod
    def inspect(cls, parameters_cell: Mapping[str, Any]) -> "list[Parameter]":
        """The parameters that the cell with the tag ``parameters`` declares: for ``--help-notebook``, and for ``codify``."""
        from papermill.models import Parameter

        declared = declared_in(parameters_cell["source"])
        _declared.set(declared)
        return [Parameter(d.name, d.type or ("dim" if d.word == "dim" else "None"), d.value, d.comment) for d in declared]

    @classmethod
    def codify(cls, parameters: Mapping[str, object], comment: str = "Parameters") -> str:
        """The cell that is put behind the one with the tag. Raises ``Refused``."""
        declared = _declared.get()
        _declared.set(())
        try:
            items = declarations(parameters, declared)
        except Rejected as rejected:
            raise Refused("\n".join([text(d) for d in rejected.diagnostics])) from None
        return f"# {comment}\n{items}\n"


def __getattr__(name: str) -> type:
    """``engine``: papermill's own engine, which it loads from here before it looks for a translator."""
    if name != "engine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # papermill may be in the middle of its own import: both modules have these names by then.
    from papermill.engines import NBClientEngine
    from papermill.translators import papermill_translators

    papermill_translators.register(LANGUAGE, Translator)
    return NBClientEngine
