"""Data sets known by name: scikit-learn's bundled ones, rescaled for training, and synthetic ones."""

import gzip
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.training import synthetic as made
from rh_kernel.training.errors import MissingLibrary
from rh_kernel.training.samples import DataSet, data_set, one_hot

SYNTHETIC = {"xor": made.xor, "moons": made.moons, "spiral": made.spiral, "adding": made.adding}
FROM_SCIKIT_LEARN = ("digits", "iris", "wine", "breast_cancer")
_FILES = {"digits": "digits.csv.gz", "iris": "iris.csv", "wine": "wine_data.csv", "breast_cancer": "breast_cancer.csv"}
_SIZES = {"digits": (1797, 65), "iris": (150, 5), "wine": (178, 14), "breast_cancer": (569, 31)}
NAMES = (*FROM_SCIKIT_LEARN, *SYNTHETIC)


@cache
def bundled(name: str) -> DataSet:
    """Return the data set ``name`` of ``NAMES``. Raises ``Rejected`` if it needs scikit-learn and that is not installed."""
    return data_set(name, SYNTHETIC[name]() if name in SYNTHETIC else _collected(name))


def _collected(name: str) -> dict[str, Array]:
    """Classes one-hot; digits: pixels 0 … 16 divided by 16; others: each column standardised to mean 0 and variance 1."""
    rows = table(name)
    x, labels = rows[:, :-1], rows[:, -1].astype(np.intp)
    if name == "digits":
        return {"x": x / 16.0, "t": one_hot(labels, 10)}
    return {"x": (x - x.mean(axis=0)) / x.std(axis=0), "t": one_hot(labels, int(np.max(labels)) + 1)}


def table(name: str) -> Array:
    """Return a row for each sample, its class number last. Raises ``Rejected`` if scikit-learn is not installed.

    Importing scikit-learn takes a second, so its file is read directly if it is at the usual place and of the usual size.
    """
    found = find_spec("sklearn")
    for folder in (found and found.submodule_search_locations) or ():
        rows = _read(Path(folder) / "datasets" / "data" / _FILES[name], _SIZES[name])
        if rows is not None:
            return rows
    return _by_import(name)


def _read(file: Path, size: tuple[int, int]) -> Array | None:
    try:
        data = file.read_bytes()
        # The first line of an uncompressed file has the number of samples and the names of the classes.
        data = gzip.decompress(data) if file.suffix == ".gz" else data.partition(b"\n")[2]
        rows = np.array(data.replace(b"\n", b",").strip(b",").split(b","), dtype=np.float64)
    except (OSError, EOFError, ValueError):
        return None
    return rows.reshape(size) if rows.size == size[0] * size[1] else None


def _by_import(name: str) -> Array:
    try:
        from sklearn import datasets
    except ImportError:
        hint = 'install it with the lessons: pip install "rh_kernel[lessons]"'
        raise Rejected(MissingLibrary(name=name, library="scikit-learn", hint=hint)) from None
    x, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    return np.column_stack([x, labels])
