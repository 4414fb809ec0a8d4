"""The site: JupyterLite, the release of Pyodide beside it, and the notebooks."""

import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lessons.browser.distribution import Unbuildable, Unobtainable, obtain, sums
from lessons.browser.wheels import ROOT, STARTED, collect, enter

LESSONS = ROOT / "lessons"
ENVIRONMENT = Path(__file__).parent / "environment.txt"

COLLECTED = re.compile(r'data\("(?:digits|iris|wine|breast_cancer)\b')
"""The data that scikit-learn brings."""

EXTENSION = "@jupyterlite/pyodide-kernel-extension"

# No news of JupyterLab, and no look at other machines for it.
DISABLED = ("@jupyterlab/apputils-extension:announcements", "@jupyterlab/extensionmanager-extension")

OPENING = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Programming backpropagation with reverse handlers</title>
<!-- The pages of JupyterLite look for this element here. -->
<script id="jupyter-config-data" type="application/json" data-jupyter-lite-root=".">{{}}</script>
<meta http-equiv="refresh" content="0; url={address}">
</head>
<body>
<p><a href="{address}">To the lessons</a></p>
</body>
</html>
"""


def build(out: Path, cache: Path, *, given: Path | None = None, notebooks: Path | None = None) -> None:
    """Build the site in ``out``; what was fetched before is in ``cache``. Raises ``Unobtainable`` and ``Unbuildable``.

    ``given`` is an unpacked release of Pyodide, and ``notebooks`` a folder with notebooks in the place of the lessons.
    """
    out, cache = out.resolve(), cache.resolve()
    release, work = cache / "pyodide", cache / "work"
    obtain(release, given)
    python = environment(cache / "environment")
    shutil.rmtree(work, ignore_errors=True)

    # JupyterLite finds Pyodide at this place by default.
    pyodide, contents = work / "static" / "pyodide", work / "contents"
    pyodide.mkdir(parents=True)
    for name in sums():
        shutil.copyfile(release / name, pyodide / name)
    share = python.parent.parent / "share" / "jupyter" / "labextensions"
    collect(pyodide, cache, (share / EXTENSION / "static" / "pypi").glob("*.whl"))
    enter(pyodide)
    _labextension(share)
    write_contents(contents, notebooks)
    _settings(work)

    shutil.rmtree(out, ignore_errors=True)
    command = [str(python), "-m", "jupyterlite_core", "build", "--lite-dir", str(work), "--contents", str(contents)]
    command += ["--output-dir", str(out), "--apps", "lab", "--no-sourcemaps", "--no-libarchive"]
    made = subprocess.run(command, cwd=work, env=_alone(cache), capture_output=True, text=True, check=False)
    if made.returncode:
        raise Unbuildable(f"JupyterLite could not build the site:\n{made.stdout[-2000:]}\n{made.stderr[-4000:]}")
    first = min([file.name for file in contents.glob("*.ipynb")], default="")
    (out / "index.html").write_text(OPENING.format(address=f"lab/index.html?path={first}"), encoding="utf-8")


def environment(folder: Path) -> Path:
    """The Python of the environment that builds, rebuilt if its packages are not the expected ones. Raises ``Unobtainable``."""
    wanted, held = ENVIRONMENT.read_text(encoding="utf-8"), folder / "environment.txt"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if held.exists() and held.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(folder, clear=True, with_pip=True)
    installed = _ask(python, "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(ENVIRONMENT))
    if installed.returncode:
        raise Unobtainable(f"pip could not install JupyterLite:\n{installed.stderr[-2000:]}")
    held.write_text(wanted, encoding="utf-8")
    return python


def write_contents(folder: Path, given: Path | None) -> None:
    """The notebooks for a Python kernel, with the pictures and the appendix that they point to. Raises ``Unbuildable``."""
    if given is not None:
        shutil.copytree(given, folder)
    else:
        folder.mkdir(parents=True)
        written = _ask(Path(sys.executable), "lessons.press", "notebooks", str(folder), "--python")
        if written.returncode:
            raise Unbuildable(f"the notebooks could not be written:\n{written.stderr[-2000:]}")
        for name in ("pictures", "appendix"):
            if (LESSONS / name).is_dir():
                shutil.copytree(LESSONS / name, folder / name, dirs_exist_ok=True)
    for file in folder.glob("*.ipynb"):
        notebook = json.loads(file.read_text(encoding="utf-8"))
        adapt(notebook)
        file.write_text(json.dumps(notebook, ensure_ascii=False, indent=1), encoding="utf-8")


def adapt(notebook: dict[str, Any]) -> None:
    """Change a notebook for a Python kernel into one for that of the site."""
    notebook["metadata"]["kernelspec"] = {"display_name": "Python (Pyodide)", "language": "python", "name": "python"}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if COLLECTED.search("\n".join(["".join(cell["source"]) for cell in code])):
        # The site loads a library when a cell imports it, and the language cannot wait for that.
        code[0]["source"] = ["import sklearn.datasets\n", "".join(code[0]["source"])]


def _labextension(share: Path) -> None:
    """The colours of the language in texts, which a page takes from the folder of extensions."""
    target = share / "rh-lang"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "rh_kernel" / "kernel" / "labextension", target)


def _settings(work: Path) -> None:
    """What pages read before anything else."""
    kernel: dict[str, Any] = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": [*STARTED]}}
    settings: dict[str, Any] = {
        "jupyter-lite-schema-version": 0,
        "jupyter-config-data": {
            "appName": "Reverse handlers",
            "defaultKernelName": "python",
            "disabledExtensions": [*DISABLED],
            "exposeAppInBrowser": True,
            "litePluginSettings": {f"{EXTENSION}:kernel": kernel},
        },
    }
    (work / "jupyter-lite.json").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    shutil.copyfile(LESSONS / "press" / "overrides.json", work / "overrides.json")


def _ask(python: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module from the root of the checkout, and give what it said."""
    command: Sequence[str] = [str(python), "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def _alone(cache: Path) -> dict[str, str]:
    """The variables of a process that is to find no other Jupyter, and to leave nothing behind at home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "PYTHON", "COV"))}
    home = str(cache / "home")
    return {**kept, "HOME": home, "JUPYTER_CONFIG_DIR": home, "JUPYTER_DATA_DIR": home, "JUPYTER_PREFER_ENV_PATH": "1"}
