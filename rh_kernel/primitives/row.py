"""A row of the table: all that is known of one family of function symbols (LANGUAGE §4)."""

from collections.abc import Callable
from types import ModuleType
from typing import TypeAlias

from rh_kernel.primitives.formulas import Typed
from rh_kernel.primitives.schemes import Scheme
from rh_kernel.source.records import frozen
from rh_kernel.syntax.core import Array, Primitive

Unary: TypeAlias = Callable[[Array], Array]
Binary: TypeAlias = Callable[[Array, Array], Array]
Kernel: TypeAlias = Callable[..., Array]
"""``x₁, …, xₙ ↦ f(x₁, …, xₙ)`` on arrays, one for each argument.

Each argument may have further axes in front of those of its type (a batch); those of several arguments broadcast, and the
result has them in front. A kernel never writes on its arguments, keeps their dtype, and may return a view of one of them.
Undefined points give ``nan`` or ``±inf``; whether the array module warns of them is for the caller to set.
"""

Pullback: TypeAlias = Callable[[Primitive, Typed, Typed], Typed]
"""``f, w, v ↦ rd[f](w, v)``: cotangent first, point second, as in RH Fig. 6; several arguments are one point."""

Slope: TypeAlias = Callable[[Typed, Typed], Typed]
"""``w, v ↦ rd[f](w, v)``, where the indices of f do not matter."""


@frozen
class Row:
    """``f : A → B``: its type schemes, its derivative, its kernel, and what an application costs.

    ``doc`` is a line for the reader and ``formula`` the value at ``x`` (or at the arguments that ``doc`` names). With several
    schemes the types of the arguments decide. ``kernel``, ``cost`` and ``rough`` are asked at concrete instances. ``rough``
    marks the points where f is undefined or not smooth (RH Ex. 6.9), as an array of truth values; without it f is smooth
    everywhere.
    """

    name: str
    doc: str
    formula: str
    schemes: tuple[Scheme, ...]
    derivative: Pullback
    kernel: Callable[[Primitive, ModuleType], Kernel]
    cost: Callable[[Primitive], int]
    rough: Callable[[Primitive, ModuleType], Kernel] | None = None

    @property
    def signatures(self) -> tuple[str, ...]:
        """The type schemes as they are written, e.g. ``reshape[s…] : Real(t…) → Real(s…)``."""
        return tuple(f"{self.name}{scheme}" for scheme in self.schemes)
