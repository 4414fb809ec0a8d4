"""What a system of the laboratory is: a name, a paper, and functions from a program to what can be shown of it.

A system is a value. What it cannot do is ``None``; what lies outside of its fragment it refuses with ``Rejected`` that carries
``OutsideFragment`` and names the construct. No system computes with another's code.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NoReturn, Protocol, TypeAlias

from rh_kernel.ad.errors import OutsideFragment
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.syntax.printing.doc import Doc

Point: TypeAlias = tuple[Value, ...]
"""One value for each parameter of the program."""


@dataclass(frozen=True, slots=True)
class VjpResult:
    """What reverse mode finds at a point: ``f(V)``, and the cotangent of each argument for a cotangent of the result.

    ``primal`` and ``derivative`` count operations on numbers: those of f alone, and those of the transformed program as it is
    run, which computes value and gradient: a system that simplifies first is counted after that, and one whose paper fixes the
    cotangent 1 has it built in. ``size`` is how many nodes that program has. ``counters`` are what else the system
    counts, by name: steps, visits, zeros that were added.
    """

    value: Value
    gradient: Point
    primal: int
    derivative: int
    size: int
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class JvpResult:
    """What forward mode finds at a point for a tangent of each argument: ``f(V)`` and the tangent of the result."""

    value: Value
    tangent: Value
    primal: int
    derivative: int
    size: int
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """A form of the program on the way, e.g. "transformed" or "simplified", to be read."""

    title: str
    doc: Doc


class TraceStep(Protocol):
    """A step of a trace: the name of its rule, empty for the start, and the whole term after it."""

    @property
    def rule(self) -> str:
        """The name, empty for the start."""
        ...

    @property
    def term(self) -> Doc:
        """The whole term after the step."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A step of rewriting: the rule's name, and the whole term after it, in which the contractum is marked.

    The first of a trace has no rule.
    """

    rule: str
    term: Doc


@dataclass(frozen=True, slots=True)
class System:
    """A system of automatic differentiation.

    ``reverse`` takes a program, a point and a cotangent of the result, ``forward`` a program, a point and a tangent of each
    argument; a system may have both. ``stages`` are the printed forms of the transformed program, ``steps`` its reduction at
    a point with a cotangent (or with tangents, where the system has ``forward`` alone). ``measures`` are counts by name that
    are of another run than ``reverse``: what it would cost without an idea of the system. All raise ``Rejected``.
    ``ready`` reads what the system needs whatever the program is; the time that it takes is not the program's.
    """

    name: str
    title: str
    source: str
    reverse: Callable[[Program, Point, Value], VjpResult] | None = None
    forward: Callable[[Program, Point, Point], JvpResult] | None = None
    stages: Callable[[Program], tuple[Stage, ...]] | None = None
    steps: Callable[[Program, Point, Value], Iterator[TraceStep]] | None = None
    measures: tuple[tuple[str, Callable[[Program, Point, Value], int]], ...] = ()
    ready: Callable[[], object] = lambda: None


def refuse(system: str, construct: str, hint: str = "") -> NoReturn:
    """Raise the refusal of a construct, which is named as a reader would: ``λ-abstractions``, ``foldl with a tuple``."""
    raise Rejected(OutsideFragment(system=system, construct=construct, hint=hint))
