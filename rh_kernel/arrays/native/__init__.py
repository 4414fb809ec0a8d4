"""The native back end: C code generated from a plan, compiled by the system's compiler, and cached in the user's cache folder.

It is optional: without a compiler ``available()`` is false, and ``Native`` raises ``Unsupported``. The generated C contains
only numbers of the program, such as shapes, strides and literals, and never a name that the user wrote.
"""

from rh_kernel.arrays.native.compiled import Native, NativeRunner, available
from rh_kernel.arrays.native.toolchain import diagnose

__all__ = ["Native", "NativeRunner", "available", "diagnose"]
