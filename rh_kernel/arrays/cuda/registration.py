"""CUDA runs everything on the GPU, where CuPy finds one."""

from rh_kernel.arrays import devices
from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.backends import BackendRegistration


def _create() -> Backend:
    from rh_kernel.arrays.cuda.backend import CupyBackend

    return CupyBackend()


BACKEND = BackendRegistration("gpu", 0.0, lambda: not isinstance(devices.gpu(), devices.MissingGPU), _create)
