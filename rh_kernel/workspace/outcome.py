"""One result for Python: what every kind of it has."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from rh_kernel.display.registry import bundle, text
from rh_kernel.session.results import Result
from rh_kernel.syntax.core import Array
from rh_kernel.workspace.showing import show

R = TypeVar("R", bound=Result, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Generic[R]):
    """What one item of a program gave; ``result`` is the record that the stages returned."""

    result: R

    @property
    def text(self) -> str:
        """What a terminal shows."""
        return text(self.result)

    @property
    def html(self) -> str:
        """What a notebook shows; it needs no script and no address outside."""
        return bundle(self.result)["text/html"]

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Every form of the result, for front ends that choose one themselves."""
        del include, exclude
        return bundle(self.result)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Shown(Outcome[R]):
    """A result that IPython shows as the kernel does, live where it has a live form, which takes an output more."""

    def _ipython_display_(self) -> None:
        show((self.result,))


def unwritable(array: Array) -> Array:
    """The same entries, not copied, in an array that NumPy lets nobody make writeable, as it does with one that is frozen."""
    return np.asarray(array.data.toreadonly())
