"""The systems of CHAD: reverse and forward mode, by combinators, and with accumulators."""

from rh_kernel.ad.chad.running import pull, push, transformed
from rh_kernel.ad.chad.types import Mode
from rh_kernel.ad.language.core import Program
from rh_kernel.ad.language.values import Value
from rh_kernel.ad.system import Point, Pulled, Pushed, System

_PAPER = "Vákár and Smeding, CHAD: Combinatory Homomorphic Automatic Differentiation, TOPLAS 44(3), 2022"


def _reverse(program: Program, point: Point, cotangent: Value) -> Pulled:
    return pull(program, point, cotangent, transformed("chad", program, Mode.REVERSE))


def _forward(program: Program, point: Point, tangents: Point) -> Pushed:
    return push(program, point, tangents, transformed("chad-forward", program, Mode.FORWARD))


SYSTEMS: tuple[System, ...] = (
    System("chad", "CHAD, reverse mode", _PAPER, reverse=_reverse),
    System("chad-forward", "CHAD, forward mode", _PAPER, forward=_forward),
)
