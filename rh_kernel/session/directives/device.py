"""``%device``: where compiled programs and training runs compute."""

from dataclasses import replace

from rh_kernel.session.actions import AnalysisContext, ChangeSettings, Run, State
from rh_kernel.session.directives.arguments import choice
from rh_kernel.session.directives.directive import Directive
from rh_kernel.session.results import Working
from rh_kernel.session.settings import device_text
from rh_kernel.source.records import frozen
from rh_kernel.syntax import surface_items as items


@frozen
class ChangeDevice(ChangeSettings):
    """``%device gpu``: the new settings; the message depends on whether there is a GPU"""

    def run(self, number: int, state: State) -> Run:
        """Query the GPU, which may take a second, and change the settings."""
        yield Working("asking the device")
        return (yield from ChangeSettings(self.settings, device_text(self.settings)).run(number, state))


def _analyze(item: items.Directive, context: AnalysisContext) -> ChangeDevice:
    match choice(item, "cpu", "gpu"):
        case "cpu" | "gpu" as device:
            return ChangeDevice(replace(context.settings, device=device))
        case _:
            return ChangeDevice(context.settings)


DIRECTIVE = Directive(
    "device",
    "cpu|gpu",
    "where compiled programs and training runs compute",
    _analyze,
    order=340,
    example="%device",
    details="""
`%device gpu` runs compiled programs and training on an NVIDIA GPU, through CuPy (`pip install 'rh_kernel[gpu]'`), and names
it; the heap is copied there when a run begins and back when it ends. If no GPU is available it says why,
[RH401](errors.md#rh401-no-gpu-available), and everything continues on the CPU. A GPU pays off for large nets and batches;
small ones are faster without it. `rh run --device gpu` starts with it.

On the CPU a training run that would take more than a second is compiled to native code, if there is a C compiler (`cc`, or
the environment variable `CC`). A step that takes long runs on all cores that the process may use, or on `RH_THREADS` of them;
the digits do not depend on how many. `RH_ISA=avx2` restricts the code to that instruction set, and `RH_NATIVE=0` turns native
code off. Compiled code is cached in `~/.cache/rh_kernel`, or in `$XDG_CACHE_HOME/rh_kernel` if that is set. The cache has at
most 2,000 programs and 256 MiB, or `RH_CACHE_BYTES` bytes (0 disables it); the least recently used go first.

A wheel for one platform (`RH_PREBUILT=1 pip wheel .` makes one) also has prebuilt kernels for any shapes, which need no
compiler: they run what is not compiled and would take NumPy a twentieth of a second or more. `RH_NATIVE=0` turns them off, too.
If anything goes wrong with the compiler, its output or the cache, they run the program instead, or else NumPy does, and
`%device` says why. The last digits of a run can differ between the three, and between machines.
""",
)
