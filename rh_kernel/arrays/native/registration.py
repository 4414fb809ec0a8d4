"""Registration of the native back end, for runs that take longer than compiling them."""

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.backends import BackendRegistration

WORTH_COMPILING = 1.0
"""A run that would take NumPy about this many seconds is worth compiling to C."""


def _is_available() -> bool:
    from rh_kernel.arrays.native import available

    return available()


def _create() -> Backend:
    from rh_kernel.arrays.native.accelerated import Accelerated

    return Accelerated()


BACKEND = BackendRegistration("cpu", WORTH_COMPILING, _is_available, _create)
