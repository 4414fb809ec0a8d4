"""A distribution that adds a directive, a file format, a symbol and a system by entry points, used in a new process."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).with_name("example")
ROOT = Path(__file__).parents[2]

PROGRAM = """\
loc w : Real(2) = [3, 4]
let _ <= Put[w]([0, 0]) in return ()
%norms w
%norms v
%norm
train (let u <= Get[w]() in return dot(u, x)) for x in data("points.tsv")
%evaluator stepped
softsign([1, -3])
%evaluator denoted
softsign([1, -3])
%evaluator compiled
softsign([1, -3])
1.rd(x. softsign(x))(3)
%%lambda
fun f(x : Real, y : Real) : Real = let z <- x * y in if z <= 0 then z else sin(z) + 1
%ad all f(1, 2)
%ad dual-numbers f(1, 2) along (1, 0)
"""

ASK = """
import sys
from pathlib import Path
from rh_kernel.highlighting.token_classes import classify
from rh_kernel.kernel.completion.completing import completions
from rh_kernel.kernel.inspection.inspecting import inspection
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source

session = Session.start(Path())
run = execute(session, Source("cell", "loc weight : Real = 1\\n%help"))
try:
    while True:
        event = next(run)
        print(getattr(getattr(event, "result", None), "text", ""))
except StopIteration as end:
    session = end.value
for text in ("%no", "%norms we", "train x for y in data(\\"poi", "%%lambda\\nfun f(x : Real) : Real = x\\n%ad du"):
    print([c.text for c in completions(session, text, len(text))[1]])
print(inspection(session, "%norms", 3)["text/plain"])
print([marked.kind.name for marked in classify("%norms")])
"""


def install(project: Path, folder: Path) -> None:
    """What ``pip install --no-deps --target`` leaves there, without the network that a build takes."""
    described = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    shutil.copytree(project / described["name"], folder / described["name"])
    metadata = folder / f"{described['name']}-{described['version']}.dist-info"
    metadata.mkdir()
    head = f"Metadata-Version: 2.1\nName: {described['name']}\nVersion: {described['version']}\n"
    (metadata / "METADATA").write_text(head, encoding="utf-8")
    groups = described["entry-points"].items()
    lines = [line for group, entries in groups for line in (f"[{group}]", *[f"{k} = {v}" for k, v in entries.items()])]
    (metadata / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def python(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(folder), str(ROOT)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"}
    command = [sys.executable, *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    install(EXAMPLE, tmp_path)
    (tmp_path / "points.tsv").write_text("x0\tx1\n1\t2\n3\t4\n", encoding="utf-8")
    return tmp_path


def test_a_program_uses_what_another_distribution_adds(installed: Path) -> None:
    (installed / "program.rh").write_text(PROGRAM, encoding="utf-8")
    done = python(installed, "-m", "rh_kernel", "run", "program.rh")
    assert "w  0  5" in done.stdout
    assert "2 samples" in done.stdout
    assert done.stdout.count("[0.5, -0.75] : Real(2)") == 3
    assert "0.0625 : Real(1)" in done.stdout
    (row,) = [line.split() for line in done.stdout.splitlines() if line.startswith("dual-numbers")]
    assert row[1:4] == ["1.9093", "⟨-0.832294,", "-0.416147⟩"]
    assert "tangent: -0.832294" in done.stdout
    assert "RH042 Invalid use of a directive: `%norms` takes names of locations" in done.stderr
    assert "line 4, column 1" in done.stderr
    assert "replace `%norm` by `%norms`" in done.stderr


def test_the_kernel_knows_what_another_distribution_adds(installed: Path) -> None:
    done = python(installed, "-c", ASK)
    assert not done.stderr
    *help_text, names, locations, files, systems, title, _, text, look = done.stdout.splitlines()
    assert any(line.startswith("%norms [location…] ") for line in help_text)
    assert names == "['%norms']"
    assert locations == "['weight']"
    assert files == "['points.tsv']"
    assert systems == "['dual-numbers']"
    assert title == "%norms [location…]"
    assert text == "the norm of every location's content, and of its change"
    assert look == "['DIRECTIVE', 'DIRECTIVE']"


def test_a_broken_distribution_gives_a_warning_and_no_more(installed: Path) -> None:
    metadata = next(installed.glob("*.dist-info")) / "entry_points.txt"
    metadata.write_text("[rh_kernel.directives]\nhelp = rh_kernel_example.norms:NORMS\nlost = nowhere:LOST\n", encoding="utf-8")
    (installed / "program.rh").write_text("1 + 1\n%lost\n2 + 2\n", encoding="utf-8")
    done = python(installed, "-m", "rh_kernel", "run", "program.rh")
    assert "4.0 : Real(1)" in done.stdout
    assert "`help` of rh_kernel_example is skipped: the name is taken" in done.stderr
    assert "`lost` of rh_kernel_example is skipped: it cannot be loaded (ModuleNotFoundError" in done.stderr
    assert "RH041 Unknown directive: there is no directive `%lost`" in done.stderr
