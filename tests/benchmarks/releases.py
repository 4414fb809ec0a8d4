"""What each release was measured to be: ``releases.json``, by version and by the instruction set of the machine.

``make bench ARGS="--quick --update"`` writes the entry of the version that is being developed. The gate compares with it, and
``python -m lessons.reference`` draws it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from tests.benchmarks.gate import Ratios

FILE = Path(__file__).parents[2] / "lessons" / "reference" / "releases.json"


def load(file: Path = FILE) -> dict[str, dict[str, Any]]:
    """The entries by version, the newest first, and by instruction set."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def committed(machine: str, file: Path = FILE) -> Ratios:
    """The ratios of the newest version that was measured on a machine with this instruction set; nothing if none was."""
    found = [entry[machine]["ratios"] for entry in load(file).values() if machine in entry]
    return cast("Ratios", found[0]) if found else {}


def update(number: str, machine: str, entry: Mapping[str, Any], file: Path = FILE) -> None:
    """Write the entry of a version on a kind of machine; the others stay."""
    every = load(file)
    every = {number: {**every.get(number, {}), machine: dict(entry)}, **{n: e for n, e in every.items() if n != number}}
    file.write_text(json.dumps(every, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def rounded(found: Ratios) -> dict[str, dict[str, float]]:
    """Three digits, since the rest is noise."""
    return {workload: {peer: float(f"{ratio:.3g}") for peer, ratio in line.items()} for workload, line in found.items()}
