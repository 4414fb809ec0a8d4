"""From text to a program: how long each stage takes for chains of layers, and how soon the first answer is there."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rh_kernel.arrays.compile import compile_term, translate
from rh_kernel.arrays.optimise import optimise
from rh_kernel.session.actions import Action, Refuse
from rh_kernel.session.declare import Declare
from rh_kernel.session.evaluate import Evaluate
from rh_kernel.session.results import ItemFailed, Shown
from rh_kernel.session.session import Session, actions_of, execute
from rh_kernel.source.gc_pause import gc_paused
from rh_kernel.source.span import Source
from rh_kernel.syntax.parsing.parser import parse
from rh_kernel.typing.elaboration.items import ClosedCommand, ClosedTerm
from tests.benchmarks.goals import Outcome
from tests.benchmarks.living import first_answer

LAYERS = (10, 100, 1000)
LETS = 10_000
WIDTH = 8

CELL, KERNEL = "a cell of 50 lines, typechecked", "kernel start to first answer"

HEAD = """\
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
"""


def chain(layers: int) -> str:
    """W4: a net of that many layers of width 8, each with a weight of its own, and one training step of it."""
    weights = "".join([f"loc w{i} : Real({WIDTH}, {WIDTH}) = normal(0.1, seed={i})\n" for i in range(layers)])
    body = "".join([f"  let z <= FC[w{i}](x) in\n  let x <- swish(z) in\n" for i in range(layers)])
    ones = ", ".join(["1"] * WIDTH)
    net = f"net deep(x : Real({WIDTH})) : Real({WIDTH}) =\n{body}  return x\n"
    return f"{HEAD}{weights}{net}\nrev handle ([{ones}]) <x>. deep(x) with sgd(0.1, [{ones}])\n"


def lets(count: int, kind: str) -> str:
    """A term, or a command, of that many lets, one inside the other."""
    if kind == "term":
        return (
            "let x0 <- [1, 2] in\n  "
            + "".join([f"let x{i} <- x{i - 1} + [1, 1] in\n  " for i in range(1, count)])
            + f"x{count - 1}"
        )
    bound = "".join([f"let x{i} <= return x{i - 1} + [1, 1] in\n  " for i in range(1, count)])
    return f"let x0 <= return [1, 2] in\n  {bound}return x{count - 1}"


def cell(lines: int) -> str:
    """Nets of five lines each, as many as make a cell of that many lines."""
    net = "net n{}(x : Real(8)) : Real(8) =\n  let y <= FC[w](x) in\n  let z <= return swish(y + x) in\n  FC[w](z)\n\n"
    return "".join([net.format(i) for i in range(lines // 5)])


def stages(text: str) -> dict[str, Any]:
    """The seconds that each stage takes for a text that ends with a command or a term."""
    began = time.perf_counter()
    items = parse(Source("bench", text))
    parsed = time.perf_counter()
    plans = actions_of(Session.start(Path()), items, "")
    elaborated = time.perf_counter()
    subject = _subject([planned for _, planned in plans])
    again = time.perf_counter()
    if isinstance(subject, ClosedCommand):
        program = translate(subject.command)
        translated = time.perf_counter()
        with gc_paused():
            program = optimise(program)
    else:
        program = compile_term(subject.term)
        translated = time.perf_counter()
    return {
        "parse": parsed - began,
        "elaborate": elaborated - parsed,
        "translate": translated - again,
        "optimise": time.perf_counter() - translated,
        "equations": len(program.equations),
    }


def _subject(plans: list[Action]) -> ClosedCommand | ClosedTerm:
    refused = [planned.diagnostics for planned in plans if isinstance(planned, Refuse)]
    if refused:
        sys.exit(str(refused[0]))
    return next(planned.closed for planned in reversed(plans) if isinstance(planned, Evaluate))


def first_result(text: str) -> float:
    """The seconds from a text to all its results."""
    began = time.perf_counter()
    for event in execute(Session.start(Path()), Source("bench", text)):
        if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
            sys.exit(str(event.result.diagnostics))
    return time.perf_counter() - began


@contextmanager
def compiled() -> Generator[None, None, None]:
    """Modules are there as bytecode, as they are where the package is installed."""
    with TemporaryDirectory() as folder:
        before = {name: os.environ.get(name) for name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPYCACHEPREFIX")}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = folder
        try:
            yield
        finally:
            os.environ.update({name: value for name, value in before.items() if value is not None})
            for name in [name for name, value in before.items() if value is None]:
                os.environ.pop(name, None)


def importing(words: str) -> float:
    """The seconds that a fresh process needs to import something, its own start left out."""
    code = f"import time; began = time.perf_counter(); {words}; print(time.perf_counter() - began)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60).stdout)


def fifty_lines() -> float:
    """The seconds to parse and typecheck a cell of fifty lines."""
    start = Session.start(Path())
    before = actions_of(start, parse(Source("bench", f"{HEAD}loc w : Real(8, 8) = zeros\n")), "")[-1]
    assert isinstance(before[1], Declare)
    session = Session(start.folder, before[0])
    text = cell(50)

    def run() -> None:
        actions_of(session, parse(Source("bench", text)), "")

    return _least(run, 20)


def _least(run: Callable[[], object], times: int) -> float:
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        run()
        taken.append(time.perf_counter() - began)
    return min(taken)


def _row(what: str, text: str, size: int) -> dict[str, Any]:
    times = 5 if size <= 100 else 3
    found = [stages(text) for _ in range(times)]
    row: dict[str, Any] = {key: min(each[key] for each in found) for key in found[0]}
    return {"what": what, "size": size, **row, "whole": min([first_result(text) for _ in range(times)])}


def measure() -> list[dict[str, Any]]:
    """A row for each chain and each long let, and one for each start."""
    rows = [_row("layers", chain(layers), layers) for layers in LAYERS]
    rows += [_row(f"lets in a {kind}", lets(LETS, kind), LETS) for kind in ("term", "command")]
    imports = {
        "import numpy": "import numpy",
        "import rh_kernel": "import rh_kernel",
        "import what `rh run` needs": "import rh_kernel.command_line.running, rh_kernel.command_line.report",
    }
    rows.append({"what": CELL, "whole": fifty_lines()})
    with compiled():
        for what, words in imports.items():
            rows.append({"what": what, "whole": min([importing(words) for _ in range(6)])})
        rows.append({"what": KERNEL, "whole": min(first_answer() for _ in range(3))})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as lines of text, in milliseconds."""
    columns = ("parse", "elaborate", "translate", "optimise", "whole")
    lines = ["front      " + "".join([f"{name:>12}" for name in columns]) + "   ms"]
    for row in rows:
        numbers = "".join([f"{1000 * row[name]:12.1f}" if name in row else " " * 12 for name in columns])
        lines.append(f"front      {numbers}   {row.get('size', '')} {row['what']}".rstrip())
    return "\n".join(lines)


def outcomes(rows: list[dict[str, Any]]) -> list[Outcome]:
    """P12."""
    most = {CELL: 0.03, KERNEL: 2.0}
    return [
        Outcome("P12", row["what"], f"≤ {most[row['what']]:g} s", f"{row['whole']:.3f} s", row["whole"] <= most[row["what"]])
        for row in rows
        if row["what"] in most
    ]
