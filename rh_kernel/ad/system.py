"""The interface of a system of automatic differentiation.

A system is a value. An ability that it lacks is ``None``; for a program that it does not support it raises ``Rejected`` with
``OutsideFragment``, which names the construct. No system uses the code of another one.
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
    """The result of reverse mode at a point: ``f(V)``, and the cotangent of each argument for a cotangent of the result.

    ``primal`` and ``derivative`` count operations on numbers: those of f alone, and those of the transformed program, which
    computes value and gradient, as it is executed: after simplification if the system simplifies, and with the cotangent 1
    built in if the paper fixes it. ``size`` is the number of nodes of that program. ``counters`` are further counts by name:
    steps, visits, added zeros.
    """

    value: Value
    gradient: Point
    primal: int
    derivative: int
    size: int
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class JvpResult:
    """The result of forward mode at a point for a tangent of each argument: ``f(V)`` and the tangent of the result."""

    value: Value
    tangent: Value
    primal: int
    derivative: int
    size: int
    counters: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """A printed form of the program, e.g. "transformed" or "simplified"."""

    title: str
    doc: Doc


class TraceStep(Protocol):
    """A step of a trace."""

    @property
    def rule(self) -> str:
        """The name of the rule; empty for the start of the trace."""
        ...

    @property
    def term(self) -> Doc:
        """The whole term after the step."""
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """A step of rewriting: the name of the rule, and the whole term after it, with the contractum marked.

    The rule of the first step of a trace is empty.
    """

    rule: str
    term: Doc


@dataclass(frozen=True, slots=True)
class System:
    """A system of automatic differentiation.

    ``reverse`` takes a program, a point and a cotangent of the result, ``forward`` a program, a point and a tangent of each
    argument; a system may have both. ``stages`` returns the printed forms of the transformed program, ``steps`` its reduction
    at a point with a cotangent, or with tangents if the system has ``forward`` alone. ``measures`` are counts by name that
    need another run than ``reverse``, e.g. without an optimisation of the system. All raise ``Rejected``.
    ``unrolls`` says that the system has no loops of its own: it writes them out, round by round, and differentiates the result.
    ``ready`` loads what the system needs for every program; its time is not measured.
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
    unrolls: bool = False


def refuse(system: str, construct: str, hint: str = "") -> NoReturn:
    """Raise ``Rejected`` for a construct, which is named for the user: ``λ-abstractions``, ``foldl with a tuple``."""
    raise Rejected(OutsideFragment(system=system, construct=construct, hint=hint))
