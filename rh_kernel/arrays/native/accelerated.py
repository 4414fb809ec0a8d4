"""The native back end with the others of the CPU as fallbacks."""

from rh_kernel.arrays.backend import ContentArrays, Runner, Unsupported
from rh_kernel.arrays.native.compiled import Native
from rh_kernel.arrays.prebuilt import backend as prebuilt
from rh_kernel.loops.ir import Plan


class Accelerated(Native):
    """The native back end if every step of a plan can be compiled, otherwise prebuilt kernels or NumPy on the same memory."""

    def runner(self, plan: Plan, memory: ContentArrays) -> Runner:
        """Prepare the plan to run on that memory."""
        try:
            return super().runner(plan, memory)
        except Unsupported:
            return prebuilt.Accelerated().runner(plan, memory)
