"""Runs the notebook of a folder by the kernel of this Python, in place: what it shows, as plain text, and the heaps it saves.

``python record.py FOLDER`` needs a Python in which the version is installed that the folder is called after, with nbclient.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOK = "notebook.ipynb"


def executed(folder: Path) -> Any:
    """The notebook of the folder as the kernel ``rh`` runs it there. Cells may fail."""
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="rh", resources=resources, allow_errors=True).execute()
    return notebook


def plain(notebook: Any) -> Any:
    """The notebook with no more of its outputs than their plain text."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            if "data" in output:
                output.data = {"text/plain": output.data["text/plain"]}
            output.metadata = {}
            if output.output_type == "error":
                output.traceback = []
                del output["metadata"]
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec}
    return notebook


def main() -> None:
    """Record the folder that the command line names."""
    folder = Path(sys.argv[1]).resolve()
    nbformat.write(plain(executed(folder)), folder / NOTEBOOK)


if __name__ == "__main__":
    main()
