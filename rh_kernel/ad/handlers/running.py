"""``let f = {…} in handle driver f xs ws with evaluate``: a mode at a point, run by the machine, and what it did there.

Operations on numbers are those that reach ``evaluate``, but for constants, which are counted apart; the thesis counts both.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions, Function
from rh_kernel.ad.eff.frontend.lexing import KEYWORDS
from rh_kernel.ad.eff.machine.builtins import BUILT_INS
from rh_kernel.ad.eff.machine.compiler.program import Program as MachineProgram
from rh_kernel.ad.eff.machine.counting import Counts, OpCounter
from rh_kernel.ad.eff.machine.running import run_in_slices
from rh_kernel.ad.eff.traversal import computation as put_in
from rh_kernel.ad.eff.traversal import nodes
from rh_kernel.ad.eff.types import UNIT, Returner, Row, Scheme, Thunk
from rh_kernel.ad.handlers.lists import listed, numbers_in, on_lists
from rh_kernel.ad.handlers.modes import HESSIAN, Mode
from rh_kernel.ad.handlers.op_table import applied
from rh_kernel.ad.handlers.translate import Written, function
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.names import Names
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.trampoline import exhaust

_FUEL = 5_000_000
"""Machine steps: a continuation is gone back along for each path through the program."""

_OF_PATHS = "there may be exponentially many paths to go back along"
_OF_HESSIANS = "of n numbers all n² second derivatives are found; `effects:second … along …` finds those of a direction"

ALONE = "alone"
"""The driver without a mode."""

_UNSEEN = Scheme((), (), Thunk(Row(), Returner(UNIT)))
"""The machine does not look at types; that what is run has one is a test."""


@cache
def library() -> Definitions:
    """The drivers, and with them all modes: read and checked once."""
    return loading.program("drivers")


@dataclass(frozen=True, slots=True)
class Asked:
    """A program for a mode: as a function of EFF, as it is and on lists of numbers."""

    function: core.FunctionDefinition
    on_lists: core.Thunk

    def computation(self, driver: str, *given: Iterable[float]) -> core.Computation:
        """The driver with the program and lists of numbers, under ``evaluate``."""
        lists = [listed([core.Literal(float(x)) for x in numbers]) for numbers in given]
        run = core.Handle(applied(driver, self.on_lists, *lists), core.Named("evaluate"))
        return core.Let(self.function.name, core.Return(self.function.body), run)


@dataclass(frozen=True, slots=True)
class Declared:
    """A program for a mode, declared beside the library, so that the machine compiles it once for all of its runs."""

    function: core.FunctionDefinition
    on_lists: core.Global
    definitions: Definitions

    def run(self, driver: str, *given: Iterable[float]) -> "Ran":
        """What a driver makes of lists of numbers, under ``evaluate``. Raises ``Stuck`` beyond the limit of the machine."""
        lists = [listed([core.Literal(float(x)) for x in numbers]) for numbers in given]
        M = core.Handle(applied(driver, self.on_lists, *lists), core.Named("evaluate"))
        return ran(M, self.definitions, _OF_HESSIANS if driver == HESSIAN.driver else _OF_PATHS)


_REMEMBERED = 8
_declared: deque[tuple[Program, Written, Declared]] = deque(maxlen=_REMEMBERED)


def declared(program: Program, written: Written = Written.PLAIN) -> Declared:
    """A program as a declaration of EFF, made once for this very program."""
    for known, how, found in _declared:
        if known is program and how is written:
            return found
    made = asked(program, written)
    f = made.function
    g = core.FunctionDefinition(
        f"{f.name}'", core.Thunk(put_in(made.on_lists.body, {f.name: core.Global(f.name)})), core.Signature(())
    )
    definitions = library().with_(Function(f, _UNSEEN)).with_(Function(g, _UNSEEN))
    found = Declared(f, core.Global(g.name), definitions)
    _declared.append((program, written, found))
    return found


def asked(program: Program, written: Written = Written.PLAIN) -> Asked:
    """A program that lies inside of what handlers of ``Smooth`` get to see."""
    known = library()
    names = Names([*KEYWORDS, *BUILT_INS, *known.functions, *known.operations, *known.handlers])
    f = function(program, written, names)
    return Asked(f, on_lists(f, program, names))


@dataclass(frozen=True, slots=True)
class Ran:
    """The numbers that a run gave, the operations that reached ``evaluate``, the constants, and what else was counted."""

    numbers: tuple[float, ...]
    operations: int
    constants: int
    counts: Counts

    @property
    def counters(self) -> tuple[tuple[str, int], ...]:
        """What is counted beside the operations on numbers."""
        cells = ("references", self.counts.cells), ("most alive at once", self.counts.cells_alive)
        return (("constants", self.constants), *(cells if self.counts.cells else ()))


def size(mode: Mode, f: core.FunctionDefinition) -> int:
    """How many nodes the function has, and the mode's handlers, which are what differentiates."""
    known = library()
    handlers = [known.handler(known.handlers[name]).definition.clauses for name in mode.handlers]
    return sum(1 for _ in nodes(f.body, *handlers))


@cache
def _compiled() -> tuple[MachineProgram, OpCounter]:
    """The library as the machine runs it: what has been compiled of it stays so."""
    tally = OpCounter()
    return MachineProgram(library(), tally=tally), tally


def ran(M: core.Computation, definitions: Definitions, hint: str = _OF_PATHS) -> Ran:
    """The run of a computation of lists of numbers. Raises ``Stuck`` with a hint beyond the limit of the machine."""
    compiled, tally = _compiled()
    compiled.use(definitions)
    tally.clear()
    try:
        found = exhaust(run_in_slices(M, compiled, limit=_FUEL))
    except Stuck:
        _compiled.cache_clear()
        raise Stuck(OutOfFuel(steps=_FUEL, hint=hint)) from None
    if found.counts is None or found.value is None:
        raise KernelBug("a list of numbers was expected")
    operations, constants = (found.counts.handled_by("evaluate", *each) for each in (("ap1", "ap2"), ("ap0",)))
    return Ran(tuple(numbers_in(found.value)), operations, constants, found.counts)
