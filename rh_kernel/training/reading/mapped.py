"""``MappedFile``: arrays within a file as views of it, of which only the rows that are read take memory."""

import os
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rh_kernel.training.reading.reader import Damaged, Header


class MappedFile:
    """An open file whose arrays are mapped into memory."""

    def __init__(self, file: Path) -> None:
        """Open the file. Raises ``OSError``."""
        self.stream = file.open("rb")
        self.size = self._present_size()

    def map(self, header: Header, at: int, order: Literal["C", "F"] = "C") -> npt.NDArray[Any]:
        """Return the array of this header that begins at the byte ``at``."""
        if not header.reals:
            return np.empty(header.shape, header.dtype)
        return np.memmap(self.stream, header.dtype, "r", at, header.shape, order)

    def check(self) -> None:
        """Raise ``Damaged`` if the file has become shorter: access to a map beyond the end of its file ends the process."""
        size = self._present_size()
        if size < self.size:
            raise Damaged(f"the file was cut off after {size:,} of {self.size:,} bytes while it was read")

    def close(self) -> None:
        """Close the file."""
        self.stream.close()

    def _present_size(self) -> int:
        return os.fstat(self.stream.fileno()).st_size
