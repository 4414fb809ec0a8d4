"""The results that Python gets: displayed by a notebook, with attributes for each kind.

``print`` and the prompt show the text; a notebook shows what the kernel would show, with a widget where there is one.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar

from rh_kernel.display.data import Record
from rh_kernel.display.heaps import by_name
from rh_kernel.display.registry import bundle, view_of
from rh_kernel.display.traces.records import bounded_records
from rh_kernel.operational.step import Step
from rh_kernel.primitives.values import to_array
from rh_kernel.session import results as r
from rh_kernel.session.races.done import RaceDone
from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.syntax.core import Array, Term, Tuple, Zero
from rh_kernel.syntax.types import Product
from rh_kernel.typing.derivation.derivations import Derivation as Proof
from rh_kernel.workspace.ipython_display import shell, show
from rh_kernel.workspace.outcome import Displayed, Outcome, Shown, unwritable
from rh_kernel.workspace.outcomes_of_cells import Counting, Derivative, Forms, Plain, Reduction, Returning

Arrays: TypeAlias = "Array | tuple[Arrays, ...]"
"""A closed value in Python: a read-only array, or for a product the tuple of its components."""


@dataclass(frozen=True, slots=True, repr=False)
class Value(Outcome[r.ValueFound]):
    """The value of a term or a command; ``display`` is the id of its output if that follows knobs."""

    display: str | None = field(default=None, compare=False)

    def _ipython_display_(self) -> None:
        where = shell()
        if self.display is None or where is None:
            raise NotImplementedError
        where.display_pub.publish(dict(bundle(self.result)), {}, transient={"display_id": self.display})

    @property
    def value(self) -> Arrays:
        """The value as NumPy arrays."""
        return arrays(self.result.value)

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return str(self.result.type)

    @property
    def changes(self) -> Mapping[str, Array]:
        """The new content of each location that was written, by name."""
        return _changes(self.result.changes)


@dataclass(frozen=True, slots=True, repr=False)
class Trace(Shown[r.TraceMade]):
    """``%trace P``. A trace that got stuck has no value, and ``stuck`` says why."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps; ``rule.value`` is the name of a step's rule."""
        return self.result.steps

    def records(self) -> tuple[Record, ...]:
        """Return every step as plain data: its rule, the term before it, the redex, its change to the heap, and its rounds."""
        return tuple(bounded_records(self.result, full=True))

    @property
    def value(self) -> "Arrays | None":
        """The value at the end of the trace, as NumPy arrays; ``None`` if it got stuck."""
        return None if self.result.value is None else arrays(self.result.value)

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return str(self.result.type)

    @property
    def stuck(self) -> tuple[Diagnostic, ...]:
        """Why the trace stopped before it reached a value; usually empty."""
        return self.result.stuck


@dataclass(frozen=True, slots=True, repr=False)
class Diagram(Shown[r.DiagramMade]):
    """``%diagram E``: ``svg`` and ``dot`` are ``None`` if it is too large to draw."""

    @property
    def svg(self) -> str | None:
        """The drawing as SVG."""
        return bundle(self.result).get("image/svg+xml")

    @property
    def dot(self) -> str | None:
        """The diagram in Graphviz syntax."""
        return bundle(self.result).get("text/vnd.graphviz")

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return self.result.type


@dataclass(frozen=True, slots=True, repr=False)
class Derivation(Shown[r.DerivationMade]):
    """``%derivation E``"""

    @property
    def latex(self) -> str:
        """The proof tree in LaTeX."""
        return bundle(self.result)["text/latex"]

    @property
    def derivations(self) -> tuple[Proof, ...]:
        """The proof trees: one, or two for a function with its own derivative."""
        return self.result.derivations


@dataclass(frozen=True, slots=True, repr=False)
class Gradient(Shown[r.GradientMade]):
    """``%gradient P``; ``against Q`` adds a second pass from the same heap, but only the first takes effect."""

    @property
    def passes(self) -> tuple[r.Pass, ...]:
        """Each pass: its arrow, the value on every wire, and the locations written."""
        return self.result.passes

    @property
    def value(self) -> Arrays:
        """The result of the first pass, as NumPy arrays."""
        return arrays(self.result.passes[0].value)

    @property
    def type(self) -> str:
        """The type, in concrete syntax."""
        return str(self.result.type)

    @property
    def changes(self) -> Mapping[str, Array]:
        """The new content of each location that the first pass wrote, by name."""
        return _changes(self.result.passes[0].changes)


@dataclass(frozen=True, slots=True, repr=False)
class Training(Shown[r.TrainingDone]):
    """The result of a training run."""

    @property
    def epochs(self) -> int:
        """The number of epochs run."""
        return self.result.epochs

    @property
    def measures(self) -> Mapping[str, tuple[float, ...]]:
        """The averages after each epoch, by the text of the measure."""
        return MappingProxyType(dict(self.result.measures))

    @property
    def changes(self) -> Mapping[str, Array]:
        """The new content of each location that was written, by name."""
        return _changes(self.result.changes)


Compared = TypeVar("Compared", bound=r.SweepDone | RaceDone, covariant=True)


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown[Compared], ABC):
    """Runs that are compared in a table."""

    @property
    def is_stopped(self) -> bool:
        """Whether it was interrupted."""
        return self.result.stopped

    @abstractmethod
    def csv(self) -> str:
        """Return the table as CSV."""
        ...

    def to_csv(self, file: "str | PathLike[str]") -> None:
        """Write the table to a CSV file in UTF-8. Raises ``OSError``."""
        Path(file).write_text(self.csv(), encoding="utf-8")


