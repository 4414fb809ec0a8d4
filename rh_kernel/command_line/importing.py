"""``rh import``: write the model in an ``.onnx`` file as a program, and its weights beside it."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rh_kernel.interchange.sources.imported import SUFFIX, import_onnx


def import_model(file: str, output: str | None, results: Sequence[str], *, overwrite: bool) -> None:
    """Read the model and write the files. Raises ``Rejected`` if it cannot be read or imported, or a file cannot be written."""
    source = Path(file)
    target = source.with_suffix(SUFFIX) if output is None else Path(output)
    written = import_onnx(source, results=results).save(target, overwrite=overwrite)
    sys.stdout.write(f"{written}\n")
