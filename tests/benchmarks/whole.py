"""What is measured on whole processes, or counted: P6, P7, P8, P11, and memory. Each gives a table and its outcomes."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tests.benchmarks import digits, texts
from tests.benchmarks.front import compiled
from tests.benchmarks.goals import Outcome
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.problems import PROBLEMS, Unet, problem
from tests.benchmarks.process import EMPTY, PLACE, Broken, Ended, child, megabytes, python
from tests.benchmarks.report import table

TRAINED = "mlp-784-512-10/b32"
"""The training whose memory P7 is about."""


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report: its table, its goals, and the numbers behind it"""

    title: str
    text: str
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    data: Any = None


PLAIN = {"RH_NATIVE": "0"}
"""The variable that leaves machine code out."""


def first_steps(keys: tuple[str, ...]) -> Part:
    """P6: from the text of a program to the end of its first step, by NumPy, and by machine code with and without a cache.

    All modules are there as bytecode. What walks along the kernels of a program is compiled once on a machine.
    """
    outcomes: list[Outcome] = []
    body: list[list[str]] = []
    found: list[dict[str, Any]] = []
    with compiled():
        for how in ("numpy", "native"):
            _first(keys[0], how)
        for key in keys:
            numpy, (native, alone) = _first(key, "numpy"), (_first(key, "native", driver=there) for there in (True, False))
            found += [numpy, native, {**alone, "how": "native, no driver"}]
            body.append(
                [key, *[f"{s:.4f}" for s in (numpy["first"], numpy["best"], alone["first"], native["first"], native["best"])]]
            )
            outcomes += _soon_enough(key, numpy, native)
    of = {row["key"]: row["best"] for row in found if row["how"] == "numpy"}
    if {"chain-100x8/b1", "chain-1000x8/b1"} <= of.keys():
        growth = of["chain-1000x8/b1"] / of["chain-100x8/b1"]
        outcomes.append(Outcome("P6", "chains", "1,000 layers ≤ 12 × 100 layers", f"{growth:.1f} ×", growth <= 12))
    head = [
        "processor seconds from text to first step",
        "NumPy, first in a process",
        "best",
        "machine code, first on a machine",
        "nothing of the program cached",
        "best",
    ]
    return Part("From text to the first step", table(head, body), outcomes, found)


def _first(key: str, how: str, *, driver: bool = True) -> dict[str, Any]:
    """What ``child.first`` says with a cache in which there is nothing, or the ``driver``."""
    with TemporaryDirectory() as cache:
        variables = {"XDG_CACHE_HOME": cache, **(PLAIN if how == "numpy" else EMPTY)}
        try:
            if driver and how == "native":
                child("driver", variables=variables)
            return child("first", key, how, variables=variables)
        except Broken:
            if how == "numpy":
                raise
            return {"key": key, "how": how, "first": float("nan"), "best": float("nan")}


def _soon_enough(key: str, numpy: Mapping[str, Any], native: Mapping[str, Any]) -> Iterator[Outcome]:
    """The goals of P6 on one problem."""
    most = 0.02 if len(problem(key).net.shapes) <= 100 else 0.3
    yield Outcome("P6", key, f"≤ {most:g} s", f"{numpy['best']:.3f} s", numpy["best"] <= most)
    if native["first"] == native["first"]:
        most = 1.2 if isinstance(problem(key).net, Unet) else 0.2
        yield Outcome("P6 native", key, f"≤ {most:g} s", f"{native['first']:.3f} s", native["first"] <= most)


def costs(keys: tuple[str, ...]) -> Part:
    """P11: operations forward, forward and backward, and by hand."""
    found = [child("cost", key) for key in keys]
    outcomes: list[Outcome] = []
    body: list[list[str]] = []
    for row in found:
        gradient, hand = row["both"] / row["forward"], row["both"] / row["by_hand"]
        body.append([row["key"], *[f"{row[k]:,}" for k in ("forward", "both", "by_hand")], f"{gradient:.2f}", f"{hand:.3f}"])
        outcomes.append(Outcome("P11", row["key"], "≤ 4 × forward", f"{gradient:.2f} ×", gradient <= 4))
        outcomes.append(Outcome("P11", row["key"], "≤ 1.05 × by hand", f"{hand:.3f} ×", hand <= 1.05))
    head = ["operations of a sample's step", "forward", "forward + backward", "by hand", "÷ forward", "÷ by hand"]
    return Part("The cheap gradient", table(head, body), outcomes, found)


def memory(keys: tuple[str, ...]) -> Part:
    """The most memory while it is trained, against hand-written NumPy."""
    outcomes: list[Outcome] = []
    body: list[list[str]] = []
    found: list[dict[str, Any]] = []
    for key in keys:
        pair = [child("memory", key, name)["bytes"] for name in (e.OURS, e.HAND)]
        ours, hand = pair
        found.append({"key": key, e.OURS: ours, e.HAND: hand})
        body.append([key, f"{ours / 1e6:.2f}", f"{hand / 1e6:.2f}", f"{ours / hand:.2f}"])
        if hand >= 1e6:
            outcomes.append(Outcome("memory", key, "≤ 1.5 × NumPy by hand", f"{ours / hand:.2f} ×", ours <= 1.5 * hand))
    return Part("Memory while training", table(["MB at most", "rh", "NumPy by hand", "ratio"], body), outcomes, found)


