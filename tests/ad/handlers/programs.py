"""The library of differentiators, declared once, and the results of programs that use it."""

from functools import cache
from typing import Any

from rh_kernel.ad.eff import core, loading
from rh_kernel.ad.eff.definitions import Definitions, shown
from rh_kernel.ad.eff.machine.compiler.program import Program
from rh_kernel.ad.eff.machine.counting import Counts, OpCounter
from rh_kernel.ad.eff.machine.running import Outcome, run_in_slices
from rh_kernel.source.diagnostic import Diagnostic, Rejected
from rh_kernel.source.trampoline import exhaust

NAMES = (
    "evaluate",
    "forward",
    "stateful",
    "continuation",
    "taped",
    "second",
    "hessian",
    "checkpointed",
    "higher_order",
    "higher_order_checkpointed",
    "taylor",
    "errata",
    "perturbation",
    "state",
    "exceptions",
)


@cache
def library(*declarations: str) -> Definitions:
    """All programs of the library together, and more declarations."""
    if not declarations:
        return loading.program(*NAMES)
    return loading.declared(declarations[-1], library(*declarations[:-1]))


def of_list(names: str, body: str) -> str:
    """The function ``{[x, …] -> M}`` of a list."""
    return f'{{zs -> match zs | [{names}] -> {body} | _ -> fail "a list of another length"}}'


def computation(text: str, *declarations: str) -> core.Computation:
    """A checked program."""
    return loading.checked(text, library(*declarations)).term


def value(text: str, *declarations: str) -> Any:
    """The result of a program: numbers, texts, tuples and lists as those of Python, ``K V`` as ``("K", V)``."""
    found = outcome(text, *declarations).value
    assert found is not None
    return _python(found)


@cache
def compiled(*declarations: str) -> Program:
    """The compiled library."""
    return Program(library(*declarations))


def outcome(text: str, *declarations: str) -> Outcome:
    """The outcome of a program."""
    return exhaust(run_in_slices(computation(text, *declarations), compiled(*declarations)))


def _python(V: core.Value) -> Any:
    match V:
        case core.Literal(x):
            return x
        case core.Tuple(components):
            return tuple(map(_python, components))
        case core.Constructed("Nil" | "Cons"):
            elements: list[Any] = []
            while isinstance(V, core.Constructed) and V.fields:
                elements.append(_python(V.fields[0]))
                V = V.fields[1]
            return elements
        case core.Constructed(constructor, fields):
            return (shown(constructor), *map(_python, fields))
        case core.Variable() | core.Global() | core.Thunk() | core.Reference():
            return V


def rejected(text: str, *declarations: str) -> Diagnostic:
    """The diagnostic of a program."""
    try:
        computation(text, *declarations)
    except Rejected as refusal:
        return refusal.diagnostics[0]
    raise AssertionError(f"{text} is not rejected")


@cache
def compiled_with_counts(*declarations: str) -> tuple[Program, OpCounter]:
    """The compiled library with a counter."""
    tally = OpCounter()
    return Program(library(*declarations), tally=tally), tally


def counted(text: str, *declarations: str) -> Counts:
    """The counts of a run of a program."""
    program, tally = compiled_with_counts(*declarations)
    tally.clear()
    found = exhaust(run_in_slices(computation(text, *declarations), program)).counts
    assert found is not None
    return found


def evaluations(text: str, *declarations: str) -> int:
    """The number of operations that a program evaluates."""
    return counted(text, *declarations).handled_by("evaluate")
