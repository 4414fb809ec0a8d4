"""Imported models for Python: what is wrong is raised as ``Wrong``, and files are relative to the folder of the workspace."""

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from rh_kernel.interchange.sources import imported as sources
from rh_kernel.source.diagnostic import Failure
from rh_kernel.workspace.errors import Wrong


class Imported(sources.Imported):
    """A model of another library as a program; ``text`` is the program, and ``weights`` holds the arrays that it loads."""

    def __init__(self, found: sources.Imported, folder: Path) -> None:
        super().__init__(found.model)
        self._folder = folder

    def save(self, file: Path | str | None = None, *, overwrite: bool = False) -> Path:
        """Write the program, and the weights beside it, and return where; by default a file with the name of the net.

        Raises ``Wrong`` if one of the files exists already, unless ``overwrite`` is true, or cannot be written.
        """
        try:
            return super().save(self._folder / (self.default_file if file is None else file), overwrite=overwrite)
        except Failure as failure:
            raise Wrong(*failure.diagnostics) from None


def imported(folder: Path, read: Callable[[ModuleType], sources.Imported]) -> Imported:
    """Return a model for the workspace of this folder. Raises ``Wrong``."""
    try:
        return Imported(read(sources), folder)
    except Failure as failure:
        raise Wrong(*failure.diagnostics) from None
