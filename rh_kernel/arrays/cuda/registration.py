"""Registration of the CUDA back end, for all runs on a GPU that CuPy can use."""

from rh_kernel.arrays import devices
from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.backends import BackendRegistration


def _create() -> Backend:
    from rh_kernel.arrays.cuda.backend import CupyBackend

    return CupyBackend()


BACKEND = BackendRegistration("gpu", 0.0, lambda: not isinstance(devices.gpu(), devices.MissingGPU), _create)
