"""The registry of back ends. The package of each has a module ``registration`` with its ``BACKEND``."""

from collections.abc import Callable, Iterator
from importlib import import_module

from rh_kernel.arrays.backend import Backend
from rh_kernel.arrays.devices import Device
from rh_kernel.source.records import frozen

_PACKAGES = ("numpy_backend", "prebuilt", "native", "cuda")
"""In order of increasing preference among the back ends that suit a run."""


@frozen
class BackendRegistration:
    """A back end on ``device``, for runs that would take NumPy ``pays_from`` seconds or more.

    ``is_available`` tests whether this machine has it; ``create`` is called only if so.
    """

    device: Device
    pays_from: float
    is_available: Callable[[], bool]
    create: Callable[[], Backend]


def backend_for(device: Device, seconds: float = 0.0) -> Backend:
    """Return the back end for a run that would take NumPy ``seconds``, as given by ``estimate``."""
    for wanted in dict.fromkeys((device, "cpu")):
        for found in _registrations():
            if found.device == wanted and found.pays_from <= seconds and found.is_available():
                return found.create()
    raise LookupError("no back end is available for the CPU")


def by_name(name: str) -> Backend:
    """Return the back end of this name. Raises ``LookupError`` if it cannot be used on this machine."""
    if name in _PACKAGES:
        found = _registration(name)
        if found.is_available():
            return found.create()
    raise LookupError(f"the back end {name} is not available")


def name_of(backend: Backend) -> str:
    """Return the name under which ``by_name`` finds this back end: that of its package."""
    return type(backend).__module__.removeprefix(f"{__package__}.").partition(".")[0]


def _registration(package: str) -> BackendRegistration:
    return import_module(f"{__package__}.{package}.registration").BACKEND


def _registrations() -> Iterator[BackendRegistration]:
    """The registered back ends, the preferred ones first."""
    for package in reversed(_PACKAGES):
        yield _registration(package)
