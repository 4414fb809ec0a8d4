"""Data of twice ``%limit bytes``, trained from its file and from memory: ``python -m tests.benchmarks --only sources``.

Each run is a process of its own. Its peak of memory is that above what the modules take, without pages of files (``RssAnon``,
looked at 200 times a second). The weights of all runs have to be the same, to the bit.
"""

import hashlib
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.benchmarks.goals import Outcome
from tests.benchmarks.problems import Floats
from tests.benchmarks.process import Broken, child
from tests.benchmarks.report import table as markdown

MEMORY = "npy in memory"
COLUMNS, CLASSES, BATCH, EPOCHS = 256, 10, 64, 2

NET = f"""
op FC[l : Loc(m, n)] : Real(n) -> Real(m)
handler sgd(alpha : Real, t : Real(k)) : rev handler(Real(k)) = {{
  return x -> return alpha * (x - t)
  FC[l](x) -> let w <= Get[l]() in return (w @ x, (w, x))
    | y, z -> let (w, x) <- z in
              let _ <= Put[l](w - outer(y, x)) in
              return w^T @ y
}}
loc w0 : Real(64, {COLUMNS}) = glorot(seed=1)
loc w1 : Real({CLASSES}, 64) = glorot(seed=2)
net mlp(x : Real({COLUMNS})) : Real({CLASSES}) =
  let z <= FC[w0](x) in
  let h <= return swish(z) in
  FC[w1](h)
"""


def write(folder: Path, arrays: Mapping[str, Floats]) -> dict[str, str]:
    """Write the arrays in each format for which there is a library; return the argument of ``data`` for each."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    found = {"npy": '"x.npy", "t.npy"'}
    for suffix, writer in (("h5", _write_h5), ("zarr", _write_zarr), ("parquet", _write_parquet)):
        try:
            writer(folder / f"a.{suffix}", arrays)
        except ImportError:
            continue
        found[suffix] = f'"a.{suffix}"'
    archived: dict[str, Any] = {**arrays}
    np.savez(folder / "a.npz", **archived)
    columns = [f"{name}{i}" for name, array in arrays.items() for i in range(array.shape[1])]
    table = np.hstack([*arrays.values()])
    np.savetxt(folder / "a.csv", table, "%.17g", ",", header=",".join(columns), comments="")
    return found | {"npz": '"a.npz"', "csv": '"a.csv"'}


def _write_h5(file: Path, arrays: Mapping[str, Floats]) -> None:
    import h5py

    with h5py.File(file, "w") as opened:
        for name, array in arrays.items():
            opened[name] = array


def _write_zarr(file: Path, arrays: Mapping[str, Floats]) -> None:
    import zarr

    group = zarr.open_group(file, mode="w")
    for name, array in arrays.items():
        group.create_array(name, data=array, chunks=(1024, array.shape[1]))


def _write_parquet(file: Path, arrays: Mapping[str, Floats]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {f"{name}{i}": array[:, i] for name, array in arrays.items() for i in range(array.shape[1])}
    pq.write_table(pa.table(columns), file, row_group_size=4096)


def program(data: str, limit: int | None) -> str:
    """The run, with a limit of bytes if one is given."""
    bound = "" if limit is None else f"%limit bytes {limit}\n"
    train = f"train rev handle (x) <u>. mlp(u) with sgd(0.05, t) for (x, t) in data({data})"
    return f"{bound}{NET}\n{train} epochs {EPOCHS} batch {BATCH} shuffle 0\n"


def ran(folder: Path, file: Path) -> dict[str, Any]:
    """Run a program; return its figures."""
    from rh_kernel.session.results import ItemFailed, Shown, TrainingDone
    from rh_kernel.session.session import Session, execute
    from rh_kernel.source.span import Source

    peak, done = [0], threading.Event()

    def look() -> None:
        while not done.wait(0.005):
            peak[0] = max(peak[0], _status("RssAnon"))

    watching = threading.Thread(target=look)
    before = _status("RssAnon")
    watching.start()
    began = time.perf_counter()
    events = execute(Session.start(folder), Source("bench", file.read_text(encoding="utf-8")))
    speed, found = 0.0, None
    while found is None:
        try:
            event = next(events)
        except StopIteration as stop:
            found = stop.value
            break
        match event:
            case Shown(_, ItemFailed(diagnostics)):
                raise SystemExit(str(diagnostics))
            case Shown(_, TrainingDone() as run):
                speed = run.epochs * run.samples / run.seconds
            case _:
                pass
    seconds = time.perf_counter() - began
    done.set()
    watching.join()
    digest = hashlib.sha256(b"".join([found.heap[at].tobytes() for at in sorted(found.heap, key=lambda at: at.name)]))
    return {"speed": speed, "seconds": seconds, "peak": peak[0] - before, "weights": digest.hexdigest()[:16]}


def _status(field: str) -> int:
    """A field of ``/proc/self/status``, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return 1024 * int(line.split()[1])
    return 0


def measure(megabytes: int = 400) -> list[dict[str, Any]]:
    """A row for each run: what it reads, samples a second, seconds, bytes at most. Raises ``Broken`` if the weights differ."""
    size = megabytes * 10**6 // (8 * (COLUMNS + CLASSES))
    limit = size * 8 * (COLUMNS + CLASSES) // 2
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        x = rng.normal(size=(size, COLUMNS))
        forms = write(folder, {"x": x, "t": np.eye(CLASSES)[rng.integers(0, CLASSES, size)]})
        del x
        runs: list[tuple[str, str, int | None]] = [(MEMORY, forms["npy"], None)]
        runs += [(f"{form} from its file", data, limit) for form, data in forms.items()]
        runs += [(f"{form} again", data, limit) for form, data in forms.items() if form not in ("npy", "h5")]
        rows: list[dict[str, Any]] = []
        for what, data, bound in runs:
            (folder / "program.rh").write_text(program(data, bound), encoding="utf-8")
            rows.append({"data": what, **child("source", name, str(folder / "program.rh"))})
    if len({row["weights"] for row in rows}) != 1:
        raise Broken("sources: the weights differ")
    return rows


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The figures of each run."""
    body = [
        [row["data"], f"{row['speed']:,.0f}", f"{row['seconds']:.2f}", f"{row['peak'] / 1e6:,.0f}", row["weights"]]
        for row in rows
    ]
    return markdown(["data, twice the limit", "samples/s", "seconds", "peak MB", "weights"], body)


def outcomes(rows: Sequence[Mapping[str, Any]]) -> list[Outcome]:
    """P16: from a file at 0.8 of the speed in memory."""
    speed = {row["data"]: row["speed"] for row in rows}
    found = speed["npy from its file"] / speed[MEMORY]
    return [Outcome("P16", "data from a file", "≥ 0.8 × memory", f"{found:.2f} ×", found >= 0.8)]
