"""The prebuilt back end, with NumPy as the fallback."""

from collections.abc import Mapping

from rh_kernel.arrays.arena import contents_of
from rh_kernel.arrays.backend import ContentArrays, Memory, Runner, Unsupported
from rh_kernel.arrays.native.compiled import NativeRunner
from rh_kernel.arrays.native.launch_table import Table
from rh_kernel.arrays.native.machine import Machine
from rh_kernel.arrays.native.toolchain import Missing
from rh_kernel.arrays.numpy_backend.backend import NumPy
from rh_kernel.arrays.prebuilt.library import Library, library
from rh_kernel.arrays.prebuilt.translation import translate
from rh_kernel.loops.ir import Plan, Precision
from rh_kernel.syntax.core import Array
from rh_kernel.syntax.signature import Location


def available() -> bool:
    """Whether this installation has the library; ``RH_NATIVE=0`` disables it."""
    return not isinstance(library(), Missing)


class Prebuilt:
    """The prebuilt back end, with the library of this installation unless another one is given."""

    prefers_gemm = False
    is_device = False

    def __init__(self, given: Library | None = None) -> None:
        self._given = given

    def memory(self, heap: Mapping[Location, Array], precision: Precision) -> Memory:
        """Return a memory with copies of the contents, each aligned to a cache line."""
        return contents_of(heap, precision)

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory. Raises ``Unsupported`` if a step has no kernel, or there is no library."""
        found = self._given or library()
        if isinstance(found, Missing):
            raise Unsupported(found.reason)
        launches = translate(plan, found.level, found.operations)

        def machine(table: Table) -> Machine:
            try:
                return found.maker()(str(found.path(plan.precision)), table)
            except (OSError, ValueError, AttributeError) as problem:
                raise Unsupported(f"the prebuilt library cannot be loaded: {problem}") from None

        return NativeRunner(plan, memory, launches, machine)


class Accelerated(Prebuilt):
    """The prebuilt back end if it has kernels for every step of a plan, otherwise NumPy on the same memory."""

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory."""
        try:
            return super().runner(plan, memory)
        except Unsupported:
            return NumPy().runner(plan, memory)
