"""``jupyter nbconvert --to script lesson.ipynb``: a notebook as a program for ``rh run``, the rest of it as comments."""

from copy import deepcopy
from typing import Any

from nbconvert.exporters.templateexporter import TemplateExporter
from traitlets import default

from rh_kernel.export.pages import LOCKED, Notebook
from rh_kernel.syntax.parsing.lexer import python_starts

FAILS = "raises-exception"
"""The tag of a cell that may fail without ending a run of all cells."""


class RHScriptExporter(TemplateExporter):
    """Notebooks of the language as ``.rh`` files."""

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
        """The program, and what else nbconvert keeps of it."""
        text, kept = super().from_notebook_node(program(nb), resources, **options)
        return text.strip("\n") + "\n", kept


def program(notebook: Notebook) -> Notebook:
    """The notebook with nothing but code; the one that was given stays as it is.

    Python becomes a comment like the prose, and so does a cell that fails: of that, nothing would take effect.
    """
    made = deepcopy(notebook)
    for cell in made.cells:
        runs = cell.cell_type == "code" and python_starts(cell.source) is None and not _fails(cell)
        cell.source = ended(cell.source.rstrip()) if runs else commented(cell.source)
        if cell.cell_type == "markdown":
            cell.update(cell_type="code", outputs=[], execution_count=None)
    return made


def _fails(cell: Notebook) -> bool:
    """Whether a code cell is expected to fail: its tag says so, and it has not been run without an error."""
    succeeded = cell.get("execution_count") is not None and all(output.output_type != "error" for output in cell.outputs)
    return FAILS in cell.metadata.get("tags", []) and not succeeded


def ended(text: str) -> str:
    """The text of a cell, after which nothing is locked any more: in a file there is no end of a cell."""
    return f"{text}\n%locked off" if LOCKED.search(text) else text


def commented(text: str) -> str:
    """Every line of a text as a comment."""
    return "\n".join(f"# {line}".rstrip() for line in text.splitlines())
