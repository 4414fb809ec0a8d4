"""Python values of parameters in concrete syntax: numbers, nested lists of numbers, and texts, which are terms already."""

import math
from typing import cast

from rh_kernel.source.diagnostic import Rejected
from rh_kernel.training.errors import NotFinite, NotNumbers

_EXPECTED = "a number, nested lists of numbers, or a text in the language"


def value_text(name: str, value: object) -> str:
    """The right-hand side of ``const name =``. A tuple is a product, as in ``rh.const``.

    A text is returned unchanged; the parser decides whether it is a term. Raises ``Rejected`` for other values: booleans,
    ``None``, dictionaries, lists that are empty, ragged or not of numbers, ``nan`` and ``inf``.
    """
    match value:
        case str():
            return value
        case tuple():
            return f"({', '.join([value_text(name, part) for part in cast(tuple[object, ...], value)])})"
        case list():
            text, _ = _array(name, cast(list[object], value))
            return text
        case _:
            return _number(name, value)


def _number(name: str, value: object) -> str:
    match value:
        case bool():
            raise _refused(name, str(value), "there are no booleans; use 1 and 0")
        case int():
            return str(int(value))
        case float() if math.isfinite(value):
            return repr(float(value))
        case float():
            found, hint = str(float(value)), "omit the parameter to keep the value in the notebook"
            raise Rejected(NotFinite(place=f"`{name}`", found=found, expected="a finite number", hint=hint))
        case None:
            raise _refused(name, "nothing", "a parameter that is omitted keeps the value in the notebook")
        case _:
            raise _refused(name, f"a value of type {type(value).__name__}", "")


def _array(name: str, value: object) -> tuple[str, tuple[int, ...]]:
    """Return the text of a number or of nested lists of numbers, and its shape."""
    if isinstance(value, str):
        raise _refused(name, "a list with a text in it", 'as a text the whole array can be given: "[0.5, 1.0]"')
    if not isinstance(value, list):
        return _number(name, value), ()
    items = [_array(name, item) for item in cast(list[object], value)]
    if not items:
        raise _refused(name, "an empty list", "")
    shape = items[0][1]
    if any(other != shape for _, other in items):
        raise _refused(name, "rows of different lengths", "")
    return f"[{', '.join([text for text, _ in items])}]", (len(items), *shape)


def _refused(name: str, found: str, hint: str) -> Rejected:
    return Rejected(NotNumbers(array=name, found=found, expected=_EXPECTED, hint=hint))
