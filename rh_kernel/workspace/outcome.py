"""``Outcome``: one result in Python, with what all kinds of results share."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from rh_kernel.display.registry import bundle, text
from rh_kernel.display.view_files import encode_view
from rh_kernel.session.results import Result
from rh_kernel.session.view_files import NoSuchPicture
from rh_kernel.syntax.core import Array
from rh_kernel.workspace.ipython_display import show

R = TypeVar("R", bound=Result, covariant=True)


class Displayed(ABC):
    """A value that ``print`` and the prompt show as text, and a notebook as HTML."""

    __slots__ = ()

    @property
    @abstractmethod
    def text(self) -> str:
        """The plain text for a terminal."""

    @property
    @abstractmethod
    def html(self) -> str:
        """The HTML for a notebook, self-contained: no scripts, no external URLs."""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return every MIME type, for front ends that choose one themselves."""
        del include, exclude
        return {"text/plain": self.text, "text/html": self.html}

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, repr=False)
class Outcome(Displayed, Generic[R]):
    """The result of one item of a program; ``result`` is the record that the session produced."""

    result: R

    @property
    def text(self) -> str:
        """The plain text for a terminal."""
        return text(self.result)

    @property
    def html(self) -> str:
        """The HTML for a notebook, self-contained: no scripts, no external URLs."""
        return bundle(self.result)["text/html"]

    def save(self, file: "str | PathLike[str]", *, animated: bool = False) -> None:
        """Write the view to an ``.html`` page, or to an ``.svg`` picture, as ``%save-view`` does.

        ``animated`` is for the picture of a pass. Raises ``OSError``; ``ValueError`` if there is no such picture.
        """
        target = Path(file)
        title = " ".join(str(getattr(self.result, "subject", type(self).__name__)).split())
        try:
            text = encode_view(self.result, target.suffix.lower(), title=title, animated=animated)
        except NoSuchPicture as problem:
            raise ValueError(str(problem)) from None
        target.write_text(text, encoding="utf-8")

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return every MIME type of the result, for front ends that choose one themselves."""
        del include, exclude
        return bundle(self.result)


@dataclass(frozen=True, slots=True, repr=False)
class Shown(Outcome[R]):
    """A result that IPython displays as the kernel does: as a widget if it has one, which takes a second output."""

    def _ipython_display_(self) -> None:
        show((self.result,))


def unwritable(array: Array) -> Array:
    """Return a read-only view of the array, not a copy, that NumPy cannot make writeable again."""
    return np.asarray(array.data.toreadonly())
