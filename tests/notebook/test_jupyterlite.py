"""``%%rh`` in Pyodide, where Python has no threads, processes and timers, and not all libraries."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from rh_kernel.notebook.jupyterlite import skip_cell_transform
from tests.kernel.conftest import unmeasured
from tests.notebook.conftest import TRAIN

SHELL = """
import sys
from types import ModuleType, SimpleNamespace

import comm
from IPython.core.displaypub import CapturingDisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(display_pub_class=CapturingDisplayPublisher, config=config)
shell.kernel = SimpleNamespace(comm_manager=comm.get_comm_manager())  # what shows that the front end is a page

import _thread, os, signal, subprocess, threading

def refuse(*arguments, **named):
    raise RuntimeError("there is no such thing in a page")

for module in ("ipykernel.kernelbase", "multiprocessing", "resource", "safetensors", "sqlite3", "zmq"):
    sys.modules[module] = None
sys.modules["ipykernel"] = ModuleType("ipykernel")  # JupyterLite's kernel has one with a version, and no server
sys.modules["ipykernel"].version_info = (6, 9, 2)
sys.modules["ipykernel.comm"] = ModuleType("ipykernel.comm")
sys.modules["ipykernel.comm"].Comm = comm.DummyComm
threading.Thread.start = _thread.start_new_thread = subprocess.Popen.__init__ = refuse
for name in ("alarm", "setitimer", "pthread_sigmask", "raise_signal"):
    delattr(signal, name)
os.fork = os.posix_spawn = refuse

def say(*words):
    print("said:", *words)

def run(cell):
    del shell.display_pub.outputs[:]
    result = shell.run_cell(cell)
    return result, [output["data"] for output in shell.display_pub.outputs]
"""


def in_page(folder: Path, script: str) -> list[str]:
    """The output of a script in a Python with the limitations of a page."""
    file = folder / "page.py"
    file.write_text(SHELL + script)
    root = str(Path(__file__).parent.parent.parent)
    variables = {**unmeasured(), "PYTHONPATH": root, "IPYTHONDIR": str(folder)}
    ran = subprocess.run([sys.executable, str(file)], cwd=folder, env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return [line.removeprefix("said: ") for line in ran.stdout.splitlines() if line.startswith("said: ")]


def test_runs_traces_draws_and_trains(tmp_path: Path) -> None:
    script = f"""
run("import rh_kernel\\n%load_ext rh_kernel")
_, shown = run('%%rh\\n' + {TRAIN!r})
say(shown[-1]["text/plain"].splitlines()[-1])
result, _ = run("%%rh\\nreturn 1 + 2")
say(result.result)
subject = "rev handle ([1.0, -2.0]) <u>. line(u) with sgd(0.1, [0.5])"
directives = ("%trace " + subject, "%gradient " + subject, "%diagram line", "%derivation line", "%compile " + subject, "%heap")
for directive in directives:
    result, shown = run("%%rh\\n" + directive)
    assert result.success, directive
    say(directive.split()[0], sorted({{name for bundle in shown for name in bundle if "widget" in name}}))
train = '''train rev handle (x) <u>. line(u) with sgd(0.1, t)
  for (x, t) in data("mine") epochs 3 batch 2 shuffle 0'''
run("import numpy as np\\nrh.data('mine', x=np.ones((8, 2)), t=np.ones((8, 1)))")
result, shown = run("%%rh\\n" + train)
assert result.success
say(shown[-1]["text/plain"].split("·")[0])
"""
    widget = "['application/vnd.jupyter.widget-view+json']"
    *told, trained = in_page(tmp_path, script)
    assert told == [
        "sgd : (alpha : Real(1), t : Real(k)) -> rev handler(Real(k))",
        "3.0 : Real(1)",
        f"%trace {widget}",
        f"%gradient {widget}",
        f"%diagram {widget}",
        f"%derivation {widget}",
        "%compile []",
        "%heap []",
    ]
    assert trained.startswith("3 epochs of 8 samples")


def test_saves_and_loads_what_it_can(tmp_path: Path) -> None:
    # The mask of a page forbids everything.
    script = """
run("import rh_kernel\\n%load_ext rh_kernel")
run("%%rh\\nloc w : Real(2) = [1.0, 2.0]")
os.umask = lambda mask: 0o777
for cell in ("%save w.npz", "%load w.npz", "%save w.safetensors", "%load w.safetensors"):
    result, shown = run("%%rh\\n" + cell)
    say(result.success, shown[-1]["text/plain"].splitlines()[0])
    if not result.success:
        say(shown[-1]["text/plain"].splitlines()[-1].strip())
"""
    saved, loaded, *refused = in_page(tmp_path, script)
    assert saved == "True 1 location saved to w.npz"
    assert loaded.startswith("True ")
    assert refused == [
        "False RH342 Cannot be saved: the library safetensors is not installed here",
        "hint      choose a name that ends in .npz",
        "False RH343 Heap cannot be loaded: the library safetensors is not installed here",
        "hint      save it as .npz where the library is",
    ]


def test_jupyterlite_does_not_read_its_cells_as_python() -> None:
    class Manager:
        async def transform_cell(self, cell: str) -> str:
            return f"read: {cell}"

    shell = SimpleNamespace(kernel=SimpleNamespace(lite_transform_manager=Manager()))
    for _ in range(2):
        skip_cell_transform(shell)
    cells = ["%%rh\nreturn 1", "  %%rh", "%%rhubarb", "x = 1", ""]
    transform = shell.kernel.lite_transform_manager.transform_cell
    assert [asyncio.run(transform(cell)) for cell in cells] == [*cells[:2], "read: %%rhubarb", "read: x = 1", "read: "]


def test_other_shells_are_left_as_they_are() -> None:
    skip_cell_transform(SimpleNamespace())
    skip_cell_transform(SimpleNamespace(kernel=SimpleNamespace()))
