"""Growth of counts with the size of a program, for systems of automatic differentiation."""

from collections.abc import Iterable
from dataclasses import dataclass

from rh_kernel.ad.comparison import vjp
from rh_kernel.ad.errors import CannotDo
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import Point, System, VjpResult
from rh_kernel.source.diagnostic import Rejected, Stuck


@dataclass(frozen=True, slots=True)
class Count:
    """A quantity that a system counts: ``operations``, ``primal``, ``nodes``, one of its counters, or one of its measures."""

    system: System
    name: str

    @property
    def label(self) -> str:
        """The label of its curve, e.g. ``chad visits``."""
        return f"{self.system.name} {self.name}"


@dataclass(frozen=True, slots=True)
class Case:
    """A program of the family: its size, a point, and a cotangent of its result."""

    size: int
    program: Program
    point: Point
    cotangent: Value


@dataclass(frozen=True, slots=True)
class Curve:
    """A count for each size, or ``None`` if the execution reached a limit."""

    label: str
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Growth:
    """The curves over the sizes."""

    sizes: tuple[int, ...]
    curves: tuple[Curve, ...]


def growth(cases: Iterable[Case], counts: tuple[Count, ...]) -> Growth:
    """Compute all counts of all programs. Raises ``Rejected``.

    Each system runs once for each program, and once more for each measure.
    """
    sizes: list[int] = []
    columns: list[list[int | None]] = [[] for _ in counts]
    for case in cases:
        sizes.append(case.size)
        found: dict[str, dict[str, int]] = {}
        for count, column in zip(counts, columns, strict=True):
            column.append(_counted(count, case, found))
    curves = [Curve(count.label, tuple(column)) for count, column in zip(counts, columns, strict=True)]
    return Growth(tuple(sizes), tuple(curves))


def _counted(count: Count, case: Case, found: dict[str, dict[str, int]]) -> int | None:
    """Return one count; ``found`` caches the counters of the systems that ran on this program."""
    system, measures = count.system, dict(count.system.measures)
    try:
        if count.name in measures:
            return measures[count.name](case.program, case.point, case.cotangent)
        if system.name not in found:
            found[system.name] = _counters(vjp(system, case.program, case.point, case.cotangent))
    except Stuck:
        return None
    counters = found[system.name]
    if count.name not in counters:
        known = ", ".join([*counters, *measures])
        hint = f"it counts {known}"
        raise Rejected(CannotDo(system=system.name, what=f"does not count “{count.name}”", expected=known, hint=hint))
    return counters[count.name]


def _counters(outcome: VjpResult) -> dict[str, int]:
    return {
        "operations": outcome.derivative,
        "primal": outcome.primal,
        "nodes": outcome.size,
        **dict(outcome.counters),
    }
