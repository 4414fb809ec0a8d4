"""Registration of the prebuilt back end, which needs no time to compile."""

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.backends import BackendRegistration

WORTH_LOADING = 0.05
"""A run that would take NumPy about this many seconds is worth loading the library and translating the plan."""


def _is_available() -> bool:
    from rh_kernel.arrays.prebuilt import available

    return available()


def _create() -> Backend:
    from rh_kernel.arrays.prebuilt.backend import Accelerated

    return Accelerated()


BACKEND = BackendRegistration("cpu", WORTH_LOADING, _is_available, _create)
