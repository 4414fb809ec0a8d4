"""The semantics of Source UNF (Prop. 6.7): functions from lists of values to lists of values."""

from rh_kernel.ad.language.values import Value
from rh_kernel.ad.unary_form.terms.evaluation import run
from rh_kernel.ad.unary_form.unary.forms import BothU, ComposeU, JacobianU, OpU, PairU, ProjU, SeqU, TargetForm, VarU
from rh_kernel.source.diagnostic import KernelBug


def interpret(e: TargetForm, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Apply e to a list of values."""
    match e:
        case VarU(_, i):
            return (*values, values[i - 1])
        case OpU(T, _, _, operation, holes, names):
            point = dict(zip(names, values, strict=False)) | dict(zip(holes, values[len(T) :], strict=True))
            return (*values, run(operation, point))
        case PairU():
            return (*values[:-2], (values[-2], values[-1]))
        case ProjU(T1, T2, _):
            return (*values[: len(T1)], *values[len(T1) + len(T2) :])
        case SeqU(parts):
            for part in parts:
                values = interpret(part, values)
            return values
        case JacobianU() | BothU() | ComposeU():
            raise KernelBug("no term of Source UNF")
