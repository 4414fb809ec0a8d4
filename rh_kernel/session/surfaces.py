"""Which commands have a surface: those of two numbers of a sample, whose result is a number or one for each class."""

from math import prod

from rh_kernel.session.errors import CannotShow
from rh_kernel.source.diagnostic import Rejected
from rh_kernel.source.span import Span
from rh_kernel.syntax.types import Real, Type, concrete_shape
from rh_kernel.training.samples import DataSet
from rh_kernel.training.surfaces import Plane, plane
from rh_kernel.typing.elaboration.items import SampledCommand


def plane_of(run: SampledCommand, data: DataSet, span: Span) -> Plane:
    """Return the plane of the components that the command at ``span`` depends on.

    The one that it does not depend on is the target, if its type is that of the result. Raises ``Rejected`` if they are not
    two numbers, or if the result is no vector.
    """
    types = dict(run.sample)
    used = [name for name, _ in run.sample if name in run.used]
    count = sum(prod(_shape(types[name]) or (0,)) for name in used)
    if count != 2:
        why = "a surface is drawn over a plane, so the command must depend on two numbers of a sample"
        depends = " and ".join([f"`{name}` of type {types[name]}" for name in used])
        found = f"a command that depends on {depends or 'nothing of the sample'}"
        expected = "one component of type Real(2), or two of type Real(1)"
        hint = "`%confusion` shows what a net makes of samples of any size"
        raise Rejected(CannotShow(span=span, why=why, found=found, expected=expected, hint=hint))
    shape = _shape(run.type)
    if shape is None or len(shape) != 1 or shape == (0,):
        why = "a surface shows a number, or the largest of several"
        found, expected = f"a result of type {run.type}", "Real(1), or Real(k) for k classes"
        hint = "flatten an array by `reshape`, choose from a tuple by `.1`"
        raise Rejected(CannotShow(span=span, why=why, found=found, expected=expected, hint=hint))
    targets = [name for name in run.unused if types[name] == run.type]
    return plane(data, [name for name, _ in run.sample], run.used, targets[0] if len(targets) == 1 else None)


def _shape(A: Type) -> tuple[int, ...] | None:
    return concrete_shape(A) if isinstance(A, Real) else None
