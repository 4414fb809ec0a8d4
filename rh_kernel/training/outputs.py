"""``P for p in D``: the results of a command for all samples of a data set, from one heap, which remains as it is."""

from collections.abc import Generator, Mapping, Sequence

import numpy as np

from rh_kernel.arrays.backends import backend_for
from rh_kernel.arrays.costs import estimate
from rh_kernel.arrays.devices import Device
from rh_kernel.arrays.options import DEFAULT, CompileOptions
from rh_kernel.loops.ir import Precision
from rh_kernel.primitives.draws import seed_in
from rh_kernel.syntax.core import Array, Command
from rh_kernel.syntax.signature import Location
from rh_kernel.training.batches import MEASURE_REALS, Batches, for_results, shared
from rh_kernel.training.samples import DataSet


def outputs(
    command: Command,
    names: Sequence[str],
    data: DataSet,
    heap: Mapping[Location, Array],
    reals: int = 1 << 40,
    *,
    options: CompileOptions = DEFAULT,
    precision: Precision = "float64",
    device: Device = "cpu",
    by: str = "on this machine",
) -> Generator[int, None, Array]:
    """Compute the result of a command of type ``Real(d1, …, dk)`` for each sample: a float64 array (N, d1, …, dk).

    The names are the free variables of the command, the last one is index 0. Yields how many samples are done now and then.
    Raises ``Rejected`` if the samples do not fit; ``Stuck`` if the command cannot be compiled or needs more than ``reals``
    numbers at a time, a bound set ``by`` something.
    """
    program = for_results(command, names, data, options)
    backend = backend_for(device, estimate(program, 1, data.size))
    memory = shared([program], heap, precision, backend)
    batches = Batches(program, names, data, memory, precision, backend, 1, reals, seed=seed_in(heap))
    together = batches.measured_at_once(reals)
    batches.require(together, reals, by)
    piece = batches.samples(MEASURE_REALS)
    found: list[Array] = []
    try:
        batches.expect(np.arange(data.size), min(piece, together))
        for at in range(0, data.size, piece):
            stop = min(at + piece, data.size)
            found.append(np.array(batches.results(np.arange(at, stop), min(piece, together)), np.float64))
            yield stop
    finally:
        batches.feed.close()
    return found[0] if len(found) == 1 else np.concatenate(found)
