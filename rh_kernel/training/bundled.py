"""The data sets with a name of their own: scikit-learn's bundled ones, brought to a scale to learn from, and the made ones."""

from functools import cache

import numpy as np

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.core import Array
from rh_kernel.training import made
from rh_kernel.training.errors import MissingLibrary
from rh_kernel.training.samples import DataSet, data_set, one_hot

MADE = {"xor": made.xor, "moons": made.moons, "spiral": made.spiral}
COLLECTED = ("digits", "iris", "wine", "breast_cancer")
NAMES = (*COLLECTED, *MADE)


@cache
def bundled(name: str) -> DataSet:
    """The data set of that name, one of ``NAMES``. Raises ``Rejected`` if it needs scikit-learn and that is not installed."""
    return data_set(name, MADE[name]() if name in MADE else _collected(name))


def _collected(name: str) -> dict[str, Array]:
    """The classes are one-hot. Digits: pixels 0 … 16 divided by 16. The others: each column with mean 0 and variance 1."""
    try:
        from sklearn import datasets
    except ImportError:
        hint = 'install it with the lessons: pip install "rh_kernel[lessons]"'
        raise Rejected(MissingLibrary(name=name, library="scikit-learn", hint=hint)) from None
    match name:
        case "digits":
            x, labels = datasets.load_digits(return_X_y=True)
            return {"x": x / 16.0, "t": one_hot(labels, 10)}
        case "iris":
            x, labels = datasets.load_iris(return_X_y=True)
        case "wine":
            x, labels = datasets.load_wine(return_X_y=True)
        case _:
            x, labels = datasets.load_breast_cancer(return_X_y=True)
    return {"x": (x - x.mean(axis=0)) / x.std(axis=0), "t": one_hot(labels, int(np.max(labels)) + 1)}
