"""Supplies of names with subscripts: ``x``, ``x₁``, …, and pairs ``x₁``, ``x₁′`` for a number and its backpropagator."""

from rh_kernel.ad.language.names import Names

SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_ENDINGS = "₀₁₂₃₄₅₆₇₈₉′'"


class NameSupply(Names):
    """A supply of names, none of which is returned twice: the one that is wanted, or that with the next subscript."""

    __slots__ = ()

    def fresh(self, wanted: str) -> str:
        """Return the first unused name of ``x``, ``x₁``, ``x₂``, …; a prime stays at its end."""
        return self._subscripted(wanted, "′" if wanted.endswith("′") else "")[0]

    def pair(self, wanted: str) -> tuple[str, str]:
        """Return the first ``x`` and ``x′``, ``x₁`` and ``x₁′``, … that are both unused."""
        x, x_prime = self._subscripted(wanted, "", "′")
        return x, x_prime

    def _subscripted(self, wanted: str, *endings: str) -> tuple[str, ...]:
        base = wanted.rstrip(_ENDINGS)

        def spell(i: int) -> tuple[str, ...]:
            stem = base + (str(i).translate(SUBSCRIPTS) if i else "")
            return tuple([stem + ending for ending in endings])

        return self.first_unused(base + "".join(endings), spell)