def imports(times: int) -> Part:
    """P7: how long ``import rh_kernel`` takes, and the memory of a training run."""
    libraries = dict.fromkeys(library for name, (library, _) in digits.PEERS.items() if name in digits.installed())
    commands = {"nothing": "pass", "rh_kernel": "import rh_kernel", **{name: f"import {name}" for name in libraries}}
    taken = {name: [python("-c", text) for _ in range(times)] for name, text in commands.items()}
    best = {name: min(end.busy for end in ends) for name, ends in taken.items()}
    asked = problem(TRAINED)
    arrays = asked.arrays()
    data = sum(a.nbytes for a in (*arrays.weights, arrays.x, arrays.t)) / 1e6
    with TemporaryDirectory() as name:
        folder = Path(name)
        for i, w in enumerate(arrays.weights):
            np.save(folder / f"w{i}.npy", w)
        np.savez(folder / "batch.npz", x=arrays.x, t=arrays.t)
        (folder / "train.rh").write_text(texts.declarations(asked.net) + texts.training(asked, 20), encoding="utf-8")
        most, trained = megabytes("rh_kernel", "run", "train.rh", folder=folder)
    outcomes = [
        Outcome("P7", "import rh_kernel", "≤ 0.12 s", f"{best['rh_kernel']:.3f} s", best["rh_kernel"] <= 0.12),
        Outcome("P7", f"rh run, {TRAINED}", f"≤ 40 MB + 3 × {data:.1f} MB", f"{trained:.0f} MB", trained <= 40 + 3 * data),
    ]
    body = [[name, f"{best[name]:.3f}", f"{min(end.seconds for end in ends):.3f}"] for name, ends in taken.items()]
    text = table(["import, whole process", "processor, s", "clock: best, s"], body)
    told = f"`rh run`, 20 steps of {TRAINED}, {data:.1f} MB of data: {trained:.1f} MB in the end, {most:.1f} MB at most."
    numbers = {"seconds": best, "trained": trained, "most": most, "data": data}
    return Part("Imports, and memory after training", f"{text}\n\n{told}", outcomes, numbers)


def digits_processes(times: int) -> tuple[int, dict[str, list[Ended]], dict[str, float]]:
    """The digits to 95 % of the training samples, process by process, in turns; all modules are there as bytecode.

    Return the epochs, and by peer how the processes ended and the most memory of one in MB.
    """
    with TemporaryDirectory() as name, compiled():
        folder = Path(name)
        child("prepare", str(folder))
        epochs, _ = digits.train("NumPy by hand", folder)
        (folder / "digits.rh").write_text(texts.declarations(digits.NET) + digits.program(epochs), encoding="utf-8")
        ours = ("rh_kernel", "run", "digits.rh")
        runs = {e.OURS: (folder, ours, PLAIN), e.NATIVE: (folder, ours, EMPTY)}
        runs |= {peer: (PLACE, ("tests.benchmarks.digits", peer, name), EMPTY) for peer in digits.installed()}
        found: dict[str, list[Ended]] = {peer: [] for peer in runs}
        for place, words, variables in runs.values():
            python("-m", *words, folder=place, variables=variables)
        for _ in range(times):
            for peer, (place, words, variables) in runs.items():
                found[peer].append(python("-m", *words, folder=place, variables=variables))
        memories = {
            peer: megabytes(*words, folder=place, variables=variables)[0] for peer, (place, words, variables) in runs.items()
        }
    return epochs, found, memories


def whole_digits(times: int) -> Part:
    """P8: the digits to 95 %, as whole processes."""
    epochs, found, memories = digits_processes(times)
    best = {peer: min(end.busy for end in ends) for peer, ends in found.items()}
    plain, allowed = best[e.OURS], best[e.NATIVE]
    rows = [
        [
            peer,
            f"{best[peer]:.3f}",
            f"{statistics.median(end.seconds for end in ends):.3f}",
            f"{min(end.seconds for end in ends):.3f}",
            f"{memories[peer]:.0f}",
        ]
        for peer, ends in found.items()
    ]
    outcomes = [
        Outcome("P8", "W6", "≤ 0.4 s", f"{plain:.3f} s", plain <= 0.4),
        Outcome("P8 native", "W6", "≤ 0.3 s", f"{allowed:.3f} s", allowed <= 0.3),
    ]
    head = [f"digits to 95 %, {epochs} epochs, whole process", "processor, s", "clock: median, s", "best, s", "MB"]
    data = {peer: [asdict(end) for end in ends] for peer, ends in found.items()}
    return Part("W6, whole processes", table(head, rows), outcomes, data)


ORDINARY = tuple([p.key for p in PROBLEMS if p.batch == 1])
"""The problems with one sample a step."""
