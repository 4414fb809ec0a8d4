"""What PyTorch computed, on record, so that every tier can compare with it and only the slow tests need PyTorch."""

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tests.oracles.forms import Form
from tests.oracles.problems import GATES, Problem, Weights

FILE = Path(__file__).with_name("recorded.json")
TINY = [Problem(net, "tiny", 2) for net in GATES]
SMALL = [Problem(net, task, 6) for task in ("digits", "adding") for net in GATES]
LARGE = [Problem(net, task, 32) for task in ("digits", "adding") for net in GATES]


def read(problem: Problem | Form) -> Weights:
    """Return the weights on record for a problem of ``TINY`` or ``SMALL``, or a form."""
    found = json.loads(FILE.read_text(encoding="utf-8"))[str(problem)]
    return {name: np.array(content) for name, content in found.items()}


def assert_same(found: Weights, expected: Weights, atol: float = 1e-12) -> None:
    """Compare all entries of all locations."""
    assert set(found) == set(expected)
    for name, content in expected.items():
        np.testing.assert_allclose(found[name], content, rtol=0, atol=atol, err_msg=name)


def write(found: Mapping[Problem | Form, Weights]) -> None:
    """Record the weights of all problems, a location a line; a float is written so that reading it gives the same one."""
    lines = [
        f'"{problem}": {{\n' + ",\n".join([f'  "{name}": {json.dumps(w.tolist())}' for name, w in weights.items()]) + "\n}"
        for problem, weights in found.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
