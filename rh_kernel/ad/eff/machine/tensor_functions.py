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


def _typed(name: str, domain: tuple[ValueType, ...], codomain: ValueType, function: Callable[..., object]) -> Typed:
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

_PRIMITIVES: Mapping[str, tuple[tuple[ValueType, ...], ValueType, Callable[..., object]]] = {
    "tensor": ((FLOATS,), TENSOR, tensors.of_list),
    "tensor_normal": ((INT, INTS), TENSOR, tensors.normal),
    "tensor_zeros": ((INTS,), TENSOR, tensors.zeros),
    "tensor_filled": ((INTS, FLOAT), TENSOR, tensors.filled),
    "tensor_shape": ((TENSOR,), INTS, tensors.shape),
    "tensor_entries": ((TENSOR,), FLOATS, tensors.entries),
    "tensor_reshape": ((INTS, TENSOR), TENSOR, tensors.reshape),
    "tensor_part": ((INT, INT, INT, TENSOR), TENSOR, tensors.part),
    "tensor_place": ((INT, INT, TENSOR, TENSOR), TENSOR, tensors.place),
    "tensor_transpose": ((INTS, TENSOR), TENSOR, tensors.transpose),
    "tensor_repeat": ((INT, INT, TENSOR), TENSOR, tensors.repeat),
    "tensor_sum": ((INT, TENSOR), TENSOR, tensors.over_axis),
    "tensor_total": ((TENSOR,), FLOAT, tensors.total),
    "tensor_log_sum_exp": ((INT, TENSOR), TENSOR, tensors.log_sum_exp),
    "tensor_softmax": ((INT, TENSOR), TENSOR, tensors.softmax),
    "tensor_exp": ((TENSOR,), TENSOR, tensors.exp),
    "tensor_negate": ((TENSOR,), TENSOR, tensors.negate),
    "tensor_power": ((FLOAT, TENSOR), TENSOR, tensors.power),
    "tensor_plus": ((TENSOR, TENSOR), TENSOR, tensors.plus),
    "tensor_minus": ((TENSOR, TENSOR), TENSOR, tensors.minus),
    "tensor_times": ((TENSOR, TENSOR), TENSOR, tensors.times),
    "tensor_over": ((TENSOR, TENSOR), TENSOR, tensors.over),
    "tensor_product": ((TENSOR, TENSOR), TENSOR, tensors.product),
    "tensor_scale": ((FLOAT, TENSOR), TENSOR, tensors.scale),
    "tensor_lower": ((TENSOR, FLOAT), TENSOR, tensors.lower),
    "tensor_concatenate": ((INT, TENSORS), TENSOR, tensors.concatenate),
    "tensor_stack": ((INT, TENSORS), TENSOR, tensors.stack),
    "tensor_split": ((INT, INTS, TENSOR), TENSORS, tensors.split),
}
"""The domain, the codomain and the function of arrays of each."""

TENSOR_FUNCTIONS: Mapping[str, Typed] = MappingProxyType(
    {
        **{name: _typed(name, *row) for name, row in _PRIMITIVES.items()},
        "log_gamma": ((FLOAT,), FLOAT, tensors.log_gamma),
    }
)
"""The domain, the codomain and the function of values of each."""
