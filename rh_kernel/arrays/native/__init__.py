"""Plans as machine code: C made from a plan, compiled by the system's compiler if there is one, and kept in the user's cache.

Never required: without a compiler ``available()`` is false, and ``Native`` raises ``Unsupported``. What is in the C text are
numbers only: shapes, strides, and literals of the program; never a name that a user wrote.
"""

from rh_kernel.arrays.native.compiled import Native, NativeRunner, available
from rh_kernel.arrays.native.toolchain import diagnose

__all__ = ["Native", "NativeRunner", "available", "diagnose"]
