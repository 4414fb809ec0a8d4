"""How many cells live at once (§5.2): checkpoints trade cells for operations."""

from collections.abc import Mapping

import pytest

from rh_kernel.ad.eff import library
from tests.ad.handlers.programs import counted, evaluations, value

PROGRAMS = """
fun step x y = let yy = t y y in let e = sub x yy in let h = c 0.1 in let g = t h e in p y g

fun steps (i : Int) x y = if i <= 0 then y else steps (i - 1) x (step x y)

fun blocks (i : Int) (size : Int) x y =
  if i <= 0 then y else
    let z = checkpoint {steps size x y} in
    blocks (i - 1) size x z

fun left (i : Int) (x : Prop x) (y : Prop x) : [r | Checkpoint x [e], Smooth (Prop x)] Prop x =
  if i <= 0 then step x y else
    let z = checkpoint {left (i - 1) x y} in
    left (i - 1) x z

fun halves (i : Int) (x : Prop x) (y : Prop x) : [r | Checkpoint x [e], Smooth (Prop x)] Prop x =
  if i <= 0 then step x y else
    let z = checkpoint {halves (i - 1) x y} in
    checkpoint {halves (i - 1) x z}
"""
"""n = 4ʲ steps y ← y + 0.1 (x − y²) from 1: without checkpoints, √n blocks of √n steps, and by bisection."""

CALLS: Mapping[str, str] = {
    "stateful": "grad {x -> steps N x (c 1)} 2",
    "blocks": "gradc {x -> blocks ROOT ROOT x (c 1)} 2",
    "left": "gradc {x -> left LOG x (c 1)} 2",
    "halves": "gradc {x -> halves LOG x (c 1)} 2",
    "forward": "d {x -> steps N x (c 1)} 2",
}


def call(way: str, n: int, mode: str = "gradc") -> str:
    """The derivative after n steps."""
    root, log = {16: (4, 4), 64: (8, 6), 256: (16, 8)}[n]
    text = CALLS[way].replace("ROOT", str(root)).replace("LOG", str(log)).replace("N", str(n)).replace("gradc", mode)
    return f"handle {text} with evaluate"


@pytest.mark.parametrize("way", CALLS)
@pytest.mark.parametrize(("n", "slope"), [(16, 0.354963847372419), (64, 0.353553392162419), (256, 0.353553390593274)])
def test_o19_every_way_gives_the_derivative(way: str, n: int, slope: float) -> None:
    """O19"""
    assert value(call(way, n), PROGRAMS) == pytest.approx(slope, rel=1e-12)


CELLS: Mapping[str, tuple[int, int, int]] = {
    "stateful": (82, 322, 1282),
    "blocks": (26, 50, 98),
    "left": (11, 13, 15),
    "halves": (12, 14, 16),
}
"""In addition to the cells of x and of the first y: 5n without checkpoints; one for each of √n blocks, and the 5√n of the last
one; one for each open checkpoint of a left half, and the 5 of one step; the same, and that of the last right half.

These are the cells that are still reachable; see ``KEPT``."""

KEPT: Mapping[str, tuple[int, int, int]] = {"blocks": (30, 58, 114), "left": (15, 19, 23), "halves": (23, 31, 39)}
"""The same if two cells that are no longer needed are kept until the end of a checkpoint: the one that represents the block in
the first run, and that of the result after the second run. (Clauses that are Python functions keep both.)"""

OPERATIONS: Mapping[str, tuple[int, int, int]] = {
    "stateful": (484, 1924, 7684),
    "blocks": (572, 2260, 8996),
    "left": (674, 3010, 13314),
    "halves": (864, 4096, 18944),
    "forward": (355, 1411, 5635),
}
"""With the printed rule; the corrected one has one more sum for each checkpoint."""

CHECKPOINTS: Mapping[str, tuple[int, int, int]] = {
    "stateful": (0, 0, 0),
    "blocks": (4, 8, 16),
    "left": (15, 63, 255),
    "halves": (30, 126, 510),
    "forward": (0, 0, 0),
}


@pytest.mark.parametrize("way", CELLS)
@pytest.mark.parametrize(("place", "n"), [(0, 16), (1, 64), (2, 256)])
def test_cells_alive_at_once(way: str, place: int, n: int) -> None:
    """O(n), O(√n), O(log n)"""
    assert counted(call(way, n), PROGRAMS).cells_alive == CELLS[way][place]


@pytest.mark.parametrize("way", OPERATIONS)
@pytest.mark.parametrize(("place", "n"), [(0, 16), (1, 64), (2, 256)])
def test_operations_evaluated(way: str, place: int, n: int) -> None:
    """Recomputation costs operations."""
    assert evaluations(call(way, n, "gradcPrinted"), PROGRAMS) == OPERATIONS[way][place]
    assert evaluations(call(way, n), PROGRAMS) == OPERATIONS[way][place] + CHECKPOINTS[way][place]


@pytest.mark.parametrize("way", KEPT)
@pytest.mark.parametrize(("place", "n"), [(0, 16), (1, 64), (2, 256)])
def test_cells_alive_at_once_if_they_are_kept(way: str, place: int, n: int) -> None:
    """The same orders of growth"""
    keeping = f"{PROGRAMS}\n{_keeping()}"
    assert counted(call(way, n, "gradcKeeping"), keeping).cells_alive == KEPT[way][place]


def _keeping() -> str:
    """The program of checkpointed mode, with a clause that reads both cells at its end."""
    text = library.source("checkpointed").text
    handler = text[text.index("handler reversec") :].replace("reversec", "reversecKeeping").replace("gradc", "gradcKeeping")
    end = "with reversecKeeping)\n  | <ap0"
    assert end in handler
    return handler.replace(end, "with reversecKeeping);\n      let _ = (@s, @(deriv r)) in ()\n  | <ap0")