@dataclass(frozen=True, slots=True, repr=False)
class SweptRun:
    """One run of a sweep: its numbers by name, and if it failed an ``error`` such as ``RH118: …``, else ``None``."""

    values: Mapping[str, float]
    curves: Mapping[str, tuple[float, ...]]
    results: Mapping[str, float]
    error: str | None

    @property
    def measures(self) -> Mapping[str, float]:
        """The last value of each measure, by its text; all values are in ``curves``."""
        return MappingProxyType({text: curve[-1] for text, curve in self.curves.items() if curve})

    def __repr__(self) -> str:
        """The numbers and what became of them."""
        values = ", ".join([f"{name} = {value}" for name, value in self.values.items()])
        found = {**self.measures, **self.results}
        return f"<{values}: {self.error or ', '.join([f'{end:.4g}' for end in found.values()]) or 'no measure'}>"


@dataclass(frozen=True, slots=True, repr=False)
class Sweep(Comparison[r.SweepDone]):
    """The result of a sweep."""

    @property
    def runs(self) -> tuple[SweptRun, ...]:
        """The finished runs, in the order of the combinations."""
        return tuple([_swept(run) for run in self.result.runs])

    def csv(self) -> str:
        """Return the table as CSV: the numbers, the last value of each measure, the results, seconds and errors."""
        from rh_kernel.display.sweeps.view import to_csv

        return to_csv(self.result)


def _swept(run: r.SweepRun) -> SweptRun:
    error = f"{run.failed[0].code}: {run.failed[0].message}" if run.failed else None
    values, results = MappingProxyType(dict(run.values)), MappingProxyType(dict(run.results))
    return SweptRun(values, MappingProxyType(dict(run.measures)), results, error)


@dataclass(frozen=True, slots=True, repr=False)
class Raced:
    """One handler of a race: its text, its averages after each epoch by the text of the measure, and how far it moved."""

    handler: str
    curves: Mapping[str, tuple[float, ...]]
    moved: float

    @property
    def measures(self) -> Mapping[str, float]:
        """The last value of each measure, by its text; all values are in ``curves``."""
        return MappingProxyType({text: curve[-1] for text, curve in self.curves.items() if curve})

    def __repr__(self) -> str:
        """The handler and what became of it."""
        return f"<{self.handler}: {', '.join([f'{end:.4g}' for end in self.measures.values()]) or 'no measure'}>"


@dataclass(frozen=True, slots=True, repr=False)
class Race(Comparison[RaceDone]):
    """The result of ``%race``."""

    @property
    def runs(self) -> tuple[Raced, ...]:
        """The handlers, in the order in which they are written."""
        measures = self.result.measures
        return tuple(
            [
                Raced(racer.text, MappingProxyType(dict(zip(measures, racer.curves, strict=True))), racer.moved)
                for racer in self.result.racers
            ]
        )

    def csv(self) -> str:
        """Return the table as CSV: the handlers, the first and the last value of each measure, and how far they moved."""
        from rh_kernel.display.races.view import to_csv

        return to_csv(self.result)


@dataclass(frozen=True, slots=True, repr=False)
class Run(Displayed):
    """The outcomes of a whole program, one per item."""

    outcomes: tuple[Outcome[r.Result], ...]

    @property
    def value(self) -> "Arrays | Plain | None":
        """The last value computed, as NumPy arrays, or for a ``%%eff`` cell as a Python value.

        It is ``None`` for a function, and if the program only declares.
        """
        last = next((o for o in reversed(self.outcomes) if isinstance(o, Value | Returning | Counting)), None)
        return None if last is None else last.value

    @property
    def text(self) -> str:
        """The plain text for a terminal."""
        return "\n".join([o.text for o in self.outcomes])

    @property
    def html(self) -> str:
        """The HTML for a notebook, self-contained: no scripts, no external URLs."""
        return "".join([f"<div>{o.html}</div>" for o in self.outcomes])

    def _ipython_display_(self) -> None:
        show(tuple([o.result for o in self.outcomes]))


_CLASSES: Mapping[type[r.Result], type[Outcome[Any]]] = {
    r.ValueFound: Value,
    r.TraceMade: Trace,
    r.DiagramMade: Diagram,
    r.DerivationMade: Derivation,
    r.GradientMade: Gradient,
    r.TrainingDone: Training,
    r.SweepDone: Sweep,
    RaceDone: Race,
    r.Differentiated: Derivative,
    r.FormsShown: Forms,
    r.Returned: Returning,
    r.Counted: Counting,
    r.ReductionShown: Reduction,
}


def outcome(result: r.Result) -> Outcome[r.Result]:
    """Wrap a result for Python in the class for its kind, or else in a plain ``Outcome``."""
    plain = Outcome if view_of(type(result)).live is None else Shown
    return _CLASSES.get(type(result), plain)(result)


def arrays(V: Term) -> Arrays:
    """Return a closed value as NumPy arrays. Raises ``KernelBug`` if V is not a closed value."""
    match V:
        case Tuple(items):
            return tuple([arrays(W) for W in items])
        case Zero(Product(factors)):
            return tuple([arrays(Zero(A)) for A in factors])
        case _:
            return unwritable(to_array(V))


def _changes(changes: tuple[r.Change, ...]) -> Mapping[str, Array]:
    return MappingProxyType({name: unwritable(after) for name, (_, after) in by_name(changes).items()})
