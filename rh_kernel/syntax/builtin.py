"""The built-in operations ``Get`` and ``Put`` of RH Example 5.13, at any shape."""

from rh_kernel.syntax.signature import Family, LocKind, Parameter
from rh_kernel.syntax.types import UNIT, Real, ShapeVar

_ANY = ShapeVar("s")

GET = Family("Get", (Parameter("l", LocKind(_ANY)),), UNIT, Real(_ANY), ("s",))
PUT = Family("Put", (Parameter("l", LocKind(_ANY)),), Real(_ANY), UNIT, ("s",))
