"""The library of differentiators, declared once, and what programs that use it give."""

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
    """The function ``{[x, …] -> M}`` of a list of so many numbers."""
    return f'{{zs -> match zs | [{names}] -> {body} | _ -> fail "a list of another length"}}'


def computation(text: str, *declarations: str) -> core.Computation:
    """A program that is checked."""
    return loading.checked(text, library(*declarations)).term


def value(text: str, *declarations: str) -> Any:
    """What a program gives: numbers, texts, tuples and lists are those of Python, ``K V`` is ``("K", V)``."""
    found = outcome(text, *declarations).value
    assert found is not None
    return _python(found)


@cache
def compiled(*declarations: str) -> Program:
    """The library as far as it is compiled."""
    return Program(library(*declarations))


def outcome(text: str, *declarations: str) -> Outcome:
    """What a run of a program came to."""
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
    """What is wrong with a program."""
    try:
        computation(text, *declarations)
    except Rejected as refusal:
        return refusal.diagnostics[0]
    raise AssertionError(f"{text} is not rejected")


@cache
def compiled_with_counts(*declarations: str) -> tuple[Program, OpCounter]:
    """The same, with what counts."""
    tally = OpCounter()
    return Program(library(*declarations), tally=tally), tally


def counted(text: str, *declarations: str) -> Counts:
    """What a run of a program is counted by."""
    program, tally = compiled_with_counts(*declarations)
    tally.clear()
    found = exhaust(run_in_slices(computation(text, *declarations), program)).counts
    assert found is not None
    return found


def evaluations(text: str, *declarations: str) -> int:
    """How many operations a program evaluates."""
    return counted(text, *declarations).handled_by("evaluate")
