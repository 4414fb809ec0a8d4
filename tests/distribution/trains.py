"""Trains a small net without a C compiler and tells which back end did it: a program for an environment that has the wheel.

``python trains.py prebuilt`` fails if it was another one. What it writes is JSON: the back end, the files of the library that
were loaded (on Linux), and the weights.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# Beside this Python there is no compiler.
os.environ["PATH"] = str(Path(sys.executable).parent)
os.environ.pop("CC", None)

import numpy as np

from rh_kernel.arrays.backends import backend_for, name_of
from rh_kernel.session.results import ItemFailed, Shown
from rh_kernel.session.session import Session, execute
from rh_kernel.source.span import Source

TEXT = """
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
loc u : Real(32, 16) = normal(0.2, seed=1)
loc v : Real(5, 32) = normal(0.2, seed=2)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}
net model(x : Real(16)) : Real(5) = let y <= FC[u](x) in FC[v](swish(y))
train rev handle (x) <y>. model(y) with sgd(0.05, t) for (x, t) in data("samples.npz") epochs 400 batch 8
"""


def main() -> None:
    """Train, and write what came of it."""
    rng = np.random.default_rng(0)
    with TemporaryDirectory() as folder:
        np.savez(Path(folder) / "samples.npz", x=rng.normal(size=(100, 16)), t=rng.normal(size=(100, 5)))
        run = execute(Session.start(Path(folder)), Source("trains", TEXT))
        while True:
            try:
                event = next(run)
            except StopIteration as end:
                session: Session = end.value
                break
            if isinstance(event, Shown) and isinstance(event.result, ItemFailed):
                sys.exit(str(event.result.diagnostics))
    backend = name_of(backend_for("cpu", 1.0))
    maps = Path("/proc/self/maps")
    lines = maps.read_text(encoding="utf-8").splitlines() if maps.exists() else []
    files = sorted({Path(line.split()[-1]).name for line in lines if "/prebuilt/built/" in line})
    weights = {location.name: np.asarray(array).tolist() for location, array in session.heap.items()}
    sys.stdout.write(json.dumps({"backend": backend, "files": files, "weights": weights}) + "\n")
    wanted = sys.argv[1:]
    if wanted and wanted != [backend]:
        sys.exit(f"it was trained by {backend}")


if __name__ == "__main__":
    main()
