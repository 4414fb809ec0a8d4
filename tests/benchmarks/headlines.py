"""The five numbers that a user would ask for, in this package, PyTorch and JAX."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.benchmarks.cases import Case, Measured
from tests.benchmarks.goals import quickest
from tests.benchmarks.peers import everyone as e
from tests.benchmarks.process import Ended, child
from tests.benchmarks.rounds import Row
from tests.benchmarks.whole import digits_processes

CHAIN = "chain-1000x8/b1"
STEPS = {
    "lenet-28/b32": "LeNet-5: a training step on 32 images",
    "block-32x32/b16": "Block of a transformer: a step on 16 × 32 tokens",
    "gru-100x64/b32": "GRU of width 64: a step on 32 sequences of 100 vectors",
}
HERE, PYTORCH, JAX = "rh_kernel", "PyTorch", "JAX"


def headlines(found: Sequence[Measured], repeat: int) -> list[dict[str, Any]]:
    """A title, a unit and a value for each library that is there, of each of the five; less is better in all of them."""
    of: dict[Case, dict[str, Row]] = {}
    for measured in found:
        for row in measured.rows:
            of.setdefault(measured.case, {}).setdefault(row.peer, Row(row.peer)).samples += row.samples
    told: list[dict[str, Any]] = []
    for key, title in STEPS.items():
        rows = of[Case(key)]
        peers = {HERE: quickest(rows, (e.NATIVE,)), PYTORCH: quickest(rows, e.TORCH), JAX: quickest(rows, e.JAX)}
        told.append(_line(title, "ms", {name: 1e3 * row.least for name, row in peers.items() if row is not None}))
    ended = digits_processes(repeat)[1]
    told.append(_line("Digits, 64-32-10, to 95 %: the whole process", "s", _seconds(ended)))
    peers = {HERE: e.NATIVE, PYTORCH: e.TUNED, JAX: e.SCAN}
    sizes = {name: child("resident", CHAIN, peer)["bytes"] / 1e6 for name, peer in peers.items() if _is_there(name, found)}
    told.append(_line("Chain of 1,000 layers of width 8: memory that training adds", "MB", sizes))
    return told


def _seconds(ended: Mapping[str, Sequence[Ended]]) -> dict[str, float]:
    """The least time of the processor of each library; one core, so it is that by the clock where nothing else runs."""
    names = {HERE: (e.NATIVE,), PYTORCH: ("torch eager", "torch tuned"), JAX: ("jax scan",)}
    found = {name: [end.busy for peer in peers for end in ended.get(peer, ())] for name, peers in names.items()}
    return {name: min(seconds) for name, seconds in found.items() if seconds}


def _is_there(name: str, found: Sequence[Measured]) -> bool:
    """Whether a library was measured in the steps."""
    peers = {HERE: (e.NATIVE,), PYTORCH: e.TORCH, JAX: e.JAX}[name]
    return any(quickest(measured.by_peer, peers) is not None for measured in found)


def _line(title: str, unit: str, values: Mapping[str, float]) -> dict[str, Any]:
    return {"title": title, "unit": unit, "values": {name: float(f"{value:.3g}") for name, value in values.items()}}
