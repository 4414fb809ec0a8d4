"""Training from files of all formats gives the same weights as from an archive, to the bit, in memory and beyond it."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from rh_kernel.session.results import ItemFailed, TrainingDone, Working
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source
from tests.session.cells import run
from tests.training.test_formats import WRITERS
from tests.training.test_idx import written

ROWS = 600

PROGRAM = """
loc w : {x} = zeros
loc v : {t} = zeros
train let a <= Get[w]() in let _ <= Put[w](a + 0.1 * (x - a)) in let b <= Get[v]() in Put[v](b + 0.1 * (t - b * b))
  for (x, t) in data({data}) epochs 3 batch 7 shuffle 1
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def weights(folder: Path, program: str, limit: int) -> dict[str, bytes]:
    """Run a cell in which data may have so many bytes, and return the contents after it."""
    session = Session.start(folder)
    bounds = replace(session.settings.bounds, bytes=limit)
    results, after = run(replace(session, settings=replace(session.settings, bounds=bounds)), program)
    assert [str(d.message) for result in results if isinstance(result, ItemFailed) for d in result.diagnostics] == []
    (done,) = [result for result in results if isinstance(result, TrainingDone)]
    assert (done.epochs, done.samples) == (3, ROWS)
    return {location.name: array.tobytes() for location, array in after.heap.items()}


def compare(folder: Path, data: str, x: np.ndarray, t: np.ndarray) -> None:
    """Compare training on the data, within the limit of bytes and beyond it, with training on these arrays."""
    types = {name: f"Real({', '.join([str(n) for n in array.shape[1:]])})" for name, array in (("x", x), ("t", t))}
    np.savez(folder / "expected.npz", x=x, t=t)
    expected = weights(folder, PROGRAM.format(data='"expected.npz"', **types), 1 << 30)
    for limit in (1 << 30, (x.nbytes + t.nbytes) // 2):
        assert weights(folder, PROGRAM.format(data=data, **types), limit) == expected
    assert any(np.frombuffer(content).any() for content in expected.values())


@pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)
def test_files_of_named_arrays(tmp_path: Path, name: str, write: Callable[[Path, dict[str, np.ndarray]], None]) -> None:
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(ROWS, 4, 3)), rng.normal(size=(ROWS, 2))
    write(tmp_path / name, {"x": x, "t": t})
    compare(tmp_path, f'"{name}"', x, t)


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_idx_files(tmp_path: Path, packed: str) -> None:
    rng = np.random.default_rng(0)
    pictures, labels = rng.integers(0, 256, (ROWS, 4, 5), np.uint8), rng.integers(0, 3, ROWS, np.uint8)
    names = f"train-images-idx3-ubyte{packed}", f"train-labels-idx1-ubyte{packed}"
    for name, array in zip(names, (pictures, labels), strict=True):
        content = written(array)
        (tmp_path / name).write_bytes(gzip.compress(content) if packed else content)
    compare(tmp_path, ", ".join([f'"{name}"' for name in names]), pictures / 255.0, np.eye(3)[labels])


def test_a_folder_of_pictures(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, (ROWS, 4, 5, 3), np.uint8)
    for number, picture in enumerate(pictures):
        file = tmp_path / "pets" / str(number * 3 // ROWS) / f"{number:03}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(file)
    labels = np.arange(ROWS) * 3 // ROWS
    compare(tmp_path, '"pets"', pictures.transpose(0, 3, 1, 2) / 255.0, np.eye(3)[labels])


@pytest.mark.parametrize("name", [*dict.fromkeys(name for name, _ in WRITERS.values()), "a-idx3-ubyte.gz", "pets"])
def test_an_interrupt_passes_between_two_blocks(tmp_path: Path, name: str) -> None:
    rows = 3000
    if name == "pets":
        (tmp_path / name / "0").mkdir(parents=True)
        for number in range(300):
            Image.fromarray(np.zeros((2, 2), np.uint8)).save(tmp_path / name / "0" / f"{number}.png")
    elif name.endswith(".gz"):
        (tmp_path / name).write_bytes(gzip.compress(written(np.zeros((rows, 28, 28), np.uint8))))
    else:
        write = next(write for each, write in WRITERS.values() if each == name)
        write(tmp_path / name, {"x": np.zeros((rows, 200))})
    session = Session.start(tmp_path)
    events = execute(session, Source("cell", f'train return 1 for x in data("{name}")'))
    assert isinstance(next(events), Working)
    assert isinstance(next(events), Working)
    with pytest.raises(KeyboardInterrupt):
        events.throw(KeyboardInterrupt())
