"""An imported model: its program, and the file of its weights beside it."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from rh_kernel.interchange.errors import CannotWriteModel
from rh_kernel.interchange.model import Model, Numbers
from rh_kernel.interchange.sources.example import real
from rh_kernel.interchange.sources.libraries import Untyped
from rh_kernel.interchange.sources.refusals import shown
from rh_kernel.interchange.sources.writer import Written, write
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.reading.formats import find

SUFFIX = ".rh"


class Imported:
    """A model of another library as a program; ``text`` is the program, and ``weights`` holds the arrays that it loads."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def text(self) -> str:
        """The program, which loads the weights from a file that has the name of the net."""
        return self._written(Path(self.default_file)).text

    @property
    def weights(self) -> Mapping[str, Numbers]:
        """The contents of the locations by their names."""
        return {name: real(array) for name, array in self._written(Path(self.default_file)).contents.items()}

    @property
    def default_file(self) -> str:
        """The file in which the program is saved if none is named."""
        return f"{write(self.model, '').name}{SUFFIX}"

    def save(self, file: Path | str | None = None, *, overwrite: bool = False) -> Path:
        """Write the program, and the weights beside it, and return where; by default a file with the name of the net.

        Raises ``Rejected`` if one of the files exists already, unless ``overwrite`` is true, or cannot be written.
        """
        target = Path(self.default_file if file is None else file)
        if target.suffix != SUFFIX:
            expected = f"a name that ends in {SUFFIX}"
            raise Rejected(CannotWriteModel(name=shown(target.name), found="another kind of file", expected=expected))
        if any(not c.isprintable() or c in "\"'\\" for c in target.name):
            expected = "a name of printed characters without quotes"
            raise Rejected(CannotWriteModel(name=shown(target.name), expected=expected))
        written, weights = self._written(target), _weights_file(target)
        try:
            for path in (target, weights) if written.contents else (target,):
                if path.exists() and not overwrite:
                    hint = "choose another name with -o, or overwrite it: --overwrite, in Python overwrite=True"
                    raise Rejected(CannotWriteModel(name=shown(path.name), found="a file of this name", hint=hint))
            if written.contents:
                _save(written.contents, weights)
            target.write_text(written.text, encoding="utf-8", newline="\n")
        except OSError as failure:
            found = (failure.strerror or str(failure)).lower()
            raise Rejected(CannotWriteModel(name=shown(target.name), found=found, hint="choose another file")) from None
        return target

    def _written(self, target: Path) -> Written:
        return write(self.model, _weights_file(target).name)

    def __repr__(self) -> str:
        """The program."""
        return self.text


def _weights_file(target: Path) -> Path:
    return target.with_suffix(".safetensors" if find_spec("safetensors") else ".npz")


def _save(contents: Mapping[str, Numbers], target: Path) -> None:
    form = find(target)
    arrays: dict[str, Untyped] = {name: np.ascontiguousarray(real(array)) for name, array in contents.items()}
    if form is not None and form.write is not None:
        with target.open("wb") as stream:
            form.write(arrays, stream)


def import_torch(module: Untyped, example: Untyped, *, batch: bool = True, state_dict: Path | str | None = None) -> Imported:
    """Read a module of PyTorch in memory; see ``pytorch``. Raises ``Rejected``."""
    from rh_kernel.interchange.sources.pytorch.reader import read_torch

    return Imported(read_torch(module, example, batch=batch, state_dict=None if state_dict is None else Path(state_dict)))


def import_onnx(
    file: Path | str, example: Mapping[str, Untyped] | None = None, *, batch: bool = True, results: Sequence[str] = ()
) -> Imported:
    """Read an ``.onnx`` file; see ``onnx``. Raises ``Rejected``."""
    from rh_kernel.interchange.sources.onnx.reader import read_onnx

    return Imported(read_onnx(Path(file), example, batch=batch, results=results))


def import_jax(function: Untyped, example: Untyped, params: Untyped = None, *, batch: bool = True) -> Imported:
    """Read a function of JAX; see ``jax``. Raises ``Rejected``."""
    from rh_kernel.interchange.sources.jax.reader import read_jax

    return Imported(read_jax(function, example, params, batch=batch))
