"""Numbers and arrays as the language writes them."""

import numpy as np

from rh_kernel.interchange.model import Numbers

WIDEST = 90
"""The most characters of an array that is written in the file."""
_MOST = 32


def is_small(array: Numbers) -> bool:
    """Whether an array is written in the file; others are contents of locations."""
    return array.size <= _MOST and len(literal(array)) <= WIDEST


def literal(array: Numbers) -> str:
    """Print an array."""
    if array.size == 1 and array.ndim <= 1:
        return entry(array.reshape(-1)[0])
    if array.ndim == 1:
        return f"[{', '.join([entry(n) for n in array])}]"
    return f"[{', '.join([f'[{entry(row[0])}]' if row.shape == (1,) else literal(row) for row in array])}]"


def entry(value: np.generic) -> str:
    """Print a number with as many digits as its precision has."""
    return number(shortest(value))


def shortest(value: np.generic) -> float:
    """Return the number with the fewest digits that is this one in its precision."""
    is_short = np.issubdtype(value.dtype, np.floating) and value.dtype.itemsize < np.dtype(np.float64).itemsize
    return float(str(value)) if is_short else float(value.item())


def number(value: float) -> str:
    """Print a number."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
