"""What all forms of a race show: a line about it, which handler is lowest, the ends of its curves, and its pictures."""

import math

from rh_kernel.display.races.curves import Picture, curves
from rh_kernel.display.races.surface import surface
from rh_kernel.display.training.runs import duration
from rh_kernel.display.values import short
from rh_kernel.session.races.done import RaceDone
from rh_kernel.session.races.runs import RaceProgress, Racer


def lowest(racers: tuple[Racer, ...]) -> int | None:
    """The number of the handler whose last measure is lowest at the end; ``None`` if fewer than two can be compared."""
    ends = [(racer.curves[-1][-1], n) for n, racer in enumerate(racers) if racer.curves and racer.curves[-1]]
    finite = [end for end in ends if math.isfinite(end[0])]
    return min(finite)[1] if len(finite) > 1 else None


def ends(curve: tuple[float, ...]) -> str:
    """The first and the last value of a curve: ``1.079 → 0.301``."""
    return "" if not curve else short(curve[-1]) if len(curve) == 1 else f"{short(curve[0])} → {short(curve[-1])}"


def head(race: RaceDone | RaceProgress) -> str:
    """``a race of 3 handlers · 20 epochs of 4 samples · 0.1 s``"""
    handlers = f"{len(race.racers)} handler{'' if len(race.racers) == 1 else 's'}"
    match race:
        case RaceDone(stopped=True):
            first = f"stopped: a race of {handlers}"
        case RaceDone() | RaceProgress():
            first = f"a race of {handlers}"
    epochs = (
        f"{race.epochs:,} epoch{'' if race.epochs == 1 else 's'} of {race.samples:,} sample{'' if race.samples == 1 else 's'}"
    )
    return f"{first} · {epochs} · {duration(race.seconds)}"


def no_slice(race: RaceDone | RaceProgress) -> str:
    """Why the paths of the handlers are not drawn; empty if they are, or if the race has not come so far."""
    why = race.no_slice if isinstance(race, RaceDone) else ""
    return f"no picture of the paths: {why}" if why else ""


def pictures(race: RaceDone | RaceProgress) -> tuple[Picture, ...]:
    """The curves of each measure, and of a race that is done the paths of the handlers."""
    has_curves = any(len(curve) > 1 for racer in race.racers for curve in racer.curves)
    found = [curves(race.racers, n, text, race.epochs) for n, text in enumerate(race.measures)] if has_curves else []
    if isinstance(race, RaceDone) and race.slice is not None:
        found.append(surface(race.slice, race.racers, race.measures[-1]))
    return tuple(found)
