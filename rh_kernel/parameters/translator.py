"""A translator for papermill: ``papermill in.ipynb out.ipynb -p alpha 0.1`` declares the parameters in the language.

papermill has no entry points for translators. But it loads those of the group ``papermill.engine`` when it is imported, so
the attribute ``engine`` of this module registers the translator.
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

# papermill passes the cell with the parameters to one class method and asks another for the declarations.
_declared: ContextVar[tuple[Declared, ...]] = ContextVar("declared", default=())


class Refused(ValueError):
    """An invalid name or value of a parameter; the message is the diagnostics, as the command line prints them."""


class Translator:
    """Implements papermill's interface of translators, which consists of class methods."""

    @classmethod
    def inspect(cls, parameters_cell: Mapping[str, Any]) -> "list[Parameter]":
        """Return the parameters that the cell tagged ``parameters`` declares, for ``--help-notebook`` and for ``codify``."""
        from papermill.models import Parameter

        declared = declared_in(parameters_cell["source"])
        _declared.set(declared)
        return [Parameter(d.name, d.type or ("dim" if d.word == "dim" else "None"), d.value, d.comment) for d in declared]

    @classmethod
    def codify(cls, parameters: Mapping[str, object], comment: str = "Parameters") -> str:
        """Return the cell to insert after the tagged one. Raises ``Refused``."""
        declared = _declared.get()
        _declared.set(())
        try:
            items = declarations(parameters, declared)
        except Rejected as rejected:
            raise Refused("\n".join([text(d) for d in rejected.diagnostics])) from None
        return f"# {comment}\n{items}\n"


def __getattr__(name: str) -> type:
    """Return papermill's own engine as ``engine``, and register the translator."""
    if name != "engine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # papermill may still be importing itself, but these two modules are complete by then.
    from papermill.engines import NBClientEngine
    from papermill.translators import papermill_translators

    papermill_translators.register(LANGUAGE, Translator)
    return NBClientEngine
