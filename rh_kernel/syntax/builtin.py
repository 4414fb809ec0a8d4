"""The built-in operations: ``Get`` and ``Put`` (RH Ex. 5.13), draws and ``BatchMean`` (LANGUAGE §9)."""

from rh_kernel.syntax.signature import Family, Location, LocKind, Parameter
from rh_kernel.syntax.types import SCALAR, UNIT, Real, ShapeVar

_ANY = ShapeVar("s")

GET = Family("Get", (Parameter("l", LocKind(_ANY)),), UNIT, Real(_ANY), ("s",))
PUT = Family("Put", (Parameter("l", LocKind(_ANY)),), Real(_ANY), UNIT, ("s",))

NORMAL = Family("Normal", (), UNIT, Real(_ANY), ("s",), shape="s")
UNIFORM = Family("Uniform", (), UNIT, Real(_ANY), ("s",), shape="s")

BATCH_MEAN = Family("BatchMean", (), Real(_ANY), Real(_ANY), ("s",))
"""The mean of what all samples of a batch give it; of one sample by itself, that sample's."""

BUILT_IN_FAMILIES = (GET, PUT, NORMAL, UNIFORM, BATCH_MEAN)

DRAWS = Location("draws made", SCALAR.shape)
"""Where a heap holds the number of draws made. No program can name this location."""

SEED = Location("seed of the draws", SCALAR.shape)
"""Where a heap holds the seed, 0 if it does not. No program can name this location."""

UNNAMED = (DRAWS, SEED)


def is_draw(family: Family) -> bool:
    """Whether the operations of the family are draws."""
    return family in (NORMAL, UNIFORM)
