"""Supplies of numbered names: ``y1``, ``y2``, …, as in the paper."""

from rh_kernel.ad.language.names import Names


class Numbered(Names):
    """A supply of names, none of which is returned twice: the one that is wanted, with the next number."""

    __slots__ = ()

    def fresh(self, wanted: str) -> str:
        """Return the first unused name of ``x1``, ``x2``, …"""
        base = wanted.rstrip("0123456789'") or wanted
        return self.first_unused(base, lambda i: (f"{base}{i + 1}",))[0]
