"""A result for every view: the examples of the directives, and programs for what no directive shows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from tempfile import TemporaryDirectory

from lessons.reference.running import ROOT, WARNED, run, start
from rh_kernel.cluster.cluster import WorkerShown
from rh_kernel.display.registry import live_view
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.directives.registry import directives
from rh_kernel.session.results import ClusterShown, Result
from rh_kernel.syntax.parsing.tokens import EFF_SECTION, EXPRESSION_DIRECTIVES, LAMBDA_SECTION
from tests.display.pages import MLP, PASS
from tests.session.test_confusion import NET

SMALL = """include "sgd.rh"
loc v0 : Real(8, 2) = normal(1, seed=1)
loc v1 : Real(3, 8) = glorot(seed=2)
net small(x : Real(2)) : Real(3) = let z <= FC[v0](x) in let h <= return tanh(z) in FC[v1](h)
train rev handle (x) <u>. small(u) with sgd(0.1, t) for (x, t) in data("spiral") epochs 60 batch 10 shuffle 0
  surface handle small(x) with infer
"""

MORE = {
    "trace of a pass": f"{MLP}\n%trace {PASS}",
    "derivation of a pass": f"{MLP}\n%derivation {PASS}",
    "diagram of a pass": f"{MLP}\n%diagram {PASS}",
    "gradient of a pass": f"{MLP}\n%gradient {PASS}",
    "training": f'{MLP}\ntrain rev handle (x) <u>. mlp(u) with sgd(0.1, t) for (x, t) in data("xor") epochs 5',
    "training with surfaces": SMALL,
    "sweep": "sweep a in [1, 2]\n  a * a",
    "confusion with pictures": NET + '%confusion handle digits(x) with infer for (x, t) in data("digits.test")',
    "sees with pictures": NET
    + '%sees rev handle (x) <u>. digits(u) with sgd(1, t) for (x, t) in data("digits.test") samples 1, 40',
    "value": "[[1, 2], [3, 4]]",
    "warning": (WARNED / "lost_update_at_two_places.rh").read_text(encoding="utf-8"),
    "failure": "[1, 2] + [1, 2, 3]",
    "declaration": MLP,
    "term of a lambda section": "%%lambda\nfun f(x : Real) : Real = sin(x * x)\nf(2)",
    "comparison of systems": "%%lambda\nfun f(x : Real) : Real = sin(x * x)\n%ad all f(1)",
    "overview": "%lsmagic",
    "value of an eff section": "%%eff\n(1, Just 2)",
    "reduction": "%%eff\n%trace 1 + 2",
    "rewriting": "%%lambda\nfun f(x : Real) : Real = sin(x * x)\n%ad linear-negation f(1) --trace",
}
"""Programs, by what they show."""


def programs() -> Iterator[tuple[str, str]]:
    """Yield the examples of all directives that show something, and ``MORE``, each with a name."""
    for section in ("", LAMBDA_SECTION, EFF_SECTION):
        for name, directive in directives(section).items():
            if directive.example and _shows(directive):
                yield f"{section}%{name}", directive.example.strip()
    yield from MORE.items()


def _shows(directive: Directive[object]) -> bool:
    """Whether its example only shows something: the others write files, or depend on the front end."""
    return directive.runs_example or directive.name in EXPRESSION_DIRECTIVES


@cache
def every_view() -> dict[str, Result]:
    """Results of all kinds by name: of each program what has a live view, and the first result of each other class."""
    workers = (WorkerShown("worker 1", 2, 0), WorkerShown("worker 2", 2, 5))
    found: dict[str, Result] = {"cluster": ClusterShown("local", workers, "http://127.0.0.1:8787/status", None)}
    classes: set[type[Result]] = set()
    with TemporaryDirectory(dir=ROOT / "tests") as folder:
        for name, text in programs():
            for result in run(text, start(ROOT.joinpath(folder))).results:
                kind = type(result)
                if kind not in classes or live_view(result) is not None:
                    found[f"{name}: {kind.__name__}"] = result
                    classes.add(kind)
    return found


def kinds() -> dict[str, str]:
    """The kind of the live view of each result that has one."""
    views = {name: live_view(result) for name, result in every_view().items()}
    return {name: view.kind for name, view in views.items() if view is not None}
