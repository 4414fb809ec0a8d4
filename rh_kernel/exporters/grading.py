"""nbgrader autograding of locked cells: replace the outputs of the student's kernel by the verdicts of `rh grade`.

A Python cell can tamper with its kernel process, so outputs of that kernel prove nothing. The notebook is run again in a
separate process, without its Python, and those verdicts are the outputs that nbgrader scores. In the `nbgrader_config.py` of a
course, after nbgrader's own `Execute`:

    c.Autograde.autograde_preprocessors.insert(1, "rh_kernel.exporters.grading.LockedCells")
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from nbconvert.preprocessors.base import Preprocessor
from nbformat.notebooknode import NotebookNode
from traitlets import Bool, Integer

from rh_kernel.exporters.highlighting import LANGUAGE
from rh_kernel.exporters.static_pages import LOCKED, Notebook

Resources: TypeAlias = dict[str, Any]

_DONE = "rh_locked_cells"
_RUN = """\
import sys
root, most = sys.argv.pop(1), int(sys.argv.pop(1))
root in sys.path or sys.path.insert(0, root)
try:
    import resource
except ImportError:
    most = 0
if most:
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
from rh_kernel.command_line.arguments import main
raise SystemExit(main(["grade", "-", "--json"]))"""
"""The program of the process: it imports this installation, whatever is in the notebook's folder and the environment.

Its arguments are the folder of this installation, and the most bytes of data that the process may have, 0 for no limit. Windows
has no such limit, and macOS does not enforce it.
"""


class LockedCells(Preprocessor):
    """Replaces the outputs of cells with ``%locked``. Notebooks without one, or in another language, are unchanged."""

    enabled = Bool(default_value=True, help="Preprocessors of nbconvert do nothing unless they are enabled.").tag(config=True)
    timeout = Integer(600, help="Seconds for a notebook; locked cells that are not reached by then do not pass.").tag(
        config=True
    )
    memory = Integer(
        4_000, min=0, help="Megabytes for a notebook, on Linux; a cell that needs more fails (RH241). 0 is no limit."
    ).tag(config=True)

    def preprocess(self, nb: Notebook, resources: Resources) -> tuple[Notebook, Resources]:
        """Return the notebook with verdicts instead of outputs."""
        kernel = nb.metadata.get("kernelspec", {})
        locked = {n for n, cell in enumerate(nb.cells, start=1) if cell.cell_type == "code" and LOCKED.search(cell.source)}
        if LANGUAGE not in (kernel.get("language"), kernel.get("name")) or not locked or _DONE in resources:
            return nb, resources
        # nbgrader reads a course's settings twice, and so registers the preprocessor twice.
        resources[_DONE] = True
        verdicts, why = self._verdicts(nb, resources.get("metadata", {}).get("path") or ".")
        for number, cell in enumerate(nb.cells, start=1):
            if number in verdicts:
                cell.outputs = _outputs(verdicts[number])
            elif number in locked:
                cell.outputs = [_error("Not graded", why, why)]
        return nb, resources

    def _verdicts(self, nb: Notebook, folder: str) -> tuple[Mapping[int, Mapping[str, Any]], str]:
        """Return the verdict of each locked cell by its number, from 1, and a message for cells without one."""
        command = [sys.executable, "-I", "-u", "-c", _RUN, str(Path(__file__).parents[2]), str(self.memory * 1_000_000)]
        written, why = b"", f"The cells took longer than {self.timeout} s."
        try:
            done = subprocess.run(
                command, input=json.dumps(nb).encode(), capture_output=True, timeout=self.timeout, check=False, cwd=folder
            )
            written, why = done.stdout, f"`rh grade` gave no verdict. {done.stderr.decode(errors='replace')}".strip()
        except subprocess.TimeoutExpired as late:
            written = late.stdout or b""
        # A process that was ended may have written a part of its last line.
        complete = written[: written.rfind(b"\n") + 1].decode().splitlines()
        try:
            records = [json.loads(line) for line in complete]
        except ValueError:
            records = []
        return {record["cell"]: record for record in records if record.get("kind") == "locked"}, why


def _outputs(verdict: Mapping[str, Any]) -> list[NotebookNode]:
    """Return the outputs that the kernel would have shown for this verdict."""
    shown = "\n".join(verdict["shown"])
    outputs = list[NotebookNode]()
    if shown and verdict["passed"]:
        outputs.append(NotebookNode(output_type="display_data", data={"text/plain": shown}, metadata={}))
    if why := verdict.get("why", ""):
        outputs.append(_error("Not graded", why, why))
    if errors := verdict["errors"]:
        text = "\n\n".join([one["text"] for one in errors])
        outputs.append(_error(f"{errors[0]['code']} {errors[0]['title']}", errors[0]["message"], text))
    return outputs


def _error(name: str, value: str, text: str) -> NotebookNode:
    return NotebookNode(output_type="error", ename=name, evalue=value, traceback=text.split("\n"))
