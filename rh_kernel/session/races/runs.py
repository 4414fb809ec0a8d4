"""What a race reports of its handlers, while it runs and at its end."""

from rh_kernel.source.records import frozen


@frozen
class Racer:
    """A handler of a race: its text, the averages of each measure after each epoch, and the share that is done of its run.

    ``moved`` is how far the weights that the measures read are from where they began, as a Euclidean norm.
    """

    text: str
    curves: tuple[tuple[float, ...], ...]
    share: float
    moved: float

    @property
    def ends(self) -> tuple[float, ...]:
        """The last value of each measure that has one."""
        return tuple([curve[-1] for curve in self.curves if curve])


@frozen
class RaceProgress:
    """A race that is running: the texts of the measures, and its handlers.

    ``ended`` says in a word why it ended without a result; usually empty.
    """

    racers: tuple[Racer, ...]
    measures: tuple[str, ...]
    epochs: int
    samples: int
    seconds: float
    ended: str = ""
