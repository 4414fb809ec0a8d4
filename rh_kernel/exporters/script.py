"""``jupyter nbconvert --to script lesson.ipynb``: a notebook as a program for ``rh run``, with everything else as comments."""

from copy import deepcopy
from typing import Any

from nbconvert.exporters.templateexporter import TemplateExporter
from traitlets import default

from rh_kernel.exporters.static_pages import LOCKED, Notebook
from rh_kernel.syntax.parsing.lexer import python_starts

FAILS = "raises-exception"
"""The tag of a cell that may fail without ending a run of all cells."""


class RHScriptExporter(TemplateExporter):
    """Exports RH notebooks as ``.rh`` files."""

    export_from_notebook = "RH program"
    output_mimetype = "text/plain"

    @default("file_extension")
    def _extension_of_ours(self) -> str:
        return ".rh"

    @default("template_name")
    def _template_of_scripts(self) -> str:
        return "script"

    @default("template_file")
    def _file_of_scripts(self) -> str:
        return "script.j2"

    def from_notebook_node(
        self, nb: Notebook, resources: dict[str, Any] | None = None, **options: object
    ) -> tuple[str, dict[str, Any]]:
        """Return the program and nbconvert's resources."""
        text, kept = super().from_notebook_node(program(nb), resources, **options)
        return text.strip("\n") + "\n", kept


def program(notebook: Notebook) -> Notebook:
    """Return a copy of the notebook that has only code cells.

    Python cells become comments like the prose, and so do cells that fail: they would have no effect.
    """
    made = deepcopy(notebook)
    for cell in made.cells:
        runs = cell.cell_type == "code" and python_starts(cell.source) is None and not _fails(cell)
        cell.source = ended(cell.source.rstrip()) if runs else commented(cell.source)
        if cell.cell_type == "markdown":
            cell.update(cell_type="code", outputs=[], execution_count=None)
    return made


def _fails(cell: Notebook) -> bool:
    """Whether a code cell is expected to fail: it has the tag, and it has not been run without an error."""
    succeeded = cell.get("execution_count") is not None and all(output.output_type != "error" for output in cell.outputs)
    return FAILS in cell.metadata.get("tags", []) and not succeeded


def ended(text: str) -> str:
    """Return the text of a cell, unlocking at its end: a file has no cell boundaries."""
    return f"{text}\n%locked off" if LOCKED.search(text) else text


def commented(text: str) -> str:
    """Return the text with every line as a comment."""
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())
