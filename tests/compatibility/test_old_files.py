"""Heaps and notebooks that earlier versions wrote mean today what they meant then.

The files of ``0.1`` were written by version 0.1.0, as it was on 2026-11-24, and those of ``0.2`` by version 0.2.0, both by
``record.py`` with Python 3.11 and NumPy 2.4.
"""

import re
from pathlib import Path
from shutil import copytree

import nbformat
import numpy as np
import pytest

from lessons.press.outputs import differences, plain
from lessons.press.running import executed
from lessons.press.texts import Notebook
from rh_kernel.session.session import Session
from tests.compatibility.record import NOTEBOOK
from tests.session.cells import run

FOLDERS = sorted(path for path in Path(__file__).parent.glob("[0-9]*.[0-9]*"))
PROGRAM = """
dim hidden = 3
loc w0 : Real(hidden, 2) = zeros
loc w1 : Real(1, hidden) = zeros
loc steps : Real = [0]
"""
FAMILY = "loc ws[3] : Real(2, 2) = zeros\n"

every_version = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def told(cell: Notebook) -> str:
    """What a cell shows, without times; of an error only its code, since words may be improved."""
    codes = [output.ename.split()[0] for output in cell.outputs if output.output_type == "error"]
    return codes[0] if codes else plain(cell)


def heap(session: Session) -> dict[str, np.ndarray]:
    return {location.name: array for location, array in session.heap.items()}


def test_there_are_files_of_each_minor_version() -> None:
    assert [folder.name for folder in FOLDERS] == ["0.1", "0.2"]


@every_version
@pytest.mark.parametrize("form", ["npz", "safetensors"])
def test_a_heap_is_loaded_to_the_bit(folder: Path, form: str) -> None:
    _, session = run(Session.start(folder), PROGRAM + f"%load heap.{form}\n")
    with np.load(folder / "heap.npz") as written:
        assert set(written) == {"w0", "w1", "steps"}
        assert {name: array.tolist() for name, array in heap(session).items()} == {n: written[n].tolist() for n in written}
    assert heap(session)["steps"].item() == 2.0
    np.testing.assert_allclose(heap(session)["w0"][0], [-0.184, 0.7936], atol=5e-5)


def test_a_family_is_loaded_to_the_bit() -> None:
    folder = FOLDERS[-1]
    _, session = run(Session.start(folder), PROGRAM + FAMILY + "%load families.npz\n")
    with np.load(folder / "families.npz") as written:
        found = {name: written[name].tolist() for name in written}
    assert {f"ws[{i}]" for i in range(3)} < set(found)
    assert {name: array.tolist() for name, array in heap(session).items()} == found


@every_version
def test_a_notebook_shows_what_it_showed(folder: Path, tmp_path: Path) -> None:
    place = copytree(folder, tmp_path / folder.name)
    before = nbformat.read(place / NOTEBOOK, as_version=4)
    after = executed(nbformat.read(place / NOTEBOOK, as_version=4), place)
    for old, new in zip(before.cells, after.cells, strict=True):
        assert told(old), old.source
        assert not [*differences(told(old), told(new))], old.source
    # The heap it saves is that of then, but for the rounding of other machines.
    with np.load(folder / "heap.npz") as written, np.load(place / "heap.npz") as saved:
        assert set(written) == set(saved)
        for name in written:
            np.testing.assert_allclose(saved[name], written[name], rtol=1e-9)


def test_the_oldest_notebook_trains_and_fails_where_it_should() -> None:
    cells = nbformat.read(FOLDERS[0] / NOTEBOOK, as_version=4).cells
    shown = [told(cell) for cell in cells]
    assert re.match(r"2 epochs of 300 samples · ‹time› · ‹time›\n", next(text for text in shown if "epochs" in text))
    assert shown[-1] == "RH101"
