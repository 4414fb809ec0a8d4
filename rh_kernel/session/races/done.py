"""The result of a race."""

from rh_kernel.session.races.clauses import Comparison
from rh_kernel.session.races.runs import Racer
from rh_kernel.session.results import Result
from rh_kernel.source.records import frozen
from rh_kernel.training.slices import Slice


@frozen
class RaceDone(Result):
    """``%race``: its handlers, in the order written, and the texts of the measures, by the last of which they are compared.

    ``slice`` is that measure on a plane, with the paths of the handlers. Without one ``no_slice`` says why, unless the race was
    interrupted.
    ``clauses`` are those of the handlers.
    ``stopped`` says that the race was interrupted.
    """

    racers: tuple[Racer, ...]
    measures: tuple[str, ...]
    epochs: int
    samples: int
    seconds: float
    slice: Slice | None = None
    clauses: Comparison = Comparison((), ())
    stopped: bool = False
    no_slice: str = ""
