"""Run a mode at a point on the machine: ``let f = {…} in handle driver f xs ws with evaluate``.

The operations on numbers that reach ``evaluate`` are counted, constants separately; the thesis counts both together.
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
from rh_kernel.ad.handlers.op_table import call
from rh_kernel.ad.handlers.translate import Encoding, function
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.names import Names
from rh_kernel.operational.errors import OutOfFuel
from rh_kernel.source.diagnostic import KernelBug, Stuck
from rh_kernel.source.trampoline import exhaust

_FUEL = 5_000_000
"""The maximal number of machine steps; a mode may run a continuation for each path through the program."""

_OF_PATHS = "there may be exponentially many paths to go back along"
_OF_HESSIANS = "of n numbers all n² second derivatives are found; `effects:second … along …` finds those of a direction"

PRIMAL = "alone"
"""The driver that runs the function without differentiating it."""

_NO_TYPE = Scheme((), (), Thunk(Row(), Returner(UNIT)))
"""A placeholder: the machine ignores types, and tests check those of the programs."""


@cache
def library() -> Definitions:
    """The drivers and all modes."""
    return loading.program("drivers")


@dataclass(frozen=True, slots=True)
class Translated:
    """A program for a mode as a function of EFF, and that on lists of numbers."""

    function: core.FunctionDefinition
    on_lists: core.Thunk

    def computation(self, driver: str, *given: Iterable[float]) -> core.Computation:
        """The computation that applies a driver to the program and to lists of numbers."""
        return core.Let(self.function.name, core.Return(self.function.body), _driven(driver, self.on_lists, given))


@dataclass(frozen=True, slots=True)
class DeclaredProgram:
    """A program for a mode, declared beside the library, so that the machine compiles it once for all its runs."""

    function: core.FunctionDefinition
    on_lists: core.Global
    definitions: Definitions

    def run(self, driver: str, *given: Iterable[float]) -> "Run":
        """Run a driver on the program and lists of numbers. Raises ``Stuck`` beyond the limit of the machine."""
        hint = _OF_HESSIANS if driver == HESSIAN.driver else _OF_PATHS
        return run(_driven(driver, self.on_lists, given), self.definitions, hint)


def _driven(driver: str, f: core.Value, given: Iterable[Iterable[float]]) -> core.Computation:
    """``handle driver f xs ws with evaluate``"""
    lists = [listed([core.Literal(float(x)) for x in numbers]) for numbers in given]
    return core.Handle(call(driver, f, *lists), core.Named("evaluate"))


_declared: deque[tuple[Program, Encoding, DeclaredProgram]] = deque(maxlen=8)


def declared(program: Program, encoding: Encoding = Encoding.PLAIN) -> DeclaredProgram:
    """Translate and declare a program, once for the same object as long as it is among the latest."""
    for known, same_encoding, found in _declared:
        if known is program and same_encoding is encoding:
            return found
    made = translated(program, encoding)
    f = made.function
    g = core.FunctionDefinition(
        f"{f.name}'", core.Thunk(put_in(made.on_lists.body, {f.name: core.Global(f.name)})), core.Signature(())
    )
    definitions = library().with_(Function(f, _NO_TYPE)).with_(Function(g, _NO_TYPE))
    found = DeclaredProgram(f, core.Global(g.name), definitions)
    _declared.append((program, encoding, found))
    return found


def translated(program: Program, encoding: Encoding = Encoding.PLAIN) -> Translated:
    """Translate a program, which must have passed ``reject_unsupported``."""
    known = library()
    names = Names([*KEYWORDS, *BUILT_INS, *known.functions, *known.operations, *known.handlers])
    f = function(program, encoding, names)
    return Translated(f, on_lists(f, program, names))


@dataclass(frozen=True, slots=True)
class Run:
    """The numbers that a run returned, and the counts of operations, of constants, and of the rest."""

    numbers: tuple[float, ...]
    operations: int
    constants: int
    counts: Counts

    @property
    def counters(self) -> tuple[tuple[str, int], ...]:
        """The counts other than that of the operations on numbers, by name."""
        cells = ("references", self.counts.cells), ("most alive at once", self.counts.cells_alive)
        return (("constants", self.constants), *(cells if self.counts.cells else ()))


def size(mode: Mode, f: core.FunctionDefinition) -> int:
    """The number of nodes of the function and the handlers of the mode."""
    known = library()
    handlers = [known.handler(known.handlers[name]).definition.clauses for name in mode.handlers]
    return sum(1 for _ in nodes(f.body, *handlers))


@cache
def _compiled() -> tuple[MachineProgram, OpCounter]:
    """The compiled library, which keeps what it has compiled, and its counter."""
    tally = OpCounter()
    return MachineProgram(library(), tally=tally), tally


def run(M: core.Computation, definitions: Definitions, hint: str = _OF_PATHS) -> Run:
    """Run a computation that returns a list of numbers. Raises ``Stuck`` with the hint beyond the limit of the machine."""
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
    return Run(tuple(numbers_in(found.value)), operations, constants, found.counts)
