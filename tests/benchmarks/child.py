"""What runs in a process of its own: ``python -m tests.benchmarks.child WHAT …`` prints one line of JSON.

Threads are set by variables of the environment before this process begins (``process.environment``).
"""

import gc
import json
import resource
import sys
import tracemalloc
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.problems import TINY, Problem, problem
from tests.benchmarks.process import busy
from tests.benchmarks.reference import STEPS, trained


def steps(keys: str, precision: str, rounds: str, budget: str, on_demand: str, *names: str) -> list[list[dict[str, Any]]]:
    """All peers, or those of the names, on some problems; the keys have commas between them."""
    from tests.benchmarks.peers.everyone import chosen
    from tests.benchmarks.rounds import Pace, compare

    assert precision in ("float64", "float32")
    peers, pace = chosen(names, on_demand=on_demand == "1"), Pace(int(rounds), float(budget))
    return [[asdict(row) for row in compare(problem(key), precision, peers, pace)] for key in keys.split(",")]


def alone(key: str, precision: str, name: str) -> dict[str, Any]:
    """One peer on one problem: its row is printed when it is built, then a sample for each line that is read."""
    from tests.benchmarks.peers.everyone import chosen
    from tests.benchmarks.rounds import ready

    assert precision in ("float64", "float32")
    asked = problem(key)
    arrays = asked.arrays()
    (peer,) = chosen((name,))
    built = ready(asked, precision, peer, arrays, trained(asked, arrays))
    print(json.dumps(asdict(built.row)), flush=True)
    for _ in sys.stdin:
        assert built.sample is not None
        print(built.sample(), flush=True)
    return {}


def memory(key: str, peer: str) -> dict[str, Any]:
    """The most bytes that the arrays and objects of a peer have while it is trained, weights and samples among them."""
    from tests.benchmarks.peers.everyone import chosen

    asked = problem(key)
    arrays = asked.arrays()
    (build,) = [p.build for p in chosen((peer,))]
    build(asked, arrays, "float64").run(1)
    tracemalloc.start()
    trainer = build(asked, arrays, "float64")
    trainer.run(1)
    tracemalloc.reset_peak()
    trainer.run(STEPS)
    return {"key": key, "peer": peer, "bytes": tracemalloc.get_traced_memory()[1]}


def resident(key: str, peer: str) -> dict[str, Any]:
    """The bytes by which a process grows at most while a peer builds a network and trains it, once its library is loaded."""
    from tests.benchmarks.peers.everyone import chosen

    asked = problem(key)
    arrays = asked.arrays()
    (build,) = [p.build for p in chosen((peer,))]
    # The same layers, few of them: what a library needs once is no part of what this network needs.
    small = next(p for p in TINY if p.workload == asked.workload and p.batch == 1)
    build(small, small.arrays(), "float64").run(STEPS)
    gc.collect()
    before = _status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    build(asked, arrays, "float64").run(STEPS)
    return {"key": key, "peer": peer, "bytes": _status("VmHWM") - before}


def _status(field: str) -> int:
    """A field of ``/proc/self/status``, in bytes."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def first(key: str, how: str) -> dict[str, Any]:
    """Seconds of the processor from a program's text to the end of its first step: the first time in a process, and the best.

    ``how`` is ``numpy``: as a training run does it; or ``native``: by machine code, however short the run.
    """
    from rh_kernel.session.session import Session
    from tests.benchmarks import texts
    from tests.benchmarks.peers.ours import Opened, native

    asked: Problem = problem(key)
    opened = Opened(asked, asked.arrays(), "float64", initial=False)
    text = texts.declarations(asked.net, texts.drawn)
    taken: list[float] = []
    while len(taken) < 5 or (len(taken) < 20 and sum(taken) < 2):
        opened.session = Session.start(opened.session.folder)
        began = _worked()
        if how == "native":
            opened.do(text)
            made, inputs = opened.prepared("float64", native())
            made.runner(asked.batch).step(*inputs)
        else:
            opened.do(text + texts.training(asked))
        taken.append(_worked() - began)
    return {"key": key, "how": how, "first": taken[0], "best": min(taken[1:])}


def driver() -> dict[str, Any]:
    """Has compiled what walks along the kernels of any program, if it is available."""
    from rh_kernel.arrays.native.machine import maker

    maker()
    return {}


def _worked() -> float:
    """Seconds of the processor, those of a compiler included."""
    return busy(resource.RUSAGE_SELF) + busy(resource.RUSAGE_CHILDREN)


def cost(key: str) -> dict[str, Any]:
    """Operations of forward, and of forward and backward, as the project counts them; and as one counts by hand."""
    from rh_kernel.arrays.compile import compile_command
    from rh_kernel.source.span import Source
    from rh_kernel.syntax.parsing.parser import parse_expression
    from rh_kernel.typing.elaboration.items import ClosedCommand, elaborate_evaluation
    from tests.benchmarks import texts
    from tests.benchmarks.peers.ours import Opened

    asked = problem(key)
    opened = Opened(asked, asked.arrays(), "float64")
    opened.do(texts.INFER[type(asked.net)])
    x, t = [f"fill[{', '.join(map(str, shape))}](0.5)" for shape in asked.net.ends]
    counts: dict[str, int] = {}
    for name, text in (
        ("forward", f"handle model({x}) with infer"),
        ("both", f"let _ <= rev handle ({x}) <u>. model(u) with sgd({asked.alpha}, {t}) in return ()"),
    ):
        checked = elaborate_evaluation(opened.session.definitions, parse_expression(Source("bench", text)))
        assert isinstance(checked, ClosedCommand)
        counts[name] = compile_command(checked.command).cost_of(1)
    return {"key": key, **counts, "by_hand": asked.flops}


def prepare(folder: str) -> dict[str, Any]:
    """The digits, in files."""
    from tests.benchmarks import digits

    digits.prepare(Path(folder))
    return {}


def to_95(net: str, who: str, folder: str, epochs: str) -> dict[str, Any]:
    """A net of ``digits_to_95`` has been trained by one of the others."""
    from tests.benchmarks import digits_to_95

    return {"accuracy": digits_to_95.trained(net, who, Path(folder), int(epochs))}


def source(folder: str, file: str) -> dict[str, Any]:
    """The figures of a program of ``sources``."""
    from tests.benchmarks import sources

    return sources.ran(Path(folder), Path(file))


if __name__ == "__main__":
    WHAT = {
        "steps": steps,
        "alone": alone,
        "memory": memory,
        "resident": resident,
        "first": first,
        "driver": driver,
        "cost": cost,
        "prepare": prepare,
        "to_95": to_95,
        "source": source,
    }
    print(json.dumps(WHAT[sys.argv[1]](*sys.argv[2:])))
