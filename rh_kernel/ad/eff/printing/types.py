"""Printing of types, rows and schemes (Sigal 2024, ch. 3): ``{Paired x -> [Smooth x, Smooth (Paired x)] Paired x}``.

The implicit row variable is not printed, nor a row that has nothing else; an unknown type is ``_``.
"""

from rh_kernel.ad.eff import types
from rh_kernel.ad.eff.core import IMPLICIT
from rh_kernel.ad.eff.definitions import shown

_UNKNOWN = "_"


def value(A: types.ValueType, *, atomic: bool = False) -> str:
    """A; in parentheses, if it has arguments, where it must be ``atomic``."""
    match A:
        case types.Variable(name) | types.Base(name):
            return shown(name)
        case types.Meta(_, numeric):
            return "Float" if numeric else _UNKNOWN
        case types.Product(()):
            return "Unit"
        case types.Product(components):
            return f"({', '.join(map(value, components))})"
        case types.Data(name, arguments):
            return _applied(name, arguments, atomic=atomic)
        case types.Thunk(row, computation_type):
            return f"{{{_with_row(row, computation_type)}}}"


def computation(C: types.ComputationType, E: types.Row | None = None) -> str:
    """C, with its row in front of its result, if it is given."""
    return _with_row(types.Row((), types.RowVariable(IMPLICIT)) if E is None else E, C)


def row(E: types.Row) -> str:
    """``[e | L, …, L]``"""
    labels = ", ".join(map(label, E.labels))
    match E.tail:
        case types.RowVariable(name) if name != IMPLICIT:
            return f"[{shown(name)} | {labels}]" if labels else f"[{shown(name)}]"
        case types.RowVariable() | types.RowMeta() | None:
            return f"[{labels}]"


def label(L: types.Label) -> str:
    """``Smooth (Paired x)``"""
    return _applied(L.effect, L.arguments, atomic=False)


def scheme(S: types.Scheme) -> str:
    """``Paired x -> x``: a declared function is a thunk, whose braces are not printed if it has parameters."""
    match S.type:
        case types.Thunk(E, types.Function() as C):
            return computation(C, E)
        case A:
            return value(A)


def handler_scheme(S: types.HandlerScheme) -> str:
    """``A -> <L, …> B -> [E] C``, as in Frank: it handles L, … in a computation of B, and the result is C in the row E."""
    parameters = [f"{value(A)} -> " for A in S.parameters]
    labels = ", ".join(map(label, handled(S)))
    return f"{''.join(parameters)}<{labels}> {value(S.domain)} -> {computation(S.codomain, S.around)}"


def handled(S: types.HandlerScheme) -> tuple[types.Label, ...]:
    """The labels of the handled row that the row around the handler does not have."""
    left = list(S.around.labels)
    found: list[types.Label] = []
    for L in S.handled.labels:
        if L in left:
            left.remove(L)
        else:
            found.append(L)
    return tuple(found)


def _with_row(E: types.Row, C: types.ComputationType) -> str:
    match C:
        case types.Function(A, D):
            return f"{value(A)} -> {_with_row(E, D)}"
        case types.Returner(A):
            return f"{_shown_row(E)}{value(A)}"
        case types.With(C1, C2):
            return f"{_shown_row(E)}<| {computation(C1)}, {computation(C2)} |>"
        case types.ComputationMeta():
            return f"{_shown_row(E)}{_UNKNOWN}"


def _shown_row(E: types.Row) -> str:
    match E:
        case types.Row((), types.RowVariable(name)) if name == IMPLICIT:
            return ""
        case types.Row((), types.RowMeta()):
            return ""
        case _:
            return f"{row(E)} "


def _applied(name: str, arguments: tuple[types.ValueType | types.Row, ...], *, atomic: bool) -> str:
    if not arguments:
        return shown(name)
    text = " ".join([shown(name), *[row(A) if isinstance(A, types.Row) else value(A, atomic=True) for A in arguments]])
    return f"({text})" if atomic else text
