"""What a sweep reports of its runs, while it runs and at its end."""

from collections.abc import Mapping

from rh_kernel.source.diagnostic import Diagnostic
from rh_kernel.source.records import frozen


@frozen
class SweepRun:
    """One run of a sweep: its numbers, the averages of each measure after each epoch, and the results of type ``Real``.

    ``failed`` says why it has neither; usually empty.
    """

    values: tuple[tuple[str, float], ...]
    measures: tuple[tuple[str, tuple[float, ...]], ...]
    results: tuple[tuple[str, float], ...]
    failed: tuple[Diagnostic, ...]
    seconds: float


@frozen
class SweepProgress:
    """A sweep that is running: the numbers of all its runs, what is finished of them, and the share of those that are running.

    ``ended`` says in a word why it ended without a result; usually empty.
    """

    values: tuple[tuple[tuple[str, float], ...], ...]
    runs: tuple[SweepRun | None, ...]
    running: Mapping[int, float]
    place: str
    seconds: float
    ended: str = ""
