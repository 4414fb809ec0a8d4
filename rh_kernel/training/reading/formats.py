"""The formats of files of named arrays, each by the suffix of its files."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

from rh_kernel.training.reading.npy import open_npy, open_npz
from rh_kernel.training.reading.reader import Blocks, ByteLimit, Reader
from rh_kernel.training.reading.table import open_csv
from rh_kernel.training.reading.tensors import open_safetensors

Opener: TypeAlias = Callable[[Path, ByteLimit], Blocks[Reader]]
"""Opens a file that exists. What takes time before the shapes are known is done in blocks, within the limit.

Raises ``Damaged`` if the file is of another format.
"""

OPENERS: Mapping[str, Opener] = MappingProxyType(
    {".npy": open_npy, ".npz": open_npz, ".csv": open_csv, ".safetensors": open_safetensors}
)
