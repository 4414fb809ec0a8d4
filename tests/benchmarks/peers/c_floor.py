"""The floor: C written for one network and one size, compiled for this machine, that loops over the steps itself."""

import ctypes
import hashlib
import os
import shutil
import subprocess
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from tests.benchmarks.peers.peer import Precision, Unavailable, aligned
from tests.benchmarks.problems import Arrays, Block, Cnn, Dense, Floats, Gru, Lenet, Problem, Unet

SOURCES = Path(__file__).parents[1] / "floor"
FLAGS = (
    *("-O3", "-mprefer-vector-width=512", "-std=gnu11", "-shared", "-fPIC"),
    *("-fno-math-errno", "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math", "-ffp-contract=fast"),
    "-Wno-aggressive-loop-optimizations",
)
"""Besides the instruction set. No ``-ffast-math``: at link time it would make the whole process flush small numbers to zero."""


class Floor:
    """All weights in one array, as C has them."""

    def __init__(self, problem: Problem, arrays: Arrays, precision: Precision) -> None:
        source, macros = _written(problem)
        number = {"float64": "double", "float32": "float"}[precision]
        library = ctypes.CDLL(str(_compiled(source, {"REAL": number, "B": str(problem.batch), **macros})))
        self.shapes = problem.net.shapes
        weights = np.concatenate([w.ravel() for w in arrays.weights])
        self.w, self.x, self.t = [aligned(a, precision) for a in (weights, arrays.x, arrays.t)]
        real = {"float64": ctypes.c_double, "float32": ctypes.c_float}[precision]
        self.train = library.floor_train
        self.train.argtypes = [ctypes.c_void_p] * 3 + [real, ctypes.c_long]
        self.train.restype = None
        self.rate = problem.alpha / problem.batch

    def run(self, steps: int) -> None:
        """One call."""
        self.train(self.w.ctypes.data, self.x.ctypes.data, self.t.ctypes.data, self.rate, steps)

    def weights(self) -> tuple[Floats, ...]:
        """Its parts."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return tuple([w.reshape(shape) for w, shape in zip(np.split(self.w, ends[:-1]), self.shapes, strict=True)])


def _written(problem: Problem) -> tuple[str, dict[str, str]]:
    """The source, and the macros that fit it to the network."""
    match problem.net:
        case Dense() as net if net.linear and len(net.sizes) == 3:
            n0, n1, n2 = net.sizes
            source, sizes = "dense.c", {"N0": n0, "N1": n1, "N2": n2, "ENTER": 1, "DEPTH": 0, "LEAVE": 1, "RESIDUAL": 0}
        case Dense() as net if not net.linear and len(set(net.sizes)) == 1:
            inner = {"N0": 1, "N1": net.sizes[0], "N2": 1, "ENTER": 0, "DEPTH": len(net.shapes), "LEAVE": 0}
            source, sizes = "dense.c", {**inner, "RESIDUAL": int(net.residual)}
        case Dense():
            raise Unavailable("not written")
        case Cnn() as net:
            source, sizes = "cnn.c", {"CH": net.channels, "LENGTH": net.length, "WIDTH": net.width, "OUT": net.classes}
        case Unet() as net:
            source, sizes = "unet.c", {"N0": net.length, "C": net.c, "D": net.d}
        case Lenet() | Gru() | Block():
            raise Unavailable("not written")
    return source, {name: str(size) for name, size in sizes.items()}


def _compiled(source: str, macros: dict[str, str]) -> Path:
    """The shared library, made once for each text, macros and machine."""
    compiler = shutil.which("gcc")
    if compiler is None:
        raise Unavailable("no C compiler")
    text = "".join([(SOURCES / name).read_text(encoding="utf-8") for name in ("vectors.h", "signals.h", source)])
    # The floor is kept to the instruction set that the others are kept to.
    machine = ("-march=native", *(("-mno-avx512f",) if os.environ.get("RH_ISA") == "avx2" else ()))
    words = [*FLAGS, *machine, *[f"-D{name}={value}" for name, value in macros.items()]]
    name = hashlib.sha256("\n".join([text, *words, _processor()]).encode()).hexdigest()[:20]
    library = Path(gettempdir()) / f"rh-floor-{name}.so"
    if not library.exists():
        making = library.with_suffix(f".{id(words)}.tmp")
        command = [compiler, *words, str(SOURCES / source), "-o", str(making), "-lmvec", "-lm"]
        subprocess.run(command, check=True)
        making.replace(library)
    return library


def _processor() -> str:
    from tests.benchmarks.machine import facts

    return facts()["processor"]
