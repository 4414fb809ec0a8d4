"""The built-in functions of tensors, ``g : A -> … -> B``, on values of the machine (Sigal 2024, listing A.35)."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias, cast

from rh_kernel.ad.eff.errors import TensorsDoNotFit
from rh_kernel.ad.eff.machine import tensors
from rh_kernel.ad.eff.machine.tensor_values import Tensor
from rh_kernel.ad.eff.machine.tensors import Array, Misfit
from rh_kernel.ad.eff.machine.values import Value, list_value, listed
from rh_kernel.ad.eff.types import FLOAT, INT, TENSOR, Data, ValueType
from rh_kernel.source.diagnostic import Stuck

Typed: TypeAlias = tuple[tuple[ValueType, ...], ValueType, Callable[..., Value]]

FLOATS, INTS, TENSORS = [Data("List", (A,)) for A in (FLOAT, INT, TENSOR)]


def _typed(name: str, function: Callable[..., object], codomain: ValueType, *domain: ValueType) -> Typed:
    """Wrap a function of arrays and lists of Python for values of the machine; ``Misfit`` becomes ``Stuck``."""
    unwraps, wrap = [_UNWRAP.get(A, _identity) for A in domain], _WRAP.get(codomain, _identity)

    def apply(*arguments: Value) -> Value:
        try:
            return wrap(function(*[unwrap(V) for unwrap, V in zip(unwraps, arguments, strict=True)]))
        except Misfit as misfit:
            why = str(misfit)
            raise Stuck(TensorsDoNotFit(function=name, why=why, found=why, expected=misfit.expected, hint=_HINT)) from None

    return domain, codomain, apply


def _identity(V: Value) -> Value:
    return V


def _array(V: Value) -> Array:
    return V.array


def _arrays(V: Value) -> list[Array]:
    return [t.array for t in listed(V)]


def _tensors(found: Value) -> Value:
    return list_value(map(Tensor, cast(list[Array], found)))


_UNWRAP: Mapping[ValueType, Callable[[Value], Value]] = {TENSOR: _array, FLOATS: listed, INTS: listed, TENSORS: _arrays}
_WRAP: Mapping[ValueType, Callable[[Value], Value]] = {
    TENSOR: Tensor,
    FLOATS: list_value,
    INTS: list_value,
    TENSORS: _tensors,
}
_HINT = "`tensor_shape t` is the shape of a tensor; there is no broadcasting: use `tensor_repeat axis n t`"

TENSOR_FUNCTIONS: Mapping[str, Typed] = MappingProxyType(
    {
        "tensor": _typed("tensor", tensors.of_list, TENSOR, FLOATS),
        "tensor_normal": _typed("tensor_normal", tensors.normal, TENSOR, INT, INTS),
        "tensor_zeros": _typed("tensor_zeros", tensors.zeros, TENSOR, INTS),
        "tensor_filled": _typed("tensor_filled", tensors.filled, TENSOR, INTS, FLOAT),
        "tensor_shape": _typed("tensor_shape", tensors.shape, INTS, TENSOR),
        "tensor_entries": _typed("tensor_entries", tensors.entries, FLOATS, TENSOR),
        "tensor_reshape": _typed("tensor_reshape", tensors.reshape, TENSOR, INTS, TENSOR),
        "tensor_part": _typed("tensor_part", tensors.part, TENSOR, INT, INT, INT, TENSOR),
        "tensor_place": _typed("tensor_place", tensors.place, TENSOR, INT, INT, TENSOR, TENSOR),
        "tensor_transpose": _typed("tensor_transpose", tensors.transpose, TENSOR, INTS, TENSOR),
        "tensor_repeat": _typed("tensor_repeat", tensors.repeat, TENSOR, INT, INT, TENSOR),
        "tensor_sum": _typed("tensor_sum", tensors.over_axis, TENSOR, INT, TENSOR),
        "tensor_total": _typed("tensor_total", tensors.total, FLOAT, TENSOR),
        "tensor_log_sum_exp": _typed("tensor_log_sum_exp", tensors.log_sum_exp, TENSOR, INT, TENSOR),
        "tensor_softmax": _typed("tensor_softmax", tensors.softmax, TENSOR, INT, TENSOR),
        "tensor_exp": _typed("tensor_exp", tensors.exp, TENSOR, TENSOR),
        "tensor_negate": _typed("tensor_negate", tensors.negate, TENSOR, TENSOR),
        "tensor_power": _typed("tensor_power", tensors.power, TENSOR, FLOAT, TENSOR),
        "tensor_plus": _typed("tensor_plus", tensors.plus, TENSOR, TENSOR, TENSOR),
        "tensor_minus": _typed("tensor_minus", tensors.minus, TENSOR, TENSOR, TENSOR),
        "tensor_times": _typed("tensor_times", tensors.times, TENSOR, TENSOR, TENSOR),
        "tensor_over": _typed("tensor_over", tensors.over, TENSOR, TENSOR, TENSOR),
        "tensor_product": _typed("tensor_product", tensors.product, TENSOR, TENSOR, TENSOR),
        "tensor_scale": _typed("tensor_scale", tensors.scale, TENSOR, FLOAT, TENSOR),
        "tensor_lower": _typed("tensor_lower", tensors.lower, TENSOR, TENSOR, FLOAT),
        "tensor_concatenate": _typed("tensor_concatenate", tensors.concatenate, TENSOR, INT, TENSORS),
        "tensor_stack": _typed("tensor_stack", tensors.stack, TENSOR, INT, TENSORS),
        "tensor_split": _typed("tensor_split", tensors.split, TENSORS, INT, INTS, TENSOR),
        "log_gamma": ((FLOAT,), FLOAT, tensors.log_gamma),
    }
)
"""The domain, the codomain and the function of each."""
