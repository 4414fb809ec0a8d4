"""The prebuilt back end: kernels for any shapes and strides, compiled when the package was built.

It is for machines without a compiler, and for runs that are too short to be compiled. A wheel for one platform carries the
library in ``built``; in a checkout, ``python -m rh_kernel.arrays.prebuilt.build`` makes it. Without it, ``available()`` is
false.
"""

from rh_kernel.arrays.prebuilt.backend import Prebuilt, available

__all__ = ["Prebuilt", "available"]
